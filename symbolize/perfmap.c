#include "symbolize/perfmap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfcore/hash.h"
#include "perfcore/mem.h"
#include "symbolize/hex.h"
#include "symbolize/lines.h"
#include "symbolize/ranges.h"

#define ENTRIES_MAX (2u << 20)
#define NAME_MAX    4096u

/* So many new entries, and an eighth of the old ones, are searched one by one
 * before they are sorted in: a growing map is sorted seldom. */
#define FRESH_MAX 512

struct entry {
	uint64_t start;
	uint32_t size;
	uint32_t name_hash;
	uint32_t name_length;
	uint32_t name_offset; /* in the file */
};

struct perfmap {
	int fd;
	struct strings *strings;
	struct entry *entries; /* in the order of the file */
	size_t count, capacity;
	size_t n_whole;	      /* without one of a line not yet ended */
	size_t n_sorted;      /* of them are in ranges; the rest is fresh */
	struct ranges ranges; /* value: number of the entry */
	uint64_t reused, bad_lines;
	uint64_t offset; /* read so far */
	int64_t size;	 /* of the file when last read */
};

struct perfmap *perfmap_new(int fd, struct strings *strings)
{
	struct perfmap *perfmap = mem_calloc(1, sizeof(*perfmap));

	perfmap->fd = fd;
	perfmap->strings = strings;
	ranges_init(&perfmap->ranges);
	return perfmap;
}

void perfmap_free(struct perfmap *perfmap)
{
	if (!perfmap)
		return;
	ranges_destroy(&perfmap->ranges);
	free(perfmap->entries);
	free(perfmap);
}

/*
 * 7fb061490018 48 stub<1> AllocateTemporaryEntryPoints<PRECODE_FIXUP>
 * Some writers put 0x before the numbers.
 */
static bool line_parse(const char *line, const char *end, struct entry *entry,
		       const char **name)
{
	const char *at = line;
	uint64_t size;

	if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
		at += 2;
	if (!hex_read(&at, end, &entry->start) || at == end || *at++ != ' ')
		return false;
	if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
		at += 2;
	if (!hex_read(&at, end, &size) || at == end || *at++ != ' ' ||
	    at == end)
		return false;
	if (size == 0 || size > UINT32_MAX ||
	    entry->start + size < entry->start)
		return false;
	entry->size = (uint32_t)size;
	*name = at;
	return true;
}

static void line_add(struct perfmap *perfmap, uint64_t offset, const char *line,
		     size_t length)
{
	struct entry entry;
	const char *name;
	size_t name_length;

	if (perfmap->count == ENTRIES_MAX ||
	    !line_parse(line, line + length, &entry, &name) ||
	    offset + length > UINT32_MAX) {
		perfmap->bad_lines++;
		return;
	}
	name_length = length - (size_t)(name - line);
	entry.name_offset = (uint32_t)(offset + (uint64_t)(name - line));
	entry.name_length =
		name_length > NAME_MAX ? NAME_MAX : (uint32_t)name_length;
	entry.name_hash = (uint32_t)hash_bytes(name, entry.name_length);
	perfmap->entries =
		mem_grow(perfmap->entries, perfmap->count, &perfmap->capacity,
			 sizeof(*perfmap->entries));
	perfmap->entries[perfmap->count++] = entry;
}

static void perfmap_restart(struct perfmap *perfmap)
{
	ranges_destroy(&perfmap->ranges);
	ranges_init(&perfmap->ranges);
	perfmap->count = perfmap->n_whole = perfmap->n_sorted = 0;
	perfmap->offset = 0;
}

/* Reads what was appended. A file that shrank was written anew. */
static void perfmap_read(struct perfmap *perfmap)
{
	struct stat status;
	struct lines lines;
	const char *line;
	size_t length;
	uint64_t begin;

	if (fstat(perfmap->fd, &status) || status.st_size == perfmap->size)
		return;
	if (status.st_size < perfmap->size)
		perfmap_restart(perfmap);
	perfmap->size = status.st_size;
	perfmap->count = perfmap->n_whole;
	lines_init(&lines, perfmap->fd, perfmap->offset);
	for (begin = lines.offset; lines_next(&lines, &line, &length) > 0;
	     begin = lines.offset) {
		line_add(perfmap, begin, line, length);
		if (lines.is_partial)
			break;
		perfmap->n_whole = perfmap->count;
		perfmap->offset = lines.offset;
	}
	perfmap->bad_lines += lines.too_long;
	lines_destroy(&lines);
}

static bool is_same_code(const struct entry *a, const struct entry *b)
{
	return a->name_hash == b->name_hash && a->name_length == b->name_length;
}

/* Newest first, each entry takes what no newer one has taken. */
static void perfmap_sort(struct perfmap *perfmap)
{
	struct ranges_maker maker;

	ranges_begin(&maker, perfmap->n_whole);
	for (size_t i = 0; i < perfmap->n_whole; i++)
		ranges_edge(&maker, perfmap->entries[i].start,
			    perfmap->entries[i].start +
				    perfmap->entries[i].size);
	ranges_sort(&maker);
	perfmap->reused = 0;
	for (size_t i = perfmap->n_whole; i-- > 0;) {
		const struct entry *entry = &perfmap->entries[i];
		uint32_t newer =
			ranges_paint(&maker, entry->start,
				     entry->start + entry->size, (uint32_t)i);

		if (newer != RANGES_NONE &&
		    !is_same_code(entry, &perfmap->entries[newer]))
			perfmap->reused++;
	}
	ranges_destroy(&perfmap->ranges);
	ranges_end(&maker, &perfmap->ranges);
	perfmap->n_sorted = perfmap->n_whole;
}

static const struct entry *entry_find(struct perfmap *perfmap, uint64_t address)
{
	uint32_t number;

	if (perfmap->n_whole - perfmap->n_sorted >
	    FRESH_MAX + perfmap->n_sorted / 8)
		perfmap_sort(perfmap);
	for (size_t i = perfmap->count; i-- > perfmap->n_sorted;)
		if (address - perfmap->entries[i].start <
		    perfmap->entries[i].size)
			return &perfmap->entries[i];
	number = ranges_find(&perfmap->ranges, address);
	return number == RANGES_NONE ? NULL : &perfmap->entries[number];
}

bool perfmap_find(struct perfmap *perfmap, uint64_t address,
		  struct perfmap_symbol *symbol)
{
	const struct entry *entry;
	char name[NAME_MAX];
	ssize_t length;

	perfmap_read(perfmap);
	entry = entry_find(perfmap, address);
	if (!entry)
		return false;
	length = pread(perfmap->fd, name, entry->name_length,
		       entry->name_offset);
	if (length <= 0)
		return false;
	symbol->start = entry->start;
	symbol->end = entry->start + entry->size;
	symbol->name = strings_intern_n(perfmap->strings, name,
					strnlen(name, (size_t)length));
	return true;
}

uint64_t perfmap_bad_lines(const struct perfmap *perfmap)
{
	return perfmap->bad_lines;
}

uint64_t perfmap_reused(struct perfmap *perfmap)
{
	perfmap_read(perfmap);
	if (perfmap->n_sorted != perfmap->n_whole)
		perfmap_sort(perfmap);
	return perfmap->reused;
}
