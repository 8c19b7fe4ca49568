#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "perfcore/event_spec.h"

static struct event_spec spec;
static struct error error;

static void generic_names_and_modifiers(void **state)
{
	(void)state;
	assert_int_equal(event_spec_parse(&spec, "cycles", &error), 0);
	assert_int_equal(spec.attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(spec.attr.config, PERF_COUNT_HW_CPU_CYCLES);
	assert_int_equal(event_spec_parse(&spec, "instructions:upp", &error),
			 0);
	assert_int_equal(spec.attr.exclude_kernel, 1);
	assert_int_equal(spec.attr.exclude_user, 0);
	assert_int_equal(spec.attr.precise_ip, 2);
	assert_int_equal(event_spec_parse(&spec, "cpu-clock:k", &error), 0);
	assert_true(spec.is_clock);
	assert_int_equal(spec.attr.exclude_user, 1);
	assert_string_equal(spec.name, "cpu-clock:k");
}

static void libpfm_names(void **state)
{
	(void)state;
	assert_int_equal(event_spec_parse(&spec, "perf::PAGE-FAULTS", &error),
			 0);
	assert_int_equal(spec.attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(spec.attr.config, PERF_COUNT_SW_PAGE_FAULTS);
}

static void unknown_names_get_the_nearest(void **state)
{
	(void)state;
	assert_int_equal(event_spec_parse(&spec, "cylces", &error), -ENOENT);
	assert_non_null(strstr(error.text, "nearest: cycles"));
	assert_int_equal(event_spec_parse(&spec, "qqqqqqqqqqqqqqqq", &error),
			 -ENOENT);
	assert_null(strstr(error.text, "nearest"));
	assert_int_equal(event_spec_parse(&spec, "", &error), -ENOENT);
	assert_int_equal(event_spec_parse(&spec, "sched:", &error), -ENOENT);
	assert_int_equal(event_spec_parse(&spec, "../../etc:passwd", &error),
			 -ENOENT);
}

static void bad_modifiers_are_refused(void **state)
{
	(void)state;
	assert_int_equal(event_spec_parse(&spec, "cycles:x", &error), -EINVAL);
	assert_non_null(strstr(error.text, "modifier"));
	assert_int_equal(event_spec_parse(&spec, "cycles:pppp", &error),
			 -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic_names_and_modifiers),
		cmocka_unit_test(libpfm_names),
		cmocka_unit_test(unknown_names_get_the_nearest),
		cmocka_unit_test(bad_modifiers_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
