#include "cli/profile/select.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "cli/profile/group.h"
#include "cli/profile/number_list.h"
#include "known_profile.h"

struct fixture {
	struct profile *profile;
	struct select_options options;
	struct error error;
};

static int setup(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	fixture.profile = known_profile_new();
	fixture.options = select_everything;
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	profile_free(fixture->profile);
	return 0;
}

/* One text as the value of an option that may be given several times. */
static struct option_texts text(const char **text)
{
	return (struct option_texts){ text, 1, 1 };
}

static uint64_t selected(struct fixture *fixture)
{
	uint64_t count = 0;

	assert_int_equal(select_check(&fixture->options, &fixture->error), 0);
	assert_int_equal(select_rows(fixture->profile, &fixture->options,
				     &fixture->error),
			 0);
	for (size_t i = 0; i < fixture->profile->n_rows; i++)
		count += fixture->profile->rows[i].count;
	return count;
}

/* "name self total" of the i-th function by total, in samples. */
static void assert_function(struct fixture *fixture, size_t i, const char *name,
			    uint64_t self, uint64_t total)
{
	struct group_request request = {
		{ LABEL_FUNCTION }, 1, GROUP_SORT_TOTAL, 0
	};
	struct window window;
	struct grouping grouping;

	window_of(&window, fixture->profile, 0);
	group_profile(&grouping, fixture->profile, &window, &request);
	assert_true(i < grouping.n_groups);
	assert_string_equal(
		grouping_label(&grouping, &grouping.groups[i])->name, name);
	assert_int_equal(grouping.groups[i].samples, self);
	assert_int_equal(grouping.groups[i].total_samples, total);
	grouping_destroy(&grouping);
}

static void everything_is_everything(void **state)
{
	assert_int_equal(selected(*state), 100);
}

static void focus_and_ignore_look_at_whole_stacks(void **state)
{
	struct fixture *fixture = *state;
	const char *inner = "^inn.r$", *work = "work";

	fixture->options.focus = text(&work);
	assert_int_equal(selected(fixture), 70);
	fixture->options.focus = text(&inner);
	assert_int_equal(selected(fixture), 40);
	teardown(state);
	setup(state);
	fixture->options.ignore = text(&work);
	assert_int_equal(selected(fixture), 30);
}

static void focus_finds_frames_without_names(void **state)
{
	struct fixture *fixture = *state;
	const char *address = "libx.so]\\+0x2000";

	fixture->options.focus = text(&address);
	assert_int_equal(selected(fixture), 10);
}

static void who_and_where(void **state)
{
	static const struct {
		const char *container, *comm, *module, *pids, *cpus;
		uint64_t want;
	} cases[] = {
		{ "web", NULL, NULL, NULL, NULL, 60 },
		{ "w*", NULL, NULL, NULL, NULL, 60 },
		{ "a", NULL, NULL, NULL, NULL, 0 }, /* too short for an id */
		{ NULL, "db", NULL, NULL, NULL, 40 },
		{ NULL, NULL, "libx.so", NULL, NULL, 10 },
		{ NULL, NULL, "/bin/*", NULL, NULL, 100 },
		{ NULL, NULL, NULL, "1-10", NULL, 60 },
		{ NULL, NULL, NULL, "7,20", NULL, 40 },
		{ NULL, NULL, NULL, NULL, "1", 40 },
		{ "web", NULL, NULL, NULL, "1", 0 },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *container = cases[i].container;
		const char *comm = cases[i].comm, *module = cases[i].module;

		teardown(state);
		setup(state);
		if (container)
			fixture->options.containers = text(&container);
		if (comm)
			fixture->options.comms = text(&comm);
		if (module)
			fixture->options.modules = text(&module);
		fixture->options.pids = cases[i].pids;
		fixture->options.cpus = cases[i].cpus;
		assert_int_equal(selected(fixture), cases[i].want);
	}
}

static void inlined_functions_can_be_left_out(void **state)
{
	struct fixture *fixture = *state;

	fixture->options.has_inlines = false;
	assert_int_equal(selected(fixture), 100);
	assert_function(fixture, 2, "work", 40, 40);
}

static void callees_begin_with_the_function(void **state)
{
	struct fixture *fixture = *state;

	fixture->options.callee_of = "work";
	assert_int_equal(selected(fixture), 70);
	assert_function(fixture, 0, "inner", 40, 40);
	assert_function(fixture, 1, "work", 0, 40);
	assert_function(fixture, 2, "work", 30, 30);
}

static void callers_end_above_the_function(void **state)
{
	struct fixture *fixture = *state;

	fixture->options.caller_of = "inner";
	assert_int_equal(selected(fixture), 40);
	assert_function(fixture, 0, "main", 0, 40);
	assert_function(fixture, 1, "work", 40, 40);
}

static void recursion_is_cut_at_its_outermost_call(void **state)
{
	struct fixture *fixture = *state;

	fixture->options.caller_of = "rec";
	assert_int_equal(selected(fixture), 20);
	assert_function(fixture, 0, "main", 20, 20);
	teardown(state);
	setup(state);
	fixture->options.callee_of = "rec";
	assert_int_equal(selected(fixture), 20);
	assert_function(fixture, 0, "rec", 20, 20);
}

static void the_root_has_no_caller(void **state)
{
	struct fixture *fixture = *state;

	fixture->options.caller_of = "main";
	assert_int_equal(selected(fixture), 100);
	assert_function(fixture, 0, "[no caller]", 100, 100);
}

static void part_of_a_process_has_no_accounting(void **state)
{
	struct fixture *fixture = *state;
	const char *work = "work", *web = "web";

	fixture->profile->processes[0].has_accounting = true;
	fixture->options.containers = text(&web);
	selected(fixture);
	assert_true(fixture->profile->processes[0].has_accounting);
	fixture->options.focus = text(&work);
	selected(fixture);
	assert_false(fixture->profile->processes[0].has_accounting);
}

static void time_is_cut_at_slices(void **state)
{
	static const struct {
		const char *from, *to;
		uint64_t samples, duration_ms, start_ms;
	} cases[] = {
		{ "0.2", "0.5", 30, 300, 200 },
		{ "0.26", NULL, 70, 700, 300 },
		{ NULL, "2026-11-30T19:23:05Z", 0, 0, 0 },
		{ "19:23:05", "19:23:06", 100, 1000, 0 },
		{ "5", NULL, 0, 0, 1000 },
	};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t start;

		teardown(state);
		setup(state);
		start = fixture->profile->start_ns;
		fixture->options.from = cases[i].from;
		fixture->options.to = cases[i].to;
		assert_int_equal(select_time(fixture->profile,
					     &fixture->options,
					     &fixture->error),
				 0);
		assert_int_equal(fixture->profile->duration_ns,
				 cases[i].duration_ms * 1000000);
		assert_int_equal(fixture->profile->start_ns - start,
				 cases[i].start_ms * 1000000);
		assert_int_equal(selected(fixture), cases[i].samples);
	}
	fixture->profile->slice_ns = 0;
	assert_int_equal(select_time(fixture->profile, &fixture->options,
				     &fixture->error),
			 -ENODATA);
}

static void wrong_options_are_refused(void **state)
{
	struct fixture *fixture = *state;
	const char *regex = "a(";
	struct select_options wrong[5] = {
		select_everything, select_everything, select_everything,
		select_everything, select_everything,
	};

	wrong[0].pids = "1,";
	wrong[1].cpus = "x";
	wrong[2].from = "yesterday";
	wrong[3].focus = text(&regex);
	wrong[4].caller_of = wrong[4].callee_of = "f";
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(select_check(&wrong[i], &fixture->error),
				 -EINVAL);
	fixture->options.caller_of = "nobody";
	assert_int_equal(select_rows(fixture->profile, &fixture->options,
				     &fixture->error),
			 -ENODATA);
	assert_string_equal(fixture->error.text,
			    "no stack has a function 'nobody'");
	fixture->options.metric = "wait";
	assert_int_equal(select_metric(fixture->profile, &fixture->options,
				       &fixture->error),
			 -ENODATA);
	assert_string_equal(fixture->error.text, "no 'wait' was recorded here; "
						 "--metric can be cpu");
}

static void lists_have_ranges(void **state)
{
	(void)state;
	assert_true(number_list_has("1,5-7", 6));
	assert_false(number_list_has("1,5-7", 4));
	assert_false(number_list_has("", 0));
	assert_true(number_list_is_valid("0-4294967295"));
	assert_false(number_list_is_valid("4294967296"));
	assert_false(number_list_is_valid("7-5"));
	assert_false(number_list_is_valid("1,,2"));
	assert_false(number_list_is_valid("-1"));
	assert_false(number_list_is_valid(""));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(everything_is_everything),
		TEST(focus_and_ignore_look_at_whole_stacks),
		TEST(focus_finds_frames_without_names),
		TEST(who_and_where),
		TEST(inlined_functions_can_be_left_out),
		TEST(callees_begin_with_the_function),
		TEST(callers_end_above_the_function),
		TEST(recursion_is_cut_at_its_outermost_call),
		TEST(the_root_has_no_caller),
		TEST(part_of_a_process_has_no_accounting),
		TEST(time_is_cut_at_slices),
		TEST(wrong_options_are_refused),
		cmocka_unit_test(lists_have_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
