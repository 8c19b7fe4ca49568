#include "cli/profile/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "known_profile.h"
#include "perfcore/mem.h"

#define FUNCTIONS 30
#define RUNS	  10

static uint64_t random_state = 88172645463325252ull;

static double random_unit(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return ((double)(random_state >> 11) + 0.5) / 9007199254740992.0;
}

/* Mean 0, variance 1 (Box and Muller). */
static double random_normal(void)
{
	return sqrt(-2 * log(random_unit())) *
	       cos(2 * 3.14159265358979 * random_unit());
}

/* Ten runs of 10 s of a program with 30 functions, samples of 1 ms: the i-th
 * function uses 100 / (i + 1) ms each second, times slower[i]. Runs differ by
 * 2 % as a whole; counts are as good as Poisson's. */
static struct profile *runs_of(int slow, double slower)
{
	struct profile *profile = profile_new();
	uint32_t stacks[FUNCTIONS];
	char name[32];

	profile->value_types[0] =
		(struct profile_value_type){ "cpu", "nanoseconds" };
	profile->n_value_types = 1;
	profile->slice_ns = 10000000000;
	profile->duration_ns = RUNS * profile->slice_ns;
	profile->n_windows = RUNS;
	profile->windows = mem_calloc(RUNS, sizeof(*profile->windows));
	for (int i = 0; i < FUNCTIONS; i++) {
		uint32_t frame;

		snprintf(name, sizeof(name), "function_%d", i);
		frame = known_frame(profile, 0, name, "x.c", 1);
		stacks[i] = profile_node(profile, 0, frame);
	}
	for (uint32_t run = 0; run < RUNS; run++) {
		double speed = 1 + 0.02 * random_normal();

		profile->windows[run] =
			(struct profile_window){ run, profile->slice_ns };
		for (int i = 0; i < FUNCTIONS; i++) {
			double mean = 1000.0 / (i + 1) * speed *
				      (i == slow ? slower : 1);
			double count = fmax(
				0, round(mean + sqrt(mean) * random_normal()));

			profile_add(profile,
				    &(struct profile_row){
					    .stack = stacks[i],
					    .thread = PROFILE_NONE,
					    .container = PROFILE_NONE,
					    .cpu = PROFILE_NONE,
					    .state = PROFILE_NONE,
					    .slice = run,
					    .count = (uint64_t)count,
					    .values = { (uint64_t)count *
							1000000 } });
		}
	}
	return profile;
}

static void compare(struct comparison *comparison, struct profile *before,
		    struct profile *after,
		    const struct compare_options *options)
{
	struct compare_side sides[2] = { { before, { 0 }, 1000 },
					 { after, { 0 }, 2000 } };

	window_of(&sides[0].window, before, 0);
	window_of(&sides[1].window, after, 0);
	compare_sides(comparison, sides, options);
}

static const struct compare_row *row_of(const struct comparison *comparison,
					const char *name)
{
	for (size_t i = 0; i < comparison->n_rows; i++)
		if (strcmp(comparison->rows[i].name, name) == 0)
			return &comparison->rows[i];
	fail_msg("no row %s", name);
	return NULL;
}

static bool is_changed(const struct compare_row *row)
{
	return row->verdict == COMPARE_MORE || row->verdict == COMPARE_LESS;
}

/* Issue 7: in at most 5 % of A against A any row is called changed (the 8 of
 * 100 allow for the luck of this one draw). */
static void the_same_is_not_called_changed(void **state)
{
	struct compare_options options = { COMPARE_PER_SECOND, false, 0.05 };
	int wrong = 0;

	(void)state;
	for (int i = 0; i < 100; i++) {
		struct profile *a = runs_of(-1, 1), *b = runs_of(-1, 1);
		struct comparison comparison;
		bool any = false;

		compare(&comparison, a, b, &options);
		for (size_t j = 0; j < comparison.n_rows; j++)
			any |= is_changed(&comparison.rows[j]);
		wrong += any;
		comparison_destroy(&comparison);
		profile_free(a);
		profile_free(b);
	}
	if (wrong > 8)
		fail_msg("%d of 100", wrong);
}

/* Issue 7: a function 10 % slower is found in at least 95 %. */
static void a_slower_function_is_found(void **state)
{
	struct compare_options options = { COMPARE_PER_SECOND, false, 0.05 };
	int found = 0;
	double change = 0;

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct profile *a = runs_of(-1, 1), *b = runs_of(0, 1.1);
		struct comparison comparison;
		const struct compare_row *row;

		compare(&comparison, a, b, &options);
		row = row_of(&comparison, "function_0");
		found += row->verdict == COMPARE_MORE;
		change += row->change / 60;
		assert_true(row->low < row->change && row->change < row->high);
		comparison_destroy(&comparison);
		profile_free(a);
		profile_free(b);
	}
	if (found < 57 || fabs(change - 0.1) > 0.01)
		fail_msg("found %d of 60, change %.3f", found, change);
}

static void verdicts_say_how_sure_they_are(void **state)
{
	struct compare_options options = { COMPARE_PER_SECOND, false, 0.05 };
	struct profile *a = runs_of(1, 1), *b = runs_of(1, 2);
	struct comparison comparison;
	const struct compare_row *row;

	(void)state;
	compare(&comparison, a, b, &options);
	row = row_of(&comparison, "function_1");
	assert_int_equal(row->verdict, COMPARE_MORE);
	assert_true(row->q < 1e-6);
	row = row_of(&comparison, "function_0");
	assert_int_equal(row->verdict, COMPARE_SAME);
	assert_true(fabs(row->self[0] - 0.1) < 0.01); /* s per s */
	row = row_of(&comparison, "function_29");
	assert_int_equal(row->verdict, COMPARE_UNCLEAR);
	assert_true(row->longer > 1);
	comparison_destroy(&comparison);
	profile_free(a);
	profile_free(b);
}

static void units_are_what_they_say(void **state)
{
	struct compare_options options = { COMPARE_PER_OP, false, 0.05 };
	struct profile *a = known_profile_new(), *b = known_profile_new();
	struct comparison comparison;
	const struct compare_row *row;

	(void)state;
	/* twice the operations in as much time: half the CPU time for each */
	compare(&comparison, a, b, &options);
	row = row_of(&comparison, "inner");
	assert_true(fabs(row->self[0] - 0.4 / 1000) < 1e-9);
	assert_true(fabs(row->self[1] - 0.4 / 2000) < 1e-9);
	assert_true(fabs(row->rate[0] - 0.4) < 1e-9);
	assert_true(fabs(row->change + 0.5) < 1e-9);
	assert_int_equal(row->verdict, COMPARE_LESS);
	comparison_destroy(&comparison);
	options.unit = COMPARE_SHARE;
	options.by_total = true;
	compare(&comparison, a, b, &options);
	row = row_of(&comparison, "main");
	assert_true(fabs(row->total[0] - 0.6) < 1e-9);
	assert_true(fabs(row->change) < 1e-9);
	assert_int_equal(comparison.rows[0].kind, LABEL_FUNCTION);
	assert_int_equal(comparison.rows[comparison.n_rows - 1].kind,
			 LABEL_CONTAINER);
	comparison_destroy(&comparison);
	profile_free(a);
	profile_free(b);
}

/* Runs of a benchmark last as long as the machine is busy otherwise; what an
 * operation costs does not change with that. */
static void runs_of_unlike_length_have_equal_operations(void **state)
{
	struct compare_options options = { COMPARE_PER_OP, false, 0.05 };
	struct profile *a = runs_of(-1, 1), *b = runs_of(-1, 1);
	struct comparison comparison;
	const struct compare_row *row;

	(void)state;
	for (size_t i = 0; i < RUNS; i++)
		b->windows[i].duration_ns *= 1 + i % 3;
	compare(&comparison, a, b, &options);
	row = row_of(&comparison, "function_0");
	assert_true(fabs(row->self[0] - 10.0 / 1000) < 5e-4);
	assert_int_equal(row->verdict, COMPARE_LESS);
	assert_true(row->low > -0.54 && row->high < -0.46);
	comparison_destroy(&comparison);
	profile_free(a);
	profile_free(b);
}

static void function_of(struct profile *profile, const char *name,
			const char *module, uint32_t samples)
{
	uint32_t mapping = profile_mapping(
		profile, &(struct profile_mapping){ .path = module });
	uint32_t frame = known_frame(profile, mapping, name, "", 0);

	for (uint32_t slice = 0; slice < 10; slice++)
		known_add(profile, profile_node(profile, 0, frame),
			  PROFILE_NONE, PROFILE_NONE, PROFILE_NONE, slice,
			  samples / 10);
}

/* Builds differ in hashes and in the names of files. */
static void functions_are_matched_across_builds(void **state)
{
	struct compare_options options = { COMPARE_PER_SECOND, false, 0.05 };
	struct profile *a = known_profile_new(), *b = known_profile_new();
	struct comparison comparison;
	const struct compare_row *row;

	(void)state;
	function_of(a, "core::run::h0123456789abcdef", "/bin/app", 50);
	function_of(b, "core::run::hfedcba9876543210", "/opt/app", 50);
	function_of(a, "moved", "/bin/app-1.0", 50);
	function_of(b, "moved", "/bin/app-1.1", 50);
	function_of(b, "new", "/bin/app", 50);
	compare(&comparison, a, b, &options);
	row = row_of(&comparison, "core::run");
	assert_true(fabs(row->change) < 1e-9);
	row = row_of(&comparison, "moved");
	assert_true(fabs(row->change) < 1e-9);
	row = row_of(&comparison, "new");
	assert_true(isnan(row->change));
	assert_true(row->self[0] == 0 && row->self[1] > 0);
	assert_int_equal(row->verdict, COMPARE_MORE);
	comparison_destroy(&comparison);
	profile_free(a);
	profile_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_is_not_called_changed),
		cmocka_unit_test(a_slower_function_is_found),
		cmocka_unit_test(verdicts_say_how_sure_they_are),
		cmocka_unit_test(units_are_what_they_say),
		cmocka_unit_test(runs_of_unlike_length_have_equal_operations),
		cmocka_unit_test(functions_are_matched_across_builds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
