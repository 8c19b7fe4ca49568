#include "symbolize/perfmap.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

struct fixture {
	int fd;
	struct strings *strings;
	struct perfmap *perfmap;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->fd = memfd_create("perf.map", 0);
	fixture->strings = strings_new();
	fixture->perfmap = perfmap_new(fixture->fd, fixture->strings);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	perfmap_free(fixture->perfmap);
	strings_free(fixture->strings);
	close(fixture->fd);
	free(fixture);
	return 0;
}

static void append(const struct fixture *fixture, const char *text)
{
	assert_int_equal(write(fixture->fd, text, strlen(text)), strlen(text));
}

static const char *name_at(const struct fixture *fixture, uint64_t address)
{
	struct perfmap_symbol symbol;

	if (!perfmap_find(fixture->perfmap, address, &symbol))
		return "";
	assert_true(address >= symbol.start && address < symbol.end);
	return symbol.name;
}

static void test_names_keep_their_spaces(void **state)
{
	struct fixture *fixture = *state;

	append(fixture, "1000 10 RegExp:[{(] a b\n"
			"0x2000 0x10 with prefix\n"
			"3000 10  leading space\n");
	assert_string_equal(name_at(fixture, 0x1000), "RegExp:[{(] a b");
	assert_string_equal(name_at(fixture, 0x100f), "RegExp:[{(] a b");
	assert_string_equal(name_at(fixture, 0x1010), "");
	assert_string_equal(name_at(fixture, 0xfff), "");
	assert_string_equal(name_at(fixture, 0x2000), "with prefix");
	assert_string_equal(name_at(fixture, 0x3000), " leading space");
	assert_int_equal(perfmap_bad_lines(fixture->perfmap), 0);
	assert_int_equal(perfmap_reused(fixture->perfmap), 0);
}

static void test_the_file_grows(void **state)
{
	struct fixture *fixture = *state;

	assert_string_equal(name_at(fixture, 0x1000), "");
	append(fixture, "1000 10 first\n2000 10 unfin");
	assert_string_equal(name_at(fixture, 0x1000), "first");
	assert_string_equal(name_at(fixture, 0x2000), "unfin");
	append(fixture, "ished\n3000 10 third\n");
	assert_string_equal(name_at(fixture, 0x3000), "third");
	assert_string_equal(name_at(fixture, 0x2000), "unfinished");
	assert_int_equal(perfmap_reused(fixture->perfmap), 0);
	assert_int_equal(perfmap_bad_lines(fixture->perfmap), 0);
}

static void test_a_file_written_anew(void **state)
{
	struct fixture *fixture = *state;

	append(fixture, "1000 10 first\n2000 10 second\n");
	assert_string_equal(name_at(fixture, 0x2000), "second");
	assert_int_equal(ftruncate(fixture->fd, 0), 0);
	assert_int_equal(lseek(fixture->fd, 0, SEEK_SET), 0);
	append(fixture, "2000 10 other\n");
	assert_string_equal(name_at(fixture, 0x2000), "other");
	assert_string_equal(name_at(fixture, 0x1000), "");
}

static void test_c28_the_last_overlapping_entry_wins(void **state)
{
	struct fixture *fixture = *state;

	append(fixture, "1000 100 first\n"
			"1000 100 second\n"
			"1080 100 third\n" /* over the end of second */
			"10c0 10 inner\n"
			"5000 10 same\n"
			"5000 10 same\n");
	assert_string_equal(name_at(fixture, 0x1000), "second");
	assert_string_equal(name_at(fixture, 0x107f), "second");
	assert_string_equal(name_at(fixture, 0x1080), "third");
	assert_string_equal(name_at(fixture, 0x10c0), "inner");
	assert_string_equal(name_at(fixture, 0x10d0), "third");
	assert_string_equal(name_at(fixture, 0x117f), "third");
	assert_int_equal(perfmap_reused(fixture->perfmap), 3);
	/* the same again from the sorted ranges */
	assert_string_equal(name_at(fixture, 0x107f), "second");
	assert_string_equal(name_at(fixture, 0x10cf), "inner");
	assert_string_equal(name_at(fixture, 0x10d0), "third");
	assert_string_equal(name_at(fixture, 0x1180), "");
	append(fixture, "1000 10 newest\n");
	assert_string_equal(name_at(fixture, 0x1000), "newest");
	assert_string_equal(name_at(fixture, 0x1010), "second");
	assert_int_equal(perfmap_reused(fixture->perfmap), 3);
}

/* Against the plainest way to do it: search all lines from the last. */
static void test_c28_random_overlaps(void **state)
{
	struct fixture *fixture = *state;
	static unsigned starts[3000], sizes[3000];
	unsigned count = 3000;
	char line[64];

	srand(1);
	for (unsigned i = 0; i < count; i++) {
		starts[i] = 0x10000 + (unsigned)rand() % 20000;
		sizes[i] = 1 + (unsigned)rand() % 200;
		snprintf(line, sizeof(line), "%x %x f%u\n", starts[i], sizes[i],
			 i);
		append(fixture, line);
	}
	for (unsigned at = 0x10000 - 10; at < 0x10000 + 20300; at++) {
		unsigned i = count;

		while (i-- > 0 && at - starts[i] >= sizes[i])
			;
		snprintf(line, sizeof(line), "f%u", i);
		assert_string_equal(name_at(fixture, at),
				    i < count ? line : "");
	}
}

static void test_c29_hostile_lines_are_skipped(void **state)
{
	struct fixture *fixture = *state;

	append(fixture, "\n"
			"name only\n"
			"1000\n"
			"1000 10\n"
			"1000 10 \n"
			"10g0 10 bad digit\n"
			"1000 1g bad digit\n"
			"faaffffffffffffff 300 more than 64 bits\n"
			"fffffffffffffffe 100 past the end\n"
			"1000 0 no size\n"
			"1000 fffffffff too large\n"
			" 1000 10 leading space\n"
			"-1000 10 negative\n"
			"2000 10 good\n");
	assert_string_equal(name_at(fixture, 0x2000), "good");
	assert_string_equal(name_at(fixture, 0x1000), "");
	assert_string_equal(name_at(fixture, UINT64_MAX), "");
	assert_int_equal(perfmap_bad_lines(fixture->perfmap), 13);
}

static void corpus_check(const char *name, uint64_t bad_lines, uint64_t address,
			 const char *wanted)
{
	char path[128];
	struct fixture fixture = { .strings = strings_new() };

	snprintf(path, sizeof(path), "../shared/corpus/jit/%s", name);
	fixture.fd = open(path, O_RDONLY);
	assert_true(fixture.fd >= 0);
	fixture.perfmap = perfmap_new(fixture.fd, fixture.strings);
	assert_string_equal(name_at(&fixture, address), wanted);
	assert_int_equal(perfmap_bad_lines(fixture.perfmap), bad_lines);
	perfmap_free(fixture.perfmap);
	strings_free(fixture.strings);
	close(fixture.fd);
}

static void test_c29_corpus(void **state)
{
	(void)state;
	if (access("../shared/corpus/jit", R_OK)) {
		printf("skip test_c29_corpus: no corpus here\n");
		skip();
	}
	corpus_check("perf-1.map", 3, 0x7fb0614a7be0,
		     "bool [System.Private.CoreLib] System.SpanHelpers::"
		     "Contains(char&,char,int32)[OptimizedTier1]");
	corpus_check("perf-42.map", 0, 0x7fb061490018,
		     "stub<1> AllocateTemporaryEntryPoints<PRECODE_FIXUP>");
	corpus_check("nodejs-perf-map", 0, 0x3ef418a0, "RegExp:[})]");
	corpus_check("nodejs-perf-map-regression", 1, 0xd63be533e98,
		     "Script:~ evalmachine.<anonymous>:1");
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names_keep_their_spaces),
		TEST(test_the_file_grows),
		TEST(test_a_file_written_anew),
		TEST(test_c28_the_last_overlapping_entry_wins),
		TEST(test_c28_random_overlaps),
		TEST(test_c29_hostile_lines_are_skipped),
		TEST(test_c29_corpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
