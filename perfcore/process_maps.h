/*
 * What one process has mapped, from its /proc/PID/maps or from one mapping
 * that a record tells: which of it is code, and in which binary it lies.
 */
#ifndef PERFCORE_PROCESS_MAPS_H
#define PERFCORE_PROCESS_MAPS_H

#include "perfcore/event.h"
#include "perfcore/process.h"

/* More executable mappings of one process are not kept (the kernel's default
 * limit for mappings of all kinds is 65,530). */
#define PROCESS_MAPS_MAX 131072

/*
 * Puts what /proc/PID/maps lists into maps, which is empty. Returns the
 * number of executable mappings, or -errno with maps as far as it was read.
 */
int process_maps_read(const struct process_table_config *config,
		      struct process *process, struct maps **maps);

/* Puts one mapping of a user process into its maps, or cuts what a mapping
 * that is not executable covers. Returns the binary, or NULL for data. */
struct binary *process_maps_add(const struct process_table_config *config,
				struct process *process,
				const struct event_mmap *mmap);

/* Asks /proc for the pid that the process has in its own namespace, once;
 * the pid itself where that cannot be known. */
uint32_t process_namespace_pid(const struct process_table_config *config,
			       struct process *process);

#endif
