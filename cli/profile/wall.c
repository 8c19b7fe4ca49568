#include "cli/profile/wall.h"

uint32_t wall_add(struct profile *profile)
{
	uint32_t cpu = profile_value_type(profile, "cpu");
	uint32_t wait = profile_value_type(profile, "wait");
	uint32_t runqueue = profile_value_type(profile, "runqueue");
	uint32_t wall = profile->n_value_types;

	if (cpu == PROFILE_NONE || wait == PROFILE_NONE ||
	    runqueue == PROFILE_NONE || wall == PROFILE_VALUES_MAX)
		return PROFILE_NONE;
	profile->value_types[wall] =
		(struct profile_value_type){ "wall", "nanoseconds" };
	profile->n_value_types++;
	for (size_t i = 0; i < profile->n_rows; i++) {
		uint64_t *values = profile->rows[i].values;

		values[wall] = values[cpu] + values[wait] + values[runqueue];
	}
	return wall;
}
