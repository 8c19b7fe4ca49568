/*
 * The wait hint: processes whose threads share a task, and get less of the
 * CPUs than stand free for them. No sample on a CPU can show why: the hint
 * says what would.
 */
#ifndef CLI_WAIT_HINT_H
#define CLI_WAIT_HINT_H

#include "cli/profile/profile.h"

/* Adds a note for each such process, for the busiest few. The profile has its
 * window, its host and its processes' accounting. */
void wait_hint(struct profile *profile);

#endif
