/*
 * Merging: several profiles (minutes, runs, hosts) as one. Everything is
 * interned again, so equal functions, stacks and processes (pid and start)
 * are one; windows, weights, accounting and health are summed, so that CPU
 * time over the length of the window stays an average per second.
 */
#ifndef CLI_PROFILE_MERGE_H
#define CLI_PROFILE_MERGE_H

#include "cli/profile/profile.h"

/* An empty profile of no window: what others are merged into. */
struct profile *profile_merge_new(void);

/*
 * Adds what from holds to into; from is left as it is. The time slices of
 * from come after those of into. What is not known of one of the two is not
 * known of their sum. into is from profile_merge_new, and only merging may
 * have changed it.
 */
void profile_merge(struct profile *into, const struct profile *from);

#endif
