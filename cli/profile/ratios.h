/*
 * Ratios of paired runs: how much slower something is, and how well these
 * runs can tell.
 */
#ifndef CLI_PROFILE_RATIOS_H
#define CLI_PROFILE_RATIOS_H

#include <stddef.h>

struct ratios {
	double median;
	/* An interval of the median by the order of the ratios, as the sign
	 * test gives it: as narrow as covers 95 %, and from least to most
	 * where there are too few pairs for that (93.75 % for 5). */
	double low, high;
};

/* Sorts count (at least 1) ratios. */
struct ratios ratios_of(double *ratios, size_t count);

#endif
