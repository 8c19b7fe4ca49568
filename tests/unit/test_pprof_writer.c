/* What the pprof writer's bytes hold. Round trips are in test_pprof_reader. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

#include "cli/formats/pprof_format.h"
#include "cli/formats/pprof_writer.h"
#include "cli/formats/printable.h"
#include "cli/formats/protobuf.h"
#include "sample_profile.h"

#define TEXTS_MAX 512

struct written {
	uint8_t bytes[65536];
	size_t size;
	char *texts[TEXTS_MAX];
	size_t n_texts;
};

static void write_sample(struct written *written)
{
	FILE *file = tmpfile();
	struct profile *profile = sample_profile();
	struct protobuf_field field;
	struct cursor cursor;
	gzFile gzip;

	assert_int_equal(pprof_write(profile, fileno(file), NULL), 0);
	profile_free(profile);
	rewind(file);
	gzip = gzdopen(dup(fileno(file)), "r");
	written->size = (size_t)gzread(gzip, written->bytes, 65536);
	gzclose(gzip);
	fclose(file);
	written->n_texts = 0;
	cursor = cursor_at(written->bytes, written->size);
	while (protobuf_next(&cursor, &field))
		if (field.number == PPROF_STRING_TABLE)
			written->texts[written->n_texts++] =
				strndup((const char *)field.bytes.at,
					cursor_left(&field.bytes));
	assert_false(cursor.has_failed);
}

static int setup(void **state)
{
	struct written *written = calloc(1, sizeof(*written));

	write_sample(written);
	*state = written;
	return 0;
}

static int teardown(void **state)
{
	struct written *written = *state;

	for (size_t i = 0; i < written->n_texts; i++)
		free(written->texts[i]);
	free(written);
	return 0;
}

static uint64_t number_of(struct cursor message, uint32_t number)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field))
		if (field.number == number)
			return field.value;
	return 0;
}

/* Asserts ids 1, 2, 3, … and returns how many. */
static uint64_t count_ids(const struct written *written, uint32_t message)
{
	struct cursor cursor = cursor_at(written->bytes, written->size);
	struct protobuf_field field;
	uint64_t count = 0;

	while (protobuf_next(&cursor, &field))
		if (field.number == message)
			assert_int_equal(number_of(field.bytes, 1), ++count);
	return count;
}

static void ids_have_no_gaps_and_only_reached_things(void **state)
{
	const struct written *written = *state;

	assert_int_equal(count_ids(written, PPROF_LOCATION), 8);
	assert_int_equal(count_ids(written, PPROF_MAPPING), 4);
	assert_int_equal(count_ids(written, PPROF_FUNCTION), 9);
}

static void texts_are_unique_clean_and_start_empty(void **state)
{
	const struct written *written = *state;

	assert_string_equal(written->texts[0], "");
	for (size_t i = 0; i < written->n_texts; i++) {
		assert_true(printable_is(written->texts[i], ""));
		assert_null(strstr(written->texts[i], "unused"));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(written->texts[i],
						written->texts[j]);
	}
}

static void header_is_what_readers_want(void **state)
{
	const struct written *written = *state;
	struct cursor cursor = cursor_at(written->bytes, written->size);
	struct protobuf_field field;
	const char *types[8] = { NULL };
	size_t n_types = 0;

	while (protobuf_next(&cursor, &field))
		if (field.number == PPROF_SAMPLE_TYPE)
			types[n_types++] =
				written->texts[number_of(field.bytes, 1)];
	assert_int_equal(n_types, 3);
	assert_string_equal(types[0], "samples");
	assert_string_equal(types[1], "cpu");
	assert_string_equal(types[2], "page_faults"); /* "-": Pyroscope */
	cursor = cursor_at(written->bytes, written->size);
	assert_int_equal(number_of(cursor, PPROF_PERIOD), 10101010);
	assert_int_equal(number_of(cursor, PPROF_TIME_NANOS),
			 1764530585123456789);
	assert_string_equal(
		written->texts[number_of(cursor, PPROF_DEFAULT_SAMPLE_TYPE)],
		"cpu");
}

static void flags_are_true_only_where_resolved(void **state)
{
	const struct written *written = *state;
	struct cursor cursor = cursor_at(written->bytes, written->size);
	struct protobuf_field field;
	int checked = 0;

	while (protobuf_next(&cursor, &field)) {
		const char *path;

		if (field.number != PPROF_MAPPING)
			continue;
		path = written->texts[number_of(field.bytes,
						PPROF_MAPPING_FILE)];
		assert_int_equal(
			number_of(field.bytes, PPROF_MAPPING_HAS_FUNCTIONS),
			strstr(path, "libfoo") ? 0 : 1);
		assert_int_equal(
			number_of(field.bytes, PPROF_MAPPING_HAS_LINES), 0);
		assert_int_equal(
			number_of(field.bytes, PPROF_MAPPING_HAS_INLINES),
			strstr(path, "prog") ? 1 : 0);
		checked++;
	}
	assert_int_equal(checked, 4);
}

static void full_disk_is_said(void **state)
{
	struct profile *profile = sample_profile();
	FILE *full = fopen("/dev/full", "w");
	struct error error;

	(void)state;
	assert_int_equal(pprof_write(profile, fileno(full), &error), -ENOSPC);
	assert_string_equal(error.text,
			    "cannot write: No space left on device");
	fclose(full);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_have_no_gaps_and_only_reached_things),
		cmocka_unit_test(texts_are_unique_clean_and_start_empty),
		cmocka_unit_test(header_is_what_readers_want),
		cmocka_unit_test(flags_are_true_only_where_resolved),
		cmocka_unit_test(full_disk_is_said),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
