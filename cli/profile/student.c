#include "cli/profile/student.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "perfcore/mem.h"

#define STEPS_MAX 300

static double not_zero(double value)
{
	return fabs(value) < DBL_MIN ? DBL_MIN : value;
}

/* The continued fraction of the incomplete beta function (DLMF 8.17.22) by
 * Lentz's method; converges for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), sum = d;

	for (int m = 1; m <= STEPS_MAX; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x /
			     ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / not_zero(1 + even * d);
		c = not_zero(1 + even / c);
		sum *= d * c;
		d = 1 / not_zero(1 + odd * d);
		c = not_zero(1 + odd / c);
		step = d * c;
		sum *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return sum;
}

/* The regularised incomplete beta function (DLMF 8.17.2). */
static double beta_part(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
		    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_p(double t, double degrees)
{
	if (isnan(t) || !(degrees > 0))
		return 1;
	return beta_part(degrees / 2, 0.5, degrees / (degrees + t * t));
}

static int compare_values(const void *left, const void *right, void *context)
{
	const double *p = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (p[a] != p[b])
		return p[a] < p[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

void student_discoveries(const double *p, double *q, size_t count)
{
	uint32_t *order = mem_alloc(count * sizeof(*order));
	double *values = mem_dup(p, count * sizeof(*p));
	double least = 1;

	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	if (count)
		qsort_r(order, count, sizeof(*order), compare_values, values);
	for (size_t i = count; i-- > 0;) {
		least = fmin(least, values[order[i]] * (double)count /
					    (double)(i + 1));
		q[order[i]] = least;
	}
	free(order);
	free(values);
}
