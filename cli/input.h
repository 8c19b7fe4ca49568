/*
 * Profiles that a command was given: files in any format that hostprof
 * reads, selected by time and merged into one.
 */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "cli/profile/select.h"

/* Reads one file; "-" is standard input. Returns 0 with a profile for
 * profile_free(), or -errno with error naming the file. */
int input_read(struct profile **profile, const char *path, struct error *error);

/* Reads count (at least 1) files, cuts each to --from and --to, and merges
 * them in order. Returns 0 with a profile for profile_free(), or -errno. */
int input_merge(struct profile **profile, char *const *paths, int count,
		const struct select_options *options, struct error *error);

#endif
