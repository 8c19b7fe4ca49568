#include "cli/event_values.h"

/* Cycles by frequency are as good as a clock. */
static bool is_cycles_by_time(const struct source_event *event)
{
	return event->attr.freq && event->attr.type == PERF_TYPE_HARDWARE &&
	       (event->attr.config & UINT32_MAX) == PERF_COUNT_HW_CPU_CYCLES;
}

void event_values_init(struct event_values *values, struct profile *profile,
		       const struct source_info *info)
{
	struct profile_value_type cpu = { "cpu", "nanoseconds" };
	bool has_time = false;

	*values = (struct event_values){ 0 };
	for (uint32_t i = 0; i < info->n_events; i++) {
		const struct source_event *event = &info->events[i];
		uint32_t n = values->count;
		bool is_time = !has_time &&
			       (event->is_clock || is_cycles_by_time(event));

		if (!event->is_sampling || n == PROFILE_VALUES_MAX)
			continue;
		profile->value_types[n] = cpu;
		if (!is_time)
			profile->value_types[n] = (struct profile_value_type){
				strings_intern(profile->strings, event->name),
				"count"
			};
		has_time |= is_time;
		values->event[n] = i;
		values->count++;
	}
	if (values->count == 0) {
		profile->value_types[0] = cpu;
		values->count = info->n_events > 0;
	}
	profile->n_value_types = values->count ? values->count : 1;
}

uint32_t event_values_find(const struct event_values *values, uint32_t event)
{
	for (uint32_t i = 0; i < values->count; i++)
		if (values->event[i] == event)
			return i;
	return PROFILE_NONE;
}

/*
 * By frequency the kernel takes one sample each 1/Hz of running time, so all
 * samples together last count / Hz; each gets its part by its period.
 */
static void cycles_to_time(const struct event_values *values, uint32_t value,
			   struct profile *profile,
			   const struct source_event *event)
{
	double periods = 0, factor;

	if (event->is_clock || profile->value_types[value].unit[0] != 'n')
		return;
	for (size_t i = 0; i < profile->n_rows; i++)
		periods += (double)profile->rows[i].values[value];
	if (periods == 0)
		return;
	factor = (double)values->samples[value] * 1e9 /
		 (double)event->attr.sample_freq / periods;
	for (size_t i = 0; i < profile->n_rows; i++)
		profile->rows[i].values[value] =
			(uint64_t)((double)profile->rows[i].values[value] *
					   factor +
				   0.5);
}

void event_values_finish(const struct event_values *values,
			 struct profile *profile,
			 const struct source_info *info)
{
	for (uint32_t i = 0; i < values->count; i++)
		cycles_to_time(values, i, profile,
			       &info->events[values->event[i]]);
}
