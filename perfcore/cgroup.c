#include "perfcore/cgroup.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfcore/idmap.h"
#include "perfcore/mem.h"
#include "perfcore/rootfs.h"
#include "perfcore/sys.h"

#define WALK_INTERVAL_NS 1000000000ull
#define DEPTH_MAX	 128
#define IDS_MAX		 1000000
#define MOUNTS_MAX	 64

struct cgroup_mount {
	const char *directory; /* "/sys/fs/cgroup/unified" */
	const char *prefix;    /* what of the hierarchy is mounted, "" = all */
	bool is_v2;
	bool has_perf_event; /* a v1 hierarchy with that controller */
};

struct cgroups {
	const char *root;
	struct strings *strings;
	struct notes *notes;
	struct cgroup_mount mounts[MOUNTS_MAX];
	size_t n_mounts;
	const struct cgroup_mount *tree; /* whose ids samples carry; or NULL */
	struct idmap by_id;		 /* id -> index of paths */
	const char **paths;
	size_t n_paths, capacity;
	uint64_t walked_ns;
	uint64_t n_walks;
};

struct walk {
	struct cgroups *cgroups;
	char path[ROOTFS_PATH_MAX];
	bool is_cut;
};

static uint64_t now_ns(void)
{
	return sys_clock_ns(CLOCK_MONOTONIC_COARSE);
}

const char *cgroup_path_plain(struct strings *strings, const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t size = strlen(path), used = 0;
	char plain[ROOTFS_PATH_MAX];

	if (size >= sizeof(deleted) - 1 &&
	    strcmp(path + size - (sizeof(deleted) - 1), deleted) == 0)
		size -= sizeof(deleted) - 1;
	for (size_t at = 0; at < size;) {
		size_t start = at, length;

		while (at < size && path[at] != '/')
			at++;
		length = at++ - start;
		if (length == 0 || (length == 1 && path[start] == '.') ||
		    (length == 2 && memcmp(path + start, "..", 2) == 0))
			continue;
		if (used + 1 + length > sizeof(plain))
			break;
		plain[used++] = '/';
		memcpy(plain + used, path + start, length);
		used += length;
	}
	return used ? strings_intern_n(strings, plain, used)
		    : strings_intern(strings, "/");
}

/* Undoes mountinfo's \040 and the like, in place. */
static void unescape_octal(char *text)
{
	char *out = text;

	for (; *text; out++) {
		unsigned int byte;

		if (text[0] == '\\' && sscanf(text + 1, "%3o", &byte) == 1) {
			*out = (char)byte;
			text += strnlen(text, 4);
		} else {
			*out = *text++;
		}
	}
	*out = '\0';
}

/* Whether a comma-separated list holds the word. */
static bool list_has(const char *list, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, word, size) == 0 &&
		    (at[size] == ',' || at[size] == '\0'))
			return true;
	}
	return false;
}

/*
 * One line of /proc/self/mountinfo:
 * 41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
 * Optional fields may stand before the "-".
 */
static void mount_read_line(struct cgroups *cgroups, char *line)
{
	char *fields[5], *rest = line, *type, *options = NULL;
	struct cgroup_mount mount = { 0 };
	const char *prefix;

	for (size_t i = 0; i < 5; i++) {
		fields[i] = strsep(&rest, " ");
		if (!rest)
			return;
	}
	type = strstr(rest, " - ");
	if (!type)
		return;
	type += 3;
	mount.is_v2 = strncmp(type, "cgroup2 ", 8) == 0;
	if (!mount.is_v2 && strncmp(type, "cgroup ", 7) != 0)
		return;
	options = strrchr(type, ' ') + 1;
	mount.has_perf_event = !mount.is_v2 && list_has(options, "perf_event");
	unescape_octal(fields[3]);
	unescape_octal(fields[4]);
	prefix = cgroup_path_plain(cgroups->strings, fields[3]);
	mount.prefix = prefix[1] ? prefix : "";
	mount.directory = strings_intern(cgroups->strings, fields[4]);
	if (cgroups->n_mounts < MOUNTS_MAX)
		cgroups->mounts[cgroups->n_mounts++] = mount;
}

/* A mount of the whole hierarchy is better than one of a part. */
static bool mount_is_better(const struct cgroup_mount *mount,
			    const struct cgroup_mount *best)
{
	if (!mount->is_v2 && !mount->has_perf_event)
		return false;
	if (!best || mount->has_perf_event != best->has_perf_event)
		return !best || mount->has_perf_event;
	return !*mount->prefix && *best->prefix;
}

static void mounts_read(struct cgroups *cgroups)
{
	char *text = rootfs_read(cgroups->root, "/proc/self/mountinfo",
				 ROOTFS_FILE_MAX, NULL);
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")))
		mount_read_line(cgroups, line);
	free(text);
	for (size_t i = 0; i < cgroups->n_mounts; i++)
		if (mount_is_better(&cgroups->mounts[i], cgroups->tree))
			cgroups->tree = &cgroups->mounts[i];
	if (!cgroups->tree)
		notes_add(cgroups->notes,
			  "no cgroup tree is mounted that tells the ids of "
			  "samples: containers are found by process only");
}

static void id_set(struct cgroups *cgroups, uint64_t id, const char *path)
{
	uint32_t *index = idmap_at(&cgroups->by_id, id, 0);

	if (*index != IDMAP_NONE) {
		cgroups->paths[*index] = path;
		return;
	}
	*index = (uint32_t)cgroups->n_paths;
	cgroups->paths = mem_grow(cgroups->paths, cgroups->n_paths,
				  &cgroups->capacity, sizeof(*cgroups->paths));
	cgroups->paths[cgroups->n_paths++] = path;
}

static void walk_directory(struct walk *walk, int fd, size_t length,
			   unsigned int depth);

/*
 * A directory without others in it has two links (cgroupfs, ext4, tmpfs; file
 * systems that do not count them say 1): most are, and need not be opened.
 */
static void walk_entry(struct walk *walk, int parent, const char *name,
		       size_t length, unsigned int depth)
{
	size_t name_length = strlen(name);
	struct stat status;
	int fd;

	if (length + 1 + name_length >= sizeof(walk->path) ||
	    depth >= DEPTH_MAX || walk->cgroups->n_paths >= IDS_MAX) {
		walk->is_cut = true;
		return;
	}
	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISDIR(status.st_mode))
		return;
	walk->path[length] = '/';
	memcpy(walk->path + length + 1, name, name_length);
	length += 1 + name_length;
	id_set(walk->cgroups, status.st_ino,
	       strings_intern_n(walk->cgroups->strings, walk->path, length));
	if (status.st_nlink == 2)
		return;
	fd = openat(parent, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		walk_directory(walk, fd, length, depth + 1);
}

/* Takes over fd. */
static void walk_directory(struct walk *walk, int fd, size_t length,
			   unsigned int depth)
{
	DIR *directory = fdopendir(fd);
	struct dirent *entry;

	if (!directory) {
		close(fd);
		return;
	}
	while ((entry = readdir(directory)))
		if ((entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
		    strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			walk_entry(walk, fd, entry->d_name, length, depth);
	closedir(directory);
}

static void cgroups_walk(struct cgroups *cgroups)
{
	struct walk walk = { .cgroups = cgroups };
	const struct cgroup_mount *tree = cgroups->tree;
	size_t length = strlen(tree->prefix);
	struct stat status;
	int fd = rootfs_open(cgroups->root, tree->directory, O_DIRECTORY);

	cgroups->walked_ns = now_ns();
	cgroups->n_walks++;
	if (fd < 0 || fstat(fd, &status) != 0) {
		if (fd >= 0)
			close(fd);
		notes_add(cgroups->notes, "cgroup tree %s cannot be read",
			  tree->directory);
		return;
	}
	memcpy(walk.path, tree->prefix, length);
	id_set(cgroups, status.st_ino,
	       cgroup_path_plain(cgroups->strings, tree->prefix));
	walk_directory(&walk, fd, length, 0);
	if (walk.is_cut)
		notes_add(cgroups->notes,
			  "the cgroup tree is deeper or larger than %d levels "
			  "or %d cgroups: the rest is found by process only",
			  DEPTH_MAX, IDS_MAX);
}

struct cgroups *cgroups_new(const char *root, struct strings *strings,
			    struct notes *notes)
{
	struct cgroups *cgroups = mem_calloc(1, sizeof(*cgroups));

	cgroups->root = root ? strings_intern(strings, root) : NULL;
	cgroups->strings = strings;
	cgroups->notes = notes;
	idmap_init(&cgroups->by_id);
	if (!root)
		return cgroups;
	mounts_read(cgroups);
	if (cgroups->tree)
		cgroups_walk(cgroups);
	return cgroups;
}

void cgroups_free(struct cgroups *cgroups)
{
	if (!cgroups)
		return;
	idmap_destroy(&cgroups->by_id);
	free(cgroups->paths);
	free(cgroups);
}

void cgroups_add(struct cgroups *cgroups, uint64_t id, const char *path)
{
	id_set(cgroups, id, cgroup_path_plain(cgroups->strings, path));
}

const char *cgroups_known(const struct cgroups *cgroups, uint64_t id)
{
	uint32_t index = idmap_get(&cgroups->by_id, id, 0);

	return index == IDMAP_NONE ? NULL : cgroups->paths[index];
}

const char *cgroups_path(struct cgroups *cgroups, uint64_t id)
{
	const char *path = cgroups_known(cgroups, id);

	if (path || !cgroups->tree ||
	    now_ns() - cgroups->walked_ns < WALK_INTERVAL_NS)
		return path;
	cgroups_walk(cgroups);
	return cgroups_known(cgroups, id);
}

/* The directory of a cgroup in the file system; false: out of what is mounted
 * or too long. */
static bool directory_of(const struct cgroups *cgroups, const char *path,
			 const char *file, char out[ROOTFS_PATH_MAX])
{
	const struct cgroup_mount *tree = cgroups->tree;
	size_t prefix = tree ? strlen(tree->prefix) : 0;
	int size;

	if (!tree || strncmp(path, tree->prefix, prefix) != 0)
		return false;
	size = snprintf(out, ROOTFS_PATH_MAX, "%s%s%s", tree->directory,
			path + prefix, file);
	return size >= 0 && size < ROOTFS_PATH_MAX;
}

uint64_t cgroups_id(const struct cgroups *cgroups, const char *path)
{
	char directory[ROOTFS_PATH_MAX];
	struct stat status = { 0 };
	int fd;

	if (!directory_of(cgroups, path, "", directory))
		return 0;
	fd = rootfs_open(cgroups->root, directory, O_DIRECTORY);
	if (fd < 0)
		return 0;
	if (fstat(fd, &status) != 0)
		status.st_ino = 0;
	close(fd);
	return status.st_ino;
}

uint32_t cgroups_member(const struct cgroups *cgroups, const char *path)
{
	char file[ROOTFS_PATH_MAX];
	char *text;
	uint32_t pid = 0;

	if (!directory_of(cgroups, path, "/cgroup.procs", file))
		return 0;
	text = rootfs_read(cgroups->root, file, ROOTFS_FILE_MAX, NULL);
	if (text)
		pid = (uint32_t)strtoul(text, NULL, 10);
	free(text);
	return pid;
}

bool cgroups_is_hybrid(const struct cgroups *cgroups)
{
	for (size_t i = 0; i < cgroups->n_mounts; i++)
		if (cgroups->tree && cgroups->tree->is_v2 &&
		    !cgroups->mounts[i].is_v2)
			return true;
	return false;
}

const char *cgroups_strip_mount(const struct cgroups *cgroups,
				const char *directory)
{
	const char *best = NULL;

	for (size_t i = 0; i < cgroups->n_mounts; i++) {
		size_t size = strlen(cgroups->mounts[i].directory);

		if (strncmp(directory, cgroups->mounts[i].directory, size) ==
			    0 &&
		    (directory[size] == '/' || directory[size] == '\0') &&
		    (!best || directory + size > best))
			best = directory + size;
	}
	return best;
}

struct cgroups_counts cgroups_counts(const struct cgroups *cgroups)
{
	return (struct cgroups_counts){ cgroups->n_walks, cgroups->n_paths };
}
