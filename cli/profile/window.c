#include "cli/profile/window.h"

#define WINDOWS_MIN 3 /* of two, one may be anything */

/* Slices of the whole window, from its length where that is known: the last
 * slices of an idle machine have no rows. */
static uint32_t count_slices(const struct profile *profile)
{
	uint64_t by_length = 0;
	uint32_t last = 0;

	if (!profile->slice_ns)
		return 0;
	by_length = (profile->duration_ns + profile->slice_ns - 1) /
		    profile->slice_ns;
	for (size_t i = 0; i < profile->n_rows; i++)
		if (profile->rows[i].slice > last)
			last = profile->rows[i].slice;
	if (by_length > UINT32_MAX - 1)
		return UINT32_MAX - 1;
	return last >= by_length ? last + (last < UINT32_MAX)
				 : (uint32_t)by_length;
}

static size_t batch_of(const struct window *window, uint32_t slice)
{
	if (slice >= window->n_slices)
		return window->n_batches - 1;
	return (size_t)slice * window->n_batches / window->n_slices;
}

/* By the last window that begins at or before the slice. */
static size_t window_batch_of(const struct window *window, uint32_t slice)
{
	size_t low = 0, high = window->n_windows;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;

		if (window->windows[middle].first_slice <= slice)
			low = middle;
		else
			high = middle;
	}
	return low * window->n_window_batches / window->n_windows;
}

void window_add(const struct window *window, double *sums,
		const struct profile_row *row)
{
	double weight = (double)window_weight(window, row);

	sums[batch_of(window, row->slice)] += weight;
	if (window->n_window_batches)
		sums[INTERVAL_BATCHES + window_batch_of(window, row->slice)] +=
			weight;
}

static size_t at_most(size_t count, size_t limit)
{
	return count < limit ? count : limit;
}

void window_of(struct window *window, const struct profile *profile,
	       uint32_t value)
{
	double squares = 0;

	*window = (struct window){ .value = value,
				   .windows = profile->windows,
				   .n_windows = profile->n_windows };
	window->n_slices = count_slices(profile);
	window->n_batches = at_most(window->n_slices, INTERVAL_BATCHES);
	if (!window->n_batches)
		window->n_batches = 1;
	if (window->n_windows > 1)
		window->n_window_batches =
			at_most(window->n_windows, INTERVAL_BATCHES);
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct profile_row *row = &profile->rows[i];
		uint64_t weight = window_weight(window, row);

		if (!weight)
			continue;
		window->total += weight;
		window->samples += row->count;
		window_add(window, window->whole, row);
		if (row->count)
			squares += (double)weight * (double)weight /
				   (double)row->count;
	}
	/* Kish, Survey Sampling (1965), 11.7: samples of unlike weights */
	if (squares > 0)
		window->effective =
			(double)window->total * (double)window->total / squares;
}

uint64_t window_selected(const struct window *window,
			 const struct profile *profile)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < profile->n_rows; i++)
		weight += window_weight(window, &profile->rows[i]);
	return weight;
}

struct interval window_interval(const struct window *window, const double *part)
{
	struct interval_sums slices = { part, window->whole, window->n_batches,
					window->effective };
	struct interval_sums profiles = { part + INTERVAL_BATCHES,
					  window->whole + INTERVAL_BATCHES,
					  window->n_window_batches,
					  window->effective };
	struct interval within = interval_of_window(&slices), between;

	if (window->n_window_batches < WINDOWS_MIN)
		return within;
	between = interval_of_runs(&profiles);
	return between.high - between.low > within.high - within.low ? between
								     : within;
}
