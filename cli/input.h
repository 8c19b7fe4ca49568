/*
 * Profiles that a command was given: files in any format that hostprof
 * reads (pprof, perf.data), selected by time and merged into one.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "cli/profile/select.h"

/* Reads count (at least 1) files ("-" is standard input), cuts each to --from
 * and --to, and merges them in order. Returns 0 with a profile for
 * profile_free(), or -errno. */
int input_merge(struct profile **profile, char *const *paths, int count,
		const struct select_options *options, struct error *error);

#endif
