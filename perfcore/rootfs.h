/*
 * Files below a root directory, read as hostile: sizes are bounded, FIFOs and
 * devices are refused, nothing waits. The root is "" for the running system,
 * a fixture tree in tests, or /proc/PID/root of a container: in the last two,
 * symbolic links and ".." cannot lead out of it (openat2(2)).
 */
#ifndef PERFCORE_ROOTFS_H
#define PERFCORE_ROOTFS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#define ROOTFS_PATH_MAX 4096

/* Bounds of what is read: files of root, and files that others can write
 * (users, containers): as JSON they take some 40 times their size. */
#define ROOTFS_FILE_MAX		(8u << 20)
#define ROOTFS_FOREIGN_FILE_MAX (1u << 20)

/* Opens an absolute path below root with extra flags (O_DIRECTORY, O_PATH).
 * Returns a file descriptor or -errno. */
int rootfs_open(const char *root, const char *path, int flags);

/*
 * Returns the file's bytes with a NUL behind them, to be released with
 * free(); NULL where it cannot be opened, is no regular file, or is larger
 * than limit (at most the bounds above). size may be NULL.
 */
char *rootfs_read(const char *root, const char *path, size_t limit,
		  size_t *size);

/* As rootfs_read, the path made from a format; cut paths give NULL. */
char *rootfs_read_at(const char *root, size_t *size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Whether something of that name is there, if only a dangling link. */
bool rootfs_has(const char *root, const char *path);

/* Opens a directory below root, to be released with closedir(); or NULL. */
DIR *rootfs_list(const char *root, const char *path);

/* The next name of a directory, "." and ".." left out; NULL at its end. */
const char *rootfs_next(DIR *directory);

#endif
