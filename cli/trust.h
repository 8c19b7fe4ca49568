/*
 * What a live recording says of itself: host, event, the kernel's accounting
 * beside what was sampled, and every loss. Fills the profile's descriptive
 * parts once a window is over.
 */
#ifndef CLI_TRUST_H
#define CLI_TRUST_H

#include "cli/pipeline.h"
#include "cli/recorder.h"
#include "perfcore/accounting.h"
#include "perfcore/session.h"

struct trust_input {
	const struct recorder_options *options;
	struct session *session;
	const struct source_info *info;
	struct pipeline *pipeline;
	const struct accounting *accounting;
	uint64_t wall_begin_ns, duration_ns;
	double own_cpu_s; /* of the whole recording, from opening to names */
};

/* Fills host, event, health, times and the processes' accounting of the
 * pipeline's profile. */
void trust_fill(const struct trust_input *input);

#endif
