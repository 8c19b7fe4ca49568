/*
 * Selection: what part of a profile a report is about. The same options work
 * for every command that reads profiles. Selecting changes the profile: what
 * comes after it needs to know nothing of it. What shares are parts of is
 * taken before (window_of).
 */
#ifndef CLI_PROFILE_SELECT_H
#define CLI_PROFILE_SELECT_H

#include "cli/options.h"
#include "cli/profile/profile.h"

struct select_options {
	struct option_texts focus, ignore; /* POSIX extended expressions */
	struct option_texts containers, comms, modules; /* shell patterns */
	const char *pids, *cpus;			/* "1,5-7"; NULL: all */
	const char *from, *to; /* seconds or UTC times; NULL: the ends */
	const char *caller_of, *callee_of;
	const char *metric; /* NULL: the profile's default */
	bool has_inlines;

	/* Not a selection, but as common: where the files are that a perf.data
	 * names (perfdata_places). */
	const char *symfs;
	struct option_texts debug_dirs;
	bool has_debuginfod;
};

/* What a command starts with: everything is selected. */
extern const struct select_options select_everything;

/* The options' table, for a group whose struct is select_options. */
extern const struct option select_option_table[];

void select_options_destroy(struct select_options *options);

/* Are the options well-formed, whatever profile they are for? Returns 0, or
 * -EINVAL with error filled: wrong usage. */
int select_check(const struct select_options *options, struct error *error);

/*
 * Cuts one profile, before it is merged with others, to --from and --to, at
 * the borders of its slices; a part may be empty. What the kernel accounted
 * for the whole window is then not known any more. Returns 0, or -ENODATA
 * with error filled where the profile has no slices.
 */
int select_time(struct profile *profile, const struct select_options *options,
		struct error *error);

/* The value type that --metric names ("wall" is made here): an index, or
 * -ENODATA with error. */
int select_metric(struct profile *profile, const struct select_options *options,
		  struct error *error);

/* Applies all other options, which select_check has passed. Returns 0, or
 * -ENODATA with error filled where a function that is asked for is nowhere. */
int select_rows(struct profile *profile, const struct select_options *options,
		struct error *error);

/* Reads a time as --from takes it: UNIX seconds of a UTC time (a time of day
 * is on the day of start_ns), or with *is_offset seconds into the window.
 * Returns 0 or -EINVAL. */
int select_time_parse(const char *text, uint64_t start_ns, double *seconds,
		      bool *is_offset);

#endif
