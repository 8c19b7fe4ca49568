/*
 * Which event this kernel, this machine and this user allow: the ladder from
 * precise cycles down to cpu-clock, and for each rung the newest set of attr
 * features that the kernel accepts. Found by opening on one CPU; what was
 * left out is a note, what was refused a reason.
 */
#ifndef PERFCORE_EVENT_CHOICE_H
#define PERFCORE_EVENT_CHOICE_H

#include "perfcore/event_spec.h"
#include "perfcore/session.h"

struct event_choice {
	struct event_spec spec;
	struct perf_event_attr sampling, tracking; /* disabled */
	struct perf_event_attr waits, switches;	   /* for off_cpu */
	uint64_t freq_hz;			   /* 0: by period */
	char reason[256]; /* why it is not the first choice; "" */
};

/* Returns 0 or -errno as session_open() does. Nothing is left open. */
int event_choice_make(struct event_choice *choice,
		      const struct session_options *options, int cpu,
		      struct notes *notes, struct error *error);

/* The text for a refusal with EACCES or EPERM. Returns code. */
int event_choice_refusal(int code, struct error *error);

/* User registers that the unwinder needs, by the kernel's numbers. */
uint64_t event_choice_user_regs(void);

#endif
