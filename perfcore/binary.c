#include "perfcore/binary.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfcore/hash.h"
#include "perfcore/idmap.h"
#include "perfcore/mem.h"

/* All keys of one idmap: what kind of key it is goes into its second half. */
enum key_kind {
	KEY_BUILD_ID = 1,
	KEY_INODE,
	KEY_PATH,
	KEY_OWNER,
};

struct key {
	uint64_t a, b;
};

struct binary_table {
	struct strings *strings;
	struct binary **items;
	size_t count, capacity;
	struct idmap by_key; /* struct key to number */
};

struct binary_table *binary_table_new(struct strings *strings)
{
	struct binary_table *table = mem_calloc(1, sizeof(*table));

	table->strings = strings;
	idmap_init(&table->by_key);
	return table;
}

void binary_table_free(struct binary_table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->count; i++) {
		/* An alias shows the descriptor of the other one. */
		if (table->items[i]->fd >= 0 && !table->items[i]->alias)
			close(table->items[i]->fd);
		free(table->items[i]);
	}
	free(table->items);
	idmap_destroy(&table->by_key);
	free(table);
}

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

enum binary_kind binary_kind_of_path(const char *path)
{
	static const char *const memory[] = {
		"//anon",    "anon_inode:",  "/anon_hugepage", "/dev/zero",
		"/SYSV",     "[heap]",	     "[stack",	       "[anon:",
		"[uprobes]", "[anon_shmem:",
	};

	if (strcmp(path, "[vdso]") == 0)
		return BINARY_VDSO;
	if (path[0] == '\0')
		return BINARY_MEMORY;
	for (size_t i = 0; i < sizeof(memory) / sizeof(*memory); i++) {
		if (starts_with(path, memory[i]))
			return BINARY_MEMORY;
	}
	return BINARY_FILE;
}

static bool has_inode(const struct binary_identity *id)
{
	return id->major || id->minor;
}

static struct key build_id_key(const struct binary_identity *id)
{
	uint64_t half = hash_bytes(id->build_id, id->build_id_size / 2);

	return (struct key){ hash_bytes(id->build_id, id->build_id_size),
			     hash_pair(KEY_BUILD_ID, half) };
}

/* The path's length without the kernel's mark of a file that has no name. */
static size_t path_length(const struct binary_identity *id, bool *is_deleted)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(id->path), cut = sizeof(mark) - 1;

	*is_deleted = id->kind == BINARY_FILE && length > cut &&
		      strcmp(id->path + length - cut, mark) == 0;
	return *is_deleted ? length - cut : length;
}

static uint64_t path_hash(const struct binary_identity *id)
{
	bool is_deleted;
	size_t length = path_length(id, &is_deleted);

	return hash_bytes(id->path, length);
}

/* The path belongs to it: on btrfs the device that mappings show is one for
 * all subvolumes, and inode numbers are unique in one subvolume only. */
static struct key inode_key(const struct binary_identity *id)
{
	uint64_t device = (uint64_t)id->major << 32 | id->minor;

	return (struct key){ hash_pair(device, id->inode),
			     hash_pair(KEY_INODE, path_hash(id)) };
}

static struct key name_key(const struct binary_identity *id)
{
	if (id->kind == BINARY_MEMORY)
		return (struct key){ id->owner, KEY_OWNER };
	return (struct key){ path_hash(id), hash_pair(KEY_PATH, id->kind) };
}

static struct key key_of(const struct binary_identity *id)
{
	if (id->kind == BINARY_FILE && id->build_id_size)
		return build_id_key(id);
	if (id->kind == BINARY_FILE && has_inode(id))
		return inode_key(id);
	return name_key(id);
}

static struct binary *find(const struct binary_table *table, struct key key)
{
	uint32_t number = idmap_get(&table->by_key, key.a, key.b);

	return number == IDMAP_NONE ? NULL : table->items[number];
}

/* An inode number is given to a new file once the old file is gone, which an
 * open descriptor of ours prevents; the generation, where it is known, tells.
 */
static bool is_another_file(const struct binary *binary,
			    const struct binary_identity *id, bool is_deleted)
{
	uint64_t old = binary->id.inode_generation;

	if (id->kind != BINARY_FILE || id->build_id_size)
		return false;
	if (old && id->inode_generation)
		return old != id->inode_generation;
	return has_inode(id) && binary->is_deleted && !is_deleted &&
	       binary->state != BINARY_OPEN;
}

/* Only here is the path kept: many short processes run copies of one file
 * under as many paths. */
static struct binary *add(struct binary_table *table,
			  const struct binary_identity *id, struct key key)
{
	struct binary *binary = mem_calloc(1, sizeof(*binary));
	bool is_deleted;

	binary->number = (uint32_t)table->count;
	binary->id = *id;
	binary->id.path = strings_intern_n(table->strings, id->path,
					   path_length(id, &is_deleted));
	binary->fd = -1;
	table->items = mem_grow(table->items, table->count, &table->capacity,
				sizeof(*table->items));
	table->items[table->count++] = binary;
	*idmap_at(&table->by_key, key.a, key.b) = binary->number;
	return binary;
}

struct binary *binary_table_get(struct binary_table *table,
				const struct binary_identity *id)
{
	struct key key = key_of(id);
	struct binary *binary = find(table, key);
	bool is_deleted;

	path_length(id, &is_deleted);
	if (!binary || is_another_file(binary, id, is_deleted))
		binary = add(table, id, key);
	if (id->kind == BINARY_FILE)
		binary->is_deleted = is_deleted;
	if (!binary->id.inode_generation)
		binary->id.inode_generation = id->inode_generation;
	return binary_resolve(binary);
}

/* Lets the binary be found under a further key, unless another one is. */
static struct binary *find_or_claim(struct binary_table *table,
				    struct binary *binary, struct key key)
{
	uint32_t *number = idmap_at(&table->by_key, key.a, key.b);

	if (*number == IDMAP_NONE)
		*number = binary->number;
	return binary_resolve(table->items[*number]);
}

/* One descriptor is enough: the older binary's, where it has one. */
static void make_alias(struct binary *binary, struct binary *of)
{
	if (of->state != BINARY_OPEN) {
		of->state = binary->state;
		of->fd = binary->fd;
		of->open_errno = binary->open_errno;
	} else if (binary->fd >= 0) {
		close(binary->fd);
	}
	binary->alias = of;
	binary->state = of->state;
	binary->fd = of->fd;
	binary->open_errno = of->open_errno;
}

struct binary *binary_table_learn(struct binary_table *table,
				  struct binary *binary,
				  const struct binary_identity *identity)
{
	struct binary_identity *id = &binary->id;
	struct binary *same;

	if (binary->alias || id->kind != BINARY_FILE)
		return binary_resolve(binary);
	if (!id->build_id_size) {
		id->build_id_size = identity->build_id_size;
		memcpy(id->build_id, identity->build_id, sizeof(id->build_id));
	}
	if (!has_inode(id) && has_inode(identity)) {
		id->major = identity->major;
		id->minor = identity->minor;
		id->inode = identity->inode;
		find_or_claim(table, binary, inode_key(id));
	}
	if (!id->build_id_size)
		return binary;
	same = find_or_claim(table, binary, build_id_key(id));
	if (same != binary)
		make_alias(binary, same);
	return same;
}

struct binary *binary_table_at(const struct binary_table *table,
			       uint32_t number)
{
	return table->items[number];
}

uint32_t binary_table_count(const struct binary_table *table)
{
	return (uint32_t)table->count;
}

struct binary_identity binary_identity_of(const struct event_mmap *mmap)
{
	struct binary_identity id = {
		.kind = binary_kind_of_path(mmap->path),
		.path = mmap->path,
		.build_id_size = mmap->build_id_size,
		.major = mmap->major,
		.minor = mmap->minor,
		.inode = mmap->inode,
		.inode_generation = mmap->inode_generation,
	};

	memcpy(id.build_id, mmap->build_id, sizeof(id.build_id));
	return id;
}
