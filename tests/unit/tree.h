/*
 * A directory of a test's own that stands for a machine's root: /proc, /sys,
 * /etc and the files of container runtimes, made as the test needs them.
 */
#ifndef TESTS_TREE_H
#define TESTS_TREE_H

#include <stddef.h>
#include <stdint.h>

struct tree {
	char root[64];
};

void tree_make(struct tree *tree);
void tree_remove(struct tree *tree);

/* The whole path of one below the root, its directories made; valid until
 * the next call. */
const char *tree_path(const struct tree *tree, const char *path);

/* In text, "^" stands for a NUL (arguments in /proc/PID/cmdline). */
void tree_write(const struct tree *tree, const char *path, const char *text,
		size_t size);
void tree_write_text(const struct tree *tree, const char *path,
		     const char *text);
void tree_mkdir(const struct tree *tree, const char *path);
uint64_t tree_inode(const struct tree *tree, const char *path);

/* A file's text (at most 1 MB), to be released with free(); or NULL. */
char *tree_file_read(const char *path);

/* mountinfo of a machine whose v2 tree is at /sys/fs/cgroup/unified. */
#define TREE_V2                                                                \
	"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 "   \
	"rw\n"

#endif
