/* JSON and CSV reports; the JSON is read back with jansson. */
#include "cli/formats/csv_report.h"
#include "cli/formats/json_report.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "known_profile.h"
#include "perfcore/mem.h"

struct fixture {
	struct profile *profile;
	struct window window;
	struct usages usages;
	struct group_request request;
	struct grouping grouping;
};

static int setup(void **state)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	fixture.profile = known_profile_new();
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	grouping_destroy(&fixture->grouping);
	usages_destroy(&fixture->usages);
	profile_free(fixture->profile);
	return 0;
}

static struct report_view view_by(struct fixture *fixture, uint32_t n_keys,
				  enum label_key first, enum label_key second)
{
	fixture->request = (struct group_request){
		{ first, second }, n_keys, GROUP_SORT_DEFAULT, 0
	};
	window_of(&fixture->window, fixture->profile, 0);
	usages_init(&fixture->usages, fixture->profile);
	group_profile(&fixture->grouping, fixture->profile, &fixture->window,
		      &fixture->request);
	return (struct report_view){ fixture->profile, &fixture->window,
				     &fixture->request, &fixture->grouping,
				     &fixture->usages };
}

/* What a writer wrote into a sink; for free(). */
static char *read_back(FILE *file, struct sink *sink)
{
	char *text;
	long size;

	assert_int_equal(sink_finish(sink, NULL), 0);
	size = ftell(file);
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	text = mem_calloc(1, (size_t)size + 1);
	assert_int_equal(fread(text, 1, (size_t)size, file), size);
	fclose(file);
	return text;
}

static json_t *json_of(const struct report_view *view,
		       const struct report_view *extra, size_t n_extra)
{
	FILE *file = tmpfile();
	struct sink sink;
	json_error_t error;
	json_t *json;
	char *text;

	sink_init(&sink, fileno(file));
	json_report_write(&sink, view, extra, n_extra);
	text = read_back(file, &sink);
	json = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!json)
		fail_msg("%s in %s", error.text, text);
	free(text);
	return json;
}

static char *csv_of(const struct report_view *view)
{
	FILE *file = tmpfile();
	struct sink sink;

	sink_init(&sink, fileno(file));
	csv_report_write(&sink, view);
	return read_back(file, &sink);
}

static void json_has_what_the_contract_names(void **state)
{
	static const char *const keys[] = {
		"host",	 "kernel", "start",  "duration_s", "cpus",
		"event", "cpu",	   "health", "by",	   "rows",
	};
	static const char *const health[] = {
		"samples",	 "expected",	    "lost",
		"throttled",	 "stacks_complete", "stacks_truncated",
		"stacks_failed", "frames_named",    "frames_unnamed",
		"kernel_cpu_s",	 "sampled_cpu_s",   "own_cpu_s",
	};
	static const char *const event[] = { "name", "requested", "freq_hz",
					     "fallback_reason" };
	static const char *const cpu[] = { "capacity_s", "busy_s", "runqueue_s",
					   "steal_s" };
	struct report_view view =
		view_by(*state, 1, LABEL_FUNCTION, LABEL_FUNCTION);
	json_t *json = json_of(&view, NULL, 0);

	assert_int_equal(json_integer_value(json_object_get(json, "schema")),
			 1);
	for (size_t i = 0; i < 10; i++)
		assert_non_null(json_object_get(json, keys[i]));
	for (size_t i = 0; i < 12; i++)
		assert_true(json_is_null(json_object_get(
			json_object_get(json, "health"), health[i])));
	for (size_t i = 0; i < 4; i++) {
		assert_non_null(json_object_get(json_object_get(json, "event"),
						event[i]));
		assert_non_null(
			json_object_get(json_object_get(json, "cpu"), cpu[i]));
	}
	assert_string_equal(json_string_value(json_object_get(json, "start")),
			    "2026-11-30T19:23:05Z");
	json_decref(json);
}

static void json_rows_have_their_numbers(void **state)
{
	struct report_view view =
		view_by(*state, 1, LABEL_FUNCTION, LABEL_FUNCTION);
	json_t *json = json_of(&view, &view, 1);
	json_t *rows = json_object_get(json, "rows");
	json_t *row = json_array_get(rows, 0);
	json_t *last = json_array_get(rows, 4);

	assert_int_equal(json_array_size(rows), 7);
	assert_int_equal(json_array_size(json_object_get(json, "functions")),
			 7);
	assert_string_equal(json_string_value(json_object_get(row, "function")),
			    "inner");
	assert_string_equal(json_string_value(json_object_get(row, "module")),
			    "/bin/web");
	assert_int_equal(json_integer_value(json_object_get(row, "self_ns")),
			 400000000);
	assert_int_equal(json_integer_value(json_object_get(row, "samples")),
			 40);
	assert_true(fabs(json_number_value(json_object_get(row, "share")) -
			 0.4) < 1e-9);
	assert_true(json_number_value(json_object_get(row, "share_low")) < 0.4);
	assert_true(json_number_value(json_object_get(row, "share_high")) >
		    0.4);
	assert_null(json_object_get(row, "cores"));
	assert_int_equal(json_integer_value(json_object_get(last, "total_ns")),
			 600000000);
	json_decref(json);
}

static void json_processes_have_their_usage(void **state)
{
	struct fixture *fixture = *state;
	struct report_view view;
	json_t *json, *row, *process;

	fixture->profile->processes[0].has_accounting = true;
	fixture->profile->processes[0].cpu_ns = 590000000;
	fixture->profile->processes[0].n_threads = 3;
	view = view_by(fixture, 2, LABEL_CONTAINER, LABEL_PROCESS);
	json = json_of(&view, NULL, 0);
	assert_int_equal(json_array_size(json_object_get(json, "rows")), 2);
	row = json_array_get(json_object_get(json, "rows"), 0);
	process = json_object_get(row, "process");
	assert_string_equal(
		json_string_value(json_object_get(row, "container")), "web");
	assert_int_equal(json_integer_value(json_object_get(process, "pid")),
			 10);
	assert_string_equal(json_string_value(json_object_get(process, "comm")),
			    "web");
	assert_true(fabs(json_number_value(json_object_get(row, "cores")) -
			 0.59) < 1e-9);
	assert_int_equal(json_number_value(json_object_get(row, "threads")), 3);
	row = json_array_get(json_object_get(json, "rows"), 1);
	assert_true(json_is_true(json_object_get(row, "is_estimate")));
	assert_true(json_is_null(json_object_get(row, "threads")));
	json_decref(json);
}

/* C46: any bytes in, valid JSON out. */
static void c46_json_takes_any_text(void **state)
{
	struct fixture *fixture = *state;
	struct report_view view;
	json_t *json, *row;

	fixture->profile->processes[0].comm = "a\n\"\\\x01\xff\xc3\xa9;";
	view = view_by(fixture, 1, LABEL_PROCESS, LABEL_PROCESS);
	json = json_of(&view, NULL, 0);
	row = json_array_get(json_object_get(json, "rows"), 0);
	assert_string_equal(json_string_value(json_object_get(
				    json_object_get(row, "process"), "comm")),
			    "a\n\"\\\x01\\xff\xc3\xa9;");
	json_decref(json);
}

static void json_is_valid_when_there_is_nothing(void **state)
{
	struct fixture *fixture = *state;
	struct report_view view;
	json_t *json;

	profile_free(fixture->profile);
	fixture->profile = profile_new();
	fixture->profile->n_value_types = 1;
	fixture->profile->value_types[0] =
		(struct profile_value_type){ "cpu", "nanoseconds" };
	view = view_by(fixture, 1, LABEL_LINE, LABEL_LINE);
	json = json_of(&view, NULL, 0);
	assert_int_equal(json_array_size(json_object_get(json, "rows")), 0);
	assert_true(json_is_null(json_object_get(json, "start")));
	json_decref(json);
}

static void assert_starts(const char *text, const char *start)
{
	if (strncmp(text, start, strlen(start)) != 0)
		fail_msg("%s does not start with %s", text, start);
}

static void csv_is_rfc_4180(void **state)
{
	struct fixture *fixture = *state;
	struct report_view view;
	char *text, *line;

	fixture->profile->containers[0].name = "we\"b, 1\n2";
	view = view_by(fixture, 1, LABEL_CONTAINER, LABEL_CONTAINER);
	text = csv_of(&view);
	line = strstr(text, "\r\n") + 2;
	assert_starts(text, "container,self_ns,total_ns,samples,total_samples,"
			    "share,share_low,share_high,");
	assert_starts(line, "\"we\"\"b, 1\n2\",600000000,600000000,60,60,0.6,");
	assert_string_equal(text + strlen(text) - 2, "\r\n");
	free(text);
}

static void csv_lines_have_as_many_fields_as_titles(void **state)
{
	static const enum label_key keys[] = {
		LABEL_PROCESS, LABEL_THREAD,   LABEL_COMM,  LABEL_USER,
		LABEL_CPU,     LABEL_STATE,    LABEL_SLICE, LABEL_MODULE,
		LABEL_LINE,    LABEL_FUNCTION,
	};
	struct fixture *fixture = *state;

	known_add(fixture->profile, 0, PROFILE_NONE, PROFILE_NONE, PROFILE_NONE,
		  0, 1);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct report_view view =
			view_by(fixture, 2, keys[i], LABEL_CONTAINER);
		char *text = csv_of(&view);
		size_t wanted = 0, commas = 0;

		for (const char *at = text; *at; at++) {
			commas += *at == ',';
			if (*at != '\n')
				continue;
			if (!wanted)
				wanted = commas;
			assert_int_equal(commas, wanted);
			commas = 0;
		}
		free(text);
		grouping_destroy(&fixture->grouping);
		usages_destroy(&fixture->usages);
	}
	view_by(fixture, 1, LABEL_CPU, LABEL_CPU);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(json_has_what_the_contract_names),
		TEST(json_rows_have_their_numbers),
		TEST(json_processes_have_their_usage),
		TEST(c46_json_takes_any_text),
		TEST(json_is_valid_when_there_is_nothing),
		TEST(csv_is_rfc_4180),
		TEST(csv_lines_have_as_many_fields_as_titles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
