/*
 * Mount namespaces kept alive, so that the files of a container can be read
 * after its last process has ended. An open descriptor on /proc/PID/ns/mnt
 * keeps one (one on /proc/PID/root keeps only its root's mount).
 */
#ifndef PERFCORE_MOUNT_NAMESPACE_H
#define PERFCORE_MOUNT_NAMESPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOUNT_NAMESPACES_MAX 256

struct mount_namespaces;

/* root as in process_table_config. */
struct mount_namespaces *mount_namespaces_new(const char *root);
void mount_namespaces_free(struct mount_namespaces *namespaces);

/* The inode of our own, whose files need no help; 0: not known. */
uint64_t mount_namespaces_own(const struct mount_namespaces *namespaces);

/* Keeps the one of a process, unless it is our own. The one used longest ago
 * goes where there are MOUNT_NAMESPACES_MAX. Returns its inode, 0: not known.
 */
uint64_t mount_namespaces_pin(struct mount_namespaces *namespaces,
			      uint32_t pid);

/* Whether a namespace is kept. */
bool mount_namespaces_has(const struct mount_namespaces *namespaces,
			  uint64_t inode);

/*
 * Opens an absolute path as a process in that namespace would, read-only,
 * without waiting for a FIFO. Returns an fd that the caller closes, or
 * -errno; -ESRCH where the namespace is not kept.
 */
int mount_namespaces_open(struct mount_namespaces *namespaces, uint64_t inode,
			  const char *path, int flags);

/* Lets go of all, to have descriptors for more urgent things; returns how
 * many there were. */
size_t mount_namespaces_drop(struct mount_namespaces *namespaces);

#endif
