/*
 * Intervals: how far a share can be trusted. The window is cut into batches
 * of time; in each the part (a function's weight) and the whole (all weight)
 * are known, and the share is the ratio of their sums.
 *
 * Method. From the batches comes the design effect: by how much the variance
 * of the share differs from that of as many independent samples. It is the
 * linearised variance of a ratio, taken from successive differences, which
 * is the estimator for samples drawn at regular times (Wolter, "An
 * investigation of some estimators of variance for systematic sampling",
 * JASA 79, 1984, estimator v2), with Student's t for the few batches. The
 * interval is Wilson's score interval on the effective number of samples,
 * n / design effect (Korn and Graubard, Survey Methodology 24, 1998; Dean and
 * Pagano, J. Surv. Stat. Methodol. 3, 2015), so it never leaves 0 to 1 and
 * holds for shares of 0 and 1 and for few samples.
 *
 * Two questions, two intervals. What was the share in this very window:
 * regular samples of work that comes in segments err less than independent
 * ones, and what differs between batches is mostly real change, not error;
 * so the design effect is held between 1 and INTERVAL_EFFECT_MAX. What would
 * the share be in another window of the same load (for comparisons): then
 * the change from batch to batch is what matters and nothing is cut.
 * tests/unit/test_interval.c simulates both.
 */
#ifndef CLI_PROFILE_INTERVAL_H
#define CLI_PROFILE_INTERVAL_H

#include <stddef.h>

#define INTERVAL_BATCHES    20 /* most batches a window is cut into */
#define INTERVAL_EFFECT_MAX 1.5

struct interval {
	double low, high; /* 0 to 1, low <= high; 95 % */
};

struct interval_sums {
	const double *part, *whole; /* for each batch; part <= whole */
	size_t n_batches;
	double n_samples; /* effective number of samples in the whole */
};

/* The share in this window. Without a whole: 0 to 1. */
struct interval interval_of_window(const struct interval_sums *sums);

/* The share that another window of the same load would be expected to lie
 * around; wider where the load comes in long segments. */
struct interval interval_of_load(const struct interval_sums *sums);

/* The same where batches are runs, hosts or minutes of their own: by the plain
 * variance between them, as neighbours have nothing in common. */
struct interval interval_of_runs(const struct interval_sums *sums);

/*
 * The variance of the share by the batches (with Student's t already in it)
 * over that of n_samples independent ones. 1 where there are fewer than 4
 * batches, or the share is 0 or 1.
 */
double interval_design_effect(const struct interval_sums *sums);

/* Wilson's score interval of a share seen in n independent samples; n need
 * not be whole. 0 to 1 where n is 0. */
struct interval interval_wilson(double share, double n);

/* The 97.5 % quantile of Student's t with that many degrees of freedom (at
 * least 1; below 5 whole numbers only), within 0.1 %. */
double interval_t(double degrees);

#endif
