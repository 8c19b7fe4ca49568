/* The tree of cgroups: ids, walks, mounts. The clock is the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "fake_sys.h"
#include "perfcore/cgroup.h"
#include "tree.h"

#define UNIFIED "sys/fs/cgroup/unified"

static struct tree tree;
static struct strings *strings;
static struct notes notes;

static int setup(void **state)
{
	(void)state;
	fake_sys_reset("0");
	tree_make(&tree);
	strings = strings_new();
	notes_init(&notes);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	notes_destroy(&notes);
	strings_free(strings);
	tree_remove(&tree);
	return 0;
}

static void cgroup_walks_the_whole_tree(void **state)
{
	struct cgroups *cgroups;
	uint64_t id;

	(void)state;
	tree_write_text(&tree, "proc/self/mountinfo", TREE_V2);
	tree_mkdir(&tree, UNIFIED "/a/b/c");
	tree_mkdir(&tree, UNIFIED "/a/d");
	tree_mkdir(&tree, UNIFIED "/e");
	tree_write_text(&tree, UNIFIED "/a/d/cgroup.procs", "812\n900\n");
	cgroups = cgroups_new(tree.root, strings, &notes);
	assert_int_equal(cgroups_counts(cgroups).ids, 6);
	assert_string_equal(cgroups_path(cgroups, tree_inode(&tree, UNIFIED)),
			    "/");
	id = tree_inode(&tree, UNIFIED "/a/b/c");
	assert_string_equal(cgroups_path(cgroups, id), "/a/b/c");
	assert_int_equal(cgroups_id(cgroups, "/a/b/c"), id);
	assert_int_equal(cgroups_id(cgroups, "/nowhere"), 0);
	assert_int_equal(cgroups_member(cgroups, "/a/d"), 812);
	assert_int_equal(cgroups_member(cgroups, "/e"), 0);
	assert_int_equal(notes.count, 0);
	cgroups_free(cgroups);
}

static void cgroup_walks_again_at_most_once_a_second(void **state)
{
	struct cgroups *cgroups;
	uint64_t id;

	(void)state;
	tree_write_text(&tree, "proc/self/mountinfo", TREE_V2);
	tree_mkdir(&tree, UNIFIED);
	cgroups = cgroups_new(tree.root, strings, &notes);
	tree_mkdir(&tree, UNIFIED "/late");
	id = tree_inode(&tree, UNIFIED "/late");
	for (int i = 0; i < 100; i++)
		assert_null(cgroups_path(cgroups, id));
	assert_int_equal(cgroups_counts(cgroups).walks, 1);
	fake_sys.clock_ns += 1000000000;
	assert_string_equal(cgroups_path(cgroups, id), "/late");
	for (int i = 0; i < 100; i++)
		assert_null(cgroups_path(cgroups, 1ull << 60));
	assert_int_equal(cgroups_counts(cgroups).walks, 2);
	cgroups_free(cgroups);
}

static void cgroup_keeps_what_is_gone_C62(void **state)
{
	struct cgroups *cgroups;
	uint64_t id;

	(void)state;
	tree_write_text(&tree, "proc/self/mountinfo", TREE_V2);
	tree_mkdir(&tree, UNIFIED "/gone");
	id = tree_inode(&tree, UNIFIED "/gone");
	cgroups = cgroups_new(tree.root, strings, &notes);
	assert_int_equal(rmdir(tree_path(&tree, UNIFIED "/gone")), 0);
	fake_sys.clock_ns += 5000000000;
	assert_null(cgroups_path(cgroups, 1ull << 60));
	assert_string_equal(cgroups_path(cgroups, id), "/gone");
	cgroups_add(cgroups, id, "/../reused/");
	assert_string_equal(cgroups_path(cgroups, id), "/reused");
	cgroups_free(cgroups);
}

/* In a container only a part of the hierarchy may be mounted. */
static void cgroup_of_a_part_that_is_mounted(void **state)
{
	struct cgroups *cgroups;
	uint64_t id;

	(void)state;
	tree_write_text(&tree, "proc/self/mountinfo",
			"9 8 0:3 /docker/x /sys/fs/cgroup ro - cgroup2 c rw\n");
	tree_mkdir(&tree, "sys/fs/cgroup/child");
	id = tree_inode(&tree, "sys/fs/cgroup/child");
	cgroups = cgroups_new(tree.root, strings, &notes);
	assert_string_equal(cgroups_path(cgroups, id), "/docker/x/child");
	assert_int_equal(cgroups_id(cgroups, "/docker/x/child"), id);
	assert_int_equal(cgroups_id(cgroups, "/other"), 0);
	cgroups_free(cgroups);
}

static void cgroup_strips_the_deepest_mount(void **state)
{
	struct cgroups *cgroups;

	(void)state;
	tree_write_text(&tree, "proc/self/mountinfo",
			"1 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
			"2 1 0:2 / /sys/fs/cgroup/cpu rw - cgroup c rw,cpu\n"
			"3 1 0:3 / /proc rw - proc proc rw\n");
	tree_mkdir(&tree, "sys/fs/cgroup");
	cgroups = cgroups_new(tree.root, strings, &notes);
	assert_string_equal(
		cgroups_strip_mount(cgroups, "/sys/fs/cgroup/cpu/web"), "/web");
	assert_string_equal(
		cgroups_strip_mount(cgroups, "/sys/fs/cgroup/cpuset/web"),
		"/cpuset/web");
	assert_null(cgroups_strip_mount(cgroups, "/sys/fs/cgroups/web"));
	assert_null(cgroups_strip_mount(cgroups, "/proc/1"));
	cgroups_free(cgroups);
}

static void cgroup_without_a_tree_says_so(void **state)
{
	struct cgroups *cgroups = cgroups_new(tree.root, strings, &notes);

	(void)state;
	assert_null(cgroups_path(cgroups, 7));
	assert_int_equal(cgroups_member(cgroups, "/x"), 0);
	assert_int_equal(notes.count, 1);
	cgroups_add(cgroups, 7, "/seven");
	assert_string_equal(cgroups_path(cgroups, 7), "/seven");
	cgroups_free(cgroups);
}

static void cgroup_paths_are_made_plain(void **state)
{
	static const char *const rows[][2] = {
		{ "", "/" },	       { "/", "/" },
		{ "//", "/" },	       { "/..", "/" },
		{ "/../../a", "/a" },  { "/a/./b//c/", "/a/b/c" },
		{ "a", "/a" },	       { "/a (deleted)", "/a" },
		{ " (deleted)", "/" }, { "/...", "/..." },
	};
	char path[8192];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(cgroup_path_plain(strings, rows[i][0]),
				    rows[i][1]);
	memset(path, 'x', sizeof(path));
	for (size_t i = 0; i < sizeof(path); i += 100)
		path[i] = '/';
	path[sizeof(path) - 1] = '\0';
	assert_true(strlen(cgroup_path_plain(strings, path)) < 4096);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(cgroup_walks_the_whole_tree),
		TEST(cgroup_walks_again_at_most_once_a_second),
		TEST(cgroup_keeps_what_is_gone_C62),
		TEST(cgroup_of_a_part_that_is_mounted),
		TEST(cgroup_strips_the_deepest_mount),
		TEST(cgroup_without_a_tree_says_so),
		TEST(cgroup_paths_are_made_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
