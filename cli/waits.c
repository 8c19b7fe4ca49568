#include "cli/waits.h"

#include <stdlib.h>
#include <string.h>

#include "cli/idle_stack.h"
#include "cli/wait_reason.h"
#include "perfcore/mem.h"
#include "perfcore/procfs.h"
#include "perfcore/switches.h"

/* Threads that the caller does not want: tags beside the profile's threads. */
#define UNWANTED (SWITCHES_NO_TAG - 1)

/* The stack of a thread that is about to wait. */
struct pending {
	bool is_set;
	struct profile_row row;
};

/* What is known of the waits of one thread of the profile. */
struct total {
	uint64_t exact_ns[WAIT_KINDS], sampled_ns[WAIT_KINDS];
	uint64_t count[WAIT_KINDS];
};

struct waits {
	struct waits_config config;
	struct switches *switches;
	uint32_t values[WAIT_KINDS]; /* indices of the value types */
	uint32_t states[WAIT_KINDS]; /* before there is a reason */
	struct pending *pending;     /* by number of the switch thread */
	size_t n_pending, pending_capacity;
	struct total *totals; /* by thread of the profile */
	size_t n_totals, totals_capacity;
	uint64_t length_ns; /* of the window, once it is over */
	struct waits_counts counts;
};

struct waits *waits_new(const struct waits_config *config)
{
	static const char *const types[WAIT_KINDS] = {
		[WAIT_BLOCKED] = "wait", [WAIT_RUNQUEUE] = "runqueue"
	};
	static const char *const states[WAIT_KINDS] = {
		[WAIT_BLOCKED] = "blocked", [WAIT_RUNQUEUE] = "runnable"
	};
	struct waits *waits = mem_calloc(1, sizeof(*waits));
	struct profile *profile = config->profile;

	waits->config = *config;
	waits->switches = switches_new(config->begin_ns);
	for (int kind = 0; kind < WAIT_KINDS; kind++) {
		waits->values[kind] = profile->n_value_types++;
		profile->value_types[waits->values[kind]] =
			(struct profile_value_type){ types[kind],
						     "nanoseconds" };
		waits->states[kind] = profile_state(profile, states[kind]);
	}
	return waits;
}

void waits_free(struct waits *waits)
{
	if (!waits)
		return;
	switches_free(waits->switches);
	free(waits->pending);
	free(waits->totals);
	free(waits);
}

static struct pending *pending_at(struct waits *waits, uint32_t number)
{
	while (waits->n_pending <= number) {
		waits->pending = mem_grow(waits->pending, waits->n_pending,
					  &waits->pending_capacity,
					  sizeof(*waits->pending));
		waits->pending[waits->n_pending++] = (struct pending){ 0 };
	}
	return &waits->pending[number];
}

static struct total *total_at(struct waits *waits, uint32_t thread)
{
	while (waits->n_totals <= thread) {
		waits->totals = mem_grow(waits->totals, waits->n_totals,
					 &waits->totals_capacity,
					 sizeof(*waits->totals));
		waits->totals[waits->n_totals++] = (struct total){ 0 };
	}
	return &waits->totals[thread];
}

void waits_sample(struct waits *waits, const struct event *event,
		  const struct profile_row *row)
{
	const struct switch_thread *thread =
		switches_thread(waits->switches, event);

	if (thread)
		*pending_at(waits, thread->number) =
			(struct pending){ true, *row };
}

static uint32_t tag_of(struct waits *waits, struct switch_thread *thread,
		       const struct event *event)
{
	if (thread->tag == SWITCHES_NO_TAG)
		thread->tag =
			waits->config.thread(waits->config.context, event);
	if (thread->tag == PROFILE_NONE)
		thread->tag = UNWANTED;
	return thread->tag;
}

static void wait_add(struct waits *waits, const struct switch_thread *thread,
		     const struct wait *wait)
{
	struct pending *pending = pending_at(waits, thread->number);
	uint64_t length = wait->end_ns - wait->start_ns;
	struct total *total;

	if (thread->tag == UNWANTED)
		return;
	total = total_at(waits, thread->tag);
	total->exact_ns[wait->kind] += length;
	total->count[wait->kind]++;
	if (!pending->is_set)
		return;
	/* A rename between the two is of no weight: the sample has its own
	 * thread, whose time this then is. */
	total->exact_ns[wait->kind] -= length;
	total = total_at(waits, pending->row.thread);
	total->exact_ns[wait->kind] += length;
	total->sampled_ns[wait->kind] += length;
	pending->row.values[waits->values[wait->kind]] = length;
	pending->row.state = waits->states[wait->kind];
	profile_add(waits->config.profile, &pending->row);
	waits->counts.stacks++;
}

static void take_switch(struct waits *waits, const struct event *event)
{
	struct switch_thread *thread = switches_thread(waits->switches, event);
	struct wait wait;

	if (!thread)
		return;
	tag_of(waits, thread, event);
	if (switches_take(waits->switches, thread, event, &wait))
		wait_add(waits, thread, &wait);
	/* Its stack was of the wait that is now over. */
	if (!event->switched.is_out)
		pending_at(waits, thread->number)->is_set = false;
}

void waits_event(struct waits *waits, const struct event *event)
{
	if (event->kind == EVENT_SWITCH)
		take_switch(waits, event);
	else if (event->kind == EVENT_FORK || event->kind == EVENT_EXIT ||
		 event->kind == EVENT_COMM)
		switches_event(waits->switches, event);
}

void waits_cut(struct waits *waits, uint64_t end_ns)
{
	struct switch_thread *thread;
	struct wait wait;

	waits->length_ns = end_ns - waits->config.begin_ns;
	for (uint32_t i = 0; (thread = switches_at(waits->switches, i)); i++) {
		struct event event = { .pid = thread->pid,
				       .tid = thread->tid,
				       .time = end_ns };

		if (!switches_cut(waits->switches, i, end_ns, &wait))
			continue;
		tag_of(waits, thread, &event);
		wait_add(waits, thread, &wait);
	}
}

static void thread_never_ran(struct waits *waits, const char *root,
			     uint32_t pid, uint32_t tid, uint64_t end_ns)
{
	struct event event = { .pid = pid, .tid = tid, .time = end_ns };
	struct profile *profile = waits->config.profile;
	struct profile_row row = { .cpu = PROFILE_NONE, .count = 1 };
	uint64_t length = end_ns - waits->config.begin_ns;
	struct procfs_stat stat;
	struct total *total;

	if (switches_has(waits->switches, tid) ||
	    procfs_stat(root, pid, tid, &stat) < 0)
		return;
	/* Running all the time it was never switched; or it has ended. */
	if (stat.state == 'R' || stat.state == 'Z' || stat.state == 'X')
		return;
	row.thread = waits->config.thread(waits->config.context, &event);
	if (row.thread == PROFILE_NONE)
		return;
	row.container = profile->processes[profile->threads[row.thread].process]
				.container;
	row.stack = idle_stack(profile, root, pid, tid);
	row.state = waits->states[WAIT_BLOCKED];
	row.values[waits->values[WAIT_BLOCKED]] = length;
	profile_add(profile, &row);
	total = total_at(waits, row.thread);
	total->exact_ns[WAIT_BLOCKED] += length;
	total->sampled_ns[WAIT_BLOCKED] += length;
	waits->counts.never_ran++;
}

static void process_never_ran(struct waits *waits, const char *root,
			      uint32_t pid, uint64_t end_ns)
{
	struct procfs_numbers tids;
	char path[512];
	uint32_t tid;

	if (!procfs_path(path, sizeof(path), root, "/proc/%u/task", pid) ||
	    procfs_numbers_open(&tids, path) < 0)
		return; /* it ended just now */
	while (procfs_numbers_next(&tids, &tid) > 0)
		thread_never_ran(waits, root, pid, tid, end_ns);
	procfs_numbers_close(&tids);
}

void waits_never_ran(struct waits *waits, const char *root, uint64_t end_ns)
{
	struct procfs_numbers pids;
	char path[512];
	uint32_t pid;

	if (!procfs_path(path, sizeof(path), root, "/proc") ||
	    procfs_numbers_open(&pids, path) < 0)
		return;
	while (procfs_numbers_next(&pids, &pid) > 0)
		process_never_ran(waits, root, pid, end_ns);
	procfs_numbers_close(&pids);
}

/* A sampled wait stands for all of its thread's: by how much it counts. */
static double scale_of(const struct total *total, enum wait_kind kind)
{
	return (double)total->exact_ns[kind] / (double)total->sampled_ns[kind];
}

static void row_distribute(struct waits *waits, struct profile_row *row)
{
	struct profile *profile = waits->config.profile;

	for (enum wait_kind kind = 0; kind < WAIT_KINDS; kind++) {
		uint64_t *value = &row->values[waits->values[kind]];

		if (row->state != waits->states[kind] || !*value)
			continue;
		*value =
			(uint64_t)((double)*value *
					   scale_of(&waits->totals[row->thread],
						    kind) +
				   0.5);
		if (kind == WAIT_BLOCKED)
			row->state = profile_state(
				profile, wait_reason(profile, row->stack));
		return;
	}
}

/* Time of threads none of whose waits had its stack taken. */
static void add_unsampled(struct waits *waits, uint32_t thread,
			  const struct total *total, enum wait_kind kind,
			  uint32_t stack)
{
	struct profile *profile = waits->config.profile;
	struct profile_row row = {
		.stack = stack,
		.thread = thread,
		.container =
			profile->processes[profile->threads[thread].process]
				.container,
		.cpu = PROFILE_NONE,
		.state = waits->states[kind],
		.count = total->count[kind],
	};

	if (kind == WAIT_BLOCKED)
		row.state = profile_state(profile, "other");
	row.values[waits->values[kind]] = total->exact_ns[kind];
	profile_add(profile, &row);
}

static void count_time(struct waits *waits, const struct total *total)
{
	uint64_t sum =
		total->exact_ns[WAIT_BLOCKED] + total->exact_ns[WAIT_RUNQUEUE];

	waits->counts.threads += sum > 0;
	waits->counts.over += sum > waits->length_ns;
	for (enum wait_kind kind = 0; kind < WAIT_KINDS; kind++) {
		double seconds = (double)total->exact_ns[kind] / 1e9;

		waits->counts.off_cpu_s += seconds;
		if (total->sampled_ns[kind])
			waits->counts.named_s += seconds;
	}
}

void waits_distribute(struct waits *waits)
{
	struct profile *profile = waits->config.profile;
	uint32_t frame = profile_frame_special(profile, "[wait not sampled]");
	uint32_t stack = profile_node(profile, 0, frame);
	size_t n_rows;
	struct profile_row *rows = profile_rows_take(profile, &n_rows);

	for (size_t i = 0; i < n_rows; i++) {
		row_distribute(waits, &rows[i]);
		profile_add(profile, &rows[i]);
	}
	free(rows);
	for (uint32_t thread = 0; thread < waits->n_totals; thread++) {
		const struct total *total = &waits->totals[thread];

		count_time(waits, total);
		for (enum wait_kind kind = 0; kind < WAIT_KINDS; kind++)
			if (total->exact_ns[kind] && !total->sampled_ns[kind])
				add_unsampled(waits, thread, total, kind,
					      stack);
	}
}

void waits_counts(const struct waits *waits, struct waits_counts *counts)
{
	*counts = waits->counts;
	counts->switches = switches_count(waits->switches);
	counts->broken = switches_broken(waits->switches);
}
