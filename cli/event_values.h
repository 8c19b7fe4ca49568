/*
 * Event values: which of the profile's value types the samples of each event
 * count for, and what they count in.
 */
#ifndef CLI_EVENT_VALUES_H
#define CLI_EVENT_VALUES_H

#include "cli/profile/profile.h"
#include "perfcore/source.h"

struct event_values {
	uint32_t count;			      /* of values that are events' */
	uint32_t event[PROFILE_VALUES_MAX];   /* whose each value is */
	uint64_t samples[PROFILE_VALUES_MAX]; /* the caller's count of them */
};

/*
 * Gives the profile its value types, one for each sampled event in the order
 * of the source: CPU time for a clock and for cycles, for whatever else its
 * own unit. There can be but one CPU time; and samples of events beyond the
 * last value are not kept.
 */
void event_values_init(struct event_values *values, struct profile *profile,
		       const struct source_info *info);

/* The value type of an event's samples, or PROFILE_NONE. */
uint32_t event_values_find(const struct event_values *values, uint32_t event);

/* When all samples are in: cycles become CPU time. */
void event_values_finish(const struct event_values *values,
			 struct profile *profile,
			 const struct source_info *info);

#endif
