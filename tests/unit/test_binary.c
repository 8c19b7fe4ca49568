/* binary.c: which names are files, and which files are one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perfcore/binary.h"

static struct strings *strings;
static struct binary_table *table;

static int setup(void **state)
{
	(void)state;
	strings = strings_new();
	table = binary_table_new(strings);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	binary_table_free(table);
	binary_table_free(NULL);
	strings_free(strings);
	return 0;
}

static struct binary_identity by_inode(const char *path, uint64_t inode,
				       uint64_t generation)
{
	return (struct binary_identity){ .path = path,
					 .major = 8,
					 .minor = 1,
					 .inode = inode,
					 .inode_generation = generation };
}

static struct binary_identity by_build_id(const char *path, uint8_t first)
{
	struct binary_identity id = { .path = path, .build_id_size = 20 };

	memset(id.build_id, 0x5a, sizeof(id.build_id));
	id.build_id[0] = first;
	return id;
}

static struct binary *get(struct binary_identity id)
{
	return binary_table_get(table, &id);
}

static void kinds_by_name(void **state)
{
	static const char *const memory[] = {
		"",	      "//anon",
		"[heap]",     "[stack]",
		"[stack:12]", "anon_inode:[perf_event]",
		"/dev/zero",  "/dev/zero (deleted)",
		"[anon:jit]", "/SYSV00000000 (deleted)",
		"[uprobes]",  "/anon_hugepage (deleted)",
	};
	static const char *const files[] = {
		"/bin/sh",   "/memfd:prog (deleted)",
		"/a b\nc",   "[vsyscall]",
		"//toolong", "/dev/shm/x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(memory) / sizeof(*memory); i++)
		assert_int_equal(binary_kind_of_path(memory[i]), BINARY_MEMORY);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		assert_int_equal(binary_kind_of_path(files[i]), BINARY_FILE);
	assert_int_equal(binary_kind_of_path("[vdso]"), BINARY_VDSO);
}

static void identity_is_not_the_path(void **state)
{
	struct binary *one = get(by_inode("/lib/x.so", 10, 1));

	(void)state;
	assert_ptr_equal(get(by_inode("/lib/x.so", 10, 1)), one);
	assert_ptr_not_equal(get(by_inode("/lib/x.so", 11, 1)), one);
	assert_ptr_not_equal(get(by_build_id("/lib/x.so", 1)), one);
	assert_ptr_not_equal(get(by_build_id("/lib/x.so", 1)),
			     get(by_build_id("/lib/x.so", 2)));
	/* The same file in another place, as a container sees it. */
	assert_ptr_equal(get(by_build_id("/lib/x.so", 1)),
			 get(by_build_id("/usr/lib/x.so", 1)));
	assert_int_equal(one->number, 0);
	assert_int_equal(binary_table_count(table), 4);
	assert_ptr_equal(binary_table_at(table, 0), one);
}

static void paths_of_known_files_are_not_kept(void **state)
{
	size_t bytes;
	char path[64];

	(void)state;
	get(by_build_id("/tmp/copy", 1));
	bytes = strings_bytes(strings);
	for (int i = 0; i < 1000; i++) {
		snprintf(path, sizeof(path), "/tmp/copy%d (deleted)", i);
		get(by_build_id(path, 1));
	}
	assert_int_equal(strings_bytes(strings), bytes);
}

static void path_alone_when_nothing_else(void **state)
{
	struct binary_identity id = { .path = "/lib/y.so" };

	(void)state;
	assert_ptr_equal(get(id), get(id));
	id.path = "/lib/z.so";
	assert_int_equal(get(id)->number, 1);
}

static void deleted_mark_is_cut(void **state)
{
	struct binary *binary = get(by_inode("/tmp/p (deleted)", 10, 0));

	(void)state;
	assert_string_equal(binary->id.path, "/tmp/p");
	assert_true(binary->is_deleted);
	/* Its number is free for a new file of that name, which is another. */
	assert_ptr_not_equal(get(by_inode("/tmp/p", 10, 0)), binary);
}

static void generation_tells_reused_inodes(void **state)
{
	struct binary *one = get(by_inode("/tmp/p", 10, 0));
	struct binary *two;

	(void)state;
	/* /proc/PID/maps has no generation, records have. */
	assert_ptr_equal(get(by_inode("/tmp/p", 10, 77)), one);
	two = get(by_inode("/tmp/p", 10, 78));
	assert_ptr_not_equal(two, one);
	assert_ptr_equal(get(by_inode("/tmp/p", 10, 78)), two);
}

static void memory_belongs_to_its_process(void **state)
{
	struct binary_identity id = { .kind = BINARY_MEMORY,
				      .path = "/tmp/perf-1.map",
				      .owner = 1 };
	struct binary *one = get(id);

	(void)state;
	assert_ptr_equal(get(id), one);
	id.owner = 2;
	assert_ptr_not_equal(get(id), one);
}

static void opened_file_becomes_an_alias(void **state)
{
	struct binary *known = get(by_build_id("/lib/x.so", 1));
	struct binary *seen = get(by_inode("/lib/x.so", 10, 0));
	struct binary_identity learned = by_build_id("", 1);

	(void)state;
	assert_ptr_not_equal(known, seen);
	seen->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	seen->state = BINARY_OPEN;
	assert_ptr_equal(binary_table_learn(table, seen, &learned), known);
	assert_ptr_equal(seen->alias, known);
	assert_ptr_equal(binary_resolve(seen), known);
	assert_int_equal(known->state, BINARY_OPEN);
	assert_int_equal(known->fd, seen->fd);
	/* From now on every look-up gives the one that stays. */
	assert_ptr_equal(get(by_inode("/lib/x.so", 10, 0)), known);
	assert_ptr_equal(binary_table_learn(table, seen, &learned), known);
	assert_true(fcntl(known->fd, F_GETFD) >= 0);
}

static void second_descriptor_is_closed(void **state)
{
	struct binary *known = get(by_build_id("/lib/x.so", 1));
	struct binary *seen = get(by_inode("/lib/x.so", 10, 0));
	struct binary_identity learned = by_build_id("", 1);
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	known->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	known->state = seen->state = BINARY_OPEN;
	seen->fd = fd;
	binary_table_learn(table, seen, &learned);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	assert_int_equal(seen->fd, known->fd);
}

static void learned_inode_finds_it(void **state)
{
	struct binary *binary = get(by_build_id("/lib/x.so", 1));
	struct binary_identity learned = by_build_id("", 1);

	(void)state;
	learned.major = 8;
	learned.minor = 1;
	learned.inode = 10;
	assert_ptr_equal(binary_table_learn(table, binary, &learned), binary);
	assert_ptr_equal(get(by_inode("/lib/x.so", 10, 0)), binary);
}

static void no_build_id_no_alias(void **state)
{
	struct binary *one = get(by_inode("/a", 10, 0));
	struct binary *two = get(by_inode("/b", 11, 0));
	struct binary_identity learned = { .path = "" };

	(void)state;
	assert_ptr_equal(binary_table_learn(table, one, &learned), one);
	assert_ptr_equal(binary_table_learn(table, two, &learned), two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_by_name),
		cmocka_unit_test_setup_teardown(identity_is_not_the_path, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			paths_of_known_files_are_not_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(path_alone_when_nothing_else,
						setup, teardown),
		cmocka_unit_test_setup_teardown(deleted_mark_is_cut, setup,
						teardown),
		cmocka_unit_test_setup_teardown(generation_tells_reused_inodes,
						setup, teardown),
		cmocka_unit_test_setup_teardown(memory_belongs_to_its_process,
						setup, teardown),
		cmocka_unit_test_setup_teardown(opened_file_becomes_an_alias,
						setup, teardown),
		cmocka_unit_test_setup_teardown(second_descriptor_is_closed,
						setup, teardown),
		cmocka_unit_test_setup_teardown(learned_inode_finds_it, setup,
						teardown),
		cmocka_unit_test_setup_teardown(no_build_id_no_alias, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
