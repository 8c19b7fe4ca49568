/*
 * What a cgroup path alone tells: the containers on it, outermost first, or
 * else the systemd unit or slice. Pure text, nothing is looked up.
 *
 * The last id of a path wins; what lies below a container and is none itself
 * (its own systemd's units, "/init", "/container") belongs to the container.
 */
#ifndef PERFCORE_CONTAINER_PATH_H
#define PERFCORE_CONTAINER_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "perfcore/container.h"

#define PLACES_MAX 8
#define PLACE_TEXT 256 /* a cgroup's name has at most 255 bytes */

struct place {
	enum container_kind kind;
	const char *runtime;   /* literal; "" where the path does not tell */
	char id[PLACE_TEXT];   /* "" for units, slices and plain cgroups */
	char name[PLACE_TEXT]; /* where the path holds it, else "" */
	char pod[PLACE_TEXT];  /* uid of the pod around it, with '-' */
	size_t path_size;      /* bytes of the path up to its end */
	bool is_raw;	       /* without a name the whole path is shown */
	bool is_uncertain;     /* the whole path may be a runtime's: look */
};

/* path must be plain (cgroup_path_plain); what does not start with a "/" is
 * no path but stands for an unknown one. Fills at least one place and
 * returns how many; too many are cut on the outer side. */
size_t container_path_read(const char *path, struct place places[PLACES_MAX]);

/* How much the path tells, from 0 (the root) up: a container tells most. */
int container_path_rank(const char *path);

/* Whether text is a container's id: 64 hex digits. */
bool container_is_id(const char *text, size_t size);

#endif
