/* Broken perf.data (case C58): whatever the bytes are, reading ends, reads
 * nothing outside them, and says where it stopped. */
#include "perfcore/perfdata_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfcore/mem.h"

#define CORPUS "../shared/corpus/"

struct bytes {
	uint8_t *at;
	size_t size;
};

static struct bytes file_read(const char *name)
{
	char path[256];
	struct bytes bytes = { mem_alloc(1 << 20), 0 };
	FILE *file;

	snprintf(path, sizeof(path), CORPUS "%s", name);
	file = fopen(path, "r");
	if (!file)
		fail_msg("%s", path);
	bytes.size = fread(bytes.at, 1, 1 << 20, file);
	fclose(file);
	return bytes;
}

static int memory_file(const uint8_t *at, size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, at, size), size);
	return fd;
}

struct outcome {
	int err; /* of opening */
	uint64_t samples, records;
	struct perfdata_counts counts;
	char text[ERROR_TEXT_MAX]; /* the error, or the first note */
};

static struct outcome read_bytes(const uint8_t *at, size_t size)
{
	int fd = memory_file(at, size);
	struct outcome outcome = { 0 };
	struct error error = { "" };
	struct source *source;
	struct event event;
	struct notes notes;

	notes_init(&notes);
	outcome.err = perfdata_reader_open(fd, "t", &notes, &source, &error);
	if (!outcome.err) {
		while (source_next(source, &event, &error) == 1) {
			outcome.records++;
			outcome.samples += event.kind == EVENT_SAMPLE;
		}
		outcome.counts = *perfdata_reader_counts(source);
		source_free(source);
	}
	snprintf(outcome.text, sizeof(outcome.text), "%s",
		 outcome.err ? error.text
			     : (notes.count ? notes.items[0].text : ""));
	notes_destroy(&notes);
	close(fd);
	return outcome;
}

static bool corpus_is_absent(const char *test)
{
	if (access(CORPUS, R_OK) == 0)
		return false;
	printf("skip %s: no " CORPUS "\n", test);
	return true;
}

static const char *const small_files[] = {
	"quipper/perf.data.ctx_switch_namespaces-4.14",
	"quipper/perf.data.piped.header_features-4.16",
	"quipper/perf.data.singleprocess-3.8",
	"linux-perf-data/sleep.compressed2.data",
};

static void truncated_anywhere_is_read_up_to_there(void **state)
{
	(void)state;
	if (corpus_is_absent(__func__))
		skip();
	for (size_t i = 0; i < sizeof(small_files) / sizeof(*small_files);
	     i++) {
		struct bytes bytes = file_read(small_files[i]);
		uint64_t records = 0;

		for (size_t size = 0; size < bytes.size; size += 97) {
			struct outcome outcome = read_bytes(bytes.at, size);

			/* A longer part never gives fewer records. */
			assert_true(outcome.records >= records);
			records = outcome.records;
			if (outcome.err)
				assert_string_not_equal(outcome.text, "");
		}
		free(bytes.at);
	}
}

static void cut_file_says_what_is_missing(void **state)
{
	struct bytes bytes;
	struct outcome outcome;

	(void)state;
	if (corpus_is_absent(__func__))
		skip();
	bytes = file_read("quipper/perf.data.singleprocess-3.8");
	outcome = read_bytes(bytes.at, 9001);
	assert_int_equal(outcome.err, 0);
	assert_non_null(strstr(outcome.text, "missing at the end"));
	assert_true(outcome.counts.lost_bytes > 0);
	free(bytes.at);
}

static void unfinished_file_is_salvaged(void **state)
{
	struct bytes bytes;
	struct outcome whole, killed;

	(void)state;
	if (corpus_is_absent(__func__))
		skip();
	bytes = file_read("quipper/perf.data.ctx_switch_namespaces-4.14");
	whole = read_bytes(bytes.at, bytes.size);
	/* As after kill -9: no size of the data, nothing behind them. */
	uint64_t offset, size;

	memcpy(&offset, bytes.at + 40, 8);
	memcpy(&size, bytes.at + 48, 8);
	memset(bytes.at + 48, 0, 8);
	killed = read_bytes(bytes.at, offset + size);
	assert_int_equal(killed.err, 0);
	assert_int_equal(killed.records, whole.records);
	assert_non_null(strstr(killed.text, "not finished"));
	free(bytes.at);
}

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void flipped_bytes_never_crash(void **state)
{
	uint32_t random = 20261130;

	(void)state;
	if (corpus_is_absent(__func__))
		skip();
	for (size_t i = 0; i < sizeof(small_files) / sizeof(*small_files);
	     i++) {
		struct bytes bytes = file_read(small_files[i]);
		uint8_t *broken = mem_alloc(bytes.size);

		for (int round = 0; round < 400; round++) {
			memcpy(broken, bytes.at, bytes.size);
			for (int flips = 0; flips < 1 + round % 8; flips++) {
				size_t at = next_random(&random) %
					    (round % 2 ? 512 : bytes.size);

				broken[at] = (uint8_t)next_random(&random);
			}
			read_bytes(broken, bytes.size);
		}
		free(broken);
		free(bytes.at);
	}
}

static void other_files_are_refused(void **state)
{
	struct outcome outcome;
	uint8_t zeros[4096] = { 0 };

	(void)state;
	outcome = read_bytes(zeros, 0);
	assert_int_equal(outcome.err, -EBADMSG);
	assert_string_equal(outcome.text, "t: is empty");
	outcome = read_bytes(zeros, sizeof(zeros));
	assert_int_equal(outcome.err, -EBADMSG);
	assert_string_equal(outcome.text, "t: is not a perf.data file");
	memcpy(zeros, "PERFILE2", 8);
	outcome = read_bytes(zeros, 16);
	assert_int_equal(outcome.err, -EBADMSG);
	outcome = read_bytes(zeros, sizeof(zeros));
	assert_int_equal(outcome.err, -EBADMSG);
	assert_non_null(strstr(outcome.text, "table of events"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncated_anywhere_is_read_up_to_there),
		cmocka_unit_test(cut_file_says_what_is_missing),
		cmocka_unit_test(unfinished_file_is_salvaged),
		cmocka_unit_test(flipped_bytes_never_crash),
		cmocka_unit_test(other_files_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
