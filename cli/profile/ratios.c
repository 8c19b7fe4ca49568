#include "cli/profile/ratios.h"

#include <math.h>
#include <stdlib.h>

static int compare_ratios(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

/* How many ratios can be left out at each end: the largest number with a
 * binomial tail (one half, count) of at most 2.5 % below it. */
static size_t left_out(size_t count)
{
	double term = pow(0.5, (double)count), tail = 0;
	size_t out = 0;

	for (; out < count / 2; out++) {
		tail += term;
		if (tail > 0.025)
			break;
		term *= (double)(count - out) / (double)(out + 1);
	}
	/* the interval is from the out-th to the out-th from the end */
	return out ? out - 1 : 0;
}

struct ratios ratios_of(double *ratios, size_t count)
{
	size_t out = left_out(count);

	qsort(ratios, count, sizeof(*ratios), compare_ratios);
	return (struct ratios){
		(ratios[(count - 1) / 2] + ratios[count / 2]) / 2,
		ratios[out],
		ratios[count - 1 - out],
	};
}
