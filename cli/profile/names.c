#include "cli/profile/names.h"

#include <stdlib.h>

#include "perfcore/mem.h"

/* Parents stand before their children, so one pass from the end adds up what
 * passed through each node. */
void names_count(struct profile *profile)
{
	double *passed = mem_calloc(profile->n_nodes, sizeof(*passed));
	struct profile_health *health = &profile->health;

	health->frames_named = health->frames_unnamed = 0;
	for (size_t i = 0; i < profile->n_rows; i++)
		passed[profile->rows[i].stack] +=
			(double)profile->rows[i].count;
	for (size_t i = profile->n_nodes; i-- > 1;) {
		const struct profile_node *node = &profile->nodes[i];
		const struct profile_frame *frame =
			&profile->frames[node->frame];
		uint32_t function = profile->lines[frame->first_line].function;

		passed[node->parent] += passed[i];
		if (frame->flags & PROFILE_FRAME_SPECIAL)
			continue;
		if (profile->functions[function].is_named)
			health->frames_named += passed[i];
		else
			health->frames_unnamed += passed[i];
	}
	free(passed);
}
