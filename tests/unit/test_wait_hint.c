/* wait_hint.c: who gets a hint, and who must not. */
#include "cli/wait_hint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define S 1000000000ull

static struct profile *profile;

static int setup(void **state)
{
	(void)state;
	profile = profile_new();
	profile->value_types[0] =
		(struct profile_value_type){ "cpu", "nanoseconds" };
	profile->n_value_types = 1;
	profile->duration_ns = 10 * S;
	profile->host.capacity_s = 20;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	profile_free(profile);
	return 0;
}

/* A process whose threads have cpu_s together, a part of its time, in a host
 * that is busy for busy_s of 20 s. */
static void process(uint32_t threads, double cpu_s, double runqueue_s,
		    double blocked_s, double busy_s)
{
	uint32_t index = profile_process(profile, 7, 0);
	struct profile_process *entry = &profile->processes[index];

	entry->comm = "web";
	entry->has_accounting = true;
	entry->cpu_ns = (uint64_t)(cpu_s * 1e9);
	entry->runqueue_ns = (uint64_t)(runqueue_s * 1e9);
	entry->blocked_ns = (uint64_t)(blocked_s * 1e9);
	profile->host.busy_s = busy_s;
	for (uint32_t i = 0; i < threads; i++) {
		struct profile_row row = {
			.thread = profile_thread(profile, index, 7 + i, "web"),
			.count = 100,
			.values = { entry->cpu_ns / threads },
		};

		profile_add(profile, &row);
	}
}

static void threads_behind_one_lock_have_a_hint(void **state)
{
	(void)state;
	process(8, 10, 0.5, 70, 10);
	wait_hint(profile);
	assert_int_equal(profile->notes.count, 1);
	assert_non_null(strstr(profile->notes.items[0].text,
			       "web (pid 7): 8 active threads, 1.00 cores"));
	assert_non_null(strstr(profile->notes.items[0].text, "--off-cpu"));
}

static void who_uses_all_cpus_has_none(void **state)
{
	(void)state;
	process(8, 19, 50, 2, 19.5);
	wait_hint(profile);
	assert_int_equal(profile->notes.count, 0);
}

static void who_waits_for_a_cpu_has_none(void **state)
{
	(void)state;
	process(8, 8, 60, 10, 12);
	wait_hint(profile);
	assert_int_equal(profile->notes.count, 0);
}

static void one_busy_thread_of_many_has_none(void **state)
{
	(void)state;
	process(1, 10, 0, 990, 10);
	wait_hint(profile);
	assert_int_equal(profile->notes.count, 0);
}

static void an_idle_server_has_none(void **state)
{
	(void)state;
	process(100, 1, 0, 999, 2);
	wait_hint(profile);
	assert_int_equal(profile->notes.count, 0);
}

static void without_accounting_there_is_none(void **state)
{
	(void)state;
	process(8, 10, 0.5, 70, 10);
	profile->processes[0].has_accounting = false;
	wait_hint(profile);
	assert_int_equal(profile->notes.count, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(threads_behind_one_lock_have_a_hint),
		TEST(who_uses_all_cpus_has_none),
		TEST(who_waits_for_a_cpu_has_none),
		TEST(one_busy_thread_of_many_has_none),
		TEST(an_idle_server_has_none),
		TEST(without_accounting_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
