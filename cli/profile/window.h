/*
 * The window: what shares are parts of. All the weight of one kind in the
 * profile, before anything is selected from it, in batches of time slices.
 */
#ifndef CLI_PROFILE_WINDOW_H
#define CLI_PROFILE_WINDOW_H

#include "cli/profile/interval.h"
#include "cli/profile/profile.h"

/* Sums are kept for the batches of time slices, and behind them for batches
 * of the profiles that were merged. */
#define WINDOW_BATCHES (2 * INTERVAL_BATCHES)

struct window {
	uint32_t value;	   /* index of the value type; PROFILE_NONE: counts */
	uint64_t total;	   /* in units of the value type */
	uint64_t samples;  /* of rows with such a weight */
	double effective;  /* samples, as if all had the same weight */
	uint32_t n_slices; /* 0: the profile has none */
	size_t n_batches;  /* 1 where there are no slices */
	double whole[WINDOW_BATCHES];
	const struct profile_window *windows; /* the profile's, borrowed */
	size_t n_windows;
	size_t n_window_batches; /* 0: not merged */
};

/* value is an index of profile->value_types, or PROFILE_NONE. */
void window_of(struct window *window, const struct profile *profile,
	       uint32_t value);

/* The row's weight of the window's kind. */
static inline uint64_t window_weight(const struct window *window,
				     const struct profile_row *row)
{
	return window->value == PROFILE_NONE ? row->count
					     : row->values[window->value];
}

/* Adds a row's weight to sums of WINDOW_BATCHES. */
void window_add(const struct window *window, double *sums,
		const struct profile_row *row);

/* The part of the window, 0 to 1; 0 where the window is empty. */
static inline double window_share(const struct window *window, uint64_t weight)
{
	return window->total ? (double)weight / (double)window->total : 0;
}

/* The weight that is left in the profile, after rows were selected. */
uint64_t window_selected(const struct window *window,
			 const struct profile *profile);

/* The 95 % interval of a part of the window, whose sums are in part. Between
 * the profiles of a merged one, or within them: the wider one. */
struct interval window_interval(const struct window *window,
				const double *part);

#endif
