/* What the page says about the recordings it shows, as a line of JSON: where,
 * when, with which event, how far to trust it. */
#ifndef CLI_VIEWS_PAGE_META_H
#define CLI_VIEWS_PAGE_META_H

#include "cli/views/page_tables.h"

/* Returns a new text for free(). Numbers that are not known are null. */
char *page_meta_new(const struct page_tables *tables);

#endif
