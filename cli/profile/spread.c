#include "cli/profile/spread.h"

#include <stdlib.h>

static int compare_shares(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

struct spread spread_of(const struct window *window, const double *sums)
{
	const double *part = sums + INTERVAL_BATCHES;
	const double *whole = window->whole + INTERVAL_BATCHES;
	double shares[INTERVAL_BATCHES];
	struct spread spread = { 0 };

	for (size_t i = 0; i < window->n_window_batches; i++)
		if (whole[i] > 0)
			shares[spread.n++] = part[i] / whole[i];
	if (spread.n == 0)
		return spread;
	qsort(shares, spread.n, sizeof(*shares), compare_shares);
	for (size_t i = 0; i < spread.n; i++)
		spread.mean += shares[i] / (double)spread.n;
	spread.median = (shares[(spread.n - 1) / 2] + shares[spread.n / 2]) / 2;
	spread.least = shares[0];
	spread.most = shares[spread.n - 1];
	return spread;
}
