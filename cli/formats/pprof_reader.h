/*
 * Reads a pprof profile (profile.proto, gzip or not): our own back into what
 * was written, and other tools' as far as they tell: without labels for pid,
 * comm and container, everything is one process. Hostile files are refused
 * with the reason and the offset; pprof_input.h and pprof_tables.h say what
 * they are bounded by.
 */
#ifndef CLI_FORMATS_PPROF_READER_H
#define CLI_FORMATS_PPROF_READER_H

#include "cli/profile/profile.h"
#include "perfcore/error.h"

/*
 * Reads fd to its end; name is the file's, for messages and for a process
 * that has none. Returns 0 with a profile for profile_free(), or -errno with
 * error filled.
 */
int pprof_read(struct profile **out, int fd, const char *name,
	       struct error *error);

#endif
