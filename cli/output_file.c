#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfcore/mem.h"

#define LINKS_MAX 40 /* as the kernel's own limit for one path */

/* On the way to a directory: where we are, and the path still to go. A
 * leading slash of rest means the root. */
struct walk {
	int directory;
	char *rest;
	int n_links;
};

static bool is_writable_by_all(int directory)
{
	struct stat status;

	return fstat(directory, &status) != 0 || (status.st_mode & S_IWOTH);
}

/* Puts the text of the link part before what is still to go. */
static int expand_link(struct walk *walk, const char *part)
{
	char target[4096];
	ssize_t size =
		readlinkat(walk->directory, part, target, sizeof(target));
	char *rest;

	if (is_writable_by_all(walk->directory) || ++walk->n_links > LINKS_MAX)
		return -ELOOP;
	if (size < 0)
		return -errno;
	if ((size_t)size == sizeof(target))
		return -ENAMETOOLONG;
	rest = mem_printf("%.*s/%s", (int)size, target, walk->rest);
	free(walk->rest);
	walk->rest = rest;
	return 0;
}

static int go_to(struct walk *walk, int directory)
{
	if (directory < 0)
		return -errno;
	if (walk->directory >= 0)
		close(walk->directory);
	walk->directory = directory;
	return 0;
}

static int step(struct walk *walk)
{
	size_t length = strcspn(walk->rest, "/");
	size_t slashes = strspn(walk->rest + length, "/");
	char *part = mem_strndup(walk->rest, length);
	struct stat status;
	int result = 0;
	int fd;

	memmove(walk->rest, walk->rest + length + slashes,
		strlen(walk->rest + length + slashes) + 1);
	if (length == 0)
		fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	else
		fd = openat(walk->directory, part,
			    O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) != 0) {
		result = -errno;
	} else if (S_ISLNK(status.st_mode)) {
		result = expand_link(walk, part);
		close(fd);
	} else {
		result = go_to(walk, fd);
	}
	free(part);
	return result;
}

/* Opens a directory without trusting links that anybody could have made.
 * Returns its O_PATH fd or -errno. */
static int open_directory(const char *path)
{
	struct walk walk = { .directory = -1, .rest = mem_strdup(path) };
	int result = go_to(&walk, open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));

	while (result == 0 && *walk.rest)
		result = step(&walk);
	free(walk.rest);
	if (result && walk.directory >= 0)
		close(walk.directory);
	return result ? result : walk.directory;
}

/*
 * Devices and pipes take the bytes directly: a rename would put a file in
 * the place of /dev/null. Returns the fd, -ENOENT where the name is free or
 * stands for something that a rename may replace, or another -errno.
 */
static int open_special(const struct output_file *out)
{
	bool is_shared = is_writable_by_all(out->directory);
	struct stat status;
	int fd;

	if (fstatat(out->directory, out->name, &status,
		    is_shared ? AT_SYMLINK_NOFOLLOW : 0) != 0)
		return -ENOENT;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (S_ISREG(status.st_mode) || S_ISLNK(status.st_mode))
		return -ENOENT;
	if (is_shared && status.st_uid != geteuid())
		return -EACCES;
	fd = openat(out->directory, out->name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? -errno : fd;
}

static int open_temporary(struct output_file *out)
{
	for (int tries = 0; tries < 16; tries++) {
		uint64_t number = 0;

		if (getrandom(&number, sizeof(number), 0) < 0)
			return -errno;
		snprintf(out->temporary, sizeof(out->temporary),
			 ".hostprof-%016llx", (unsigned long long)number);
		out->fd = openat(out->directory, out->temporary,
				 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
					 O_CLOEXEC,
				 0600);
		if (out->fd >= 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static void release(struct output_file *out)
{
	if (out->fd > STDERR_FILENO)
		close(out->fd);
	if (out->directory >= 0)
		close(out->directory);
	free(out->path);
	free(out->name);
	*out = (struct output_file){ .fd = -1, .directory = -1 };
}

static int open_in_directory(struct output_file *out)
{
	const char *slash = strrchr(out->path, '/');
	char *parent =
		slash ? mem_strndup(out->path, (size_t)(slash - out->path) + 1)
		      : mem_strdup(".");

	out->name = mem_strdup(slash ? slash + 1 : out->path);
	out->directory = open_directory(parent);
	free(parent);
	if (out->directory < 0)
		return out->directory;
	if (!*out->name)
		return -EISDIR;
	out->fd = open_special(out);
	if (out->fd == -ENOENT)
		return open_temporary(out);
	return out->fd < 0 ? out->fd : 0;
}

int output_file_open(struct output_file *out, const char *path,
		     struct error *error)
{
	int result;

	*out = (struct output_file){ .fd = -1, .directory = -1 };
	out->path = mem_strdup(path);
	if (strcmp(path, "-") == 0) {
		out->fd = STDOUT_FILENO;
		return 0;
	}
	result = open_in_directory(out);
	if (result == 0)
		return 0;
	error_set(error, result, "%s: cannot be created: %s%s", path,
		  strerror(-result),
		  result == -ELOOP ? " (in a directory that everybody can "
				     "write to, none is followed)"
				   : "");
	release(out);
	return result;
}

/* The directory's own entry must reach the disk too; where it cannot be
 * synced (no right to read it, a file system without), the rename stands. */
static void sync_directory(int directory)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

static int give_name(struct output_file *out)
{
	if (fsync(out->fd) != 0 && errno != EINVAL)
		return -errno;
	if (renameat(out->directory, out->temporary, out->directory,
		     out->name) != 0)
		return -errno;
	out->temporary[0] = '\0';
	sync_directory(out->directory);
	return 0;
}

int output_file_close(struct output_file *out, int result, struct error *error)
{
	const char *shown =
		strcmp(out->path, "-") == 0 ? "standard output" : out->path;

	if (result) {
		char text[ERROR_TEXT_MAX];

		snprintf(text, sizeof(text), "%s", error ? error->text : "");
		error_set(error, result, "%s: %s", shown, text);
	} else if (out->temporary[0]) {
		result = give_name(out);
		if (result)
			error_set(error, result, "%s: cannot be saved: %s",
				  shown, strerror(-result));
	}
	if (out->temporary[0])
		unlinkat(out->directory, out->temporary, 0);
	release(out);
	return result;
}
