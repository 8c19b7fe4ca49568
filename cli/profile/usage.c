#include "cli/profile/usage.h"

#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

static const struct usage usage_unknown = { -1, -1, -1, false, 0 };

static struct usage *usages_new(size_t count)
{
	struct usage *usages = mem_calloc(count, sizeof(*usages));

	for (size_t i = 0; i < count; i++)
		usages[i] = usage_unknown;
	return usages;
}

static void add_known(double *sum, double seconds)
{
	if (seconds >= 0)
		*sum = (*sum < 0 ? 0 : *sum) + seconds;
}

static void usage_add(struct usage *sum, const struct usage *part)
{
	sum->is_estimate |= part->is_estimate;
	add_known(&sum->cpu_s, part->cpu_s);
	add_known(&sum->runqueue_s, part->runqueue_s);
	add_known(&sum->blocked_s, part->blocked_s);
	sum->threads += part->threads;
}

static const struct profile_process *row_process(const struct profile *profile,
						 const struct profile_row *row)
{
	if (row->thread >= profile->n_threads ||
	    profile->threads[row->thread].process >= profile->n_processes)
		return NULL;
	return &profile->processes[profile->threads[row->thread].process];
}

/* What was sampled counts where the kernel's accounting does not say it. */
static void usages_sample(struct usages *usages, const struct profile *profile,
			  uint32_t value)
{
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct profile_row *row = &profile->rows[i];
		const struct profile_process *process =
			row_process(profile, row);
		struct usage sampled = usage_unknown;

		if (process && process->has_accounting)
			continue;
		sampled.cpu_s = (double)row->values[value] / 1e9;
		sampled.is_estimate = row->values[value] > 0;
		if (process)
			usage_add(&usages->processes[process -
						     profile->processes],
				  &sampled);
		if (row->container < profile->n_containers)
			usage_add(&usages->containers[row->container],
				  &sampled);
	}
}

void usages_init(struct usages *usages, const struct profile *profile)
{
	uint32_t value = profile_value_type(profile, "cpu");

	usages->processes = usages_new(profile->n_processes);
	usages->containers = usages_new(profile->n_containers);
	for (size_t i = 0; i < profile->n_processes; i++) {
		const struct profile_process *process = &profile->processes[i];
		struct usage usage = {
			(double)process->cpu_ns / 1e9,
			(double)process->runqueue_ns / 1e9,
			(double)process->blocked_ns / 1e9,
			false,
			process->n_threads,
		};

		if (!process->has_accounting)
			continue;
		usage_add(&usages->processes[i], &usage);
		if (process->container < profile->n_containers)
			usage_add(&usages->containers[process->container],
				  &usage);
	}
	if (value != PROFILE_NONE)
		usages_sample(usages, profile, value);
}

void usages_destroy(struct usages *usages)
{
	free(usages->processes);
	free(usages->containers);
}

const struct usage *usages_of(const struct usages *usages,
			      const struct label *label)
{
	if (label->index == PROFILE_NONE)
		return NULL;
	if (label->key == LABEL_PROCESS)
		return &usages->processes[label->index];
	return label->key == LABEL_CONTAINER ? &usages->containers[label->index]
					     : NULL;
}
