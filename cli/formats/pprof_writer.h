/*
 * Writes a profile as pprof (profile.proto, gzip): what go tool pprof,
 * speedscope, Pyroscope and Parca read, and what pprof_reader reads back
 * without losing anything that a report prints. docs/pprof.md tells how
 * each part of the profile is stored.
 */
#ifndef CLI_FORMATS_PPROF_WRITER_H
#define CLI_FORMATS_PPROF_WRITER_H

#include "cli/profile/profile.h"
#include "perfcore/error.h"

/*
 * Streams the profile to fd, which stays open. Only stacks, functions,
 * mappings, threads and containers that rows reach are written, and all
 * processes with accounting. Returns 0 or -errno with error filled.
 */
int pprof_write(const struct profile *profile, int fd, struct error *error);

#endif
