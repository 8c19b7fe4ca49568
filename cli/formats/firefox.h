/*
 * The Firefox Profiler's processed format, version 55: one thread for each
 * thread that was sampled, with tables of its own. profiler.firefox.com
 * upgrades older versions when it loads a file, so the number stays.
 *
 *   {"meta":{…,"preprocessedProfileVersion":55},"libs":[…],"threads":[
 *    {"name":"nginx","pid":"812","tid":812,"samples":{"stack":[3,…],
 *     "time":[0.5,…],"weight":[10.1,…],…},"stackTable":{"frame":[0,…],
 *     "prefix":[null,0,…],"length":9},"frameTable":{…},"funcTable":{…},…}]}
 *
 * Source: github.com/firefox-devtools/profiler, src/types/profile.ts and
 * docs-developer/CHANGELOG-formats.md.
 */
#ifndef CLI_FORMATS_FIREFOX_H
#define CLI_FORMATS_FIREFOX_H

#include "cli/profile/profile.h"
#include "perfcore/error.h"

/*
 * Streams the profile to fd; value as folded_write's. Weights are
 * milliseconds where the value is a time, else samples. Within a time slice
 * samples are spread in proportion to their weight: the profile does not know
 * their order. Returns 0 or -errno with error filled.
 */
int firefox_write(const struct profile *profile, uint32_t value, int fd,
		  struct error *error);

#endif
