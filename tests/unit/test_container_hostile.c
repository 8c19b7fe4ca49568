/* Containers whose runtimes' files are rubbish, missing, endless or traps. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfcore/container.h"
#include "perfcore/container_path.h"
#include "perfcore/mem.h"
#include "perfcore/rootfs.h"
#include "tree.h"

#define ID	      "b43d92bf1e5c6f78bb9b7bc6f40721280299855ba692092716e3a1b6c0b86f3f"
#define DOCKER_CONFIG "var/lib/docker/containers/" ID "/config.v2.json"
#define STORAGE	      "var/lib/containers/storage/overlay-containers/containers.json"
#define BUNDLE                                                                 \
	"run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config."   \
	"json"

static struct tree tree;

static int setup(void **state)
{
	(void)state;
	tree_make(&tree);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tree_remove(&tree);
	return 0;
}

/* The name that a new resolver finds for that path at the first look. */
static const char *name_of(const char *path)
{
	static char name[1024];
	struct strings *strings = strings_new();
	struct containers *containers =
		containers_new(tree.root, strings, NULL);
	struct event_cgroup event = { 5, path };

	containers_event_cgroup(containers, &event, false);
	snprintf(name, sizeof(name), "%s",
		 containers_of(containers, 5, 7, "comm")->name);
	containers_free(containers);
	strings_free(strings);
	return name;
}

#define UNNAMED "[b43d92bf1e5c] comm"

static void hostile_files_that_are_no_files(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(tree_path(&tree, DOCKER_CONFIG), 0644), 0);
	assert_int_equal(
		mkfifo(tree_path(&tree, "etc/docker/daemon.json"), 0644), 0);
	assert_int_equal(mkfifo(tree_path(&tree, STORAGE), 0644), 0);
	tree_mkdir(&tree, BUNDLE);
	assert_int_equal(symlink("/dev/zero", tree_path(&tree, "proc/7/stat")),
			 0);
	assert_string_equal(name_of("/docker/" ID), UNNAMED);
	assert_string_equal(name_of("/libpod_parent/libpod-" ID), UNNAMED);
	assert_string_equal(name_of("/kubepods/pod1-2/" ID), UNNAMED);
}

static void hostile_file_sizes(void **state)
{
	size_t size = ROOTFS_FILE_MAX + 1;
	char *text = mem_alloc(size);

	(void)state;
	memset(text, ' ', size);
	memcpy(text, "{\"Name\":\"/web\"}", 15);
	tree_write(&tree, DOCKER_CONFIG, text, size);
	assert_string_equal(name_of("/docker/" ID), UNNAMED);
	tree_write(&tree, DOCKER_CONFIG, text, 1 << 20);
	assert_string_equal(name_of("/docker/" ID), "web");
	tree_write(&tree, DOCKER_CONFIG, text, 0);
	assert_string_equal(name_of("/docker/" ID), UNNAMED);
	free(text);
}

static void hostile_json_is_deep(void **state)
{
	size_t size = 1 << 20;
	char *text = mem_alloc(size);

	(void)state;
	memset(text, '[', size);
	tree_write(&tree, DOCKER_CONFIG, text, size);
	tree_write(&tree, STORAGE, text, size);
	assert_string_equal(name_of("/docker/" ID), UNNAMED);
	memcpy(text + 100, ID, strlen(ID));
	tree_write(&tree, STORAGE, text, size);
	assert_string_equal(name_of("/libpod-" ID), UNNAMED);
	free(text);
}

static void hostile_json_of_other_types(void **state)
{
	static const char *const configs[] = {
		"{\"Name\":7}",
		"{\"Name\":\"\"}",
		"{\"Name\":\"/\"}",
		"[]",
		"\"text\"",
		"{\"Config\":[],\"Name\":null}",
		"{\"Config\":{\"Labels\":{\"io.kubernetes.pod.name\":1,"
		"\"io.kubernetes.container.name\":{}}}}",
	};
	static const char *const storages[] = {
		"[{\"id\":\"" ID "\"}]",
		"[{\"id\":\"" ID "\",\"names\":{}}]",
		"[{\"id\":\"" ID "\",\"names\":[]}]",
		"[{\"id\":\"" ID "\",\"names\":[[\"x\"]]}]",
		"[{\"id\":\"" ID "\",\"names\":[\"\"]}]",
		"{\"id\":\"" ID "\"",
		"[[\"" ID "\"]]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(configs) / sizeof(configs[0]); i++) {
		tree_write_text(&tree, DOCKER_CONFIG, configs[i]);
		assert_string_equal(name_of("/docker/" ID), UNNAMED);
	}
	for (size_t i = 0; i < sizeof(storages) / sizeof(storages[0]); i++) {
		tree_write_text(&tree, STORAGE, storages[i]);
		assert_string_equal(name_of("/libpod-" ID), UNNAMED);
	}
	tree_write_text(&tree, BUNDLE, "{\"annotations\":[1,2]}");
	assert_string_equal(name_of("/kubepods/pod1-2/" ID), UNNAMED);
	tree_write_text(&tree, "run/runc/x/state.json",
			"{\"cgroup_paths\":{\"\":7,\"cpu\":\"/web\"}}");
	tree_write_text(&tree, "run/crun/x/status",
			"{\"cgroup-path\":[\"/web\"]}");
	assert_string_equal(name_of("/web"), "/web");
}

/* Cut at each byte, and each byte changed: the name or none, no crash. */
static void hostile_json_is_damaged(void **state)
{
	static const char good[] =
		"[{\"id\":\"" ID "\",\"names\":[\"web\"],\"image\":\"\"}]";
	char text[sizeof(good)];

	(void)state;
	for (size_t i = 0; i < sizeof(good) - 1; i++) {
		tree_write(&tree, STORAGE, good, i);
		name_of("/libpod-" ID);
		memcpy(text, good, sizeof(good));
		text[i] = (char)(text[i] ^ 0x15);
		tree_write(&tree, STORAGE, text, sizeof(good) - 1);
		name_of("/libpod-" ID);
	}
}

static void hostile_names_are_shown_harmless(void **state)
{
	char text[4096], *name = text + 10;

	(void)state;
	tree_write_text(&tree, DOCKER_CONFIG,
			"{\"Name\":\"/a\\u001b[31mb\\nc\\u007f\"}");
	assert_string_equal(name_of("/docker/" ID), "a?[31mb?c?");
	assert_string_equal(name_of("/a\tb"), "/a?b");
	memcpy(text, "{\"Name\":\"/", 10);
	memset(name, 'n', 3000);
	memcpy(name + 3000, "\"}", 3);
	tree_write_text(&tree, DOCKER_CONFIG, text);
	assert_true(strlen(name_of("/docker/" ID)) >= 255);
}

static void hostile_links_stay_below_the_root(void **state)
{
	(void)state;
	tree_write_text(&tree, "inside/containers/" ID "/config.v2.json",
			"{\"Name\":\"/web\"}");
	assert_int_equal(
		symlink("/../../../inside", tree_path(&tree, "var/lib/docker")),
		0);
	assert_string_equal(name_of("/docker/" ID), "web");
	assert_int_equal(symlink("/etc", tree_path(&tree, "link")), 0);
	assert_false(rootfs_has(tree.root, "/link/passwd"));
	assert_true(rootfs_has(tree.root, "/link"));
	assert_null(rootfs_list(tree.root, "/link"));
	assert_null(rootfs_list(tree.root, "/../../etc"));
}

static void hostile_proc(void **state)
{
	(void)state;
	tree_write_text(
		&tree, "proc/self/mountinfo",
		"\n \n1 2 3\n1 2 3 4 5 - cgroup2\n"
		"1 2 3 / /x\\0 - cgroup2 \n1 2 3 / /y\\777 - cgroup2 c rw\n"
		"1 2 3 \\1 \\ - cgroup x perf_event");
	tree_write_text(&tree, "etc/passwd", ":::\n::::::\nx:y:7:7\n\n");
	tree_write_text(&tree, "proc/7/stat", "7 (x) S 7 7");
	tree_write_text(&tree, "proc/7/cmdline", "conmon^-c^");
	assert_string_equal(name_of("/user.slice/user-7.slice/libpod-" ID),
			    UNNAMED);
	tree_write_text(&tree, "proc/7/stat", ") S");
	tree_write_text(&tree, "proc/7/cmdline", "conmon^-c^" ID "^-n");
	assert_string_equal(name_of("/libpod-" ID), UNNAMED);
	tree_write_text(&tree, "proc/7/cmdline", "conmon^-n^web^-c^" ID);
	assert_string_equal(name_of("/libpod-" ID), "web");
}

/* Paths of pieces that mean something, in any order: the places found are
 * parts of the path, each longer than the one around it. */
static void hostile_paths(void **state)
{
	static const char *const pieces[] = {
		"/",
		"docker",
		"docker-",
		ID,
		".scope",
		"libpod-",
		"kubepods",
		"pod",
		"-pod1_2.slice",
		"lxc.payload.",
		"lxc",
		":",
		"\\x2d",
		"\\x",
		"machine-",
		"systemd-nspawn@",
		".service",
		"supervisor",
		"/init.scope",
		"snap.",
		"app-flatpak-",
		"-1",
		".slice",
		"lxc.monitor",
		"ecs",
		"buildkit",
		"\xff\xfe",
		"qemu-1-",
		"runc-",
		"/docker/" ID,
		"libpod-conmon-",
		"k8s.io",
	};
	struct strings *strings = strings_new();
	uint32_t random = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct place places[PLACES_MAX];
		char text[4096];
		const char *path;
		size_t used = 0, count, before = 0;

		for (uint32_t n = i % 23 + 1; n; n--) {
			random = random * 1103515245 + 12345;
			used += (size_t)snprintf(text + used,
						 sizeof(text) - used, "%s",
						 pieces[(random >> 16) % 32]);
		}
		path = strings_intern_n(strings, text, used);
		if (*path == '/' && !strstr(path, "//") &&
		    (used == 1 || path[used - 1] != '/')) {
			count = container_path_read(path, places);
			assert_in_range(count, 1, PLACES_MAX);
			for (size_t j = 0; j < count; j++) {
				assert_in_range(places[j].path_size, before + 1,
						used);
				before = places[j].path_size;
			}
		}
	}
	strings_free(strings);
}

/* More containers around each other than are kept: the inner ones stay. */
static void hostile_path_of_many_containers(void **state)
{
	struct place places[PLACES_MAX];
	char path[4096] = "";
	size_t used = 0;

	(void)state;
	for (int i = 0; i < 20; i++)
		used += (size_t)snprintf(path + used, sizeof(path) - used,
					 "/lxc.payload.n%d", i);
	assert_int_equal(container_path_read(path, places), PLACES_MAX);
	assert_string_equal(places[PLACES_MAX - 1].name, "n19");
	assert_string_equal(places[0].name, "n12");
	memset(path, 'x', 1000);
	memcpy(path, "/lxc.payload.", 13);
	path[1000] = '\0';
	assert_int_equal(container_path_read(path, places), 1);
	assert_int_equal(strlen(places[0].name), PLACE_TEXT - 1);
}

#define TEST(function)                                                         \
	cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hostile_files_that_are_no_files),
		TEST(hostile_file_sizes),
		TEST(hostile_json_is_deep),
		TEST(hostile_json_of_other_types),
		TEST(hostile_json_is_damaged),
		TEST(hostile_names_are_shown_harmless),
		TEST(hostile_links_stay_below_the_root),
		TEST(hostile_proc),
		TEST(hostile_paths),
		TEST(hostile_path_of_many_containers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
