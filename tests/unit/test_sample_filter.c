#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "cli/sample_filter.h"

static void lists_of_pids(void **state)
{
	static const char *const bad[] = { "",	   ",",		  "12,", "x",
					   "12x",  "-1",	  "0",	 " 1",
					   "1,,2", "99999999999", NULL };
	uint32_t *pids = NULL;
	size_t count = 0;

	(void)state;
	assert_int_equal(sample_filter_parse_pids("12,3400", &pids, &count), 0);
	assert_int_equal(sample_filter_parse_pids("7", &pids, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(pids[0], 12);
	assert_int_equal(pids[1], 3400);
	assert_int_equal(pids[2], 7);
	for (size_t i = 0; bad[i]; i++)
		assert_int_equal(
			sample_filter_parse_pids(bad[i], &pids, &count),
			-EINVAL);
	free(pids);
}

static void all_conditions_must_hold(void **state)
{
	static const uint32_t pids[] = { 5, 6 };
	struct process process = { .pid = 5, .comm = "server" };
	struct thread thread = { .process = &process, .comm = "worker" };
	struct sample_filter filter = { 0 };

	(void)state;
	assert_true(sample_filter_thread(&filter, &thread));
	filter.pids = pids;
	filter.n_pids = 2;
	assert_true(sample_filter_thread(&filter, &thread));
	filter.comm = "worker";
	assert_true(sample_filter_thread(&filter, &thread));
	filter.comm = "server"; /* all threads of a process of that name */
	assert_true(sample_filter_thread(&filter, &thread));
	filter.comm = "serve";
	assert_false(sample_filter_thread(&filter, &thread));
	filter.comm = NULL;
	process.pid = 7;
	assert_false(sample_filter_thread(&filter, &thread));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_of_pids),
		cmocka_unit_test(all_conditions_must_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
