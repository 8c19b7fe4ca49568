/*
 * What a user means by --container and --cgroup.
 */
#ifndef PERFCORE_CONTAINER_MATCH_H
#define PERFCORE_CONTAINER_MATCH_H

#include "perfcore/container.h"

/* Whether text is the name, the container's part of "pod/ctr", the whole
 * "namespace/pod/ctr", or at least 4 hex digits that the id starts with. A
 * nested container also matches by the one around it. */
bool container_matches(const struct container *container, const char *text);

/* Whether path is prefix or lies below it. A "/" at prefix's end and a missing
 * one at its start do not matter. */
bool container_path_matches(const char *path, const char *prefix);

#endif
