#include "cli/profile/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/profile/student.h"
#include "cli/profile/tally.h"
#include "perfcore/mem.h"

#define SAMPLES_MIN    10 /* of both sides; less is not tested */
#define DISCOVERY_RATE 0.05
#define MANY_DEGREES   1e6

struct estimate {
	double value, variance, degrees;
};

static struct estimate estimate_of(const double *part,
				   const struct tally_base *base,
				   enum compare_unit unit)
{
	double sum = 0, whole = 0, squares = 0, floor;
	double n = (double)base->n_batches;
	struct estimate estimate = { 0, 0, MANY_DEGREES };

	for (size_t i = 0; i < base->n_batches; i++) {
		sum += part[i];
		whole += base->whole[i];
	}
	if (!(whole > 0))
		return estimate;
	estimate.value = sum / whole;
	for (size_t i = 0; i < base->n_batches; i++) {
		double rest = part[i] - estimate.value * base->whole[i];

		squares += rest * rest;
	}
	/* of independent samples; what was never seen might have been once */
	floor = fmax(sum, base->per_sample) * base->per_sample;
	if (unit == COMPARE_SHARE)
		floor *= 1 - fmin(estimate.value, 0.999);
	estimate.variance = floor;
	if (n > 1 && squares * n / (n - 1) > floor) {
		estimate.variance = squares * n / (n - 1);
		estimate.degrees = n - 1;
	}
	estimate.variance /= whole * whole;
	return estimate;
}

/* Welch and Satterthwaite. */
static double degrees_of(double a, double a_degrees, double b, double b_degrees)
{
	return (a + b) * (a + b) / (a * a / a_degrees + b * b / b_degrees);
}

/* Fills change and its interval; returns half the interval's width as a
 * logarithm, NAN where there is nothing on one of the sides. */
static double change_find(struct compare_row *row, const struct estimate *from,
			  const struct estimate *to)
{
	double a = from->variance / (from->value * from->value);
	double b = to->variance / (to->value * to->value);
	double log_ratio, reach;

	row->change = row->low = row->high = NAN;
	if (!(from->value > 0) || !(to->value > 0))
		return NAN;
	log_ratio = log(to->value / from->value);
	reach = interval_t(
			fmax(1, degrees_of(a, from->degrees, b, to->degrees))) *
		sqrt(a + b);
	row->change = expm1(log_ratio);
	row->low = expm1(log_ratio - reach);
	row->high = expm1(log_ratio + reach);
	return reach;
}

static double p_of(const struct estimate *from, const struct estimate *to)
{
	double variance = from->variance + to->variance;

	if (!(variance > 0))
		return 1;
	return student_p((to->value - from->value) / sqrt(variance),
			 degrees_of(from->variance, from->degrees, to->variance,
				    to->degrees));
}

static double samples_of(const double *part, const struct tally_base *base)
{
	double sum = 0;

	for (size_t i = 0; i < base->n_batches; i++)
		sum += part[i];
	return base->per_sample > 0 ? sum / base->per_sample : 0;
}

static double rate_of(const double *part, const struct tally_base *base)
{
	double sum = 0;

	for (size_t i = 0; i < base->n_batches; i++)
		sum += part[i];
	return base->seconds > 0 ? sum / 1e9 / base->seconds : 0;
}

static double value_of(const double *part, const struct tally_base *base)
{
	double sum = 0, whole = 0;

	for (size_t i = 0; i < base->n_batches; i++) {
		sum += part[i];
		whole += base->whole[i];
	}
	return whole > 0 ? sum / whole : 0;
}

struct comparer {
	const struct tallies *tallies;
	const struct compare_options *options;
	double *p; /* of the rows that are tested */
	uint32_t *tested;
	size_t n_tested;
};

static void row_make(struct comparer *comparer, struct compare_row *rows,
		     uint32_t number)
{
	const struct tally *tally = &comparer->tallies->items[number];
	const struct tally_base *bases = comparer->tallies->bases;
	struct compare_row *row = &rows[number];
	struct estimate estimates[2];
	double samples = 0, reach;

	*row = (struct compare_row){ .kind = tally->kind,
				     .name = tally->name,
				     .module = tally->module,
				     .q = 1,
				     .verdict = COMPARE_UNCLEAR };
	for (int side = 0; side < 2; side++) {
		row->self[side] = value_of(tally->self[side], &bases[side]);
		row->total[side] = value_of(tally->total[side], &bases[side]);
		const double *judged = comparer->options->by_total
					       ? tally->total[side]
					       : tally->self[side];

		samples += samples_of(judged, &bases[side]);
		row->rate[side] = rate_of(judged, &bases[side]);
		estimates[side] = estimate_of(judged, &bases[side],
					      comparer->options->unit);
	}
	reach = change_find(row, &estimates[0], &estimates[1]);
	row->longer = pow(reach / log1p(comparer->options->same), 2);
	if (samples < SAMPLES_MIN)
		return;
	comparer->tested[comparer->n_tested] = number;
	comparer->p[comparer->n_tested++] = p_of(&estimates[0], &estimates[1]);
}

static void rows_judge(struct comparer *comparer, struct compare_row *rows)
{
	double same = comparer->options->same;
	bool by_total = comparer->options->by_total;

	student_discoveries(comparer->p, comparer->p, comparer->n_tested);
	for (size_t i = 0; i < comparer->n_tested; i++) {
		struct compare_row *row = &rows[comparer->tested[i]];
		const double *values = by_total ? row->total : row->self;

		row->q = comparer->p[i];
		if (row->q <= DISCOVERY_RATE)
			row->verdict = values[1] > values[0] ? COMPARE_MORE
							     : COMPARE_LESS;
		else if (row->low > -same && row->high < same)
			row->verdict = COMPARE_SAME;
	}
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct compare_options *options = context;
	const struct compare_row *a = left, *b = right;
	const double *x = options->by_total ? a->total : a->self;
	const double *y = options->by_total ? b->total : b->self;
	double most_a = fmax(x[0], x[1]), most_b = fmax(y[0], y[1]);
	int order;

	if (a->kind != b->kind) /* functions, processes, containers */
		return a->kind > b->kind ? -1 : 1;
	if (most_a != most_b)
		return most_a > most_b ? -1 : 1;
	order = strcmp(a->name, b->name);
	return order ? order : strcmp(a->module, b->module);
}

void compare_sides(struct comparison *comparison,
		   const struct compare_side sides[2],
		   const struct compare_options *options)
{
	struct tallies tallies;
	struct comparer comparer = { &tallies, options };
	struct compare_options copy = *options;

	comparison->strings = strings_new();
	tallies_init(&tallies, comparison->strings, sides, options);
	comparison->n_rows = tallies.count;
	comparison->rows = mem_calloc(tallies.count, sizeof(*comparison->rows));
	comparer.p = mem_calloc(tallies.count, sizeof(*comparer.p));
	comparer.tested = mem_calloc(tallies.count, sizeof(*comparer.tested));
	for (uint32_t i = 0; i < tallies.count; i++)
		row_make(&comparer, comparison->rows, i);
	rows_judge(&comparer, comparison->rows);
	qsort_r(comparison->rows, comparison->n_rows, sizeof(*comparison->rows),
		compare_rows, &copy);
	tallies_destroy(&tallies);
	free(comparer.p);
	free(comparer.tested);
}

void comparison_destroy(struct comparison *comparison)
{
	free(comparison->rows);
	strings_free(comparison->strings);
}

bool comparison_is_shown(const struct comparison *comparison, size_t row,
			 uint64_t top)
{
	return !top || row < top ||
	       comparison->rows[row - top].kind != comparison->rows[row].kind;
}
