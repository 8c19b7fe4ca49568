/*
 * Containers over fixture trees: tests/fixtures/containers/LAYOUT.tree holds
 * a layout's files and what must be found in it, as README there says.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "fake_sys.h"
#include "perfcore/cgroup.h"
#include "perfcore/container.h"
#include "perfcore/container_match.h"
#include "tree.h"

#define FIXTURES "tests/fixtures/containers"
#define CORPUS	 "../shared/corpus/proc/coroot-cgroup"

static const char *const kinds[] = { "unknown", "root", "slice",
				     "group",	"unit", "container" };

/* "-- a/file --" and "-- a/link -> target --" begin what the lines up to the
 * next one of "--", "?", "=" or "#" hold. Returns where that next one is. */
static char *tree_unpack(const struct tree *tree, char *line)
{
	char *end = strstr(line, " --\n"), *arrow, *body, *next;

	assert_non_null(end);
	*end = '\0';
	body = end + 4;
	for (next = body; *next && !strchr("-?#", *next);) {
		next = strchr(next, '\n');
		assert_non_null(next);
		next++;
	}
	arrow = strstr(line, " -> ");
	if (arrow) {
		*arrow = '\0';
		assert_int_equal(symlink(arrow + 4, tree_path(tree, line + 3)),
				 0);
	} else if (end[-1] == '/') {
		tree_path(tree, line + 3);
	} else {
		tree_write(tree, line + 3, body, (size_t)(next - body));
	}
	return next;
}

/* What a fixture's "=" line says, in its order. */
static void describe(const struct container *container, char *out, size_t size)
{
	const struct container *parent = container->parent;

	snprintf(out, size, "%s %s \"%s\" %.12s%s%s%s%s",
		 kinds[container->kind],
		 *container->runtime ? container->runtime : "-",
		 container->name, *container->id ? container->id : "-",
		 *container->scope ? " scope=" : "", container->scope,
		 parent ? " in=" : "", parent ? parent->name : "");
}

/* "? CGROUP-PATH [pid=N] [comm=X]" and on the next line "= …": the path "-"
 * is that of the process, from /proc. */
static char *tree_query(struct containers *containers, const char *layout,
			char *line, int *failures)
{
	static uint64_t next_id = 1u << 30;
	char *end = strchr(line, '\n'), *want = end + 1, *option;
	struct event_cgroup event = { .id = next_id++ };
	const char *comm = NULL;
	uint32_t pid = 0;
	char got[1024];

	assert_non_null(end);
	*end = '\0';
	assert_int_equal(*want, '=');
	end = strchrnul(want, '\n');
	if (*end)
		*end++ = '\0';
	option = strstr(line, " comm=");
	if (option) {
		*option = '\0';
		comm = option + 6;
	}
	option = strstr(line, " pid=");
	if (option) {
		*option = '\0';
		pid = (uint32_t)atoi(option + 5);
	}
	event.path = line + 2;
	if (strcmp(event.path, "-") == 0)
		event.id = 0;
	else
		containers_event_cgroup(containers, &event, false);
	describe(containers_of(containers, event.id, pid, comm), got,
		 sizeof(got));
	if (strcmp(got, want + 2) != 0) {
		print_error("%s: %s\n  want %s\n  got  %s\n", layout, line,
			    want + 2, got);
		++*failures;
	}
	return end;
}

static int layout_check(const char *layout, int *failures)
{
	char path[512];
	struct strings *strings = strings_new();
	struct containers *containers = NULL;
	struct tree tree;
	char *text, *at;
	int queries = 0;

	snprintf(path, sizeof(path), FIXTURES "/%s", layout);
	text = tree_file_read(path);
	assert_non_null(text);
	tree_make(&tree);
	for (at = text; *at;) {
		if (*at == '-') {
			at = tree_unpack(&tree, at);
		} else if (*at == '?') {
			if (!containers)
				containers = containers_new(tree.root, strings,
							    NULL);
			at = tree_query(containers, layout, at, failures);
			queries++;
		} else {
			at = strchrnul(at, '\n');
			at += *at == '\n';
		}
	}
	containers_free(containers);
	strings_free(strings);
	tree_remove(&tree);
	free(text);
	return queries;
}

static void container_layouts_C62(void **state)
{
	DIR *list = opendir(FIXTURES);
	struct dirent *item;
	int layouts = 0, queries = 0, failures = 0;

	(void)state;
	assert_non_null(list);
	while ((item = readdir(list))) {
		if (!strstr(item->d_name, ".tree"))
			continue;
		queries += layout_check(item->d_name, &failures);
		layouts++;
	}
	closedir(list);
	assert_int_equal(failures, 0);
	assert_true(layouts >= 16);
	assert_true(queries >= layouts);
}

/* What the corpus's INDEX.md says of each file, and for the files that it
 * says nothing of, what stands in them. */
static void container_of_proc_cgroup_corpus(void **state)
{
	static const struct {
		const char *file, *want;
	} rows[] = {
		{ "100", "unit systemd \"docker.service\" -" },
		{ "1000", "unit systemd \"getty@tty1.service\" -" },
		{ "200", "container docker \"[b43d92bf1e5c]\" b43d92bf1e5c" },
		{ "2000", "container - \"[95cbe853416f]\" 95cbe853416f" },
		{ "300", "container - \"[17db96a24ae1]\" 17db96a24ae1" },
		{ "3000", "container lxc \"first\" -" },
		{ "400", "container docker \"[73051af27110]\" 73051af27110" },
		{ "500", "container docker \"[ba7b10d15d16]\" ba7b10d15d16" },
		{ "550", "unit systemd \"ssh.service\" -" },
		{ "600", "unit systemd \"springboot.service\" -" },
		{ "700", "group - \"/podruntime/runtime\" -" },
		{ "800", "container docker \"[cf87ba651579]\" cf87ba651579" },
		{ "900", "unit systemd \"python-app.service\" -" },
	};
	struct strings *strings = strings_new();
	struct containers *containers;
	struct tree tree;
	char path[256], got[1024];

	(void)state;
	if (access(CORPUS, R_OK) != 0) {
		strings_free(strings);
		printf("skip container_of_proc_cgroup_corpus: no %s\n", CORPUS);
		skip();
	}
	tree_make(&tree);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text;

		snprintf(path, sizeof(path), CORPUS "/%s.cgroup", rows[i].file);
		text = tree_file_read(path);
		assert_non_null(text);
		snprintf(path, sizeof(path), "proc/%s/cgroup", rows[i].file);
		tree_write(&tree, path, text, strlen(text));
		free(text);
	}
	containers = containers_new(tree.root, strings, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t pid = (uint32_t)atoi(rows[i].file);

		describe(containers_of(containers, 0, pid, NULL), got,
			 sizeof(got));
		assert_string_equal(got, rows[i].want);
	}
	assert_string_equal(containers_of(containers, 0, 300, NULL)->pod,
			    "6a4ce4a0-ba47-11ea-b2a7-0cc47ac5979e");
	containers_free(containers);
	strings_free(strings);
	tree_remove(&tree);
}

#define ID_A "b43d92bf1e5c6f78bb9b7bc6f40721280299855ba692092716e3a1b6c0b86f3f"

static void container_id_is_the_inode_of_the_v2_directory(void **state)
{
	struct strings *strings = strings_new();
	struct containers *containers;
	struct tree tree;
	uint64_t id;

	(void)state;
	tree_make(&tree);
	tree_write_text(
		&tree, "proc/self/mountinfo",
		"32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
		"rubbish\n" TREE_V2);
	tree_mkdir(&tree, "sys/fs/cgroup/cpu/docker/" ID_A);
	tree_mkdir(&tree, "sys/fs/cgroup/unified/system.slice/web.service");
	id = tree_inode(&tree,
			"sys/fs/cgroup/unified/system.slice/web.service");
	containers = containers_new(tree.root, strings, NULL);
	assert_string_equal(containers_of(containers, id, 0, NULL)->name,
			    "web.service");
	assert_string_equal(containers_path(containers, id, 0),
			    "/system.slice/web.service");
	/* The id of another hierarchy means nothing here. */
	id = tree_inode(&tree, "sys/fs/cgroup/cpu/docker/" ID_A);
	assert_int_equal(containers_of(containers, id, 0, NULL)->kind,
			 CONTAINER_UNKNOWN);
	containers_free(containers);
	strings_free(strings);
	tree_remove(&tree);
}

/* A v1 perf_event hierarchy owns the ids where there is one. */
static void container_id_is_of_v1_perf_event_where_mounted(void **state)
{
	struct strings *strings = strings_new();
	struct containers *containers;
	const struct container *container;
	struct tree tree;

	(void)state;
	tree_make(&tree);
	tree_write_text(
		&tree, "proc/self/mountinfo",
		TREE_V2
		"32 31 0:29 / /sys/fs/cgroup/perf\\040event rw shared:9 "
		"- cgroup cgroup rw,perf_event\n");
	tree_mkdir(&tree, "sys/fs/cgroup/perf event/docker/" ID_A);
	tree_mkdir(&tree, "sys/fs/cgroup/unified/other.slice");
	containers = containers_new(tree.root, strings, NULL);
	container = containers_of(
		containers,
		tree_inode(&tree, "sys/fs/cgroup/perf event/docker/" ID_A), 0,
		"httpd");
	assert_string_equal(container->name, "[b43d92bf1e5c] httpd");
	assert_string_equal(container->id, ID_A);
	assert_false(container->is_named);
	containers_free(containers);
	strings_free(strings);
	tree_remove(&tree);
}

static void container_keeps_what_was_removed_and_reused_C62(void **state)
{
	struct strings *strings = strings_new();
	struct containers *containers;
	const struct container *first, *second, *third;
	struct event_cgroup event = { 77, "/web" };
	struct tree tree;

	(void)state;
	tree_make(&tree);
	tree_write_text(&tree, "proc/self/mountinfo", TREE_V2);
	tree_mkdir(&tree, "sys/fs/cgroup/unified");
	tree_write_text(&tree, "run/runc/first/state.json",
			"{\"id\":\"first\",\"cgroup_paths\":{\"\":"
			"\"/sys/fs/cgroup/unified/web\"}}");
	containers = containers_new(tree.root, strings, NULL);
	containers_event_cgroup(containers, &event, true);
	first = containers_of(containers, 77, 0, "spin");
	assert_string_equal(first->name, "first");

	/* It ends; its samples are still its own. */
	unlink(tree_path(&tree, "run/runc/first/state.json"));
	rmdir(tree_path(&tree, "run/runc/first"));
	assert_ptr_equal(containers_of(containers, 77, 0, "spin"), first);

	/* Another one under the same path, then one with the same id. */
	tree_write_text(&tree, "run/runc/second/state.json",
			"{\"id\":\"second\",\"cgroup_paths\":{\"\":"
			"\"/sys/fs/cgroup/unified/web\"}}");
	event.id = 78;
	containers_event_cgroup(containers, &event, true);
	second = containers_of(containers, 78, 0, "spin");
	assert_string_equal(second->name, "second");
	assert_string_equal(first->name, "first");
	assert_ptr_equal(containers_of(containers, 77, 0, "spin"), first);
	event = (struct event_cgroup){ 77, "/web" };
	containers_event_cgroup(containers, &event, false);
	assert_ptr_equal(containers_of(containers, 77, 0, "spin"), first);
	assert_ptr_equal(containers_of(containers, 78, 0, "spin"), second);

	/* One without a name does not get that of the next at its path. */
	event = (struct event_cgroup){ 79, "/late" };
	containers_event_cgroup(containers, &event, true);
	third = containers_of(containers, 79, 0, "spin");
	event.id = 80;
	containers_event_cgroup(containers, &event, true);
	tree_write_text(&tree, "run/runc/fourth/state.json",
			"{\"id\":\"fourth\",\"cgroup_paths\":{\"\":"
			"\"/sys/fs/cgroup/unified/late\"}}");
	fake_sys.clock_ns += 100000000;
	containers_retry(containers);
	assert_string_equal(containers_of(containers, 80, 0, NULL)->name,
			    "fourth");
	assert_string_equal(third->name, "/late");
	event = (struct event_cgroup){ 77, "/docker/" ID_A };
	containers_event_cgroup(containers, &event, true);
	assert_string_equal(containers_of(containers, 77, 0, NULL)->id, ID_A);
	assert_string_equal(first->name, "first");
	containers_free(containers);
	strings_free(strings);
	tree_remove(&tree);
}

static void container_name_is_found_when_its_file_comes_late(void **state)
{
	struct strings *strings = strings_new();
	struct containers *containers;
	const struct container *container;
	struct event_cgroup event = { 77, "/docker/" ID_A };
	struct tree tree;

	(void)state;
	tree_make(&tree);
	containers = containers_new(tree.root, strings, NULL);
	containers_event_cgroup(containers, &event, true);
	container = containers_of(containers, 77, 5, "spin");
	assert_string_equal(container->name, "[b43d92bf1e5c] spin");
	containers_of(containers, 77, 5, "java");
	containers_of(containers, 77, 5, "java");
	assert_string_equal(container->name, "[b43d92bf1e5c] java");
	assert_int_equal(containers_counts(containers).unnamed, 1);
	tree_write_text(&tree,
			"var/lib/docker/containers/" ID_A "/config.v2.json",
			"{\"Name\":\"/web\"}");
	containers_retry(containers);
	assert_false(container->is_named);
	fake_sys.clock_ns += 5000000;
	containers_retry(containers);
	assert_string_equal(container->name, "web");
	assert_true(container->is_named);
	assert_int_equal(containers_counts(containers).unnamed, 0);
	containers_free(containers);
	strings_free(strings);
	tree_remove(&tree);
}

static void container_reads_nothing_without_a_root(void **state)
{
	struct strings *strings = strings_new();
	struct containers *containers = containers_new(NULL, strings, NULL);
	struct event_cgroup event = { 1, "/" };

	(void)state;
	assert_int_equal(
		containers_of(containers, 0, (uint32_t)getpid(), NULL)->kind,
		CONTAINER_UNKNOWN);
	assert_string_equal(containers_of(containers, 9, 3, NULL)->name,
			    "[cgroup 9]");
	containers_event_cgroup(containers, &event, false);
	assert_int_equal(containers_of(containers, 1, 2, NULL)->kind,
			 CONTAINER_ROOT);
	assert_int_equal(containers_counts(containers).lookups, 0);
	containers_free(containers);
	strings_free(strings);
}

static void container_asks_again_after_an_exec(void **state)
{
	struct strings *strings = strings_new();
	struct event event = { .kind = EVENT_COMM, .pid = 7, .tid = 7 };
	struct containers *containers;
	struct tree tree;

	(void)state;
	event.comm.is_exec = true;
	tree_make(&tree);
	tree_write_text(&tree, "proc/7/cgroup", "0::/system.slice/a.service\n");
	containers = containers_new(tree.root, strings, NULL);
	assert_string_equal(containers_of(containers, 0, 7, NULL)->name,
			    "a.service");
	tree_write_text(&tree, "proc/7/cgroup",
			"0::/system.slice/b.service (deleted)\n");
	assert_string_equal(containers_of(containers, 0, 7, NULL)->name,
			    "a.service");
	containers_event(containers, &event);
	assert_string_equal(containers_of(containers, 0, 7, NULL)->name,
			    "b.service");
	containers_free(containers);
	strings_free(strings);
	tree_remove(&tree);
}

static void fork_event(struct containers *containers, uint32_t pid,
		       uint32_t parent)
{
	struct event event = { .kind = EVENT_FORK, .pid = pid, .tid = pid };

	event.fork.parent_pid = event.fork.parent_tid = parent;
	containers_event(containers, &event);
}

static void container_of_a_process_gone_is_its_parents(void **state)
{
	struct strings *strings = strings_new();
	struct event exit = { .kind = EVENT_EXIT, .pid = 9, .tid = 9 };
	struct containers *containers;
	struct tree tree;

	(void)state;
	tree_make(&tree);
	tree_write_text(&tree, "proc/7/cgroup", "0::/system.slice/a.service\n");
	containers = containers_new(tree.root, strings, NULL);
	fork_event(containers, 8, 7);
	fork_event(containers, 9, 8);
	fork_event(containers, 10, 10);
	fork_event(containers, 11, 12);
	fork_event(containers, 12, 11);
	assert_string_equal(containers_of(containers, 0, 9, NULL)->name,
			    "a.service");
	for (uint32_t pid = 10; pid <= 12; pid++)
		assert_int_equal(containers_of(containers, 0, pid, NULL)->kind,
				 CONTAINER_UNKNOWN);
	/* A new process under an old pid, of a parent that nobody knows. */
	containers_event(containers, &exit);
	assert_int_equal(containers_of(containers, 0, 9, NULL)->kind,
			 CONTAINER_UNKNOWN);
	tree_write_text(&tree, "proc/9/cgroup", "0::/system.slice/b.service\n");
	fork_event(containers, 9, 7);
	assert_string_equal(containers_of(containers, 0, 9, NULL)->name,
			    "b.service");
	containers_free(containers);
	strings_free(strings);
	tree_remove(&tree);
}

static void container_matches_name_id_and_pod(void **state)
{
	struct container outer = {
		.name = "outer", .id = "", .pod = "", .scope = ""
	};
	struct container container = { .name = "web-0/nginx",
				       .id = ID_A,
				       .pod = "web-0",
				       .scope = "shop",
				       .parent = &outer };

	(void)state;
	assert_true(container_matches(&container, "web-0/nginx"));
	assert_true(container_matches(&container, "nginx"));
	assert_true(container_matches(&container, "shop/web-0/nginx"));
	assert_true(container_matches(&container, "b43d"));
	assert_true(container_matches(&container, ID_A));
	assert_true(container_matches(&container, "outer"));
	assert_false(container_matches(&container, "b43"));
	assert_false(container_matches(&container, "web"));
	assert_false(container_matches(&container, "ngin"));
	assert_false(container_matches(&container, ""));
	assert_false(container_matches(&container, "xshop/web-0/nginx"));
	assert_true(container_path_matches("/a/b", "/a"));
	assert_true(container_path_matches("/a/b", "a/"));
	assert_true(container_path_matches("/a/b", "/"));
	assert_true(container_path_matches("/a/b", "/a/b"));
	assert_false(container_path_matches("/ab", "/a"));
	assert_false(container_path_matches("/a", "/a/b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(container_layouts_C62),
		cmocka_unit_test(container_of_proc_cgroup_corpus),
		cmocka_unit_test(container_id_is_the_inode_of_the_v2_directory),
		cmocka_unit_test(
			container_id_is_of_v1_perf_event_where_mounted),
		cmocka_unit_test(
			container_keeps_what_was_removed_and_reused_C62),
		cmocka_unit_test(
			container_name_is_found_when_its_file_comes_late),
		cmocka_unit_test(container_reads_nothing_without_a_root),
		cmocka_unit_test(container_asks_again_after_an_exec),
		cmocka_unit_test(container_of_a_process_gone_is_its_parents),
		cmocka_unit_test(container_matches_name_id_and_pod),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
