/*
 * Comparisons as text: what the two sides are, then a table for each kind of
 * rows with before, after, change and verdict.
 */
#ifndef CLI_VIEWS_TEXT_DIFF_H
#define CLI_VIEWS_TEXT_DIFF_H

#include <stdio.h>

#include "cli/profile/compare.h"
#include "cli/terminal.h"

/* At most top rows of each kind (0: all). */
void text_diff(FILE *out, const struct comparison *comparison,
	       const struct compare_side sides[2],
	       const struct compare_options *options, uint64_t top,
	       const struct terminal *terminal);

#endif
