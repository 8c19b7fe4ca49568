/*
 * Folded stacks, as flamegraph.pl, inferno and speedscope read them: one line
 * for each stack, frames root first and parted by ";", then the weight.
 *
 *   web;nginx;main;ngx_process_cycle;epoll_wait 20202020
 *
 * ";" and control characters within a name are spelled out (\x3b, \n), so
 * that lines and frames stay what they are (case C46).
 * Source: github.com/brendangregg/FlameGraph.
 */
#ifndef CLI_FORMATS_FOLDED_H
#define CLI_FORMATS_FOLDED_H

#include "cli/formats/stack_groups.h"
#include "perfcore/error.h"

/*
 * Streams the profile to fd. The weight is that of value (an index of value
 * types, in its unit), or with PROFILE_NONE the number of samples. first says
 * which frames stand before the stack's own: none, comm, process, or container
 * and comm. Returns 0 or -errno with error filled.
 */
int folded_write(const struct profile *profile, uint32_t value,
		 enum stack_grouping first, int fd, struct error *error);

#endif
