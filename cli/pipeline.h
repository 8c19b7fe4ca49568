/*
 * The pipeline: events of a source, in time order, into a profile. The same
 * for a live recording and for a perf.data file.
 *
 *   event -> process table, containers -> filter -> frames -> stack -> row
 */
#ifndef CLI_PIPELINE_H
#define CLI_PIPELINE_H

#include "cli/profile/profile.h"
#include "cli/raw_recording.h"
#include "cli/sample_filter.h"
#include "cli/waits.h"
#include "perfcore/source.h"
#include "symbolize/symbolizer.h"

struct pipeline;

struct pipeline_config {
	const char *root; /* "" for this host; NULL: a file from elsewhere,
			   * nothing of this host's /proc is asked */
	uint64_t slice_ns;
	uint32_t max_callchain; /* frames after which the kernel cuts a
				 * callchain; 0: not known */
	bool want_inlines;
	struct raw_recording *raw; /* written beside it; NULL: none */

	/* For a file from elsewhere: what of this host is right for it. */
	const char *kallsyms; /* the recorded kernel's symbols; NULL: none */
	bool has_own_vdso;    /* our vDSO is the recorded host's */
	const char *symfs;    /* a copy of its root; NULL: none */
	const char *const *debug_dirs; /* NULL-ended; NULL: the usual one */
	uint64_t debuginfod_ms;	       /* as symbolizer_config */
	struct sample_filter filter;   /* what it points to is borrowed */
};

/* What the pipeline counted; the recorder makes the health block of it. */
struct pipeline_counts {
	uint64_t events, samples; /* delivered; after the filter */
	uint64_t idle;		  /* samples of idle CPUs, left out */
	uint64_t filtered;	  /* samples that the filter left out */
	uint64_t switches;	  /* threads that left a CPU, idle ones too */
	uint64_t stacks_complete, stacks_truncated, stacks_failed;
	uint64_t lost; /* as LOST and LOST_SAMPLES records tell (files) */
	uint64_t first_sample_ns, last_sample_ns; /* on the events' clock */
};

struct pipeline *pipeline_new(const struct pipeline_config *config,
			      const struct source_info *info);
void pipeline_free(struct pipeline *pipeline);

/* Takes all that the source has now. Returns 0 or -errno. */
int pipeline_drain(struct pipeline *pipeline, struct source *source,
		   struct error *error);

/* A record ahead of its turn (session_scan): opens the file of a new mapping
 * while its process is alive, names a new cgroup. context is the pipeline. */
void pipeline_look_ahead(void *context, const struct event *event);

/*
 * Time off the CPU, of a session with off_cpu: followed from now on, the
 * window having begun, until end_ns on the events' clock. After that call all
 * that the source still has is past the window.
 */
void pipeline_follow_waits(struct pipeline *pipeline);
void pipeline_end_waits(struct pipeline *pipeline, uint64_t end_ns);

/* NULL when waits are not followed. */
const struct waits *pipeline_waits(const struct pipeline *pipeline);

/*
 * What is due between drains: names of containers that their runtimes write
 * late. Returns after how many ns it is due again; UINT64_MAX: nothing is.
 */
uint64_t pipeline_attend(struct pipeline *pipeline);

/* Brings a process into the profile that no sample has named, with its
 * container; returns its index. Live only. */
uint32_t pipeline_process(struct pipeline *pipeline, uint32_t pid);

/*
 * Names all frames and fills what the profile says of processes and
 * containers. The profile stays the pipeline's until pipeline_take().
 */
void pipeline_finish(struct pipeline *pipeline);

struct profile *pipeline_profile(struct pipeline *pipeline);
const struct pipeline_counts *pipeline_counts(const struct pipeline *pipeline);

/* Hands the profile over: the caller frees it. */
struct profile *pipeline_take(struct pipeline *pipeline);

#endif
