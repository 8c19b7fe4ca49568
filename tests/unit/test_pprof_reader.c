/* pprof files read: ours come back whole, others' as far as they tell, and
 * hostile ones are refused with reason and offset. */
#include <errno.h>
#include <fcntl.h>
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
#include "cli/formats/pprof_input.h"
#include "cli/formats/pprof_reader.h"
#include "cli/formats/pprof_writer.h"
#include "cli/formats/protobuf.h"
#include "profile_dump.h"
#include "sample_profile.h"

static FILE *file_of(const void *bytes, size_t size)
{
	FILE *file = tmpfile();

	assert_int_equal(fwrite(bytes, 1, size, file), size);
	rewind(file);
	return file;
}

static int read_bytes(const void *bytes, size_t size, struct profile **profile,
		      struct error *error)
{
	FILE *file = file_of(bytes, size);
	int result = pprof_read(profile, fileno(file), "x.pb.gz", error);

	fclose(file);
	return result;
}

/* Returns the written bytes for free(). */
static uint8_t *written(const struct profile *profile, size_t *size)
{
	FILE *file = tmpfile();
	uint8_t *bytes = malloc(1 << 20);

	assert_int_equal(pprof_write(profile, fileno(file), NULL), 0);
	rewind(file);
	*size = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

static uint8_t *uncompressed(const struct profile *profile, size_t *size)
{
	size_t compressed;
	uint8_t *gzip = written(profile, &compressed), *bytes;
	FILE *file = file_of(gzip, compressed);

	assert_int_equal(
		pprof_input_read(fileno(file), "x", &bytes, size, NULL), 0);
	fclose(file);
	free(gzip);
	return bytes;
}

static void assert_round_trip(struct profile *profile)
{
	struct profile *back;
	struct error error;
	size_t size;
	uint8_t *bytes = written(profile, &size);
	char *want, *got;

	if (read_bytes(bytes, size, &back, &error))
		fail_msg("%s", error.text);
	want = profile_dump(profile);
	got = profile_dump(back);
	assert_string_equal(got, want);
	free(want);
	free(got);
	free(bytes);
	profile_free(back);
	profile_free(profile);
}

static void nothing_is_lost(void **state)
{
	(void)state;
	assert_round_trip(sample_profile());
}

static void an_empty_profile_comes_back(void **state)
{
	struct profile *profile = profile_new();

	(void)state;
	profile->value_types[profile->n_value_types++] =
		(struct profile_value_type){ "cpu", "nanoseconds" };
	assert_round_trip(profile);
}

static void frames_without_lines_get_a_name(void **state)
{
	struct profile *profile = sample_profile(), *back;
	uint32_t lib = profile_mapping(
		profile, &(struct profile_mapping){ "/opt/libbar.so", "77", 0,
						    0x9000, 0, false });
	uint32_t frame = sample_frame(profile, lib, PROFILE_FRAME_USER, 0x12,
				      NULL, "", 0);
	size_t size;
	uint8_t *bytes;
	char *got;

	(void)state;
	sample_row(profile, profile_node(profile, 0, frame), PROFILE_NONE,
		   PROFILE_NONE, 0, 0, 0, 1);
	bytes = written(profile, &size);
	assert_int_equal(read_bytes(bytes, size, &back, NULL), 0);
	got = profile_dump(back);
	assert_non_null(strstr(got, "<[libbar.so]+0x12> <> <>:0 0"));
	free(got);
	free(bytes);
	profile_free(back);
	profile_free(profile);
}

static void plain_bytes_are_read_too(void **state)
{
	struct profile *profile = sample_profile(), *back;
	size_t size;
	uint8_t *bytes = uncompressed(profile, &size);
	char *want = profile_dump(profile), *got;

	(void)state;
	assert_int_equal(read_bytes(bytes, size, &back, NULL), 0);
	got = profile_dump(back);
	assert_string_equal(got, want);
	free(want);
	free(got);
	free(bytes);
	profile_free(back);
	profile_free(profile);
}

static void every_truncation_is_refused_or_smaller(void **state)
{
	struct profile *profile = sample_profile(), *back;
	struct error error;
	size_t size, plain_size;
	uint8_t *bytes = written(profile, &size);
	uint8_t *plain = uncompressed(profile, &plain_size);

	(void)state;
	for (size_t cut = 0; cut < size; cut++) {
		error.text[0] = '\0';
		assert_true(read_bytes(bytes, cut, &back, &error) < 0);
		assert_null(back);
		assert_non_null(strstr(error.text, "x.pb.gz: "));
	}
	/* without gzip's checksum: no string table at the cut's end, or a
	 * field that is cut, or a reference to what is missing */
	for (size_t cut = 0; cut < plain_size; cut++) {
		error.text[0] = '\0';
		if (read_bytes(plain, cut, &back, &error) == 0)
			profile_free(back);
		else
			assert_true(strlen(error.text) > 10);
	}
	free(bytes);
	free(plain);
	profile_free(profile);
}

static void flipped_bits_are_survived(void **state)
{
	struct profile *profile = sample_profile(), *back;
	size_t size;
	uint8_t *bytes = uncompressed(profile, &size);
	uint64_t seed = 1;
	int refused = 0;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		uint8_t *copy = malloc(size);

		memcpy(copy, bytes, size);
		for (int j = 0; j <= i % 3; j++) {
			seed = seed * 6364136223846793005ull +
			       1442695040888963407ull;
			copy[(seed >> 33) % size] ^= 1 << (seed >> 60 & 7);
		}
		if (read_bytes(copy, size, &back, NULL) == 0)
			profile_free(back);
		else
			refused++;
		free(copy);
	}
	assert_true(refused > 300);
	free(bytes);
	profile_free(profile);
}

static void refuse(struct protobuf *file, const char *reason)
{
	struct profile *back;
	struct error error = { "" };

	assert_true(read_bytes(file->bytes, file->size, &back, &error) < 0);
	if (!strstr(error.text, reason))
		fail_msg("no \"%s\" in: %s", reason, error.text);
	protobuf_destroy(file);
}

/* A file with the strings "", "cpu", "nanoseconds" and that sample type. */
static struct protobuf minimal(void)
{
	struct protobuf file = { 0 }, type = { 0 };

	protobuf_bytes(&file, PPROF_STRING_TABLE, "", 0);
	protobuf_bytes(&file, PPROF_STRING_TABLE, "cpu", 3);
	protobuf_bytes(&file, PPROF_STRING_TABLE, "nanoseconds", 11);
	protobuf_number(&type, PPROF_VALUE_TYPE, 1);
	protobuf_number(&type, PPROF_VALUE_UNIT, 2);
	protobuf_message(&file, PPROF_SAMPLE_TYPE, &type);
	protobuf_destroy(&type);
	return file;
}

static void add(struct protobuf *file, uint32_t field, struct protobuf *child)
{
	protobuf_message(file, field, child);
	protobuf_destroy(child);
}

static void hostile_references_are_refused(void **state)
{
	const uint64_t location = 5, negative = UINT64_MAX, one = 1;
	struct protobuf file = { 0 }, child = { 0 }, line = { 0 };

	(void)state;
	protobuf_bytes(&file, PPROF_STRING_TABLE, "x", 1);
	refuse(&file, "begins with the empty string at byte 3");

	file = minimal();
	protobuf_numbers(&child, PPROF_SAMPLE_LOCATION, &location, 1);
	protobuf_numbers(&child, PPROF_SAMPLE_VALUE, &one, 1);
	add(&file, PPROF_SAMPLE, &child);
	refuse(&file, "location 5, which is missing");

	file = minimal();
	protobuf_numbers(&child, PPROF_SAMPLE_VALUE, &negative, 1);
	add(&file, PPROF_SAMPLE, &child);
	refuse(&file, "negative");

	file = minimal();
	add(&file, PPROF_SAMPLE, &child);
	refuse(&file, "0 values in a sample of 1 types");

	file = minimal();
	protobuf_number(&child, PPROF_FUNCTION_ID, 1);
	protobuf_number(&child, PPROF_FUNCTION_NAME, 99);
	add(&file, PPROF_FUNCTION, &child);
	refuse(&file, "string 99 of 3 strings");

	file = minimal();
	add(&file, PPROF_FUNCTION, &child);
	refuse(&file, "a function of id 0");

	file = minimal();
	protobuf_number(&child, PPROF_MAPPING_ID, 7);
	protobuf_message(&file, PPROF_MAPPING, &child);
	add(&file, PPROF_MAPPING, &child);
	refuse(&file, "a second mapping of id 7");

	file = minimal();
	protobuf_number(&line, PPROF_LINE_FUNCTION, 3);
	protobuf_number(&child, PPROF_LOCATION_ID, 1);
	add(&child, PPROF_LOCATION_LINE, &line);
	add(&file, PPROF_LOCATION, &child);
	refuse(&file, "function 3, which is missing");
}

static void a_profile_without_labels_is_one_process(void **state)
{
	const uint64_t values[] = { 20 }, stack[] = { 1 };
	struct protobuf file = minimal(), child = { 0 };
	struct profile *profile;

	(void)state;
	protobuf_bytes(&file, PPROF_STRING_TABLE, "/usr/bin/theirs", 15);
	protobuf_number(&child, PPROF_MAPPING_ID, 9);
	protobuf_number(&child, PPROF_MAPPING_FILE, 3);
	add(&file, PPROF_MAPPING, &child);
	protobuf_number(&child, PPROF_LOCATION_ID, 1);
	protobuf_number(&child, PPROF_LOCATION_MAPPING, 9);
	protobuf_number(&child, PPROF_LOCATION_ADDRESS, 0x10);
	add(&file, PPROF_LOCATION, &child);
	protobuf_numbers(&child, PPROF_SAMPLE_LOCATION, stack, 1);
	protobuf_numbers(&child, PPROF_SAMPLE_VALUE, values, 1);
	add(&file, PPROF_SAMPLE, &child);
	assert_int_equal(read_bytes(file.bytes, file.size, &profile, NULL), 0);
	assert_int_equal(profile->n_processes, 1);
	assert_string_equal(profile->processes[0].comm, "theirs");
	assert_int_equal(profile->n_rows, 1);
	assert_int_equal(profile->rows[0].count, 1);
	assert_int_equal(profile->rows[0].values[0], 20);
	assert_true(profile->health.sampled_cpu_s == 20e-9);
	assert_string_equal(profile->functions[profile->lines[0].function].name,
			    "[theirs]+0x10");
	profile_free(profile);
	protobuf_destroy(&file);
}

static void a_gzip_bomb_is_refused(void **state)
{
	size_t size = 64 << 20;
	uint8_t *zeroes = calloc(1, size), *bomb = malloc(1 << 20);
	z_stream gzip = { .next_in = zeroes,
			  .avail_in = (uInt)size,
			  .next_out = bomb,
			  .avail_out = 1 << 20 };
	struct profile *back;
	struct error error;

	(void)state;
	assert_int_equal(deflateInit2(&gzip, 1, Z_DEFLATED, 31, 9, 0), Z_OK);
	assert_int_equal(deflate(&gzip, Z_FINISH), Z_STREAM_END);
	assert_int_equal(read_bytes(bomb, gzip.total_out, &back, &error),
			 -EFBIG);
	assert_non_null(strstr(error.text, "more than 200 times"));
	deflateEnd(&gzip);
	free(zeroes);
	free(bomb);
}

static void other_files_are_refused_by_name(void **state)
{
	static const struct {
		const char *bytes, *reason;
	} cases[] = {
		{ "", "is empty" },
		{ "heap profile: 1: 2 [3: 4]", "legacy gperftools heap text" },
		{ "PERFILE2........", "is a perf.data file" },
		{ "hello, world\n", "not a pprof profile" },
	};
	struct profile *back;
	struct error error;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(read_bytes(cases[i].bytes,
					    strlen(cases[i].bytes), &back,
					    &error),
				 -EINVAL);
		assert_non_null(strstr(error.text, cases[i].reason));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(an_empty_profile_comes_back),
		cmocka_unit_test(frames_without_lines_get_a_name),
		cmocka_unit_test(plain_bytes_are_read_too),
		cmocka_unit_test(every_truncation_is_refused_or_smaller),
		cmocka_unit_test(flipped_bits_are_survived),
		cmocka_unit_test(hostile_references_are_refused),
		cmocka_unit_test(a_profile_without_labels_is_one_process),
		cmocka_unit_test(a_gzip_bomb_is_refused),
		cmocka_unit_test(other_files_are_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
