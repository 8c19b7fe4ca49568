#include "cli/profile/ratios.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void few_pairs_reach_from_least_to_most(void **state)
{
	double ratios[] = { 1.03, 0.99, 1.01, 1.02, 1.00 };
	struct ratios got = ratios_of(ratios, 5);

	(void)state;
	assert_true(got.median == 1.01);
	assert_true(got.low == 0.99);
	assert_true(got.high == 1.03);
	got = ratios_of(ratios, 2);
	assert_true(got.median == 0.995);
}

/* The sign test's interval of 10 is from the 2nd to the 9th (97.9 %), of 20
 * from the 6th to the 15th (95.9 %): Conover, Practical Nonparametric
 * Statistics, table A3. */
static void many_pairs_leave_the_ends_out(void **state)
{
	double ratios[20];
	struct ratios got;

	(void)state;
	for (int i = 0; i < 20; i++)
		ratios[i] = 20 - i;
	got = ratios_of(ratios, 20);
	assert_true(got.low == 6);
	assert_true(got.high == 15);
	assert_true(got.median == 10.5);
	got = ratios_of(ratios, 10);
	assert_true(got.low == 2);
	assert_true(got.high == 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_pairs_reach_from_least_to_most),
		cmocka_unit_test(many_pairs_leave_the_ends_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
