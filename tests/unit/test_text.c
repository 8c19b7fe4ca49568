#include "cli/views/text.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cli/views/number.h"
#include "known_profile.h"

struct fixture {
	struct profile *profile;
	struct window window;
};

static int setup(void **state)
{
	static struct fixture fixture;

	setlocale(LC_CTYPE, "C.UTF-8");
	fixture.profile = known_profile_new();
	window_of(&fixture.window, fixture.profile, 0);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	profile_free(fixture->profile);
	return 0;
}

static void describe(struct profile *profile)
{
	profile->host.name = "web1";
	profile->host.capacity_s = 2;
	profile->host.runqueue_s = 0.1;
	profile->host.steal_s = 0;
	profile->event = (struct profile_event){ "cpu-clock", "cycles:P", 99, 0,
						 "no PMU here, so no cycles" };
	profile->health = (struct profile_health){
		.samples = 1219,
		.expected = 1219,
		.stacks_complete = 998,
		.stacks_truncated = 2,
		.frames_named = 999,
		.frames_unnamed = 1,
		.kernel_cpu_s = 0.998,
		.sampled_cpu_s = 1,
		.own_cpu_s = 0.002,
		.own_peak_bytes = 24e6,
	};
	notes_add(&profile->notes, "a note");
	notes_add(&profile->notes, "a note");
	profile->processes[0].has_accounting = true;
	profile->processes[0].cpu_ns = 590000000;
	profile->processes[0].runqueue_ns = 50000000;
	profile->processes[0].blocked_ns = 360000000;
	profile->processes[0].n_threads = 8;
}

static struct fixture *shared;
static uint64_t shared_top;

static void print_summary(FILE *out)
{
	struct terminal terminal = { 0 };

	text_summary(out, shared->profile, &shared->window, shared_top,
		     &terminal);
}

static char *printed(void (*print)(FILE *))
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	print(out);
	fclose(out);
	return text;
}

static void the_summary_has_its_shape(void **state)
{
	char *text;

	shared = *state;
	shared_top = 4;
	describe(shared->profile);
	text = printed(print_summary);
	assert_string_equal(
		text,
		"web1, 1.0 s from 2026-11-30T19:23:05Z, 2 CPUs, cpu-clock at "
		"99 Hz (no PMU here, so no cycles)\n"
		"cpu     1.00 of 2.00 s busy (50.0 %), run queue 0.10 s, steal "
		"0.00 s\n"
		"trust   1,219 samples, 0 lost, 0 throttled; 99.8 % of stacks "
		"complete; 99.9 % of frames named\n"
		"        kernel accounting says 1.00 s (0.2 % apart); hostprof "
		"itself used 0.00 s (0.1 %), 24.0 MB\n"
		"note    a note (2 times)\n"
		"\n"
		"CONTAINER   CPU s   share         cores   runq s\n"
		"web          0.59   60.0 % ±9.8    0.59     0.05\n"
		"db          ~0.40   40.0 % ±9.8   ~0.40\n"
		"\n"
		"PROCESS   PID   CPU s   share         cores   runq s   "
		"blocked s   threads\n"
		"web        10    0.59   60.0 % ±9.8    0.59     0.05        "
		"0.36         8\n"
		"db         20   ~0.40   40.0 % ±9.8   ~0.40\n"
		"\n"
		"FUNCTION           self          total         module\n"
		"inner              40.0 % ±9.8   40.0 % ±9.8   web\n"
		"work               30.0 % ±9.6   30.0 % ±9.6   db\n"
		"rec                20.0 % ±8.9   20.0 % ±8.9   web\n"
		"[libx.so]+0x2000   10.0 % ±7.4   10.0 % ±7.4   libx.so\n"
		"… 3 more\n");
	free(text);
}

static void what_is_not_known_is_left_out(void **state)
{
	struct fixture *fixture = *state;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	text_header(out, fixture->profile, &fixture->window);
	fclose(out);
	assert_string_equal(text, "unknown host, 1.0 s from "
				  "2026-11-30T19:23:05Z, 2 CPUs\n"
				  "trust   100 samples\n");
	free(text);
}

static void print_nested(FILE *out)
{
	struct group_request request = {
		{ LABEL_CONTAINER, LABEL_FUNCTION }, 2, GROUP_SORT_DEFAULT, 1
	};
	struct terminal terminal = { 0 };
	struct grouping grouping;

	group_profile(&grouping, shared->profile, &shared->window, &request);
	text_groups(out, &grouping, &shared->window, &request, &terminal);
	grouping_destroy(&grouping);
}

static void nested_groups_are_indented(void **state)
{
	char *text;

	shared = *state;
	text = printed(print_nested);
	assert_string_equal(
		text,
		"CONTAINER > FUNCTION   self          total         module\n"
		"web                    60.0 % ±9.8   60.0 % ±9.8\n"
		"  inner                40.0 % ±9.8   40.0 % ±9.8   web\n"
		"  … 3 more\n"
		"… 1 more\n");
	free(text);
}

/* An event that is no clock has its own unit and no CPU seconds. */
static void other_events_have_their_own_columns(void **state)
{
	struct group_request request = {
		{ LABEL_PROCESS }, 1, GROUP_SORT_DEFAULT, 1
	};
	struct fixture *fixture = *state;
	struct terminal terminal = { 0 };
	struct grouping grouping;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fixture->profile->value_types[0] =
		(struct profile_value_type){ "page-faults", "count" };
	group_profile(&grouping, fixture->profile, &fixture->window, &request);
	text_groups(out, &grouping, &fixture->window, &request, &terminal);
	grouping_destroy(&grouping);
	fclose(out);
	assert_string_equal(
		text, "PROCESS    PID   page-faults   share         cores   "
		      "runq s   blocked s   threads\n"
		      "web         10   600,000,000   60.0 % ±9.8\n"
		      "… 1 more\n");
	free(text);
}

static void print_tree(FILE *out)
{
	struct group_request request = { { LABEL_CONTAINER }, 1 };
	struct terminal terminal = { 0 };
	struct tree tree;

	tree_init(&tree, shared->profile, &shared->window,
		  shared_top ? &request : NULL);
	text_tree(out, &tree, &shared->window, shared_top, &terminal);
	tree_destroy(&tree);
}

static void the_tree_shows_calls(void **state)
{
	char *text;

	shared = *state;
	shared_top = 0;
	text = printed(print_tree);
	assert_string_equal(
		text,
		"  total    self               CALLS\n"
		" 60.0 %          ██████     - main (web)\n"
		" 40.0 %          ████         - work\n"
		" 40.0 %  40.0 %  ████           inner\n"
		" 20.0 %          ██           - rec\n"
		" 20.0 %          ██             rec\n"
		" 20.0 %  20.0 %  ██             rec\n"
		" 40.0 %          ████       - main (db)\n"
		" 30.0 %  30.0 %  ███          - work\n"
		" 10.0 %  10.0 %  █            - [libx.so]+0x2000 (libx.so)\n");
	free(text);
}

static void trees_can_be_inside_of_groups(void **state)
{
	char *text;

	shared = *state;
	shared_top = 1;
	text = printed(print_tree);
	assert_string_equal(text, "  total    self               CALLS\n"
				  " 60.0 %          ██████     - web\n"
				  " 60.0 %          ██████       main (web)\n"
				  " 40.0 %          ████         - work\n"
				  " 40.0 %  40.0 %  ████           inner\n"
				  " 20.0 %          ██           … 1 more\n"
				  " 40.0 %          ████       … 1 more\n");
	free(text);
}

static void numbers_read_well(void **state)
{
	(void)state;
	assert_string_equal(number_count(0).text, "0");
	assert_string_equal(number_count(999).text, "999");
	assert_string_equal(number_count(1234567).text, "1,234,567");
	assert_string_equal(number_count(-1).text, "-");
	assert_string_equal(number_seconds(1.005, 1).text, "~1.00");
	assert_string_equal(number_percent(0).text, "0.0 %");
	assert_string_equal(number_percent(0.0001).text, "<0.1 %");
	assert_string_equal(number_percent(1).text, "100.0 %");
	assert_string_equal(number_bytes(999).text, "999 B");
	assert_string_equal(number_bytes(48e6).text, "48.0 MB");
	assert_string_equal(number_time(1500000000).text,
			    "1970-01-01T00:00:01.500Z");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_summary_has_its_shape),
		TEST(what_is_not_known_is_left_out),
		TEST(nested_groups_are_indented),
		TEST(the_tree_shows_calls),
		TEST(trees_can_be_inside_of_groups),
		TEST(other_events_have_their_own_columns),
		cmocka_unit_test(numbers_read_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
