/*
 * Names of containers, from the files that their runtimes leave on disk and
 * from /proc. One .c for each family of runtimes; all of them are tried where
 * the path does not tell the runtime. Every file is taken as hostile.
 */
#ifndef PERFCORE_CONTAINER_NAME_H
#define PERFCORE_CONTAINER_NAME_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "perfcore/cgroup.h"

#define NAME_TEXT 512

struct name_query {
	const char *root; /* where the runtime's files are */
	const char *proc; /* root whose /proc knows pid */
	const struct cgroups *cgroups;
	const char *path;    /* of the cgroup, plain */
	const char *id;	     /* "" where the path holds none */
	const char *name;    /* as the path tells, or "" */
	const char *runtime; /* as the path tells, or "" */
	const char *pod;     /* uid of its pod, or "" */
	uint32_t pid;	     /* a process in it; 0: not known */
	uint64_t *bad_files; /* counted up */
};

struct name_found {
	const char *runtime; /* literal; NULL: as asked */
	char id[NAME_TEXT];  /* "": as asked */
	char name[NAME_TEXT];
	char pod[NAME_TEXT], scope[NAME_TEXT]; /* "": not known */
	size_t path_size; /* of the path, where it is its first part; or 0 */
};

/* Looks everywhere that the query's runtime allows. false: nothing found;
 * true with name "" means that what is found has no name. */
bool container_name_find(const struct name_query *query,
			 struct name_found *found);

/* One for each family; false: not there. */
bool docker_name(const struct name_query *query, struct name_found *found);
bool podman_name(const struct name_query *query, struct name_found *found);
bool crio_name(const struct name_query *query, struct name_found *found);
bool containerd_name(const struct name_query *query, struct name_found *found);
bool kubelet_name(const struct name_query *query, struct name_found *found);
bool lxc_name(const struct name_query *query, struct name_found *found);

/* runc and crun: by the id where there is one, else by the cgroup path. */
bool oci_name(const struct name_query *query, struct name_found *found);

/* What the families share. */

/* Reads a file below the query's root, to be released with free(); NULL where
 * it is not there or larger than 8 MB (1 MB in a container or of a user).
 * size may be NULL. */
char *name_file(const struct name_query *query, size_t *size,
		const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same as JSON, to be released with json_decref(); what is none is
 * counted. */
json_t *name_json(const struct name_query *query, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The text under key, or NULL. object may be NULL. */
const char *name_json_text(const json_t *object, const char *key);

/* Sets name to "pod/container", and pod and scope. */
void name_set_pod(struct name_found *found, const char *scope, const char *pod,
		  const char *container);

/* k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT, as dockershim and CRI-O name
 * containers. Returns whether it was of that form. */
bool name_set_k8s(struct name_found *found, const char *name);

/* Home directory of the user that the container belongs to (user-UID.slice in
 * the path, else its process's owner; root has none here). false: unknown. */
bool name_home(const struct name_query *query, char home[NAME_TEXT]);

#endif
