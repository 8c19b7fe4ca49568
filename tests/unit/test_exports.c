/* Folded, speedscope and Firefox: read back, and summed up to the profile. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "cli/formats/firefox.h"
#include "cli/formats/folded.h"
#include "cli/formats/perfdata_export.h"
#include "cli/formats/speedscope.h"
#include "perfcore/perfdata_reader.h"
#include "sample_profile.h"

/* Of sample_profile: 23 samples of 10101010 ns. */
#define SAMPLES	 23
#define TOTAL_NS (23 * 10101010ull)

static char *contents(FILE *file)
{
	char *text = calloc(1, 1 << 20);

	rewind(file);
	assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

static char *folded(uint32_t value, enum stack_grouping first)
{
	struct profile *profile = sample_profile();
	FILE *file = tmpfile();

	assert_int_equal(
		folded_write(profile, value, first, fileno(file), NULL), 0);
	profile_free(profile);
	return contents(file);
}

static uint64_t folded_total(const char *text)
{
	uint64_t total = 0;

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		char copy[512];
		char *weight;

		snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(line, "\n"),
			 line);
		weight = strrchr(copy, ' ');
		assert_non_null(weight);
		total += strtoull(weight + 1, NULL, 10);
	}
	return total;
}

static void folded_totals_are_the_profiles(void **state)
{
	(void)state;
	for (int by = STACK_GROUPING_NONE; by <= STACK_GROUPING_CONTAINER;
	     by++) {
		char *text = folded(0, by);

		assert_true(folded_total(text) == TOTAL_NS);
		free(text);
		text = folded(PROFILE_NONE, by);
		assert_true(folded_total(text) == SAMPLES);
		free(text);
	}
}

static void folded_first_frames(void **state)
{
	char *text = folded(PROFILE_NONE, STACK_GROUPING_NONE);

	(void)state;
	assert_non_null(strstr(text, "main;hot 11\n"));
	assert_non_null(
		strstr(text, "main;hot;ns::outer();ns::inner(int) 7\n"));
	free(text);
	text = folded(PROFILE_NONE, STACK_GROUPING_COMM);
	assert_non_null(strstr(text, "prog;main;hot 9\n"));
	free(text);
	text = folded(PROFILE_NONE, STACK_GROUPING_PROCESS);
	assert_non_null(strstr(text, "prog (77);main;hot 7\n"));
	assert_non_null(strstr(text, "prog (77);main;hot 4\n"));
	free(text);
	text = folded(PROFILE_NONE, STACK_GROUPING_CONTAINER);
	assert_non_null(strstr(text, "web;renamed;main;hot 2\n"));
	free(text);
}

static void c46_folded_stays_one_line_for_a_stack(void **state)
{
	char *text = folded(PROFILE_NONE, STACK_GROUPING_COMM);
	int lines = 0;

	(void)state;
	assert_non_null(strstr(text, "a b) S\\n1 \\x3bx\\xff;[truncated];"));
	for (const char *at = text; *at; at++)
		lines += *at == '\n';
	assert_int_equal(lines, 6);
	free(text);
}

static json_t *read_json(FILE *file)
{
	char *text = contents(file);
	json_error_t error;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!root)
		fail_msg("%s at %d", error.text, error.position);
	free(text);
	return root;
}

static double sum_of(const json_t *list)
{
	double sum = 0;

	for (size_t i = 0; i < json_array_size(list); i++)
		sum += json_number_value(json_array_get(list, i));
	return sum;
}

static json_t *speedscope(enum stack_grouping by)
{
	struct profile *profile = sample_profile();
	FILE *file = tmpfile();

	assert_int_equal(speedscope_write(profile, 0, by, fileno(file), NULL),
			 0);
	profile_free(profile);
	return read_json(file);
}

static void speedscope_has_a_profile_for_each_group(void **state)
{
	static const size_t want[] = { 1, 5, 4, 4 };

	(void)state;
	for (int by = 0; by < 4; by++) {
		json_t *root = speedscope(by);
		json_t *profiles = json_object_get(root, "profiles");
		double total = 0;

		assert_int_equal(json_array_size(profiles), want[by]);
		for (size_t i = 0; i < json_array_size(profiles); i++) {
			json_t *one = json_array_get(profiles, i);
			json_t *weights = json_object_get(one, "weights");
			json_t *samples = json_object_get(one, "samples");

			assert_string_equal(
				json_string_value(json_object_get(one, "unit")),
				"nanoseconds");
			assert_int_equal(json_array_size(weights),
					 json_array_size(samples));
			assert_true(sum_of(weights) ==
				    json_number_value(
					    json_object_get(one, "endValue")));
			total += sum_of(weights);
		}
		assert_true(total == (double)TOTAL_NS);
		json_decref(root);
	}
}

static void speedscope_shows_inlined_functions(void **state)
{
	json_t *root = speedscope(STACK_GROUPING_NONE);
	json_t *frames =
		json_object_get(json_object_get(root, "shared"), "frames");
	json_t *samples = json_object_get(
		json_array_get(json_object_get(root, "profiles"), 0),
		"samples");
	static const char *const want[] = { "main", "hot", "ns::outer()",
					    "ns::inner(int)", "do_syscall_64" };
	bool is_found = false;

	(void)state;
	for (size_t i = 0; i < json_array_size(samples); i++) {
		json_t *stack = json_array_get(samples, i);

		if (json_array_size(stack) != 5)
			continue;
		is_found = true;
		for (size_t j = 0; j < 5; j++) {
			json_t *frame = json_array_get(
				frames, (size_t)json_integer_value(
						json_array_get(stack, j)));

			assert_string_equal(json_string_value(json_object_get(
						    frame, "name")),
					    want[j]);
		}
	}
	assert_true(is_found);
	json_decref(root);
}

static size_t length_of(const json_t *table)
{
	return (size_t)json_integer_value(json_object_get(table, "length"));
}

/* All columns are as long as the table says, all references inside it. */
static void check_table(json_t *thread, const char *name, size_t min)
{
	json_t *table = json_object_get(thread, name), *column;
	const char *key;

	assert_non_null(table);
	assert_true(length_of(table) >= min);
	json_object_foreach(table, key, column) if (json_is_array(column))
		assert_int_equal(json_array_size(column), length_of(table));
}

static void check_below(json_t *thread, const char *table, const char *column,
			size_t limit)
{
	json_t *list = json_object_get(json_object_get(thread, table), column);

	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *item = json_array_get(list, i);

		if (json_is_integer(item) && json_integer_value(item) >= 0)
			assert_true((size_t)json_integer_value(item) < limit);
	}
}

static void check_thread(json_t *thread)
{
	json_t *times =
		json_object_get(json_object_get(thread, "samples"), "time");
	json_t *prefixes = json_object_get(
		json_object_get(thread, "stackTable"), "prefix");
	double before = -1;

	check_table(thread, "samples", 2);
	check_table(thread, "stackTable", 1);
	check_table(thread, "frameTable", 1);
	check_table(thread, "funcTable", 1);
	check_table(thread, "resourceTable", 0);
	check_table(thread, "nativeSymbols", 0);
	check_table(thread, "markers", 0);
	check_below(thread, "samples", "stack",
		    length_of(json_object_get(thread, "stackTable")));
	check_below(thread, "stackTable", "frame",
		    length_of(json_object_get(thread, "frameTable")));
	check_below(thread, "frameTable", "func",
		    length_of(json_object_get(thread, "funcTable")));
	check_below(thread, "frameTable", "category", 3);
	check_below(thread, "funcTable", "name",
		    json_array_size(json_object_get(thread, "stringArray")));
	for (size_t i = 0; i < json_array_size(prefixes); i++)
		assert_true(!json_is_integer(json_array_get(prefixes, i)) ||
			    (size_t)json_integer_value(
				    json_array_get(prefixes, i)) < i);
	for (size_t i = 0; i < json_array_size(times); i++) {
		double time = json_number_value(json_array_get(times, i));

		assert_true(time > before);
		before = time;
	}
}

static void firefox_threads_are_whole(void **state)
{
	struct profile *profile = sample_profile();
	FILE *file = tmpfile();
	json_t *root, *threads;
	double weight = 0, cpu = 0;

	(void)state;
	assert_int_equal(firefox_write(profile, 0, fileno(file), NULL), 0);
	root = read_json(file);
	assert_int_equal(json_integer_value(
				 json_object_get(json_object_get(root, "meta"),
						 "preprocessedProfileVersion")),
			 55);
	threads = json_object_get(root, "threads");
	assert_int_equal(json_array_size(threads), 5);
	for (size_t i = 0; i < json_array_size(threads); i++) {
		json_t *thread = json_array_get(threads, i);
		json_t *samples = json_object_get(thread, "samples");

		check_thread(thread);
		weight += sum_of(json_object_get(samples, "weight"));
		cpu += sum_of(json_object_get(samples, "threadCPUDelta"));
	}
	assert_true(weight > TOTAL_NS / 1e6 - 1e-6 &&
		    weight < TOTAL_NS / 1e6 + 1e-6);
	assert_true(cpu == (double)TOTAL_NS);
	/* the second process of a pid is another one */
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(threads, 1), "pid")),
			    "77.1");
	json_decref(root);
	profile_free(profile);
}

/* What is read back from an exported perf.data. */
struct read_back {
	uint64_t samples, period, comms, mappings, cgroups, last_time;
	bool has_return_address;
};

static void count_event(struct read_back *back, const struct event *event)
{
	assert_true(event->time >= back->last_time);
	back->last_time = event->time;
	back->comms += event->kind == EVENT_COMM;
	back->mappings += event->kind == EVENT_MMAP && !event->mmap.is_kernel;
	back->cgroups += event->kind == EVENT_CGROUP;
	if (event->kind != EVENT_SAMPLE)
		return;
	back->samples++;
	back->period += event->sample.period;
	/* callers are where they return to: main at 0x401100 in the file */
	for (uint64_t i = 1; i < event->sample.n_callchain; i++)
		back->has_return_address |=
			(event->sample.callchain[i] & 0xfff) == 0x101;
}

static void perfdata_has_every_sample(void **state)
{
	struct profile *profile = sample_profile();
	FILE *file = tmpfile();
	struct read_back back = { 0 };
	struct source *source;
	struct event event;
	struct error error;

	(void)state;
	assert_int_equal(
		perfdata_export(profile, 0, true, fileno(file), &error), 0);
	rewind(file);
	assert_int_equal(
		perfdata_reader_open(fileno(file), "x", NULL, &source, &error),
		0);
	while (source_next(source, &event, &error) == 1)
		count_event(&back, &event);
	assert_int_equal(back.samples, SAMPLES);
	assert_true(back.period == TOTAL_NS);
	assert_int_equal(back.mappings, 2); /* prog and libfoo, once each */
	assert_int_equal(back.cgroups, profile->n_containers);
	/* four threads, and names that change with the samples */
	assert_true(back.comms >= 4);
	assert_true(back.has_return_address);
	source_free(source);
	fclose(file);
	profile_free(profile);
}

static void a_full_disk_is_said_by_all(void **state)
{
	struct profile *profile = sample_profile();
	FILE *full = fopen("/dev/full", "w");
	int fd = fileno(full);

	(void)state;
	assert_int_equal(folded_write(profile, 0, 0, fd, NULL), -ENOSPC);
	assert_int_equal(speedscope_write(profile, 0, 0, fd, NULL), -ENOSPC);
	assert_int_equal(firefox_write(profile, 0, fd, NULL), -ENOSPC);
	fclose(full);
	profile_free(profile);
}

static void an_empty_profile_is_valid(void **state)
{
	struct profile *profile = profile_new();
	FILE *file = tmpfile();

	(void)state;
	assert_int_equal(
		speedscope_write(profile, PROFILE_NONE, 1, fileno(file), NULL),
		0);
	json_decref(read_json(file));
	file = tmpfile();
	assert_int_equal(
		firefox_write(profile, PROFILE_NONE, fileno(file), NULL), 0);
	json_decref(read_json(file));
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_totals_are_the_profiles),
		cmocka_unit_test(folded_first_frames),
		cmocka_unit_test(c46_folded_stays_one_line_for_a_stack),
		cmocka_unit_test(speedscope_has_a_profile_for_each_group),
		cmocka_unit_test(speedscope_shows_inlined_functions),
		cmocka_unit_test(firefox_threads_are_whole),
		cmocka_unit_test(perfdata_has_every_sample),
		cmocka_unit_test(a_full_disk_is_said_by_all),
		cmocka_unit_test(an_empty_profile_is_valid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
