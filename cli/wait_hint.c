#include "cli/wait_hint.h"

#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

#define HINTS_MAX 3

/* What a process must have. A pool of idle threads is no matter, and neither
 * is a process that has little to do. */
#define CORES_MIN	 0.5
#define THREADS_MIN	 3    /* that are active */
#define ACTIVE_SHARE	 0.04 /* of the window on a CPU, … */
#define ACTIVE_SAMPLES	 4    /* … and by that many samples */
#define USED_OF_POSSIBLE 0.7  /* at most, of the CPUs it could have had */

struct use {
	uint64_t cpu_ns, samples;
};

/* Active threads of each process; to be freed. */
static uint32_t *count_active(const struct profile *profile, uint32_t value)
{
	struct use *uses = mem_calloc(profile->n_threads + 1, sizeof(*uses));
	uint32_t *active =
		mem_calloc(profile->n_processes + 1, sizeof(*active));

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct profile_row *row = &profile->rows[i];

		if (row->thread == PROFILE_NONE || !row->values[value])
			continue;
		uses[row->thread].cpu_ns += row->values[value];
		uses[row->thread].samples += row->count;
	}
	for (size_t i = 0; i < profile->n_threads; i++)
		active[profile->threads[i].process] +=
			uses[i].samples >= ACTIVE_SAMPLES &&
			(double)uses[i].cpu_ns >
				ACTIVE_SHARE * (double)profile->duration_ns;
	free(uses);
	return active;
}

/* How many cores it used; 0 where there is nothing to hint at. */
static double cores_wanting(const struct profile *profile,
			    const struct profile_process *process,
			    uint32_t active)
{
	double wall_s = (double)profile->duration_ns / 1e9;
	double cores = (double)process->cpu_ns / 1e9 / wall_s;
	double free_cores =
		(profile->host.capacity_s - profile->host.busy_s) / wall_s;
	double possible = cores + free_cores;

	if (!process->has_accounting || active < THREADS_MIN ||
	    cores < CORES_MIN || profile->host.busy_s < 0)
		return 0;
	/* Waiting for a CPU is another thing, and shown as such. */
	if (process->runqueue_ns > process->blocked_ns)
		return 0;
	if (possible > active)
		possible = active;
	return cores < USED_OF_POSSIBLE * possible ? cores : 0;
}

static int busiest_first(const void *a, const void *b)
{
	const struct profile_process *first =
		*(const struct profile_process *const *)a;
	const struct profile_process *second =
		*(const struct profile_process *const *)b;

	return (first->cpu_ns < second->cpu_ns) -
	       (first->cpu_ns > second->cpu_ns);
}

void wait_hint(struct profile *profile)
{
	uint32_t value = profile_value_type(profile, "cpu");
	const struct profile_process **found;
	uint32_t *active;
	size_t count = 0;

	if (value == PROFILE_NONE || !profile->duration_ns)
		return;
	active = count_active(profile, value);
	found = mem_calloc(profile->n_processes + 1,
			   sizeof(struct profile_process *));
	for (size_t i = 0; i < profile->n_processes; i++)
		if (cores_wanting(profile, &profile->processes[i], active[i]) >
		    0)
			found[count++] = &profile->processes[i];
	qsort(found, count, sizeof(*found), busiest_first);
	for (size_t i = 0; i < count && i < HINTS_MAX; i++)
		notes_add(&profile->notes,
			  "%s (pid %u): %u active threads, %.2f cores, while "
			  "CPUs stood free: they wait; record --off-cpu tells "
			  "where, and whether for each other",
			  found[i]->comm, found[i]->pid,
			  active[found[i] - profile->processes],
			  (double)found[i]->cpu_ns /
				  (double)profile->duration_ns);
	free(found);
	free(active);
}
