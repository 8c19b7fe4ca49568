/* binary_file.c: the rungs, one after another, in a fake root; every wrong
 * file must be refused. What needs real namespaces: tests/live/files.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>

#include "perfcore/binary_file.h"
#include "proc_tree.h"

static struct strings *strings;
static struct binary_table *binaries;
static struct binary_files *files;
static struct process process;

static int setup(void **state)
{
	int status = tree_setup(state);

	strings = strings_new();
	binaries = binary_table_new(strings);
	files = binary_files_new(tree_root, binaries);
	process = (struct process){ .pid = 10,
				    .number = 1,
				    .uid = 1000,
				    .namespace_pid = 7,
				    .comm = "x",
				    .exe = "" };
	return status;
}

static int teardown(void **state)
{
	binary_files_free(files);
	binary_files_free(NULL);
	binary_table_free(binaries);
	strings_free(strings);
	return tree_teardown(state);
}

/* An ELF file with nothing but a build-id of twenty equal bytes. */
static void tree_elf(const char *name, uint8_t id)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		Elf64_Nhdr note;
		char owner[4];
		uint8_t id[20];
	} elf = { 0 };

	memcpy(elf.header.e_ident, ELFMAG, SELFMAG);
	elf.header.e_ident[EI_CLASS] = ELFCLASS64;
	elf.header.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
					      ? ELFDATA2LSB
					      : ELFDATA2MSB;
	elf.header.e_phoff = sizeof(elf.header);
	elf.header.e_phentsize = sizeof(elf.segment);
	elf.header.e_phnum = 1;
	elf.segment.p_type = PT_NOTE;
	elf.segment.p_offset = sizeof(elf.header) + sizeof(elf.segment);
	elf.segment.p_filesz = sizeof(elf.note) + 24;
	elf.segment.p_align = 4;
	elf.note = (Elf64_Nhdr){ 4, 20, NT_GNU_BUILD_ID };
	memcpy(elf.owner, "GNU", 4);
	memset(elf.id, id, 20);
	tree_bytes(name, &elf, sizeof(elf));
}

static struct mapping mapping_of(const struct binary_identity *id)
{
	return (struct mapping){ 0x1000, 0x2000, 0,
				 binary_table_get(binaries, id) };
}

static struct mapping by_build_id(const char *path, uint8_t build_id)
{
	struct binary_identity id = { .path = path, .build_id_size = 20 };

	memset(id.build_id, build_id, 20);
	return mapping_of(&id);
}

/* The identity that /proc/PID/maps would show for a file of the tree. */
static struct mapping by_inode(const char *path, const char *file)
{
	struct binary_identity id = { .path = path };
	struct stat stat_of;
	char name[512];

	tree_path(name, sizeof(name), file);
	assert_int_equal(stat(name, &stat_of), 0);
	id.major = major(stat_of.st_dev);
	id.minor = minor(stat_of.st_dev);
	id.inode = stat_of.st_ino;
	return mapping_of(&id);
}

static struct mapping memory(const char *path)
{
	struct binary_identity id = { .kind = BINARY_MEMORY,
				      .path = path,
				      .owner = 1 };

	return mapping_of(&id);
}

static void expect_open(struct mapping mapping, enum binary_rung rung)
{
	uint64_t before = binary_files_counts(files)->opened[rung];
	struct binary *binary = binary_files_open(files, &process, &mapping);

	assert_int_equal(binary->state, BINARY_OPEN);
	assert_true(fcntl(binary->fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(fcntl(binary->fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(binary_files_counts(files)->opened[rung], before + 1);
	/* Once is enough. */
	binary_files_open(files, &process, &mapping);
	assert_int_equal(binary_files_counts(files)->opened[rung], before + 1);
}

static void expect_absent(struct mapping mapping, int reason)
{
	struct binary *binary = binary_files_open(files, &process, &mapping);

	assert_int_equal(binary->state, BINARY_ABSENT);
	assert_int_equal(binary->open_errno, reason);
	assert_int_equal(binary->fd, -1);
}

static void c14_replaced_file_by_map_files(void **state)
{
	(void)state;
	tree_elf("proc/10/map_files/1000-2000", 1);
	tree_elf("proc/10/root/bin/prog", 2); /* what lies there now */
	tree_elf("bin/prog", 2);
	expect_open(by_build_id("/bin/prog (deleted)", 1), RUNG_MAP_FILES);
}

static void c14_executable_without_map_files(void **state)
{
	(void)state;
	tree_elf("proc/10/exe", 1);
	tree_elf("proc/10/root/bin/prog", 2);
	process.exe = "/bin/prog";
	expect_open(by_build_id("/bin/prog (deleted)", 1), RUNG_EXE);
}

static void c14_new_file_is_refused(void **state)
{
	struct notes notes;

	(void)state;
	tree_elf("proc/10/root/bin/prog", 2);
	tree_elf("bin/prog", 2);
	notes_init(&notes);
	binary_files_report(files, &notes);
	assert_int_equal(notes.count, 0);
	expect_absent(by_build_id("/bin/prog (deleted)", 1), ESTALE);
	assert_int_equal(binary_files_counts(files)->other_files, 1);
	binary_files_report(files, &notes);
	assert_int_equal(notes.count, 1);
	notes_destroy(&notes);
}

static void c17_root_of_the_process_before_the_host(void **state)
{
	(void)state;
	tree_elf("proc/10/root/lib/x.so", 1);
	tree_elf("lib/x.so", 2);
	expect_open(by_inode("/lib/x.so", "proc/10/root/lib/x.so"), RUNG_ROOT);
	assert_int_equal(binary_table_at(binaries, 0)->id.build_id_size, 20);
	assert_int_equal(binary_table_at(binaries, 0)->id.build_id[0], 1);
}

static void c17_links_stay_in_the_root(void **state)
{
	(void)state;
	tree_elf("proc/10/root/real/x.so", 1);
	tree_elf("real/x.so", 2);
	tree_link("proc/10/root/lib", "/real");
	expect_open(by_build_id("/lib/x.so", 1), RUNG_ROOT);
}

static void c17_host_file_of_same_path_is_refused(void **state)
{
	(void)state;
	tree_elf("somewhere/x.so", 1);
	tree_elf("lib/x.so", 1); /* the same content, yet another file */
	expect_absent(by_inode("/lib/x.so", "somewhere/x.so"), ESTALE);
}

static void c18_host_file_of_a_process_that_is_gone(void **state)
{
	(void)state;
	tree_elf("bin/prog", 1);
	process.has_ended = true;
	expect_open(by_build_id("/bin/prog", 1), RUNG_HOST);
}

static void deleted_inode_proves_nothing_by_path(void **state)
{
	struct mapping mapping;

	(void)state;
	tree_elf("bin/prog", 1);
	mapping = by_inode("/bin/prog", "bin/prog");
	mapping.binary->is_deleted = true; /* its number was given anew */
	process.has_ended = true;
	expect_absent(mapping, ESTALE);
}

static void path_alone_proves_nothing(void **state)
{
	struct binary_identity id = { .path = "/bin/prog" };

	(void)state;
	tree_elf("bin/prog", 1);
	tree_elf("proc/10/root/bin/prog", 1);
	expect_absent(mapping_of(&id), ESTALE);
}

static void what_is_no_file_does_not_block(void **state)
{
	char path[512];

	(void)state;
	tree_path(path, sizeof(path), "proc/10/map_files/1000-2000");
	assert_int_equal(mkfifo(path, 0600), 0);
	tree_path(path, sizeof(path), "bin/prog");
	assert_int_equal(mkfifo(path, 0600), 0);
	tree_text("proc/10/root/bin/prog/directory", "");
	expect_absent(by_build_id("/bin/prog", 1), ENOENT);
}

static void odd_names_are_absent(void **state)
{
	static const char *const names[] = {
		"[vsyscall]",	      "//toolong", "relative",
		"/memfd:x (deleted)", "/a\nb",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		expect_absent(by_build_id(names[i], (uint8_t)(i + 1)), ENOENT);
}

static void another_process_may_still_have_it(void **state)
{
	struct mapping mapping = by_build_id("/bin/prog (deleted)", 1);

	(void)state;
	process.has_ended = true;
	expect_absent(mapping, ENOENT);
	tree_elf("proc/20/map_files/1000-2000", 1);
	expect_absent(mapping, ENOENT); /* the same one is not asked again */
	process = (struct process){ .pid = 20, .number = 2, .exe = "" };
	expect_open(mapping, RUNG_MAP_FILES);
}

static void unified_by_what_the_file_says(void **state)
{
	struct mapping known = by_build_id("/bin/prog", 1), seen;
	struct binary *binary;

	(void)state;
	tree_elf("proc/10/root/bin/prog", 1);
	tree_elf("copy/of/prog", 1);
	expect_open(known, RUNG_ROOT);
	tree_elf("proc/10/map_files/1000-2000", 1);
	seen = by_inode("/opt/prog", "proc/10/map_files/1000-2000");
	assert_ptr_not_equal(seen.binary, known.binary);
	binary = binary_files_open(files, &process, &seen);
	assert_ptr_equal(binary, known.binary);
	assert_ptr_equal(seen.binary->alias, known.binary);
}

static void c27_perf_map_of_the_namespace(void **state)
{
	(void)state;
	tree_text("proc/10/root/tmp/perf-7.map", "1000 10 f\n");
	tree_text("tmp/perf-7.map", "1000 10 of_another_process\n");
	expect_open(memory("/tmp/perf-7.map"), RUNG_ROOT);
}

static void c27_host_tmp_is_another_process(void **state)
{
	struct mapping mapping = memory("/tmp/perf-7.map");

	(void)state;
	tree_text("tmp/perf-7.map", "1000 10 of_another_process\n");
	process.has_ended = true;
	expect_absent(mapping, ENOENT);
}

static void c27_host_tmp_after_the_end(void **state)
{
	(void)state;
	tree_text("tmp/perf-10.map", "1000 10 f\n");
	process.has_ended = true;
	process.namespace_pid = 10;
	expect_open(memory("/tmp/perf-10.map"), RUNG_HOST);
}

static void c27_owner_must_be_the_processs_or_root(void **state)
{
	char path[512];

	(void)state;
	if (geteuid()) {
		printf("skip c27_owner_must_be_the_processs_or_root: only "
		       "root can give files away\n");
		skip();
	}
	tree_text("proc/10/root/tmp/perf-7.map", "1000 10 f\n");
	tree_path(path, sizeof(path), "proc/10/root/tmp/perf-7.map");
	assert_int_equal(chown(path, 1234, 0), 0);
	expect_absent(memory("/tmp/perf-7.map"), ESTALE);
}

static void c27_no_link_for_a_perf_map(void **state)
{
	(void)state;
	tree_text("proc/10/root/etc/secret", "1000 10 f\n");
	tree_link("proc/10/root/tmp/perf-7.map", "/etc/secret");
	process.has_ended = false;
	expect_absent(memory("/tmp/perf-7.map"), ENOENT);
}

static void perf_map_is_looked_for_at_most_once_a_second(void **state)
{
	struct mapping mapping = memory("/tmp/perf-7.map");

	(void)state;
	expect_absent(mapping, ENOENT);
	tree_text("proc/10/root/tmp/perf-7.map", "1000 10 f\n");
	expect_absent(mapping, ENOENT);
}

static void other_kinds_are_left_alone(void **state)
{
	struct binary_identity id = { .kind = BINARY_VDSO, .path = "[vdso]" };
	struct mapping mapping = mapping_of(&id);

	(void)state;
	assert_ptr_equal(binary_files_open(files, &process, &mapping),
			 mapping.binary);
	assert_int_equal(mapping.binary->state, BINARY_UNOPENED);
}

static void descriptors_run_out(void **state)
{
	struct rlimit old, low;
	struct mapping mapping = by_build_id("/bin/prog", 1);

	(void)state;
	tree_elf("bin/prog", 1);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	low = old;
	low.rlim_cur = 40; /* fewer than are kept for other uses */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	expect_absent(mapping, EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(binary_files_counts(files)->no_descriptors, 1);
}

static void other_files_of_the_same_root(void **state)
{
	struct mapping mapping = by_build_id("/bin/prog", 1);
	int fd;

	(void)state;
	tree_elf("proc/10/root/bin/prog", 1);
	tree_text("proc/10/root/usr/lib/debug/prog.debug", "container's");
	tree_text("usr/lib/debug/prog.debug", "host's");
	tree_link("proc/10/ns/mnt", "mnt:[4026532999]");
	process.mount_namespace = 4026532999;
	expect_open(mapping, RUNG_ROOT);
	fd = binary_files_open_path(files, mapping.binary,
				    "/usr/lib/debug/prog.debug");
	assert_true(fd >= 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), strlen("container's"));
	close(fd);
	/* The pid is another container's by now. */
	tree_link("proc/10/ns/mnt", "mnt:[4026532111]");
	fd = binary_files_open_path(files, mapping.binary,
				    "/usr/lib/debug/prog.debug");
	assert_true(fd >= 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), strlen("host's"));
	close(fd);
	assert_int_equal(binary_files_open_path(files, mapping.binary, "x"),
			 -EINVAL);
	assert_int_equal(binary_files_open_path(files, mapping.binary, "/x"),
			 -ENOENT);
	assert_int_equal(binary_files_open_path(files, mapping.binary, "/usr"),
			 -ENOENT);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(c14_replaced_file_by_map_files),
		TEST(c14_executable_without_map_files),
		TEST(c14_new_file_is_refused),
		TEST(c17_root_of_the_process_before_the_host),
		TEST(c17_links_stay_in_the_root),
		TEST(c17_host_file_of_same_path_is_refused),
		TEST(c18_host_file_of_a_process_that_is_gone),
		TEST(deleted_inode_proves_nothing_by_path),
		TEST(path_alone_proves_nothing),
		TEST(what_is_no_file_does_not_block),
		TEST(odd_names_are_absent),
		TEST(another_process_may_still_have_it),
		TEST(unified_by_what_the_file_says),
		TEST(c27_perf_map_of_the_namespace),
		TEST(c27_host_tmp_is_another_process),
		TEST(c27_host_tmp_after_the_end),
		TEST(c27_owner_must_be_the_processs_or_root),
		TEST(c27_no_link_for_a_perf_map),
		TEST(perf_map_is_looked_for_at_most_once_a_second),
		TEST(other_kinds_are_left_alone),
		TEST(descriptors_run_out),
		TEST(other_files_of_the_same_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
