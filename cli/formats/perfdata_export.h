/*
 * A profile as perf.data, for perf report, hotspot and autofdo. What a profile
 * no longer knows is made up: each file has one place in the memory of all
 * processes, and samples are spread over their time slice.
 */
#ifndef CLI_FORMATS_PERFDATA_EXPORT_H
#define CLI_FORMATS_PERFDATA_EXPORT_H

#include <stdbool.h>

#include "cli/profile/profile.h"
#include "perfcore/error.h"

/*
 * Writes each sample with its part of the value (an index of value types, or
 * PROFILE_NONE: 1 each) as the period. with_cgroups adds each sample's
 * container as a cgroup, at which Debian's autofdo stops. fd must be seekable.
 * Returns 0 or -errno with error filled.
 */
int perfdata_export(const struct profile *profile, uint32_t value,
		    bool with_cgroups, int fd, struct error *error);

#endif
