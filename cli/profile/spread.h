/*
 * Spread: how a share differs between the profiles (runs, minutes, hosts)
 * that were merged.
 */
#ifndef CLI_PROFILE_SPREAD_H
#define CLI_PROFILE_SPREAD_H

#include "cli/profile/window.h"

struct spread {
	size_t n; /* profiles, or where they are many, parts of them; those
		   * without any weight are left out; 0: not merged */
	double mean, median, least, most; /* parts of each profile, 0 to 1 */
};

/* sums are WINDOW_BATCHES sums, as window_add makes them. */
struct spread spread_of(const struct window *window, const double *sums);

#endif
