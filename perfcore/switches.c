#include "perfcore/switches.h"

#include <stdlib.h>

#include "perfcore/idmap.h"
#include "perfcore/mem.h"

struct switches {
	uint64_t begin_ns;
	struct switch_thread *threads;
	size_t n_threads, capacity;
	struct idmap by_tid; /* tid, 0 -> number of the last instance */
	uint64_t count, broken;
};

struct switches *switches_new(uint64_t begin_ns)
{
	struct switches *switches = mem_calloc(1, sizeof(*switches));

	switches->begin_ns = begin_ns;
	idmap_init(&switches->by_tid);
	return switches;
}

void switches_free(struct switches *switches)
{
	if (!switches)
		return;
	idmap_destroy(&switches->by_tid);
	free(switches->threads);
	free(switches);
}

static struct switch_thread *thread_add(struct switches *switches, uint32_t pid,
					uint32_t tid)
{
	uint32_t number = (uint32_t)switches->n_threads;

	switches->threads =
		mem_grow(switches->threads, switches->n_threads,
			 &switches->capacity, sizeof(*switches->threads));
	switches->threads[switches->n_threads++] = (struct switch_thread){
		.pid = pid,
		.tid = tid,
		.tag = SWITCHES_NO_TAG,
		.number = number,
	};
	*idmap_at(&switches->by_tid, tid, 0) = number;
	return &switches->threads[number];
}

struct switch_thread *switches_thread(struct switches *switches,
				      const struct event *event)
{
	uint32_t number;

	/* The kernel forgets an exiting thread's ids before its last switch. */
	if (event->tid == 0 || event->tid == UINT32_MAX)
		return NULL;
	number = idmap_get(&switches->by_tid, event->tid, 0);
	return number == IDMAP_NONE
		       ? thread_add(switches, event->pid, event->tid)
		       : &switches->threads[number];
}

static uint64_t at_least(uint64_t value, uint64_t limit)
{
	return value < limit ? limit : value;
}

static void leave(struct switches *switches, struct switch_thread *thread,
		  const struct event *event)
{
	switches->broken += thread->state == THREAD_OFF_CPU;
	thread->state = THREAD_OFF_CPU;
	thread->since_ns = at_least(event->time, switches->begin_ns);
	thread->is_cut = event->time < switches->begin_ns;
	thread->kind =
		event->switched.is_preempted ? WAIT_RUNQUEUE : WAIT_BLOCKED;
}

/* A thread whose first record is that it comes to a CPU was away from the
 * window's start on. Blocked, one must suppose. */
static bool come(struct switches *switches, struct switch_thread *thread,
		 const struct event *event, struct wait *wait)
{
	bool has_waited = thread->state != THREAD_ON_CPU;

	switches->broken += !has_waited;
	*wait = (struct wait){
		.kind = thread->kind,
		.start_ns = thread->since_ns,
		.is_cut = thread->is_cut,
	};
	if (thread->state == THREAD_UNSEEN) {
		wait->start_ns = switches->begin_ns;
		wait->is_cut = true;
	}
	wait->end_ns = at_least(event->time, wait->start_ns);
	thread->state = THREAD_ON_CPU;
	return has_waited && wait->end_ns > wait->start_ns;
}

bool switches_take(struct switches *switches, struct switch_thread *thread,
		   const struct event *event, struct wait *wait)
{
	switches->count++;
	if (thread->has_exited) /* a last few, until it is gone */
		return false;
	if (!event->switched.is_out)
		return come(switches, thread, event, wait);
	leave(switches, thread, event);
	return false;
}

void switches_event(struct switches *switches, const struct event *event)
{
	uint32_t number;

	if (event->kind == EVENT_FORK) { /* it can run, and has not yet */
		struct switch_thread *thread =
			thread_add(switches, event->pid, event->tid);

		thread->state = THREAD_OFF_CPU;
		thread->kind = WAIT_RUNQUEUE;
		thread->since_ns = at_least(event->time, switches->begin_ns);
		return;
	}
	number = idmap_get(&switches->by_tid, event->tid, 0);
	if (number == IDMAP_NONE)
		return;
	if (event->kind == EVENT_EXIT)
		switches->threads[number].has_exited = true;
	if (event->kind == EVENT_COMM)
		switches->threads[number].tag = SWITCHES_NO_TAG;
}

bool switches_cut(struct switches *switches, uint32_t number, uint64_t end_ns,
		  struct wait *wait)
{
	struct switch_thread *thread = &switches->threads[number];

	if (thread->state != THREAD_OFF_CPU || thread->has_exited ||
	    end_ns <= thread->since_ns)
		return false;
	*wait = (struct wait){
		.kind = thread->kind,
		.start_ns = thread->since_ns,
		.end_ns = end_ns,
		.is_cut = true,
	};
	thread->state = THREAD_UNSEEN;
	return true;
}

struct switch_thread *switches_at(struct switches *switches, uint32_t number)
{
	return number < switches->n_threads ? &switches->threads[number] : NULL;
}

bool switches_has(const struct switches *switches, uint32_t tid)
{
	return idmap_get(&switches->by_tid, tid, 0) != IDMAP_NONE;
}

uint64_t switches_count(const struct switches *switches)
{
	return switches->count;
}

uint64_t switches_broken(const struct switches *switches)
{
	return switches->broken;
}
