/* procfs.c: hostile text, in memory before a NUL and in a fake /proc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfcore/procfs.h"
#include "proc_tree.h"

#define CORPUS "../shared/corpus/proc/"

static bool parse(const char *text, struct procfs_mapping *mapping)
{
	static char line[8192];

	snprintf(line, sizeof(line), "%s", text);
	return procfs_parse_mapping(line, mapping);
}

static void mapping_plain(void **state)
{
	struct procfs_mapping mapping;

	(void)state;
	assert_true(parse("7f151476e000-7f1514779000 r-xs 0000b000 10d:1b "
			  "72809479       /lib/x y.so (deleted)",
			  &mapping));
	assert_int_equal(mapping.start, 0x7f151476e000);
	assert_int_equal(mapping.end, 0x7f1514779000);
	assert_int_equal(mapping.protection, PROT_READ | PROT_EXEC);
	assert_true(mapping.is_shared);
	assert_int_equal(mapping.page_offset, 0xb000);
	assert_int_equal(mapping.major, 0x10d);
	assert_int_equal(mapping.minor, 0x1b);
	assert_int_equal(mapping.inode, 72809479);
	assert_string_equal(mapping.path, "/lib/x y.so (deleted)");
}

static void mapping_without_name(void **state)
{
	struct procfs_mapping mapping;

	(void)state;
	assert_true(parse("1000-2000 ---p 00000000 00:00 0 ", &mapping));
	assert_string_equal(mapping.path, "");
	assert_int_equal(mapping.protection, 0);
	assert_true(parse("1000-2000 rwxp 00000000 00:00 0", &mapping));
	assert_string_equal(mapping.path, "");
	assert_true(parse("ffffffffff600000-ffffffffff601000 --xp 00000000 "
			  "00:00 0                  [vsyscall]",
			  &mapping));
	assert_string_equal(mapping.path, "[vsyscall]");
}

static void mapping_newlines_in_name(void **state)
{
	struct procfs_mapping mapping;

	(void)state;
	assert_true(
		parse("1000-2000 r-xp 0 0:1 5 /a\\012b\\012\\01", &mapping));
	assert_string_equal(mapping.path, "/a\nb\n\\01");
}

static void mapping_hostile(void **state)
{
	static const char *const lines[] = {
		"",
		"-",
		"1000",
		"1000-2000",
		"1000-2000 r-xp",
		"1000-2000 r-xp ",
		"2000-1000 r-xp 0 0:1 5 /a",
		"1000-1000 r-xp 0 0:1 5 /a",
		"g000-2000 r-xp 0 0:1 5 /a",
		"10000000000000000-20000000000000000 r-xp 0 0:1 5 /a",
		"1000-2000 r-xp 10000000000000000 0:1 5 /a",
		"1000-2000 r-xp 0 100000000:1 5 /a",
		"1000-2000 r-xp 0 0:1 18446744073709551616 /a",
		"1000-2000 r-xp 0 0:1 x /a",
		"1000-2000 r-xpp 0 0:1 5 /a",
		"1000-2000  r-xp 0 0:1 5 /a",
		" 1000-2000 r-xp 0 0:1 5 /a",
		"-1000-2000 r-xp 0 0:1 5 /a",
		"+1000-2000 r-xp 0 0:1 5 /a",
	};
	struct procfs_mapping mapping;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_false(parse(lines[i], &mapping));
}

static void stat_from_last_bracket(void **state)
{
	struct procfs_stat stat;

	(void)state;
	assert_true(procfs_parse_stat(
		"42 (a b) S\n1 ;x) R 7 42 42 0 -1 4194304 97 0 0 0 31 12 0 0 "
		"20 0 3 0 81234 2703360 216\n",
		&stat));
	assert_int_equal(stat.pid, 42);
	assert_string_equal(stat.comm, "a b) S\n1 ;x");
	assert_int_equal(stat.state, 'R');
	assert_int_equal(stat.parent_pid, 7);
	assert_int_equal(stat.user_ticks, 31);
	assert_int_equal(stat.system_ticks, 12);
	assert_int_equal(stat.n_threads, 3);
	assert_int_equal(stat.start_ticks, 81234);
}

static void stat_hostile(void **state)
{
	static const char *const texts[] = {
		"",
		"42",
		"42 ",
		"42 (",
		"42 (a",
		"42 (a)",
		"42 (a) ",
		"42 (a) R",
		"42 (a) R 1 2 3",
		"42 )a( R 1 2 3",
		"x (a) R 1 1 1",
		"42 (a) R 1 1 1 1 1 1 1 1 1 1 x 1 1 1 1 1 1 1 1 1 1",
	};
	struct procfs_stat stat;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_false(procfs_parse_stat(texts[i], &stat));
}

static void stat_long_comm_is_cut(void **state)
{
	struct procfs_stat stat;
	char text[512];

	(void)state;
	snprintf(text, sizeof(text),
		 "42 (%0100d) R 7 42 42 0 -1 4194304 97 0 0 0 31 12 0 0 20 0 3 "
		 "0 81234 2703360\n",
		 0);
	assert_true(procfs_parse_stat(text, &stat));
	assert_int_equal(strlen(stat.comm), PROCFS_COMM_MAX - 1);
}

static void files_of_a_process(void **state)
{
	struct procfs_status status;
	struct procfs_stat stat;
	char comm[PROCFS_COMM_MAX], link[64];

	(void)state;
	tree_process(42, "a) b\nc", 77, "");
	tree_link("proc/42/exe", "/usr/bin/thing (deleted)");
	assert_int_equal(procfs_stat(tree_root, 42, 42, &stat), 0);
	assert_string_equal(stat.comm, "a) b\nc");
	assert_int_equal(stat.start_ticks, 77);
	assert_int_equal(procfs_status(tree_root, 42, &status), 0);
	assert_int_equal(status.tgid, 42);
	assert_int_equal(status.uid, 1000);
	assert_int_equal(status.namespace_pid, 7);
	assert_int_equal(procfs_comm(tree_root, 42, 42, comm), 0);
	assert_string_equal(comm, "a) b\nc");
	assert_int_equal(procfs_link(tree_root, 42, "exe", link, sizeof(link)),
			 0);
	assert_string_equal(link, "/usr/bin/thing (deleted)");
	assert_int_equal(procfs_stat(tree_root, 43, 43, &stat), -ENOENT);
	assert_int_equal(procfs_status(tree_root, 43, &status), -ENOENT);
	assert_int_equal(procfs_comm(tree_root, 43, 43, comm), -ENOENT);
	assert_int_equal(procfs_link(tree_root, 43, "exe", link, sizeof(link)),
			 -ENOENT);
}

static void status_of_old_kernel_and_garbage(void **state)
{
	struct procfs_status status;

	(void)state;
	tree_text("proc/1/status", "Name:\tx\nTgid:\t1\nUid:\t3\t4\t5\t6\n");
	assert_int_equal(procfs_status(tree_root, 1, &status), 0);
	assert_int_equal(status.uid, 4);
	assert_int_equal(status.namespace_pid, 1);
	tree_text("proc/1/status", "Name:\tx\nTgid:\tz\n");
	assert_int_equal(procfs_status(tree_root, 1, &status), -EBADMSG);
	tree_text("proc/1/status", "Name:\tx\nTgid:\t1\nUid:\t3\n");
	assert_int_equal(procfs_status(tree_root, 1, &status), -EBADMSG);
}

static void numbers_of_a_directory(void **state)
{
	struct procfs_numbers numbers;
	uint64_t sum = 0, count = 0;
	uint32_t number;
	char path[512];

	(void)state;
	for (int i = 1; i <= 500; i++) {
		snprintf(path, sizeof(path), "d/%d/x", i * 1000);
		tree_text(path, "");
	}
	tree_text("d/self/x", "");
	tree_text("d/12x", "");
	tree_text("d/4294967296", "");
	assert_true(procfs_path(path, sizeof(path), tree_root, "/d"));
	assert_int_equal(procfs_numbers_open(&numbers, path), 0);
	while (procfs_numbers_next(&numbers, &number) > 0) {
		sum += number;
		count++;
	}
	procfs_numbers_close(&numbers);
	assert_int_equal(count, 500);
	assert_int_equal(sum, 1000 * 500 * 501 / 2);
	assert_int_equal(procfs_numbers_open(&numbers, "/nonexistent"),
			 -ENOENT);
}

static void lines_of_all_lengths(void **state)
{
	static struct procfs_lines lines;
	static char text[PROCFS_LINE_MAX * 3];
	static const size_t lengths[] = {
		0,
		1,
		100,
		PROCFS_LINE_MAX - 2,
		PROCFS_LINE_MAX - 1,
		PROCFS_LINE_MAX,
		PROCFS_LINE_MAX * 2,
	};
	char path[512], *line;

	(void)state;
	assert_true(procfs_path(path, sizeof(path), tree_root, "/lines"));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		size_t at = 0;

		at += (size_t)snprintf(text, sizeof(text), "first\n");
		memset(text + at, 'x', lengths[i]);
		at += lengths[i];
		at += (size_t)snprintf(text + at, sizeof(text) - at, "\nlast");
		tree_bytes("lines", text, at);
		assert_int_equal(procfs_lines_open(&lines, path), 0);
		assert_int_equal(procfs_lines_next(&lines, &line), 1);
		assert_string_equal(line, "first");
		if (lengths[i] < PROCFS_LINE_MAX - 1) {
			assert_int_equal(procfs_lines_next(&lines, &line), 1);
			assert_int_equal(strlen(line), lengths[i]);
		}
		assert_int_equal(procfs_lines_next(&lines, &line), 1);
		assert_string_equal(line, "last");
		assert_int_equal(procfs_lines_next(&lines, &line), 0);
		assert_int_equal(lines.skipped,
				 lengths[i] >= PROCFS_LINE_MAX - 1);
		procfs_lines_close(&lines);
	}
}

/* Counts the lines of a maps file of the corpus, all of which must parse. */
static void parse_corpus(const char *command, const char *file, int want,
			 int want_code)
{
	struct procfs_lines lines;
	struct procfs_mapping mapping;
	char path[128], shell[512], *line;
	uint64_t last = 0;
	int count = 0, code = 0;

	snprintf(path, sizeof(path), "%s/maps", tree_root);
	snprintf(shell, sizeof(shell), "%s " CORPUS "%s >%s", command, file,
		 path);
	assert_int_equal(system(shell), 0);
	assert_int_equal(procfs_lines_open(&lines, path), 0);
	while (procfs_lines_next(&lines, &line) > 0) {
		assert_true(procfs_parse_mapping(line, &mapping));
		assert_true(mapping.start >= last);
		last = mapping.end;
		count++;
		code += (mapping.protection & PROT_EXEC) != 0;
	}
	procfs_lines_close(&lines);
	assert_int_equal(count, want);
	assert_int_equal(code, want_code);
}

static void corpus_maps(void **state)
{
	(void)state;
	if (access(CORPUS "bcc-dummy_proc_map.txt", R_OK)) {
		printf("skip corpus_maps: no ../shared/corpus\n");
		skip();
	}
	parse_corpus("zcat", "ddprof-step1.maps.gz", 1759, 40);
	parse_corpus("zcat", "ddprof-step2.maps.gz", 1759, 40);
	parse_corpus("cat", "bcc-dummy_proc_map.txt", 45, 13);
	parse_corpus("xzcat", "blazesym-proc-maps-large.xz", 7066, 343);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mapping_plain),
		cmocka_unit_test(mapping_without_name),
		cmocka_unit_test(mapping_newlines_in_name),
		cmocka_unit_test(mapping_hostile),
		cmocka_unit_test(stat_from_last_bracket),
		cmocka_unit_test(stat_hostile),
		cmocka_unit_test(stat_long_comm_is_cut),
		cmocka_unit_test(files_of_a_process),
		cmocka_unit_test(status_of_old_kernel_and_garbage),
		cmocka_unit_test(numbers_of_a_directory),
		cmocka_unit_test(lines_of_all_lengths),
		cmocka_unit_test(corpus_maps),
	};

	return cmocka_run_group_tests(tests, tree_setup, tree_teardown);
}
