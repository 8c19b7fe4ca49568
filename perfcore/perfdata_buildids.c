#include "perfcore/perfdata_buildids.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "perfcore/hash.h"
#include "perfcore/mem.h"
#include "perfcore/perfdata_format.h"

#define ROWS_MAX (1u << 20)

void perfdata_buildids_init(struct perfdata_buildids *table,
			    struct strings *strings)
{
	*table = (struct perfdata_buildids){ .strings = strings };
	idmap_init(&table->by_path);
}

void perfdata_buildids_destroy(struct perfdata_buildids *table)
{
	if (!table)
		return;
	free(table->items);
	idmap_destroy(&table->by_path);
	perfdata_buildids_init(table, NULL);
}

/* Length of the path without the kernel's measuring symbol. */
static size_t key_length(const char *path)
{
	const char *end;

	if (path[0] != '[')
		return strlen(path);
	end = strchr(path, ']');
	return end ? (size_t)(end + 1 - path) : strlen(path);
}

static uint64_t path_hash(const char *path, size_t length)
{
	return hash_bytes(path, length) >> 1; /* never idmap's reserved key */
}

void perfdata_buildids_set(struct perfdata_buildids *table, const char *path,
			   const uint8_t *id, uint8_t size, bool is_kernel)
{
	size_t length = key_length(path);
	uint32_t *index =
		idmap_at(&table->by_path, path_hash(path, length), length);

	if (*index == IDMAP_NONE) {
		if (table->count >= ROWS_MAX) {
			idmap_remove(&table->by_path, path_hash(path, length),
				     length);
			return;
		}
		*index = (uint32_t)table->count++;
		table->items = mem_grow(table->items, *index, &table->capacity,
					sizeof(*table->items));
	}
	table->items[*index] = (struct perfdata_buildid){
		.path = strings_intern_n(table->strings, path, length),
		.size = size,
		.is_kernel = is_kernel,
	};
	memcpy(table->items[*index].id, id, size);
}

/* Example: 00000000 0080 3000, pid ffffffff, 20 bytes of build-id, 14 000000
 * (its length), then "/usr/bin/sleep" and zeros. */
void perfdata_buildids_add(struct perfdata_buildids *table, uint16_t misc,
			   struct cursor *cursor)
{
	uint8_t size = BUILD_ID_MAX;
	const uint8_t *field;
	const char *path;

	cursor_skip(cursor, 4); /* pid: -1, or the guest's */
	field = cursor_bytes(cursor, 24);
	path = cursor_text(cursor);
	if (!field || !path)
		return;
	if (misc & MISC_TABLE_BUILD_ID_LEN && field[20] <= BUILD_ID_MAX)
		size = field[20];
	else /* a shorter one is filled up with words of zero */
		while (size && !memcmp(field + size - 4, "\0\0\0", 4))
			size -= 4;
	if (size)
		perfdata_buildids_set(table, path, field, size,
				      (misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
					      PERF_RECORD_MISC_KERNEL);
}

void perfdata_buildids_read(struct perfdata_buildids *table,
			    struct cursor *cursor)
{
	while (cursor_left(cursor) >= 8) {
		struct cursor row;
		const void *bytes;
		uint16_t misc, size;

		cursor_u32(cursor); /* type, 0 in many files */
		misc = cursor_u16(cursor);
		size = cursor_u16(cursor);
		bytes = size < 8 ? NULL : cursor_bytes(cursor, size - 8u);
		if (!bytes)
			return;
		row = cursor_at(bytes, size - 8u);
		row.is_swapped = cursor->is_swapped;
		perfdata_buildids_add(table, misc, &row);
	}
}

const struct perfdata_buildid *perfdata_buildids_find(
	const struct perfdata_buildids *table, const char *path)
{
	size_t length = key_length(path);
	uint32_t index =
		idmap_get(&table->by_path, path_hash(path, length), length);

	if (index == IDMAP_NONE ||
	    strncmp(table->items[index].path, path, length) != 0)
		return NULL;
	return &table->items[index];
}
