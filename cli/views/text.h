/*
 * Reports as text: the header that says what was recorded and how far it can
 * be trusted, and tables of groups. The shapes are a contract (the summary of
 * `hostprof report`).
 */
#ifndef CLI_VIEWS_TEXT_H
#define CLI_VIEWS_TEXT_H

#include <stdio.h>

#include "cli/profile/group.h"
#include "cli/profile/tree.h"
#include "cli/terminal.h"

/* Where, when, with what event; CPU time; trust; notes. */
void text_header(FILE *out, const struct profile *profile,
		 const struct window *window);

/* One table of groups; columns by the keys of the request. */
void text_groups(FILE *out, const struct grouping *grouping,
		 const struct window *window,
		 const struct group_request *request,
		 const struct terminal *terminal);

/* Header and the tables of containers, processes and functions, each with at
 * most top rows (0: all). */
void text_summary(FILE *out, const struct profile *profile,
		  const struct window *window, uint64_t top,
		  const struct terminal *terminal);

/* The call tree with bars; at most top children of each node (0: all), and
 * nothing below half a percent of the window. */
void text_tree(FILE *out, const struct tree *tree, const struct window *window,
	       uint64_t top, const struct terminal *terminal);

#endif
