/*
 * Sets of CPUs as the kernel writes them: "0-3,8,10-11".
 */
#ifndef PERFCORE_CPUS_H
#define PERFCORE_CPUS_H

#include <stdbool.h>
#include <stdint.h>

#define CPUS_MAX 8192 /* NR_CPUS of the largest kernels */

struct cpus {
	uint64_t bits[CPUS_MAX / 64];
	uint32_t count;
};

/* Reads such a list. Returns 0, or -EINVAL where it is none. */
int cpus_parse(struct cpus *cpus, const char *text);

/* The CPUs that are online now. Returns 0 or -errno. */
int cpus_online(struct cpus *cpus);

static inline bool cpus_has(const struct cpus *cpus, uint32_t cpu)
{
	return cpu < CPUS_MAX && (cpus->bits[cpu / 64] >> (cpu % 64) & 1);
}

#endif
