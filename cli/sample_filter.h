/*
 * Which samples a recording keeps: asked before anything costly is done for
 * a sample. Several conditions must all hold; within a list one must.
 */
#ifndef CLI_SAMPLE_FILTER_H
#define CLI_SAMPLE_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/container.h"
#include "perfcore/process.h"

struct sample_filter {
	const uint32_t *pids; /* borrowed */
	size_t n_pids;
	const char *comm;      /* exact; NULL: any */
	const char *cgroup;    /* path prefix; NULL: any */
	const char *container; /* name or id; NULL: any */
};

/* Whether the thread's samples can be wanted, as far as that shows without
 * its container. */
bool sample_filter_thread(const struct sample_filter *filter,
			  const struct thread *thread);

bool sample_filter_container(const struct sample_filter *filter,
			     const struct container *container,
			     const char *cgroup_path);

/* "12,34": appended to *pids (to be freed). Returns 0, or -EINVAL. */
int sample_filter_parse_pids(const char *text, uint32_t **pids, size_t *count);

#endif
