#include "perfcore/binary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "perfcore/mem.h"
#include "perfcore/mount_namespace.h"
#include "perfcore/procfs.h"
#include "perfcore/rootfs.h"

#define TRIES_MAX	 8 /* processes that are asked for one file */
#define RETRY_NS	 1000000000ll /* between looks for a perf map */
#define DESCRIPTORS_KEPT 64	      /* for everything but binaries */

/* What was tried for one binary, and where its process lives. */
struct attempt {
	uint32_t process_number, pid;
	uint64_t mount_namespace;
	int64_t next_ns; /* BINARY_MEMORY: not before this time */
	uint32_t tries;
};

struct binary_files {
	const char *root;
	const char *symfs; /* NULL: none */
	struct binary_table *binaries;
	struct mount_namespaces *namespaces;
	struct attempt *attempts; /* by number of the binary */
	size_t n_attempts;
	struct binary_files_counts counts;
};

struct binary_files *binary_files_new(const char *root,
				      struct binary_table *binaries)
{
	struct binary_files *files = mem_calloc(1, sizeof(*files));

	files->root = root;
	files->binaries = binaries;
	files->namespaces = mount_namespaces_new(root);
	return files;
}

void binary_files_set_symfs(struct binary_files *files, const char *symfs)
{
	files->symfs = symfs;
}

void binary_files_free(struct binary_files *files)
{
	if (!files)
		return;
	mount_namespaces_free(files->namespaces);
	free(files->attempts);
	free(files);
}

const struct binary_files_counts *binary_files_counts(
	const struct binary_files *files)
{
	return &files->counts;
}

void binary_files_report(const struct binary_files *files, struct notes *notes)
{
	const struct binary_files_counts *counts = &files->counts;

	if (counts->other_files)
		notes_add(notes,
			  "%" PRIu64 " files had been replaced before they "
			  "could be opened: code in them has no names",
			  counts->other_files);
	if (counts->no_descriptors)
		notes_add(notes,
			  "%" PRIu64
			  " files were not opened, too many are open "
			  "already (ulimit -n)",
			  counts->no_descriptors);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct attempt *attempt_of(struct binary_files *files,
				  const struct binary *binary)
{
	size_t count = binary_table_count(files->binaries);

	if (binary->number >= files->n_attempts) {
		files->attempts = mem_realloc(files->attempts,
					      count * sizeof(*files->attempts));
		memset(files->attempts + files->n_attempts, 0,
		       (count - files->n_attempts) * sizeof(*files->attempts));
		files->n_attempts = count;
	}
	return &files->attempts[binary->number];
}

/* Only a regular file is worth reading; the rest could wait, or worse. */
static int regular_only(int fd)
{
	struct stat stat;

	if (fd < 0)
		return fd;
	if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode))
		return fd;
	close(fd);
	return -ENOENT;
}

static int open_below_root_of(const struct binary_files *files, uint32_t pid,
			      const char *path, int flags)
{
	char root[512];

	if (!procfs_path(root, sizeof(root), files->root, "/proc/%u/root", pid))
		return -ENAMETOOLONG;
	return rootfs_open(root, path, flags);
}

static int open_in_proc(const struct binary_files *files,
			const struct process *process,
			const struct mapping *mapping)
{
	char path[512];

	if (!procfs_path(path, sizeof(path), files->root,
			 "/proc/%u/map_files/%lx-%lx", process->pid,
			 mapping->start, mapping->end))
		return -ENAMETOOLONG;
	return rootfs_open("", path, 0);
}

static int open_exe(const struct binary_files *files,
		    const struct process *process, const struct binary *binary)
{
	char path[512];

	if (strcmp(process->exe, binary->id.path) != 0)
		return -ENOENT;
	if (!procfs_path(path, sizeof(path), files->root, "/proc/%u/exe",
			 process->pid))
		return -ENAMETOOLONG;
	return rootfs_open("", path, 0);
}

static int open_by(const struct binary_files *files, enum binary_rung rung,
		   const struct process *process, const struct mapping *mapping,
		   const struct binary *binary)
{
	const char *path = binary->id.path;
	/* Anybody can put a link under a perf map's name. */
	int flags = binary->id.kind == BINARY_MEMORY ? O_NOFOLLOW : 0;
	bool is_alive = files->root && !process->has_ended;
	bool has_path = path[0] == '/' && path[1] != '/';

	switch (rung) {
	case RUNG_MAP_FILES:
		return is_alive && !flags
			       ? open_in_proc(files, process, mapping)
			       : -ENOENT;
	case RUNG_EXE:
		return is_alive && !flags ? open_exe(files, process, binary)
					  : -ENOENT;
	case RUNG_ROOT:
		return is_alive && has_path
			       ? open_below_root_of(files, process->pid, path,
						    flags)
			       : -ENOENT;
	case RUNG_NAMESPACE:
		return has_path
			       ? mount_namespaces_open(files->namespaces,
						       process->mount_namespace,
						       path, flags)
			       : -ENOENT;
	case RUNG_SYMFS:
		return has_path && files->symfs && !flags
			       ? rootfs_open(files->symfs, path, 0)
			       : -ENOENT;
	case RUNG_HOST:
		return has_path ? rootfs_open(files->root ? files->root : "",
					      path, flags)
				: -ENOENT;
	default:
		return -ENOENT;
	}
}

/*
 * The device and inode by which the kernel would show a mapping of the file.
 * stat(2) gives others on btrfs (a device for each subvolume) and on overlayfs
 * over several file systems (one for each layer, seen on 6.18).
 */
static bool shown_identity(int fd, struct procfs_mapping *shown)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	struct procfs_lines lines;
	bool is_found = false;
	char *line;

	if (page == MAP_FAILED)
		return false;
	if (procfs_lines_open(&lines, "/proc/self/maps") == 0) {
		while (!is_found && procfs_lines_next(&lines, &line) > 0)
			is_found = procfs_parse_mapping(line, shown) &&
				   shown->start == (uintptr_t)page;
		procfs_lines_close(&lines);
	}
	munmap(page, size);
	return is_found;
}

/* Device and inode prove a file while it has its name; once it is deleted,
 * another one may have got its inode number. */
static bool is_inode(int fd, const struct binary *binary, enum binary_rung rung)
{
	const struct binary_identity *id = &binary->id;
	struct procfs_mapping shown;
	struct stat stat;
	int generation;

	if (fstat(fd, &stat) || stat.st_ino != id->inode)
		return false;
	if (rung >= RUNG_ROOT && binary->is_deleted)
		return false;
	if (id->inode_generation &&
	    ioctl(fd, FS_IOC_GETVERSION, &generation) == 0 && generation &&
	    (uint32_t)generation != (uint32_t)id->inode_generation)
		return false;
	if (major(stat.st_dev) == id->major && minor(stat.st_dev) == id->minor)
		return true;
	return shown_identity(fd, &shown) && shown.major == id->major &&
	       shown.minor == id->minor && shown.inode == id->inode;
}

/* The owner of a perf map must be the process's user, or root. */
static bool is_own_perf_map(int fd, const struct process *process)
{
	struct stat stat;

	return fstat(fd, &stat) == 0 &&
	       (stat.st_uid == 0 || stat.st_uid == process->uid);
}

/* Whether fd is the file that was mapped; learned gets what it tells. */
static bool is_proved(int fd, const struct binary *binary,
		      enum binary_rung rung, const struct process *process,
		      struct binary_identity *learned)
{
	const struct binary_identity *id = &binary->id;
	struct stat stat;
	int size;

	if (id->kind == BINARY_MEMORY)
		return is_own_perf_map(fd, process);
	size = build_id_read(fd, learned->build_id);
	learned->build_id_size = size > 0 ? (uint8_t)size : 0;
	if (fstat(fd, &stat) == 0) {
		learned->major = major(stat.st_dev);
		learned->minor = minor(stat.st_dev);
		learned->inode = stat.st_ino;
	}
	if (id->build_id_size)
		return id->build_id_size == learned->build_id_size &&
		       memcmp(id->build_id, learned->build_id,
			      id->build_id_size) == 0;
	/* A copy has inodes of its own: the user says what it is. */
	if (rung == RUNG_SYMFS)
		return true;
	if (id->major || id->minor)
		return is_inode(fd, binary, rung);
	/* Nothing to compare with: what the process itself shows will do. */
	return rung <= RUNG_EXE;
}

/* A perf map on the host's /tmp is only that of a process which sees it. */
static bool may_try(const struct binary_files *files, enum binary_rung rung,
		    const struct process *process, const struct binary *binary)
{
	uint64_t own = mount_namespaces_own(files->namespaces);

	if (rung != RUNG_HOST || binary->id.kind != BINARY_MEMORY)
		return true;
	return process->mount_namespace == own ||
	       (!process->mount_namespace &&
		process->namespace_pid == process->pid);
}

/* Descriptors are for the whole program: some are kept for other uses. */
static int leave_descriptors(int fd)
{
	struct rlimit limit;

	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) ||
	    (rlim_t)fd + DESCRIPTORS_KEPT < limit.rlim_cur)
		return fd;
	close(fd);
	return -EMFILE;
}

static bool has_no_descriptor(int fd)
{
	return fd == -EMFILE || fd == -ENFILE;
}

/* Walks the rungs; returns an fd that is proved, or -errno: -ESTALE where
 * only other files were found. */
static int climb(struct binary_files *files, const struct process *process,
		 const struct mapping *mapping, struct binary *binary,
		 struct binary_identity *learned)
{
	int result = -ENOENT;

	for (enum binary_rung rung = 0; rung < RUNGS; rung++) {
		int fd;

		if (!may_try(files, rung, process, binary))
			continue;
		fd = leave_descriptors(regular_only(
			open_by(files, rung, process, mapping, binary)));
		if (fd >= 0 && is_proved(fd, binary, rung, process, learned)) {
			files->counts.opened[rung]++;
			return fd;
		}
		if (has_no_descriptor(fd))
			return fd;
		if (fd >= 0) {
			close(fd);
			result = -ESTALE;
		} else if (fd == -EACCES || fd == -EPERM) {
			result = fd;
		}
	}
	return result;
}

/* Pinned namespaces go before a file is given up. */
static int climb_with_descriptors(struct binary_files *files,
				  const struct process *process,
				  const struct mapping *mapping,
				  struct binary *binary,
				  struct binary_identity *learned)
{
	int fd = climb(files, process, mapping, binary, learned);
	size_t dropped;

	if (!has_no_descriptor(fd))
		return fd;
	dropped = mount_namespaces_drop(files->namespaces);
	files->counts.namespaces_dropped += dropped;
	return dropped ? climb(files, process, mapping, binary, learned) : fd;
}

static void try_to_open(struct binary_files *files,
			const struct process *process,
			const struct mapping *mapping, struct binary *binary)
{
	struct attempt *attempt = attempt_of(files, binary);
	struct binary_identity learned = { .kind = binary->id.kind };
	int fd = climb_with_descriptors(files, process, mapping, binary,
					&learned);

	attempt->process_number = process->number;
	attempt->pid = process->pid;
	attempt->mount_namespace = process->mount_namespace;
	/* It may be gone before anybody asks where it lived. */
	if (!attempt->mount_namespace && !process->has_ended)
		attempt->mount_namespace =
			mount_namespaces_pin(files->namespaces, process->pid);
	attempt->next_ns = now_ns() + RETRY_NS;
	attempt->tries++;
	if (fd >= 0) {
		binary->state = BINARY_OPEN;
		binary->fd = fd;
		binary->open_errno = 0;
		binary = binary_table_learn(files->binaries, binary, &learned);
		*attempt_of(files, binary) = *attempt;
		return;
	}
	files->counts.other_files += fd == -ESTALE;
	files->counts.no_descriptors += has_no_descriptor(fd);
	binary->state = BINARY_ABSENT;
	binary->open_errno = -fd;
}

/* Another process may still have what one that has ended could not give; a
 * perf map may come late. */
static bool is_worth_another_try(struct binary_files *files,
				 const struct process *process,
				 const struct binary *binary)
{
	const struct attempt *attempt = attempt_of(files, binary);

	if (binary->id.kind == BINARY_MEMORY)
		return now_ns() >= attempt->next_ns;
	return attempt->process_number != process->number &&
	       !process->has_ended && attempt->tries < TRIES_MAX;
}

struct binary *binary_files_open(struct binary_files *files,
				 const struct process *process,
				 const struct mapping *mapping)
{
	struct binary *binary = binary_resolve(mapping->binary);

	if (binary->state == BINARY_OPEN || (binary->id.kind != BINARY_FILE &&
					     binary->id.kind != BINARY_MEMORY))
		return binary;
	if (binary->state == BINARY_UNOPENED ||
	    is_worth_another_try(files, process, binary))
		try_to_open(files, process, mapping, binary);
	return binary_resolve(binary);
}

/* Whether the pid still stands for a process in that mount namespace. */
static bool lives_in(const struct binary_files *files, uint32_t pid,
		     uint64_t mount_namespace)
{
	char link[64];
	uint64_t inode;

	return files->root && pid && mount_namespace &&
	       procfs_link(files->root, pid, "ns/mnt", link, sizeof(link)) ==
		       0 &&
	       sscanf(link, "mnt:[%lu]", &inode) == 1 &&
	       inode == mount_namespace;
}

int binary_files_open_path(struct binary_files *files,
			   const struct binary *binary, const char *path)
{
	const struct attempt *attempt = attempt_of(files, binary);
	int fd = -ENOENT;

	if (path[0] != '/')
		return -EINVAL;
	if (lives_in(files, attempt->pid, attempt->mount_namespace))
		fd = regular_only(
			open_below_root_of(files, attempt->pid, path, 0));
	if (fd < 0)
		fd = regular_only(mount_namespaces_open(
			files->namespaces, attempt->mount_namespace, path, 0));
	if (fd < 0 && files->symfs)
		fd = regular_only(rootfs_open(files->symfs, path, 0));
	if (fd < 0)
		fd = regular_only(
			rootfs_open(files->root ? files->root : "", path, 0));
	return fd;
}

void binary_files_pin(struct binary_files *files, struct process *process)
{
	uint64_t inode = process->mount_namespace;

	if (process->has_ended || !files->root ||
	    (inode && inode == mount_namespaces_own(files->namespaces)) ||
	    (inode && mount_namespaces_has(files->namespaces, inode)))
		return;
	inode = mount_namespaces_pin(files->namespaces, process->pid);
	if (inode)
		process->mount_namespace = inode;
}
