/*
 * CPU time of the whole host since its boot: busy, waiting on run queues,
 * stolen by the hypervisor; from the most exact source that this kernel has.
 */
#ifndef PERFCORE_HOST_TIME_H
#define PERFCORE_HOST_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct host_time {
	uint64_t busy_ns;
	const char *busy_source; /* NULL: not known */
	uint64_t runqueue_ns;
	bool has_runqueue;
	uint64_t steal_ns;
};

/* Reads the counters below root ("" for the running system). */
void host_time_read(const char *root, struct host_time *time);

#endif
