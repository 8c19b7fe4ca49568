#include "cli/profile/interval.h"

#include <math.h>

#define NORMAL_QUANTILE 1.959963985 /* 97.5 % */
#define BATCHES_MIN	4

/* Exact for 1 to 4 degrees of freedom; above them the expansion in 1/degrees
 * (Abramowitz and Stegun 26.7.5) is within 0.1 %. */
double interval_t(double degrees)
{
	static const double few[] = { 12.7062, 4.30265, 3.18245, 2.77645 };
	const double z = NORMAL_QUANTILE;
	double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;

	if (degrees < 5)
		return few[degrees < 1 ? 0 : (int)degrees - 1];
	return z + (z3 + z) / 4 / degrees +
	       (5 * z5 + 16 * z3 + 3 * z) / 96 / pow(degrees, 2) +
	       (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384 / pow(degrees, 3);
}

struct interval interval_wilson(double share, double n)
{
	const double z2 = NORMAL_QUANTILE * NORMAL_QUANTILE;
	double centre, half;

	if (!(n > 0))
		return (struct interval){ 0, 1 };
	centre = (share + z2 / (2 * n)) / (1 + z2 / n);
	half = NORMAL_QUANTILE / (1 + z2 / n) *
	       sqrt(share * (1 - share) / n + z2 / (4 * n * n));
	/* share itself is inside, whatever rounding does at 0 and 1 */
	return (struct interval){
		fmax(0, fmin(share, centre - half)),
		fmin(1, fmax(share, centre + half)),
	};
}

static double sums_share(const struct interval_sums *sums)
{
	double part = 0, whole = 0;

	for (size_t i = 0; i < sums->n_batches; i++) {
		part += sums->part[i];
		whole += sums->whole[i];
	}
	return whole > 0 ? fmin(1, part / whole) : NAN;
}

/* Variance of the ratio from the differences of neighbouring residuals. */
static double ratio_variance(const struct interval_sums *sums, double share)
{
	double squares = 0, whole = 0, before = 0;
	double n = (double)sums->n_batches;

	for (size_t i = 0; i < sums->n_batches; i++) {
		double rest = sums->part[i] - share * sums->whole[i];

		if (i)
			squares += (rest - before) * (rest - before);
		before = rest;
		whole += sums->whole[i];
	}
	return squares / 2 * n / (n - 1) / (whole * whole);
}

/* Variance of the ratio from the residuals (Cochran, Sampling Techniques,
 * 1977, 6.4). */
static double run_variance(const struct interval_sums *sums, double share)
{
	double squares = 0, whole = 0;
	double n = (double)sums->n_batches;

	for (size_t i = 0; i < sums->n_batches; i++) {
		double rest = sums->part[i] - share * sums->whole[i];

		squares += rest * rest;
		whole += sums->whole[i];
	}
	return squares * n / (n - 1) / (whole * whole);
}

double interval_design_effect(const struct interval_sums *sums)
{
	double share = sums_share(sums);
	double independent, t;

	if (sums->n_batches < BATCHES_MIN || !(sums->n_samples > 0) ||
	    !(share > 0 && share < 1))
		return 1;
	independent = share * (1 - share) / sums->n_samples;
	t = interval_t((double)sums->n_batches - 1) / NORMAL_QUANTILE;
	return ratio_variance(sums, share) / independent * t * t;
}

static struct interval interval_limited(const struct interval_sums *sums,
					double most)
{
	double share = sums_share(sums);
	double effect = interval_design_effect(sums);

	if (isnan(share))
		return (struct interval){ 0, 1 };
	return interval_wilson(share,
			       sums->n_samples / fmin(fmax(effect, 1), most));
}

struct interval interval_of_window(const struct interval_sums *sums)
{
	return interval_limited(sums, INTERVAL_EFFECT_MAX);
}

struct interval interval_of_load(const struct interval_sums *sums)
{
	return interval_limited(sums, INFINITY);
}

struct interval interval_of_runs(const struct interval_sums *sums)
{
	double share = sums_share(sums), variance, t;

	if (isnan(share))
		return (struct interval){ 0, 1 };
	if (sums->n_batches < 2 || !(share > 0 && share < 1))
		return interval_wilson(share, sums->n_samples);
	t = interval_t((double)sums->n_batches - 1) / NORMAL_QUANTILE;
	variance = fmax(run_variance(sums, share) * t * t,
			share * (1 - share) / fmax(1, sums->n_samples));
	return interval_wilson(share, share * (1 - share) / variance);
}
