/*
 * What /proc tells of a process's cgroups and of its parent, for look-ups
 * where the id in a sample is not enough.
 */
#ifndef PERFCORE_CONTAINER_PROCESS_H
#define PERFCORE_CONTAINER_PROCESS_H

#include <stdint.h>

#include "perfcore/strings.h"

/*
 * The most telling path of /proc/PID/cgroup, plain and interned; NULL where
 * the process is gone. The hierarchies of one machine may disagree. Preferred
 * is a container's path before a systemd unit's, that before any other, that
 * before a bare slice's, that before the root; of equals the v2 line ("0::"),
 * then the first.
 */
const char *container_process_path(const char *root, struct strings *strings,
				   uint32_t pid);

/* The parent's pid; 0 where the process is gone. */
uint32_t container_process_parent(const char *root, uint32_t pid);

#endif
