#include "cli/profile/window.h"

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

void window_of(struct window *window, const struct profile *profile,
	       uint32_t value)
{
	double squares = 0;

	*window = (struct window){ .value = value };
	window->n_slices = count_slices(profile);
	window->n_batches = window->n_slices < INTERVAL_BATCHES
				    ? window->n_slices
				    : INTERVAL_BATCHES;
	if (!window->n_batches)
		window->n_batches = 1;
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct profile_row *row = &profile->rows[i];
		uint64_t weight = window_weight(window, row);

		if (!weight)
			continue;
		window->total += weight;
		window->samples += row->count;
		window->whole[window_batch(window, row->slice)] +=
			(double)weight;
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
	struct interval_sums sums = { part, window->whole, window->n_batches,
				      window->effective };

	return interval_of_window(&sums);
}
