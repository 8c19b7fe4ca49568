/*
 * speedscope's own JSON, with inlined functions as frames (of pprof it shows
 * only the outermost): one sampled profile for each group, the heaviest
 * first, in order of the time slices.
 *
 *   {"$schema":"https://www.speedscope.app/file-format-schema.json",
 *    "shared":{"frames":[{"name":"main","file":"main.c","line":12}, …]},
 *    "profiles":[{"type":"sampled","name":"web","unit":"nanoseconds",
 *     "startValue":0,"endValue":30,"samples":[[0,1]],"weights":[30]}, …]}
 */
#ifndef CLI_FORMATS_SPEEDSCOPE_H
#define CLI_FORMATS_SPEEDSCOPE_H

#include "cli/formats/stack_groups.h"
#include "perfcore/error.h"

/* Streams the profile to fd; value as folded_write's. Returns 0 or -errno
 * with error filled. */
int speedscope_write(const struct profile *profile, uint32_t value,
		     enum stack_grouping by, int fd, struct error *error);

#endif
