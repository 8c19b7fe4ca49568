/*
 * Containers: who a sample belongs to, from its cgroup id, without asking any
 * daemon: names come from the cgroup path, /proc and the files that runtimes
 * leave on disk. Where there is no container, the systemd unit or slice.
 *
 * Resolved while sampling, because containers vanish and their files with
 * them. Runtimes write those files a little after they make the cgroup, so a
 * name that cannot be found is looked for again a few times.
 */
#ifndef PERFCORE_CONTAINER_H
#define PERFCORE_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcore/event.h"
#include "perfcore/notes.h"
#include "perfcore/strings.h"

enum container_kind {
	CONTAINER_UNKNOWN, /* nothing tells: name is "" or "[cgroup 12]" */
	CONTAINER_ROOT,	   /* the root cgroup: kernel threads and the like */
	CONTAINER_SLICE,   /* a systemd slice, no unit in it */
	CONTAINER_GROUP,   /* a cgroup that nothing here knows: its path */
	CONTAINER_UNIT,	   /* a systemd service or scope; a runtime's monitor */
	CONTAINER_CONTAINER,
};

/* All texts are interned and never NULL; "" where there is nothing. */
struct container {
	uint32_t number; /* from 0, without gaps */
	enum container_kind kind;
	const char *runtime;	 /* "docker", "podman", "systemd", … */
	const char *name;	 /* to show: "web", "pod/ctr", "nginx.service",
				  * or "[0123456789ab] comm" where not is_named */
	const char *id;		 /* full id; "" for units, slices, groups */
	const char *pod, *scope; /* scope: namespace of Kubernetes or of
				  * containerd, project of LXD */
	const char *path;	 /* of its topmost cgroup */
	const struct container *parent; /* nested: the one around it */
	bool is_named;
};

struct containers;

/* root as for cgroups_new(): "" live, a directory in tests, NULL: nothing of
 * this host is read. notes may be NULL. */
struct containers *containers_new(const char *root, struct strings *strings,
				  struct notes *notes);
void containers_free(struct containers *containers);

/* To be called for each CGROUP record as soon as it is seen. just_made: the
 * cgroup was made now (a live ring), so its name is looked for at once. The
 * same record may be told again in its turn. */
void containers_event_cgroup(struct containers *containers,
			     const struct event_cgroup *event, bool just_made);

/* Looks again for names still missing whose time has come. Returns after how
 * many ns the next one is due; UINT64_MAX: none is missing. Cheap then. */
uint64_t containers_retry(struct containers *containers);

/*
 * To be called for each FORK, EXIT and COMM record in its turn; others are
 * ignored. What /proc told of a process is asked again after an exec; a
 * process that is gone before /proc was asked is where its parent is.
 */
void containers_event(struct containers *containers, const struct event *event);

/*
 * Whose sample it is; never NULL. cgroup_id 0 means not recorded. Where the
 * id says nothing (unknown, the root, a bare slice; on hybrid machines a unit
 * too) the process is asked through /proc/PID/cgroup. comm (may be NULL): of a
 * container without a name the one of most samples is shown.
 *
 * The container lives as long as containers, under its number; its texts may
 * become better until then, so they are to be read at the end.
 */
const struct container *containers_of(struct containers *containers,
				      uint64_t cgroup_id, uint32_t pid,
				      const char *comm);

/* The sample's whole cgroup path, plain; "" where unknown. Interned. */
const char *containers_path(struct containers *containers, uint64_t cgroup_id,
			    uint32_t pid);

uint32_t containers_count(const struct containers *containers);
const struct container *containers_at(const struct containers *containers,
				      uint32_t number);

/* For reports: oddities are counted. */
struct containers_counts {
	uint64_t lookups; /* of names, on disk and in /proc */
	uint64_t unnamed; /* containers without a name now */
	uint64_t unknown_ids;
	uint64_t bad_files; /* found, but not what they should hold */
};
struct containers_counts containers_counts(const struct containers *containers);

#endif
