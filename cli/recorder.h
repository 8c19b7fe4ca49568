/*
 * The recorder: one live window of the host, from opening the rings to a
 * finished profile with everything that says how far it can be trusted. Used
 * by every command that samples.
 */
#ifndef CLI_RECORDER_H
#define CLI_RECORDER_H

#include <signal.h>

#include "cli/pipeline.h"
#include "perfcore/session.h"

struct recorder_options {
	struct session_options session;
	struct sample_filter filter;
	uint64_t slice_ns;
	uint64_t duration_ns; /* 0: until stopped */
	bool want_inlines;
	double off_cpu_budget; /* part of each CPU for stacks of waits, 0 to 1;
				* only with session.off_cpu */

	/* A perf.data to write beside the profile: its name for messages
	 * (NULL: none is written), its file, borrowed, and whether it tells
	 * of cgroups. */
	const char *raw_name;
	int raw_fd;
	bool has_cgroups;

	/* Recording ends when *stop is set (by a signal handler), or when
	 * is_over() says so (asked several times a second). NULL: neither. */
	const volatile sig_atomic_t *stop;
	bool (*is_over)(void *context);
	/* Called once, when sampling has begun. */
	void (*started)(void *context);
	/* Called a few times a second: seconds passed, samples so far. */
	void (*progress)(void *context, double seconds, uint64_t samples);
	void *context;
};

/*
 * Records one window. Returns 0 with *profile set (the caller frees it), or
 * -errno as session_open() with error filled.
 */
int recorder_run(const struct recorder_options *options,
		 struct profile **profile, struct error *error);

#endif
