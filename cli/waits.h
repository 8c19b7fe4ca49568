/*
 * Waits: the time of threads that are not on a CPU, as rows of the profile
 * beside those of CPU time. Two value types hold it: "wait" (blocked) and
 * "runqueue", both in nanoseconds; the state of such a row is the reason.
 *
 * How long each thread waited is known exactly, from the records of all
 * switches. Where it waited is known of those waits whose stack was taken:
 * they share the thread's time in proportion to how long they were (a ratio
 * estimate), so that sums by thread stay exact whatever the thinning.
 */
#ifndef CLI_WAITS_H
#define CLI_WAITS_H

#include "cli/profile/profile.h"
#include "perfcore/event.h"

struct waits;

struct waits_config {
	struct profile *profile; /* borrowed; gets its value types here */
	uint64_t begin_ns;	 /* of the window, on the events' clock */
	/* The profile's thread for an event of a thread (its pid, tid and
	 * time); PROFILE_NONE: its waits are not wanted. */
	uint32_t (*thread)(void *context, const struct event *event);
	void *context;
};

struct waits_counts {
	uint64_t switches;  /* records of threads that left or came */
	uint64_t stacks;    /* taken for a wait whose length is known */
	uint64_t broken;    /* switches that must have been lost */
	uint64_t never_ran; /* threads that did not run in the window */
	double off_cpu_s;   /* of all threads that were wanted */
	double named_s;	    /* of it, with a stack */
	uint64_t threads;   /* that waited */
	uint64_t over;	    /* of them, with more than the window: must be 0 */
};

struct waits *waits_new(const struct waits_config *config);
void waits_free(struct waits *waits);

/* The stack of a thread that is about to leave its CPU: row is what the
 * profile will hold for it, without values and state. */
void waits_sample(struct waits *waits, const struct event *event,
		  const struct profile_row *row);

/* Takes SWITCH, FORK, EXIT and COMM; others are ignored. */
void waits_event(struct waits *waits, const struct event *event);

/* Threads alive that were in no record: blocked for the whole window. Their
 * kernel stack is read from root's /proc, as far as that is allowed. */
void waits_never_ran(struct waits *waits, const char *root, uint64_t end_ns);

/* The end of the window: what still waits is cut. */
void waits_cut(struct waits *waits, uint64_t end_ns);

/* When all frames have their names: gives each row its part of its thread's
 * time and its reason. */
void waits_distribute(struct waits *waits);

void waits_counts(const struct waits *waits, struct waits_counts *counts);

#endif
