/*
 * Requirements: what the data must be good for, such as
 * "lost<1%,names>95%": scripts then need not read the trust block.
 */
#ifndef CLI_PROFILE_REQUIRE_H
#define CLI_PROFILE_REQUIRE_H

#include "cli/profile/profile.h"
#include "perfcore/error.h"

/*
 * Checks conditions NAME<NUMBER or NAME>NUMBER (also <= and >=, and % after
 * the number), separated by commas. Names: lost, throttled and own in % (of
 * samples expected, seconds and CPU time), stacks and names in % complete and
 * named, apart in % between sampled and accounted CPU time, samples (a
 * count).
 *
 * Returns 0 where all hold; 1 with error saying which does not, or is not
 * known; -EINVAL with error where the text makes no sense.
 */
int require_check(const struct profile *profile, const char *conditions,
		  struct error *error);

#endif
