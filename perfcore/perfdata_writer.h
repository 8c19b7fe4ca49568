/*
 * Writes a perf.data that perf, hotspot and autofdo read: events go in as
 * they come, in order of time, with their user callchains already unwound.
 * Nothing but the build-ids is kept in memory. The header is completed at the
 * end; a file whose writer was killed before is read by our own reader.
 */
#ifndef PERFCORE_PERFDATA_WRITER_H
#define PERFCORE_PERFDATA_WRITER_H

#include <stdbool.h>

#include "perfcore/error.h"
#include "perfcore/perfdata_features.h"
#include "perfcore/source.h"

struct perfdata_writer_info {
	/* Of the host; first_time and last_time are found while writing. */
	struct perfdata_facts facts;
	const struct source_event *events; /* borrowed while opening */
	uint32_t n_events;
	bool has_cpus; /* events tell their CPU */
	/* CGROUP records and PERF_SAMPLE_CGROUP: perf and hotspot read them,
	 * Debian's autofdo stops at them. */
	bool has_cgroups;
};

struct perfdata_writer;

/*
 * fd is borrowed, must be seekable, and is written from its beginning; name
 * is for messages. Returns 0 or -errno.
 */
int perfdata_writer_open(int fd, const char *name,
			 const struct perfdata_writer_info *info,
			 struct perfdata_writer **writer, struct error *error);

/*
 * The kernel's own mapping, before all else: symbol is "_stext" or "_text",
 * by whose address readers tell where the kernel was loaded; end is the
 * address behind its text. build_id may be NULL.
 */
void perfdata_writer_kernel(struct perfdata_writer *writer, const char *symbol,
			    uint64_t address, uint64_t end,
			    const uint8_t *build_id, uint8_t build_id_size);

/*
 * Writes one event. A sample's callchain has its context markers and raw
 * return addresses; registers, stacks and raw data are left out. What was
 * true before recording (COMM, MMAP) has time 0. Kinds that no reader needs
 * are left out. Errors are kept until perfdata_writer_flush or _finish.
 */
void perfdata_writer_event(struct perfdata_writer *writer,
			   const struct event *event);

/* Hands to the kernel what is buffered, so that a kill loses no more than
 * what comes after. Returns 0 or -errno (-ENOSPC). */
int perfdata_writer_flush(struct perfdata_writer *writer, struct error *error);

/* Writes the tables at the end and completes the header. Returns 0 or
 * -errno. The file is not synced. */
int perfdata_writer_finish(struct perfdata_writer *writer, struct error *error);

/* Takes NULL. Without perfdata_writer_finish the file stays unfinished. */
void perfdata_writer_free(struct perfdata_writer *writer);

#endif
