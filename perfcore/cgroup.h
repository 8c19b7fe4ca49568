/*
 * Cgroups: from the id in a sample to a path. The ids are those of the
 * hierarchy that perf_event belongs to (kernel/events/core.c takes the css of
 * perf_event_cgrp_id): the v1 hierarchy of that name where one is mounted,
 * else the v2 tree. Its directories are walked once at the
 * start (an id is the directory's inode number, tried with
 * name_to_handle_at); CGROUP records add what is made later. An id keeps its
 * path after the cgroup is gone.
 *
 * Tried on a hybrid machine (v1 hierarchies, a v2 tree without controllers):
 * samples of runc and podman containers carry the v2 directory's id, and
 * CGROUP records the v2 path. Ids of another v1 hierarchy mean other cgroups
 * (case C62), so no other tree is ever looked at for an id.
 *
 * Paths are interned in the strings given, absolute within the hierarchy and
 * plain: no "..", no "//", no "/" at the end but for the root, "/".
 */
#ifndef PERFCORE_CGROUP_H
#define PERFCORE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcore/notes.h"
#include "perfcore/strings.h"

struct cgroups;

/* root is "" for the running system, a directory in tests, or NULL: then
 * only records tell (a file from elsewhere). notes may be NULL. */
struct cgroups *cgroups_new(const char *root, struct strings *strings,
			    struct notes *notes);
void cgroups_free(struct cgroups *cgroups);

/* Learns of a cgroup, by a record. An id seen before now means this path. */
void cgroups_add(struct cgroups *cgroups, uint64_t id, const char *path);

/* The path of an id, or NULL. An unknown id walks the tree again, at most
 * once a second. */
const char *cgroups_path(struct cgroups *cgroups, uint64_t id);

/* The same without a walk. */
const char *cgroups_known(const struct cgroups *cgroups, uint64_t id);

/* The id that a path has now; 0 where there is no such cgroup. */
uint64_t cgroups_id(const struct cgroups *cgroups, const char *path);

/* Whether processes are in other hierarchies too, whose paths may tell more:
 * on hybrid machines Docker makes no v2 cgroups. */
bool cgroups_is_hybrid(const struct cgroups *cgroups);

/* A process in the cgroup now, or 0. */
uint32_t cgroups_member(const struct cgroups *cgroups, const char *path);

/* Where the directory of any hierarchy's cgroup is below its mount: turns
 * "/sys/fs/cgroup/cpu/web" into "/web". NULL: below no cgroup mount. */
const char *cgroups_strip_mount(const struct cgroups *cgroups,
				const char *directory);

/* Makes a path plain, as said above; also cuts " (deleted)". Returns an
 * interned string. */
const char *cgroup_path_plain(struct strings *strings, const char *path);

/* Number of walks done and of ids known, for tests and reports. */
struct cgroups_counts {
	uint64_t walks, ids;
};
struct cgroups_counts cgroups_counts(const struct cgroups *cgroups);

#endif
