#include "symbolize/jitdump.h"

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
	struct jitdump *jitdump;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->fd = memfd_create("jit.dump", 0);
	fixture->strings = strings_new();
	fixture->jitdump = jitdump_new(fixture->fd, fixture->strings);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	jitdump_free(fixture->jitdump);
	strings_free(fixture->strings);
	close(fixture->fd);
	free(fixture);
	return 0;
}

static void put(const struct fixture *fixture, const void *bytes, size_t size)
{
	assert_int_equal(write(fixture->fd, bytes, size), size);
}

static void put_header(const struct fixture *fixture, uint64_t flags)
{
	struct {
		uint32_t magic, version, size, machine, pad, pid;
		uint64_t time, flags;
	} header = { 0x4a695444, 1, 40, 62, 0, 1, 5, flags };

	put(fixture, &header, sizeof(header));
}

static void put_load(const struct fixture *fixture, uint64_t time,
		     uint64_t start, uint64_t size, const char *name)
{
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, address, code_size, index;
	} load = { 0,	  (uint32_t)(56 + strlen(name) + 1 + size),
		   time,  1,
		   1,	  start,
		   start, size,
		   0 };
	static const char code[4096];

	put(fixture, &load, sizeof(load));
	put(fixture, name, strlen(name) + 1);
	put(fixture, code, size);
}

static void put_move(const struct fixture *fixture, uint64_t time, uint64_t old,
		     uint64_t new, uint64_t size)
{
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, old, new, code_size, index;
	} move = { 1, 64, time, 1, 1, new, old, new, size, 0 };

	put(fixture, &move, sizeof(move));
}

static void put_lines(const struct fixture *fixture, uint64_t start)
{
	struct {
		uint32_t id, size;
		uint64_t time, address, count;
	} info = { 2, 32 + (16 + 5) + (16 + 2), 1, start, 2 };
	struct {
		uint64_t address;
		uint32_t line, discriminator;
	} entry = { start, 7, 0 };

	put(fixture, &info, sizeof(info));
	put(fixture, &entry, sizeof(entry));
	put(fixture, "a.js", 5);
	entry.address += 8;
	entry.line = 9;
	put(fixture, &entry, sizeof(entry));
	put(fixture, "\xff", 2);
}

static const char *name_at(const struct fixture *fixture, uint64_t address,
			   uint64_t time)
{
	struct jitdump_symbol symbol;

	if (!jitdump_find(fixture->jitdump, address, time, &symbol))
		return "";
	assert_true(address >= symbol.start && address < symbol.end);
	return symbol.name;
}

static void test_the_file_grows(void **state)
{
	struct fixture *fixture = *state;

	assert_string_equal(name_at(fixture, 0x1000, 10), "");
	put_header(fixture, 0);
	put_load(fixture, 1, 0x1000, 16, "first");
	assert_string_equal(name_at(fixture, 0x1000, 10), "first");
	assert_string_equal(name_at(fixture, 0x1010, 10), "");
	put_load(fixture, 2, 0x2000, 16, "second one");
	assert_string_equal(name_at(fixture, 0x200f, 10), "second one");
	assert_false(jitdump_is_broken(fixture->jitdump));
}

static void test_many_pieces(void **state)
{
	struct fixture *fixture = *state;
	char name[32];

	put_header(fixture, 0);
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		put_load(fixture, i + 1, 0x100000 + (i * 7919 % 2000) * 32, 16,
			 name);
	}
	for (unsigned i = 0; i < 2000; i++) {
		uint64_t at = 0x100000 + (i * 7919 % 2000) * 32;

		snprintf(name, sizeof(name), "f%u", i);
		assert_string_equal(name_at(fixture, at + 3, 5000), name);
		assert_string_equal(name_at(fixture, at + 16, 5000), "");
	}
}

static void test_c28_reused_code_is_split_by_time(void **state)
{
	struct fixture *fixture = *state;

	put_header(fixture, 0);
	put_load(fixture, 100, 0x1000, 64, "first");
	put_load(fixture, 200, 0x1000, 32, "second");
	assert_string_equal(name_at(fixture, 0x1000, 150), "first");
	assert_string_equal(name_at(fixture, 0x1000, 199), "first");
	assert_string_equal(name_at(fixture, 0x1000, 200), "second");
	assert_string_equal(name_at(fixture, 0x1000, 999), "second");
	assert_string_equal(name_at(fixture, 0x1000, JITDUMP_ANY_TIME),
			    "second");
	assert_string_equal(name_at(fixture, 0x1030, 999), "first");
	assert_false(jitdump_is_timeless(fixture->jitdump));
}

/* The record may be written when its code already runs. */
static void test_code_that_runs_before_its_record(void **state)
{
	struct fixture *fixture = *state;

	put_header(fixture, 0);
	put_load(fixture, 50, 0x9000, 16, "other");
	put_load(fixture, 100, 0x1000, 16, "first");
	put_load(fixture, 200, 0x1000, 16, "second");
	assert_string_equal(name_at(fixture, 0x1000, 99), "first");
	assert_false(jitdump_is_timeless(fixture->jitdump));
}

static void test_c31_records_out_of_order(void **state)
{
	struct fixture *fixture = *state;

	put_header(fixture, 0);
	put_load(fixture, 200, 0x1000, 16, "second");
	put_load(fixture, 100, 0x1000, 16, "first");
	assert_string_equal(name_at(fixture, 0x1000, 150), "first");
	assert_string_equal(name_at(fixture, 0x1000, 250), "second");
}

/* The flag says architecture timestamps, but they are ns. */
static void test_c31_flag_is_not_believed(void **state)
{
	struct fixture *fixture = *state;

	put_header(fixture, 1);
	put_load(fixture, 100, 0x1000, 16, "first");
	put_load(fixture, 200, 0x1000, 16, "second");
	assert_string_equal(name_at(fixture, 0x1000, 150), "first");
	assert_false(jitdump_is_timeless(fixture->jitdump));
}

/* Raw ticks, or the time of day: all loads are later than all samples. */
static void test_c31_another_clock_is_ignored(void **state)
{
	struct fixture *fixture = *state;

	put_header(fixture, 0);
	put_load(fixture, 1700000000000000000, 0x1000, 16, "first");
	put_load(fixture, 1700000000000000999, 0x1000, 16, "second");
	assert_string_equal(name_at(fixture, 0x1000, 150), "second");
	assert_true(jitdump_is_timeless(fixture->jitdump));
}

static void test_moved_code(void **state)
{
	struct fixture *fixture = *state;
	struct jitdump_symbol symbol;

	put_header(fixture, 0);
	put_lines(fixture, 0x1000);
	put_load(fixture, 100, 0x1000, 16, "moving");
	put_move(fixture, 200, 0x1000, 0x5000, 16);
	put_load(fixture, 300, 0x1000, 16, "next");
	assert_string_equal(name_at(fixture, 0x1008, 150), "moving");
	assert_string_equal(name_at(fixture, 0x5008, 250), "moving");
	assert_string_equal(name_at(fixture, 0x1008, 350), "next");
	assert_true(jitdump_find(fixture->jitdump, 0x5009, 250, &symbol));
	assert_int_equal(symbol.line, 9);
}

static void test_lines(void **state)
{
	struct fixture *fixture = *state;
	struct jitdump_symbol symbol;

	put_header(fixture, 0);
	put_lines(fixture, 0x1000);
	put_load(fixture, 100, 0x1000, 16, "f");
	put_load(fixture, 100, 0x2000, 16, "g");
	assert_true(jitdump_find(fixture->jitdump, 0x1007, 150, &symbol));
	assert_string_equal(symbol.file, "a.js");
	assert_int_equal(symbol.line, 7);
	assert_true(jitdump_find(fixture->jitdump, 0x1008, 150, &symbol));
	assert_string_equal(symbol.file, "a.js");
	assert_int_equal(symbol.line, 9);
	assert_true(jitdump_find(fixture->jitdump, 0x2000, 150, &symbol));
	assert_null(symbol.file);
}

static void test_hostile_records_end_the_file(void **state)
{
	static const uint32_t tiny[4] = { 0, 8, 0, 0 };
	struct fixture *fixture = *state;

	put_header(fixture, 0);
	put_load(fixture, 100, 0x1000, 16, "good");
	put(fixture, tiny, sizeof(tiny));
	put_load(fixture, 100, 0x2000, 16, "behind");
	assert_string_equal(name_at(fixture, 0x1000, 150), "good");
	assert_string_equal(name_at(fixture, 0x2000, 150), "");
	assert_true(jitdump_is_broken(fixture->jitdump));
}

static void test_not_a_jitdump(void **state)
{
	static const char text[64] = "1000 10 this is a perf map\n";
	struct fixture *fixture = *state;

	put(fixture, text, sizeof(text));
	assert_string_equal(name_at(fixture, 0x1000, 1), "");
	assert_true(jitdump_is_broken(fixture->jitdump));
}

static void corpus_check(const char *name, uint32_t count, uint64_t address,
			 const char *wanted)
{
	char path[128];
	struct fixture fixture = { .strings = strings_new() };

	snprintf(path, sizeof(path), "../shared/corpus/jit/%s", name);
	fixture.fd = open(path, O_RDONLY);
	assert_true(fixture.fd >= 0);
	fixture.jitdump = jitdump_new(fixture.fd, fixture.strings);
	assert_string_equal(name_at(&fixture, address, JITDUMP_ANY_TIME),
			    wanted);
	assert_int_equal(jitdump_count(fixture.jitdump), count);
	jitdump_free(fixture.jitdump);
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
	corpus_check("jit-simple-julia.dump", 13, 0x7bea23b00000,
		     "julia_include_0");
	corpus_check("jit-1560413.dump", 20, 0, "");
	corpus_check("jit-julia-partial.dump", 0, 0x7bea23b00000, "");
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_file_grows),
		TEST(test_many_pieces),
		TEST(test_c28_reused_code_is_split_by_time),
		TEST(test_code_that_runs_before_its_record),
		TEST(test_c31_records_out_of_order),
		TEST(test_c31_flag_is_not_believed),
		TEST(test_c31_another_clock_is_ignored),
		TEST(test_moved_code),
		TEST(test_lines),
		TEST(test_hostile_records_end_the_file),
		TEST(test_not_a_jitdump),
		TEST(test_c29_corpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
