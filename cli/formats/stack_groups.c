#include "cli/formats/stack_groups.h"

#include "perfcore/mem.h"

const char *const stack_grouping_names[] = { "none", "comm", "process",
					     "container", NULL };

static const enum label_key keys[] = {
	[STACK_GROUPING_COMM] = LABEL_COMM,
	[STACK_GROUPING_PROCESS] = LABEL_PROCESS,
	[STACK_GROUPING_CONTAINER] = LABEL_CONTAINER,
};

uint32_t *stack_groups_new(struct labels *labels, enum stack_grouping by)
{
	const struct profile *profile = labels->profile;
	uint32_t *groups = mem_calloc(profile->n_rows + 1, sizeof(*groups));

	for (size_t i = 0; by != STACK_GROUPING_NONE && i < profile->n_rows;
	     i++)
		groups[i] = labels_of_row(labels, keys[by], &profile->rows[i]);
	return groups;
}

char *stack_group_name(const struct labels *labels, enum stack_grouping by,
		       uint32_t group)
{
	const struct label *label = &labels->items[group];

	if (by == STACK_GROUPING_NONE)
		return mem_strdup("all");
	if (by == STACK_GROUPING_PROCESS && label->index != PROFILE_NONE)
		return mem_printf("%s (%u)", label->name,
				  labels->profile->processes[label->index].pid);
	return mem_strdup(label->name);
}
