/*
 * A source of events: the rings of a running host, or a perf.data file. What
 * reads from a source cannot tell which of the two it has, so what is tested
 * on a file is tested for the rings.
 */
#ifndef PERFCORE_SOURCE_H
#define PERFCORE_SOURCE_H

#include <linux/perf_event.h>

#include "perfcore/error.h"
#include "perfcore/event.h"

struct source_event {
	const char *name; /* as it was really opened: "cpu-clock" */
	struct perf_event_attr attr;
	bool is_clock;	  /* periods are nanoseconds of CPU time */
	bool is_sampling; /* false: a tracking (dummy) event only */
};

/* What a source says of its origin; 0, NULL or a negative number where it
 * does not know. Texts live as long as the source. */
struct source_info {
	const char *host, *kernel, *arch; /* arch as uname -m: "x86_64" */
	uint32_t n_cpus;
	uint64_t wall_start_ns;	 /* UNIX time of the window's start */
	uint64_t clock_start_ns; /* the same moment on the events' clock */
	const struct source_event *events;
	uint32_t n_events;
	bool is_live; /* processes can still be asked through /proc */
};

struct source {
	const struct source_ops *ops;
};

struct source_ops {
	/*
	 * Delivers the next event in time order. Returns 1 with *event set
	 * (borrowed until the next call), 0 when the source has nothing now
	 * (rings: wait and ask again; a file: its end), or -errno.
	 */
	int (*next)(struct source *source, struct event *event,
		    struct error *error);
	const struct source_info *(*info)(const struct source *source);
	void (*free)(struct source *source);
};

static inline int source_next(struct source *source, struct event *event,
			      struct error *error)
{
	return source->ops->next(source, event, error);
}

static inline const struct source_info *source_info(const struct source *source)
{
	return source->ops->info(source);
}

static inline void source_free(struct source *source)
{
	if (source)
		source->ops->free(source);
}

#endif
