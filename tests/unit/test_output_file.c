/* Output files: whole under their name or not there, and no links followed. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/output_file.h"

static char directory[64];

static const char *in(const char *name)
{
	static char paths[4][256];
	static int next;

	next = (next + 1) % 4;
	snprintf(paths[next], sizeof(paths[next]), "%s/%s", directory, name);
	return paths[next];
}

static int enter(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/hostprof-output-%d",
		 (int)getpid());
	return mkdir(directory, 0700);
}

static int leave(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_holds(const char *path, const char *text)
{
	char found[64] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(fread(found, 1, sizeof(found) - 1, file) < sizeof(found));
	fclose(file);
	assert_string_equal(found, text);
}

static int entries(void)
{
	char command[96];
	FILE *list;
	int count = -1;

	snprintf(command, sizeof(command), "ls -A %s | wc -l", directory);
	list = popen(command, "r");
	assert_int_equal(fscanf(list, "%d", &count), 1);
	pclose(list);
	return count;
}

static void save(const char *path, const char *text)
{
	struct output_file out;
	struct error error = { "" };

	if (output_file_open(&out, path, &error))
		fail_msg("%s", error.text);
	assert_int_equal(write(out.fd, text, strlen(text)), strlen(text));
	assert_int_equal(output_file_close(&out, 0, &error), 0);
}

static void appears_whole_and_private(void **state)
{
	struct output_file out;
	struct stat status;

	(void)state;
	assert_int_equal(output_file_open(&out, in("new"), NULL), 0);
	assert_int_equal(write(out.fd, "bytes", 5), 5);
	assert_int_equal(access(in("new"), F_OK), -1);
	assert_int_equal(output_file_close(&out, 0, NULL), 0);
	assert_holds(in("new"), "bytes");
	assert_int_equal(stat(in("new"), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(entries(), 1);
}

static void failed_write_keeps_the_older_file(void **state)
{
	struct output_file out;
	struct error error = { "cannot write: No space left on device" };

	(void)state;
	put(in("file"), "old");
	assert_int_equal(output_file_open(&out, in("file"), NULL), 0);
	assert_int_equal(write(out.fd, "half", 4), 4);
	assert_int_equal(output_file_close(&out, -ENOSPC, &error), -ENOSPC);
	assert_non_null(strstr(error.text, in("file")));
	assert_non_null(strstr(error.text, "No space left"));
	assert_holds(in("file"), "old");
	assert_int_equal(entries(), 1);
}

static void replaces_the_older_file(void **state)
{
	(void)state;
	put(in("file"), "a longer old text");
	save(in("file"), "new");
	assert_holds(in("file"), "new");
}

static void link_at_the_name_is_replaced(void **state)
{
	struct stat status;

	(void)state;
	put(in("victim"), "precious");
	assert_int_equal(symlink(in("victim"), in("out")), 0);
	assert_int_equal(chmod(directory, 01777), 0);
	save(in("out"), "new");
	assert_holds(in("victim"), "precious");
	assert_int_equal(lstat(in("out"), &status), 0);
	assert_true(S_ISREG(status.st_mode));
}

static void no_link_is_followed_in_a_shared_directory(void **state)
{
	struct output_file out;
	struct error error;

	(void)state;
	assert_int_equal(mkdir(in("shared"), 0777), 0);
	assert_int_equal(chmod(in("shared"), 01777), 0);
	assert_int_equal(mkdir(in("private"), 0700), 0);
	assert_int_equal(symlink(in("private"), in("shared/link")), 0);
	assert_int_equal(output_file_open(&out, in("shared/link/f"), &error),
			 -ELOOP);
	assert_non_null(strstr(error.text, in("shared/link/f")));
	/* by way of a harmless link too */
	assert_int_equal(symlink("shared/link/", in("private/far")), 0);
	assert_int_equal(output_file_open(&out, in("private/far/f"), &error),
			 -ENOENT);
	assert_int_equal(symlink("../shared/link", in("private/up")), 0);
	assert_int_equal(output_file_open(&out, in("private/up/f"), &error),
			 -ELOOP);
	assert_int_equal(symlink("../private", in("private/self")), 0);
	save(in("private/self/self/f"), "fine");
	assert_holds(in("private/f"), "fine");
}

static void link_loop_ends(void **state)
{
	struct output_file out;

	(void)state;
	assert_int_equal(symlink("b", in("a")), 0);
	assert_int_equal(symlink("a", in("b")), 0);
	assert_int_equal(output_file_open(&out, in("a/f"), NULL), -ELOOP);
}

static void devices_and_pipes_are_written_to(void **state)
{
	struct output_file out;
	struct stat status;

	(void)state;
	save("/dev/null", "gone");
	assert_int_equal(stat("/dev/null", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
	assert_int_equal(output_file_open(&out, "/dev/full", NULL), 0);
	assert_int_equal(write(out.fd, "x", 1), -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(output_file_close(&out, -ENOSPC, NULL), -ENOSPC);
	assert_int_equal(access("/dev/full", F_OK), 0);
}

static void unusable_names_are_refused(void **state)
{
	struct output_file out;
	struct error error;

	(void)state;
	assert_int_equal(output_file_open(&out, in("no/where"), &error),
			 -ENOENT);
	assert_non_null(strstr(error.text, in("no/where")));
	assert_int_equal(output_file_open(&out, directory, &error), -EISDIR);
	assert_int_equal(output_file_open(&out, in(""), &error), -EISDIR);
	assert_int_equal(output_file_open(&out, in("."), &error), -EISDIR);
	assert_int_equal(entries(), 0);
}

static void relative_names(void **state)
{
	char before[4096];

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(directory), 0);
	assert_int_equal(mkdir("sub", 0700), 0);
	save("plain", "1");
	save("./sub//deep", "2");
	save("sub/../up", "3");
	assert_int_equal(chdir(before), 0);
	assert_holds(in("plain"), "1");
	assert_holds(in("sub/deep"), "2");
	assert_holds(in("up"), "3");
}

static void standard_output_stays_open(void **state)
{
	struct output_file out;

	(void)state;
	assert_int_equal(output_file_open(&out, "-", NULL), 0);
	assert_int_equal(out.fd, STDOUT_FILENO);
	assert_int_equal(output_file_close(&out, 0, NULL), 0);
	assert_true(fcntl(STDOUT_FILENO, F_GETFD) >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)
		TEST(appears_whole_and_private),
		TEST(failed_write_keeps_the_older_file),
		TEST(replaces_the_older_file),
		TEST(link_at_the_name_is_replaced),
		TEST(no_link_is_followed_in_a_shared_directory),
		TEST(link_loop_ends),
		TEST(devices_and_pipes_are_written_to),
		TEST(unusable_names_are_refused),
		TEST(relative_names),
		TEST(standard_output_stays_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
