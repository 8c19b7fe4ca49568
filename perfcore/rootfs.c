#include "perfcore/rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perfcore/mem.h"

/* O_NONBLOCK: opening a FIFO that somebody left there must not wait. O_PATH
 * is refused by openat2 together with what it ignores. */
static int open_flags(int flags)
{
	return flags | O_RDONLY | O_CLOEXEC |
	       (flags & O_PATH ? 0 : O_NOCTTY | O_NONBLOCK);
}

static int open_below(const char *root, const char *path, int flags)
{
	struct open_how how = { .flags = (uint64_t)open_flags(flags),
				.resolve = RESOLVE_IN_ROOT };
	int root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (root_fd < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how));
	if (fd < 0)
		fd = -errno;
	close(root_fd);
	return fd;
}

/* Kernels before 5.6, and seccomp filters older than that, lack openat2:
 * the path is then taken as it is, but its last link is not followed. */
static int open_plain(const char *root, const char *path, int flags)
{
	char whole[ROOTFS_PATH_MAX];
	int size = snprintf(whole, sizeof(whole), "%s%s", root, path);
	int fd;

	if (size < 0 || (size_t)size >= sizeof(whole))
		return -ENAMETOOLONG;
	fd = open(whole, open_flags(flags) | (*root ? O_NOFOLLOW : 0));
	return fd < 0 ? -errno : fd;
}

int rootfs_open(const char *root, const char *path, int flags)
{
	int fd = *root ? open_below(root, path, flags) : -ENOSYS;

	if (fd == -ENOSYS || fd == -EPERM)
		fd = open_plain(root, path, flags);
	return fd;
}

/* /proc files say size 0: what can be read is what counts. */
static char *read_all(int fd, size_t limit, size_t *size)
{
	size_t capacity = 4096, used = 0;
	char *text = mem_alloc(capacity + 1);

	for (;;) {
		ssize_t got = read(fd, text + used, capacity - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			if (got == 0)
				break;
			free(text);
			return NULL;
		}
		used += (size_t)got;
		if (used > limit) {
			free(text);
			return NULL;
		}
		if (used == capacity) {
			capacity *= 2;
			text = mem_realloc(text, capacity + 1);
		}
	}
	text[used] = '\0';
	if (size)
		*size = used;
	return text;
}

char *rootfs_read(const char *root, const char *path, size_t limit,
		  size_t *size)
{
	int fd = rootfs_open(root, path, 0);
	struct stat status;
	char *text = NULL;
	size_t bound;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		bound = status.st_uid == 0 ? ROOTFS_FILE_MAX
					   : ROOTFS_FOREIGN_FILE_MAX;
		text = read_all(fd, limit < bound ? limit : bound, size);
	}
	close(fd);
	return text;
}

char *rootfs_read_at(const char *root, size_t *size, const char *format, ...)
{
	char path[ROOTFS_PATH_MAX];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof(path))
		return NULL;
	return rootfs_read(root, path, ROOTFS_FILE_MAX, size);
}

bool rootfs_has(const char *root, const char *path)
{
	int fd = rootfs_open(root, path, O_PATH | O_NOFOLLOW);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

DIR *rootfs_list(const char *root, const char *path)
{
	int fd = rootfs_open(root, path, O_DIRECTORY);
	DIR *directory;

	if (fd < 0)
		return NULL;
	directory = fdopendir(fd);
	if (!directory)
		close(fd);
	return directory;
}

const char *rootfs_next(DIR *directory)
{
	struct dirent *entry;

	do {
		entry = readdir(directory);
	} while (entry && (strcmp(entry->d_name, ".") == 0 ||
			   strcmp(entry->d_name, "..") == 0));
	return entry ? entry->d_name : NULL;
}
