/* Builds a fake root directory with a /proc below it, and removes it. */
#ifndef TESTS_PROC_TREE_H
#define TESTS_PROC_TREE_H

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char tree_root[64];

static inline void tree_path(char *path, size_t size, const char *name)
{
	if ((size_t)snprintf(path, size, "%s/%s", tree_root, name) >= size)
		abort();
	for (char *slash = path + strlen(tree_root) + 1;
	     (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

/* Makes a file (and the directories above it) of size bytes. */
static inline void tree_bytes(const char *name, const void *bytes, size_t size)
{
	char path[512];
	FILE *file;

	tree_path(path, sizeof(path), name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static inline void tree_text(const char *name, const char *text)
{
	tree_bytes(name, text, strlen(text));
}

static inline void tree_link(const char *name, const char *target)
{
	char path[512];

	tree_path(path, sizeof(path), name);
	unlink(path);
	assert_int_equal(symlink(target, path), 0);
}

static inline int tree_remove_one(const char *path, const struct stat *stat,
				  int flag, struct FTW *ftw)
{
	(void)stat, (void)flag, (void)ftw;
	return remove(path);
}

static inline void tree_remove(const char *name)
{
	char path[512];

	tree_path(path, sizeof(path), name);
	nftw(path, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline int tree_setup(void **state)
{
	(void)state;
	snprintf(tree_root, sizeof(tree_root), "/tmp/hostprof-tree.%s",
		 "\130\130\130\130\130\130"); /* mkdtemp's six X */
	return mkdtemp(tree_root) ? 0 : -1;
}

static inline int tree_teardown(void **state)
{
	(void)state;
	return nftw(tree_root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* One process with one thread, started at ticks. */
static inline void tree_process(unsigned pid, const char *comm, unsigned ticks,
				const char *maps)
{
	char name[64], text[512];

	snprintf(name, sizeof(name), "proc/%u/stat", pid);
	snprintf(text, sizeof(text),
		 "%u (%s) S 1 %u %u 0 -1 4194304 97 0 0 0 3 1 0 0 20 0 1 0 %u "
		 "2703360 216 18446744073709551615 0 0\n",
		 pid, comm, pid, pid, ticks);
	tree_text(name, text);
	snprintf(name, sizeof(name), "proc/%u/status", pid);
	snprintf(text, sizeof(text),
		 "Name:\tx\nTgid:\t%u\nUid:\t0\t1000\t0\t0\nNSpid:\t%u\t7\n",
		 pid, pid);
	tree_text(name, text);
	snprintf(name, sizeof(name), "proc/%u/task/%u/comm", pid, pid);
	snprintf(text, sizeof(text), "%s\n", comm);
	tree_text(name, text);
	snprintf(name, sizeof(name), "proc/%u/maps", pid);
	tree_text(name, maps);
}

#endif
