/*
 * Reads a perf.data, a file or a pipe's stream, as a source of events in
 * order of time (perfcore/source.h). Files of the other byte order, of other
 * architectures, compressed, from newer perfs, unfinished or broken are read
 * as far as they can be; what could not be read is counted, and told in notes.
 */
#ifndef PERFCORE_PERFDATA_READER_H
#define PERFCORE_PERFDATA_READER_H

#include "perfcore/notes.h"
#include "perfcore/perfdata_features.h"
#include "perfcore/source.h"

/* Records by their number; those from here on are counted as one. */
#define PERFDATA_TYPES 96

struct perfdata_counts {
	uint64_t records[PERFDATA_TYPES]; /* as they stand in the file */
	uint64_t unread;     /* records whose fields did not fit into them */
	uint64_t unknown_id; /* records of no event of this file */
	uint64_t late;	     /* delivered out of time order */
	uint64_t lost_bytes; /* behind the place where the file broke */
};

/*
 * Opens a perf.data. fd is borrowed until source_free; a regular file is read
 * from its beginning. name stands in messages, and notes, which may be NULL
 * and must outlive the source, takes what a reader of results should know.
 * Returns 0, or -errno (-EBADMSG: not a perf.data, or nothing in it can be
 * read).
 *
 * The clock and the number of events in source_info may become known only
 * with the first event of a pipe's stream.
 */
int perfdata_reader_open(int fd, const char *name, struct notes *notes,
			 struct source **source, struct error *error);

/* Whether the first bytes of a file, 16 of them at least, are a perf.data's. */
bool perfdata_is_magic(const void *bytes, size_t size);

/* Both are of a source of perfdata_reader_open, live as long as it, and are
 * complete when its last event was delivered. */
const struct perfdata_counts *perfdata_reader_counts(
	const struct source *source);
const struct perfdata_facts *perfdata_reader_facts(const struct source *source);

/* The build-id that the file's table gives a path ("[kernel.kallsyms]",
 * "[vdso]", "/usr/bin/x"): returns its size in bytes, 0 where it has none. */
uint8_t perfdata_reader_build_id(const struct source *source, const char *path,
				 uint8_t id[BUILD_ID_MAX]);

#endif
