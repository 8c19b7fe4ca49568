#include "cli/profile/require.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct profile *profile;
static struct error error;

static int setup(void **state)
{
	(void)state;
	profile = profile_new();
	profile->health.samples = 990;
	profile->health.expected = 1000;
	profile->health.lost = 10;
	profile->health.frames_named = 95;
	profile->health.frames_unnamed = 5;
	profile->health.sampled_cpu_s = 10.2;
	profile->health.kernel_cpu_s = 10;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	profile_free(profile);
	return 0;
}

static void conditions_hold_or_not(void **state)
{
	static const struct {
		const char *text;
		int want;
	} cases[] = {
		{ "lost<2%", 0 },
		{ "lost<1%", 1 },
		{ "lost<=1", 0 },
		{ "names>94%", 0 },
		{ "names>95", 1 },
		{ "names>=95", 0 },
		{ "lost<2%,names>99", 1 },
		{ "samples>500", 0 },
		{ "samples>1000", 1 },
		{ "apart<3%", 0 },
		{ "apart<1%", 1 },
		{ "stacks>1%", 1 }, /* unknown */
		{ "own<5", 1 },
		{ "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (require_check(profile, cases[i].text, &error) !=
		    cases[i].want)
			fail_msg("%s: %s", cases[i].text, error.text);
	require_check(profile, "lost<0.5%", &error);
	assert_string_equal(error.text, "lost<0.5% is required, but it is 1");
	require_check(profile, "stacks>1", &error);
	assert_string_equal(error.text, "stacks>1 is required, but not known");
}

static void nonsense_is_refused(void **state)
{
	static const char *const texts[] = { "lost",	"lsot<1",   "lost<",
					     "lost<x",	"lost<1%%", "<1",
					     "lost<nan" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(require_check(profile, texts[i], &error),
				 -EINVAL);
	require_check(profile, "lsot<1", &error);
	assert_string_equal(error.text,
			    "nothing is called 'lsot'; did you mean 'lost'?");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(conditions_hold_or_not),
		TEST(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
