/*
 * A perf.data, from this host or another, made into a profile: through the
 * same pipeline as a live recording, with a trust block that says what such
 * a file cannot tell.
 */
#ifndef CLI_PERFDATA_PROFILE_H
#define CLI_PERFDATA_PROFILE_H

#include "cli/profile/profile.h"
#include "perfcore/error.h"

/* Where the files that were mapped on the recorded host are looked for. */
struct perfdata_places {
	const char *symfs; /* a copy of that host's root; NULL: none */
	const char *const *debug_dirs; /* NULL-ended; NULL: the usual one */
	uint64_t debuginfod_ms;	       /* as symbolizer_config; 0: not asked */
};

/*
 * Reads the perf.data behind fd, a file or a pipe; name is for messages.
 * Returns 0 with a profile for profile_free(), or -errno with error.
 */
int perfdata_profile_read(struct profile **profile, int fd, const char *name,
			  const struct perfdata_places *places,
			  struct error *error);

#endif
