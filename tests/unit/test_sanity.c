#include "cli/profile/sanity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static struct profile *profile;
static struct window window;
static struct notes notes;

static int setup(void **state)
{
	(void)state;
	profile = profile_new();
	notes_init(&notes);
	window = (struct window){ .samples = 1000 };
	profile->host.capacity_s = 20;
	profile->host.steal_s = 0;
	profile->health = (struct profile_health){ .samples = 1000,
						   .expected = 1000,
						   .stacks_complete = 990,
						   .stacks_truncated = 10,
						   .kernel_cpu_s = 10,
						   .sampled_cpu_s = 10.1 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	notes_destroy(&notes);
	profile_free(profile);
	return 0;
}

static void assert_said(const char *text)
{
	sanity_check(profile, &window, &notes);
	assert_int_equal(notes.count, 1);
	assert_string_equal(notes.items[0].text, text);
}

static void good_data_need_no_words(void **state)
{
	(void)state;
	sanity_check(profile, &window, &notes);
	assert_int_equal(notes.count, 0);
}

static void unknown_data_raise_no_doubt(void **state)
{
	struct profile *unknown = profile_new();

	(void)state;
	sanity_check(unknown, &window, &notes);
	assert_int_equal(notes.count, 0);
	profile_free(unknown);
}

static void more_cpu_than_there_was(void **state)
{
	(void)state;
	profile->health.sampled_cpu_s = profile->health.kernel_cpu_s = 21;
	assert_said("contradiction: 21.00 s of CPU time were sampled, but the "
		    "window had only 20.00 s");
}

static void sampled_and_accounted_are_apart(void **state)
{
	(void)state;
	profile->health.sampled_cpu_s = 8;
	assert_said("contradiction: 8.00 s of CPU time were sampled, but the "
		    "kernel accounted for 10.00 s");
}

static void few_samples_are_allowed_to_be_apart(void **state)
{
	(void)state;
	profile->health.sampled_cpu_s = 8;
	profile->health.samples = profile->health.expected = 100;
	sanity_check(profile, &window, &notes);
	assert_int_equal(notes.count, 0);
}

static void steal_is_said(void **state)
{
	(void)state;
	profile->host.steal_s = 0.4;
	sanity_check(profile, &window, &notes);
	assert_int_equal(notes.count, 0);
	profile->host.steal_s = 0.5;
	assert_said("the hypervisor took 2.5 % of the CPU time: what ran "
		    "meanwhile looks slower than it is");
}

static void losses_are_said(void **state)
{
	(void)state;
	profile->health.lost = 20;
	profile->health.samples = 980;
	assert_said("2.0 % of the samples were lost: busy moments are "
		    "underrated");
}

static void few_samples_are_said(void **state)
{
	(void)state;
	window.samples = 37;
	assert_said("37 samples: shares are good to ±16 points");
}

static void cut_stacks_are_said(void **state)
{
	(void)state;
	profile->health.stacks_truncated = 110;
	assert_said("10.0 % of the stacks are cut off: totals of their outer "
		    "functions are too low");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(good_data_need_no_words),
		TEST(unknown_data_raise_no_doubt),
		TEST(more_cpu_than_there_was),
		TEST(sampled_and_accounted_are_apart),
		TEST(few_samples_are_allowed_to_be_apart),
		TEST(steal_is_said),
		TEST(losses_are_said),
		TEST(few_samples_are_said),
		TEST(cut_stacks_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
