/* The verdicts of `hostprof diff` on the functions of a comparison's page, as
 * a line of JSON. */
#ifndef CLI_VIEWS_PAGE_VERDICTS_H
#define CLI_VIEWS_PAGE_VERDICTS_H

#include "cli/profile/compare.h"
#include "cli/views/page_tables.h"

/*
 * An array of [function of the page, change, low, high, q, verdict]: change
 * and its 95 % interval are relative, null where they cannot be told. sides
 * are those the tables are made of. Returns a new text for free().
 */
char *page_verdicts_new(const struct page_tables *tables,
			const struct compare_side sides[2]);

#endif
