/*
 * A perf.data that is written while recording: samples with their stacks
 * unwound, the records that say what they mean, and, before a process's first
 * sample, what it had mapped before the recording began.
 */
#ifndef CLI_RAW_RECORDING_H
#define CLI_RAW_RECORDING_H

#include "perfcore/process.h"
#include "perfcore/source.h"

struct raw_recording;

/* fd is borrowed and must be seekable; name is for messages. Returns 0 or
 * -errno. */
int raw_recording_new(struct raw_recording **raw, int fd, const char *name,
		      const struct source_info *info, bool has_cgroups,
		      struct error *error);
void raw_recording_free(struct raw_recording *raw);

/* Writes a record that is no sample. */
void raw_recording_event(struct raw_recording *raw, const struct event *event);

/* Writes a sample of that thread: chain has the context markers and raw
 * return addresses. */
void raw_recording_sample(struct raw_recording *raw, const struct event *event,
			  const struct thread *thread, const uint64_t *chain,
			  size_t n_chain);

/* Hands on what is buffered: a kill loses no more than what comes after.
 * Returns 0 or -errno. */
int raw_recording_flush(struct raw_recording *raw, struct error *error);

/* Completes the file. Returns 0 or -errno. */
int raw_recording_finish(struct raw_recording *raw, struct error *error);

#endif
