/*
 * Event names to perf_event_attr: the kernel's generic names with perf's
 * modifiers ("cycles:uP", "cpu-clock"), tracepoints ("sched:sched_switch"),
 * and every name that libpfm4 knows ("skl::UOPS_ISSUED:ANY:u").
 *
 * Modifiers, as perf's: u user, k kernel, h hypervisor (any of them: only
 * these), p, pp, ppp precise, P as precise as the hardware can.
 */
#ifndef PERFCORE_EVENT_SPEC_H
#define PERFCORE_EVENT_SPEC_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "perfcore/error.h"

struct event_spec {
	char name[128]; /* with its modifiers, as reports show it */
	struct perf_event_attr attr; /* type, config…, exclude_*, precise_ip */
	bool is_clock;		     /* periods are ns: cpu-clock, task-clock */
	bool is_precise_max;	     /* try precise_ip 3, 2, 1 */
};

/*
 * Returns 0, -ENOENT for an unknown name (error names the nearest ones),
 * -EINVAL for bad modifiers, or -EACCES where tracefs cannot be read.
 */
int event_spec_parse(struct event_spec *spec, const char *text,
		     struct error *error);

/* The default events, best first: cycles:P, cycles, cpu-clock. */
#define EVENT_LADDER_RUNGS 3
void event_spec_ladder(struct event_spec rungs[EVENT_LADDER_RUNGS]);

#endif
