/*
 * The build-id table of a perf.data: path -> build-id of the files that had
 * samples, written when recording ended. Files of one path in several
 * containers are one row there; what a mapping tells itself goes first.
 */
#ifndef PERFCORE_PERFDATA_BUILDIDS_H
#define PERFCORE_PERFDATA_BUILDIDS_H

#include "perfcore/cursor.h"
#include "perfcore/event.h"
#include "perfcore/idmap.h"
#include "perfcore/strings.h"

struct perfdata_buildid {
	const char *path; /* interned */
	uint8_t id[BUILD_ID_MAX];
	uint8_t size;
	bool is_kernel; /* the kernel or a module */
};

struct perfdata_buildids {
	struct strings *strings; /* borrowed */
	struct perfdata_buildid *items;
	size_t count, capacity;
	struct idmap by_path;
};

void perfdata_buildids_init(struct perfdata_buildids *table,
			    struct strings *strings);
void perfdata_buildids_destroy(struct perfdata_buildids *table);

/* Sets the path's build-id of size bytes, 1 to BUILD_ID_MAX. */
void perfdata_buildids_set(struct perfdata_buildids *table, const char *path,
			   const uint8_t *id, uint8_t size, bool is_kernel);

/* Adds the row that is the body of a HEADER_BUILD_ID record with these
 * flags (header.misc); cursor ends with the record. */
void perfdata_buildids_add(struct perfdata_buildids *table, uint16_t misc,
			   struct cursor *cursor);

/* Adds all rows of the feature BUILD_ID. */
void perfdata_buildids_read(struct perfdata_buildids *table,
			    struct cursor *cursor);

/* The row of that path, or NULL. The kernel's mapping names may carry the
 * symbol that perf measured from: "[kernel.kallsyms]_text". */
const struct perfdata_buildid *perfdata_buildids_find(
	const struct perfdata_buildids *table, const char *path);

#endif
