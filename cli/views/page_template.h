/* The page without its data, made by cli/views/page/assemble when hostprof is
 * built: the data stand between the two parts. */
#ifndef CLI_VIEWS_PAGE_TEMPLATE_H
#define CLI_VIEWS_PAGE_TEMPLATE_H

extern const char page_template_head[], page_template_tail[];

#endif
