/*
 * What an export has one part for: one flame graph tower, one speedscope
 * profile. The group of each row, and the groups' names.
 */
#ifndef CLI_FORMATS_STACK_GROUPS_H
#define CLI_FORMATS_STACK_GROUPS_H

#include "cli/profile/label.h"

enum stack_grouping {
	STACK_GROUPING_NONE, /* all in one */
	STACK_GROUPING_COMM,
	STACK_GROUPING_PROCESS,
	STACK_GROUPING_CONTAINER,
};

/* "none", "comm", "process", "container"; ended by NULL. */
extern const char *const stack_grouping_names[];

/* Returns the group of each row, for free(). Adds the groups to labels. */
uint32_t *stack_groups_new(struct labels *labels, enum stack_grouping by);

/* Name of a group for a person: "web", "nginx", "nginx (812)", "all".
 * Returns a text for free(). */
char *stack_group_name(const struct labels *labels, enum stack_grouping by,
		       uint32_t group);

#endif
