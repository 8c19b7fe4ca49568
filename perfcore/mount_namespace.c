#include "perfcore/mount_namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perfcore/mem.h"
#include "perfcore/procfs.h"

struct pinned {
	uint64_t inode;
	int fd;
	uint64_t used; /* number of the use */
};

struct mount_namespaces {
	const char *root;
	uint64_t own;
	uint64_t uses;
	size_t count;
	struct pinned items[MOUNT_NAMESPACES_MAX];
};

/* Opens a namespace file; it is no regular file, and no FIFO either. */
static int open_namespace(const char *path, uint64_t *inode)
{
	struct stat stat;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &stat)) {
		close(fd);
		return -EIO;
	}
	*inode = stat.st_ino;
	return fd;
}

struct mount_namespaces *mount_namespaces_new(const char *root)
{
	struct mount_namespaces *namespaces =
		mem_calloc(1, sizeof(*namespaces));
	int fd;

	namespaces->root = root;
	fd = open_namespace("/proc/self/ns/mnt", &namespaces->own);
	if (fd >= 0)
		close(fd);
	return namespaces;
}

void mount_namespaces_free(struct mount_namespaces *namespaces)
{
	if (!namespaces)
		return;
	mount_namespaces_drop(namespaces);
	free(namespaces);
}

uint64_t mount_namespaces_own(const struct mount_namespaces *namespaces)
{
	return namespaces->own;
}

/* Its place among the pinned ones; their count where it is none of them. */
static size_t find(const struct mount_namespaces *namespaces, uint64_t inode)
{
	size_t i = 0;

	while (i < namespaces->count && namespaces->items[i].inode != inode)
		i++;
	return i;
}

static struct pinned *free_place(struct mount_namespaces *namespaces)
{
	struct pinned *oldest = &namespaces->items[0];

	if (namespaces->count < MOUNT_NAMESPACES_MAX)
		return &namespaces->items[namespaces->count++];
	for (size_t i = 1; i < namespaces->count; i++) {
		if (namespaces->items[i].used < oldest->used)
			oldest = &namespaces->items[i];
	}
	close(oldest->fd);
	return oldest;
}

uint64_t mount_namespaces_pin(struct mount_namespaces *namespaces, uint32_t pid)
{
	char path[512];
	uint64_t inode;
	size_t place;
	int fd;

	if (!namespaces->root ||
	    !procfs_path(path, sizeof(path), namespaces->root,
			 "/proc/%u/ns/mnt", pid))
		return 0;
	fd = open_namespace(path, &inode);
	if (fd < 0)
		return 0;
	place = find(namespaces, inode);
	if (place < namespaces->count || inode == namespaces->own) {
		if (place < namespaces->count)
			namespaces->items[place].used = ++namespaces->uses;
		close(fd);
		return inode;
	}
	*free_place(namespaces) =
		(struct pinned){ inode, fd, ++namespaces->uses };
	return inode;
}

bool mount_namespaces_has(const struct mount_namespaces *namespaces,
			  uint64_t inode)
{
	return find(namespaces, inode) < namespaces->count;
}

size_t mount_namespaces_drop(struct mount_namespaces *namespaces)
{
	size_t count = namespaces->count;

	for (size_t i = 0; i < count; i++)
		close(namespaces->items[i].fd);
	namespaces->count = 0;
	return count;
}

struct visit {
	int namespace_fd;
	const char *path;
	int flags;
	int result; /* fd or -errno */
};

static int visit_namespace(void *argument)
{
	struct visit *visit = argument;

	if (setns(visit->namespace_fd, CLONE_NEWNS)) {
		visit->result = -errno;
		return 0;
	}
	visit->result = open(visit->path, visit->flags | O_RDONLY | O_CLOEXEC |
						  O_NONBLOCK | O_NOCTTY);
	if (visit->result < 0)
		visit->result = -errno;
	return 0;
}

/*
 * setns(2) moves the caller's root and working directory too, and refuses one
 * that shares them with another thread. So a child goes there: it shares our
 * memory and descriptors, so that what it opens is ours, but not our place in
 * the file system; we wait (CLONE_VFORK) until it has ended. No SIGCHLD.
 */
static int visit_by_child(struct visit *visit)
{
	const size_t stack_size = 65536;
	char *stack = mem_alloc(stack_size);
	pid_t child = clone(visit_namespace, stack + stack_size,
			    CLONE_VM | CLONE_FILES | CLONE_VFORK, visit);

	if (child < 0)
		visit->result = -errno;
	else
		while (waitpid(child, NULL, __WALL) < 0 && errno == EINTR)
			;
	free(stack);
	return visit->result;
}

int mount_namespaces_open(struct mount_namespaces *namespaces, uint64_t inode,
			  const char *path, int flags)
{
	struct visit visit = { .path = path, .flags = flags, .result = -EIO };
	size_t place = find(namespaces, inode);

	if (place == namespaces->count)
		return -ESRCH;
	namespaces->items[place].used = ++namespaces->uses;
	visit.namespace_fd = namespaces->items[place].fd;
	return visit_by_child(&visit);
}
