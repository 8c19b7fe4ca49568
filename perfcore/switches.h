/*
 * Switches: who waits for how long, from the records of threads that leave a
 * CPU and come to one, joined by thread across CPUs. The exact account of the
 * time that is not on a CPU; where that time goes is told by sampled stacks.
 *
 * A thread that left its CPU by itself is blocked until it comes back; one
 * that was preempted waits on the run queue (sched_yield() counts as such).
 * The time from being woken to running is part of being blocked: no record
 * tells it. Waits are cut at both ends of the window. The idle thread, tid 0,
 * never waits.
 */
#ifndef PERFCORE_SWITCHES_H
#define PERFCORE_SWITCHES_H

#include "perfcore/event.h"

#define SWITCHES_NO_TAG UINT32_MAX

enum wait_kind { WAIT_BLOCKED, WAIT_RUNQUEUE, WAIT_KINDS };

/* One wait of one thread, inside the window. */
struct wait {
	enum wait_kind kind;
	uint64_t start_ns, end_ns;
	bool is_cut; /* began before the window, or ended after it */
};

/* An instance of a thread: a tid that is used again is another one. */
struct switch_thread {
	uint32_t pid, tid;
	uint32_t tag;	 /* the caller's own; SWITCHES_NO_TAG at first and again
			  * after a rename */
	uint32_t number; /* from 0, never used again */
	enum { THREAD_UNSEEN, THREAD_ON_CPU, THREAD_OFF_CPU } state;
	enum wait_kind kind; /* of the present wait */
	uint64_t since_ns;   /* of the present wait */
	bool is_cut;	     /* it began before the window */
	bool has_exited;     /* its waits are over */
};

struct switches;

/* begin_ns: when the window began, on the events' clock. */
struct switches *switches_new(uint64_t begin_ns);
void switches_free(struct switches *switches);

/*
 * The thread that a SWITCH record or a sample is of, added when it is new;
 * NULL for the idle thread and for one that is gone. Valid until the next
 * call of this or of switches_event().
 */
struct switch_thread *switches_thread(struct switches *switches,
				      const struct event *event);

/* Takes a SWITCH record of that thread. Returns true when with it a wait came
 * to its end, which *wait then holds. */
bool switches_take(struct switches *switches, struct switch_thread *thread,
		   const struct event *event, struct wait *wait);

/* Takes FORK, EXIT and COMM; others are ignored. */
void switches_event(struct switches *switches, const struct event *event);

/* At the end of the window: the wait of thread number, if it waits. */
bool switches_cut(struct switches *switches, uint32_t number, uint64_t end_ns,
		  struct wait *wait);

/* By number; NULL past the last one. */
struct switch_thread *switches_at(struct switches *switches, uint32_t number);

/* Whether a thread of that id was in any record. */
bool switches_has(const struct switches *switches, uint32_t tid);

/* SWITCH records so far; and how often two in a row said that a thread left
 * its CPU, or came to one: a record between them was lost. */
uint64_t switches_count(const struct switches *switches);
uint64_t switches_broken(const struct switches *switches);

#endif
