/* A comparison as text, JSON and CSV. */
#include "cli/formats/diff_report.h"

#include <errno.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/profile/fail_if.h"
#include "cli/views/text_diff.h"
#include "known_profile.h"
#include "perfcore/mem.h"

struct fixture {
	struct profile *profiles[2];
	struct compare_side sides[2];
	struct compare_options options;
	struct comparison comparison;
};

static int setup(void **state)
{
	static struct fixture fixture;

	setlocale(LC_CTYPE, "C.UTF-8");
	memset(&fixture, 0, sizeof(fixture));
	fixture.options =
		(struct compare_options){ COMPARE_PER_OP, false, 0.05 };
	for (int side = 0; side < 2; side++) {
		fixture.profiles[side] = known_profile_new();
		fixture.profiles[side]->host.name = "web1";
		fixture.sides[side].profile = fixture.profiles[side];
		fixture.sides[side].ops = side ? 2000 : 1000;
		window_of(&fixture.sides[side].window, fixture.profiles[side],
			  0);
	}
	compare_sides(&fixture.comparison, fixture.sides, &fixture.options);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	comparison_destroy(&fixture->comparison);
	profile_free(fixture->profiles[0]);
	profile_free(fixture->profiles[1]);
	return 0;
}

static void text_has_its_shape(void **state)
{
	struct fixture *fixture = *state;
	struct terminal terminal = { 0 };
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	text_diff(out, &fixture->comparison, fixture->sides, &fixture->options,
		  1, &terminal);
	fclose(out);
	assert_string_equal(
		text,
		"before  web1, 1.0 s in 1 window from 2026-11-30T19:23:05Z, "
		"100 "
		"samples, 1,000 operations\n"
		"after   web1, 1.0 s in 1 window from 2026-11-30T19:23:05Z, "
		"100 "
		"samples, 2,000 operations\n"
		"unit    CPU seconds per operation; false discoveries are held "
		"at 5 %, changes within ±5 % count as none\n"
		"\n"
		"FUNCTION   self before       after   change                   "
		"  "
		"verdict   CPU s/s           module\n"
		"inner        400.00 µs   200.00 µs   -50.0 % (-67.7 to -22.5) "
		"  "
		"less      0.4000 > 0.4000   web\n"
		"… 6 more\n"
		"\n"
		"PROCESS    self before       after   "
		"change                     verdict   CPU s/s\n"
		"web          600.00 µs   300.00 µs   "
		"-50.0 % (-65.0 to -28.5)   less      0.6000 > 0.6000\n"
		"… 1 more\n"
		"\n"
		"CONTAINER   self before       after   "
		"change                     verdict   CPU s/s\n"
		"web           600.00 µs   300.00 µs   "
		"-50.0 % (-65.0 to -28.5)   less      0.6000 > 0.6000\n"
		"… 1 more\n");
	free(text);
}

/* What a writer wrote into a sink; for free(). */
static char *read_back(FILE *file, struct sink *sink)
{
	char *text;
	long size;

	assert_int_equal(sink_finish(sink, NULL), 0);
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	text = mem_calloc(1, (size_t)size + 1);
	assert_int_equal(fread(text, 1, (size_t)size, file), size);
	fclose(file);
	return text;
}

static void json_has_what_the_contract_names(void **state)
{
	static const char *const sides[] = { "before", "after" };
	static const char *const side_keys[] = { "start", "duration_s",
						 "profiles", "ops", "health" };
	static const char *const row_keys[] = {
		"kind",	       "self_before", "self_after", "total_before",
		"total_after", "change",      "change_low", "change_high",
		"q",	       "verdict",
	};
	struct fixture *fixture = *state;
	FILE *file = tmpfile();
	struct sink sink;
	json_t *json, *row;
	char *text;

	sink_init(&sink, fileno(file));
	diff_report_json(&sink, &fixture->comparison, fixture->sides,
			 &fixture->options, 0);
	text = read_back(file, &sink);
	json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(json);
	assert_int_equal(json_integer_value(json_object_get(json, "schema")),
			 1);
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < 5; j++)
			assert_non_null(json_object_get(
				json_object_get(json, sides[i]), side_keys[j]));
	assert_string_equal(json_string_value(json_object_get(json, "unit")),
			    "cpu_s_per_op");
	row = json_array_get(json_object_get(json, "rows"), 0);
	for (size_t i = 0; i < 10; i++)
		assert_non_null(json_object_get(row, row_keys[i]));
	assert_string_equal(json_string_value(json_object_get(row, "function")),
			    "inner");
	assert_true(fabs(json_number_value(json_object_get(row, "change")) +
			 0.5) < 1e-9);
	assert_int_equal(json_array_size(json_object_get(json, "rows")), 11);
	json_decref(json);
	free(text);
}

static void csv_has_a_line_for_each_row(void **state)
{
	struct fixture *fixture = *state;
	FILE *file = tmpfile();
	struct sink sink;
	size_t lines = 0;
	char *text;

	sink_init(&sink, fileno(file));
	diff_report_csv(&sink, &fixture->comparison, 2);
	text = read_back(file, &sink);
	for (const char *at = text; *at; at++)
		lines += *at == '\n';
	assert_int_equal(lines, 7);
	assert_non_null(strstr(text, "\r\nfunction,inner,web,0.0004,0.0002,"));
	free(text);
}

static int checked(const struct comparison *comparison, const char *text)
{
	struct fail_if condition;
	struct error error;
	int result = fail_if_parse(&condition, text, &error);

	if (result < 0)
		return result;
	result = fail_if_check(&condition, comparison, &error);
	fail_if_destroy(&condition);
	return result;
}

static void conditions_hold_significantly(void **state)
{
	const struct comparison *comparison =
		&((struct fixture *)*state)->comparison;

	assert_int_equal(checked(comparison, "self(inner)<-20%"), 1);
	/* -50 %, but perhaps only -22.5 */
	assert_int_equal(checked(comparison, "self(inner)<-30%"), 0);
	assert_int_equal(checked(comparison, "self(inner)>5"), 0);
	assert_int_equal(checked(comparison, "total(nobody)>5%"), -ENOENT);
	assert_int_equal(checked(comparison, "inner>5%"), -EINVAL);
	assert_int_equal(checked(comparison, "self()>5%"), -EINVAL);
	assert_int_equal(checked(comparison, "self(inner)=5%"), -EINVAL);
	assert_int_equal(checked(comparison, "self(inner)>5%%"), -EINVAL);
	assert_int_equal(checked(comparison, "s(inner)>5%"), -EINVAL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(text_has_its_shape),
		TEST(json_has_what_the_contract_names),
		TEST(csv_has_a_line_for_each_row),
		TEST(conditions_hold_significantly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
