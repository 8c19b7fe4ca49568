#include "cli/profile/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.9f, want %.9f", got, want);
}

static void p_has_known_values(void **state)
{
	(void)state;
	/* quantiles of the usual tables */
	assert_near(student_p(12.7062, 1), 0.05, 1e-6);
	assert_near(student_p(4.30265, 2), 0.05, 1e-6);
	assert_near(student_p(2.22814, 10), 0.05, 1e-6);
	assert_near(student_p(3.16927, 10), 0.01, 1e-6);
	assert_near(student_p(-2.04227, 30), 0.05, 1e-6);
	assert_near(student_p(1.959964, 1e7), 0.05, 1e-6);
	assert_near(student_p(0, 5), 1, 1e-12);
	assert_near(student_p(1, 1), 0.5, 1e-12);
	assert_near(student_p(NAN, 5), 1, 0);
	assert_true(student_p(40, 30) < 1e-20);
}

static void discoveries_by_hand(void **state)
{
	/* Benjamini and Hochberg: p(i) m / i, least from the right */
	const double p[] = { 0.04, 0.001, 0.03, 0.5 };
	const double want[] = { 0.16 / 3, 0.004, 0.16 / 3, 0.5 };
	double q[4];

	(void)state;
	student_discoveries(p, q, 4);
	for (int i = 0; i < 4; i++)
		assert_near(q[i], want[i], 1e-12);
	student_discoveries(p, q, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(p_has_known_values),
		cmocka_unit_test(discoveries_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
