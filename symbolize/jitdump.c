#include "symbolize/jitdump.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfcore/cursor.h"
#include "perfcore/mem.h"

#define MAGIC	      0x4a695444u /* "JiTD" */
#define HEADER_SIZE   40u
#define RECORD_HEADER 16u
#define LOAD_SIZE     (RECORD_HEADER + 40u) /* up to the name */
#define RECORD_MAX    (256u << 20)
#define PIECES_MAX    (2u << 20)
#define NAME_MAX_SIZE 4096u
#define LINES_READ    65536u

/* So many new pieces, and an eighth of the old ones, are searched one by one
 * before they are sorted in: a growing file is sorted seldom. */
#define FRESH_MAX 256

/* Code nests little; only hostile files make a search longer than this. */
#define WALK_MAX 8192

enum record_kind {
	RECORD_LOAD = 0,
	RECORD_MOVE = 1,
	RECORD_DEBUG_INFO = 2,
};

struct piece {
	uint64_t start, size;
	uint64_t from, until;  /* when it was there */
	uint64_t name_offset;  /* in the file */
	uint64_t moved_by;     /* start - where its debug info says */
	uint64_t debug_offset; /* of its debug info; 0: none */
	uint32_t name_room;
	uint32_t debug_size;
};

struct jitdump {
	int fd;
	struct strings *strings;
	bool is_swapped, is_broken, is_timeless, has_header;
	uint64_t offset;     /* of the next record */
	int64_t size;	     /* of the file when last read */
	uint64_t first_time; /* earliest load */
	uint64_t longest;    /* size of the largest piece */

	/* The last debug info record, which belongs to the next load. */
	uint64_t debug_offset, debug_address;
	uint32_t debug_size;

	struct piece *pieces; /* in the order of the file */
	size_t count, capacity;
	uint32_t *order; /* by start; the first n_sorted pieces */
	size_t n_sorted;
};

struct jitdump *jitdump_new(int fd, struct strings *strings)
{
	struct jitdump *jitdump = mem_calloc(1, sizeof(*jitdump));

	jitdump->fd = fd;
	jitdump->strings = strings;
	jitdump->first_time = UINT64_MAX;
	return jitdump;
}

void jitdump_free(struct jitdump *jitdump)
{
	if (!jitdump)
		return;
	free(jitdump->pieces);
	free(jitdump->order);
	free(jitdump);
}

static struct cursor file_read(const struct jitdump *jitdump, uint8_t *bytes,
			       size_t size, uint64_t offset)
{
	ssize_t got = pread(jitdump->fd, bytes, size, (off_t)offset);
	struct cursor cursor = cursor_at(bytes, got > 0 ? (size_t)got : 0);

	cursor.is_swapped = jitdump->is_swapped;
	return cursor;
}

/* magic, version, total_size, elf_mach, pad, pid (u32 each), timestamp,
 * flags (u64 each). The flags' kind of clock is often wrong, and not used. */
static bool header_read(struct jitdump *jitdump)
{
	uint8_t bytes[HEADER_SIZE];
	struct cursor cursor = file_read(jitdump, bytes, sizeof(bytes), 0);
	uint32_t magic = cursor_u32(&cursor), version, size;

	cursor.is_swapped = magic == __builtin_bswap32(MAGIC);
	version = cursor_u32(&cursor);
	size = cursor_u32(&cursor);
	cursor_skip(&cursor, HEADER_SIZE - 12);
	if (cursor.has_failed)
		return false;
	jitdump->has_header = true;
	jitdump->is_swapped = cursor.is_swapped;
	jitdump->offset = size;
	jitdump->is_broken = (magic != MAGIC && !cursor.is_swapped) ||
			     version != 1 || size < HEADER_SIZE ||
			     size > RECORD_MAX;
	return !jitdump->is_broken;
}

static void piece_add(struct jitdump *jitdump, const struct piece *piece)
{
	if (jitdump->count == PIECES_MAX || !piece->size ||
	    piece->start + piece->size < piece->start)
		return;
	jitdump->pieces =
		mem_grow(jitdump->pieces, jitdump->count, &jitdump->capacity,
			 sizeof(*jitdump->pieces));
	jitdump->pieces[jitdump->count++] = *piece;
	if (piece->size > jitdump->longest)
		jitdump->longest = piece->size;
	if (piece->from < jitdump->first_time)
		jitdump->first_time = piece->from;
}

/* pid, tid (u32), vma, code_addr, code_size, code_index (u64), name, code */
static void load_read(struct jitdump *jitdump, struct cursor *cursor,
		      uint64_t time, uint32_t size)
{
	struct piece piece = { .from = time, .until = UINT64_MAX };

	cursor_skip(cursor, 16);
	piece.start = cursor_u64(cursor);
	piece.size = cursor_u64(cursor);
	if (cursor->has_failed || size < LOAD_SIZE ||
	    piece.size > size - LOAD_SIZE)
		return;
	piece.name_offset = jitdump->offset + LOAD_SIZE;
	piece.name_room = size - LOAD_SIZE - (uint32_t)piece.size;
	if (jitdump->debug_size && jitdump->debug_address == piece.start) {
		piece.debug_offset = jitdump->debug_offset;
		piece.debug_size = jitdump->debug_size;
	}
	jitdump->debug_size = 0;
	piece_add(jitdump, &piece);
}

/* pid, tid (u32), vma, old_code_addr, new_code_addr, code_size, code_index */
static void move_read(struct jitdump *jitdump, struct cursor *cursor,
		      uint64_t time)
{
	uint64_t old, new;

	cursor_skip(cursor, 16);
	old = cursor_u64(cursor);
	new = cursor_u64(cursor);
	if (cursor->has_failed)
		return;
	for (size_t i = jitdump->count; i-- > 0;) {
		struct piece moved = jitdump->pieces[i];

		if (moved.start != old || moved.until != UINT64_MAX)
			continue;
		jitdump->pieces[i].until = time;
		moved.start = new;
		moved.moved_by += new - old;
		moved.from = time;
		piece_add(jitdump, &moved);
		return;
	}
}

/* One record: id, total_size (u32), timestamp (u64), and what id tells.
 * False where it is not whole yet, or makes no sense. */
static bool record_read(struct jitdump *jitdump)
{
	uint8_t bytes[LOAD_SIZE + 8];
	struct cursor cursor =
		file_read(jitdump, bytes, sizeof(bytes), jitdump->offset);
	uint32_t kind = cursor_u32(&cursor), size = cursor_u32(&cursor);
	uint64_t time = cursor_u64(&cursor);

	if (cursor.has_failed)
		return false;
	if (size < RECORD_HEADER || size > RECORD_MAX) {
		jitdump->is_broken = true;
		return false;
	}
	if (jitdump->offset + size > (uint64_t)jitdump->size)
		return false;
	switch (kind) {
	case RECORD_LOAD:
		load_read(jitdump, &cursor, time, size);
		break;
	case RECORD_MOVE:
		move_read(jitdump, &cursor, time);
		break;
	case RECORD_DEBUG_INFO:
		jitdump->debug_address = cursor_u64(&cursor);
		jitdump->debug_offset = jitdump->offset + RECORD_HEADER + 8;
		jitdump->debug_size = size < RECORD_HEADER + 16
					      ? 0
					      : size - RECORD_HEADER - 8;
		break;
	}
	jitdump->offset += size;
	return true;
}

static void jitdump_read(struct jitdump *jitdump)
{
	struct stat status;

	if (jitdump->is_broken || fstat(jitdump->fd, &status) ||
	    status.st_size == jitdump->size)
		return;
	jitdump->size = status.st_size;
	if (!jitdump->has_header && !header_read(jitdump))
		return;
	while (record_read(jitdump))
		;
}

static int order_compare(const void *a, const void *b, void *context)
{
	const struct jitdump *jitdump = context;
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	uint64_t x = jitdump->pieces[first].start,
		 y = jitdump->pieces[second].start;

	if (x != y)
		return x < y ? -1 : 1;
	return (first > second) - (first < second);
}

static void jitdump_sort(struct jitdump *jitdump)
{
	jitdump->order =
		mem_realloc(jitdump->order, jitdump->count * sizeof(uint32_t));
	for (size_t i = jitdump->n_sorted; i < jitdump->count; i++)
		jitdump->order[i] = (uint32_t)i;
	jitdump->n_sorted = jitdump->count;
	qsort_r(jitdump->order, jitdump->count, sizeof(uint32_t), order_compare,
		jitdump);
}

/* The best piece so far for an address and a time. */
struct search {
	uint64_t address, time;
	const struct piece *best;
};

/* Later in the file is better, unless the times tell otherwise. */
static bool is_better(const struct search *search, const struct piece *piece)
{
	const struct piece *best = search->best;
	bool fits = piece->from <= search->time && search->time < piece->until;
	bool best_fits = best && best->from <= search->time &&
			 search->time < best->until;

	if (!best || search->time == JITDUMP_ANY_TIME)
		return piece > best;
	if (fits != best_fits)
		return fits;
	if (piece->from != best->from)
		return fits ? piece->from > best->from
			    : piece->from < best->from;
	return piece > best;
}

static void search_take(struct search *search, const struct piece *piece)
{
	if (search->address - piece->start < piece->size &&
	    is_better(search, piece))
		search->best = piece;
}

static const struct piece *piece_find(struct jitdump *jitdump, uint64_t address,
				      uint64_t time)
{
	struct search search = { address, time, NULL };
	size_t low = 0, high;

	if (jitdump->count - jitdump->n_sorted >
	    FRESH_MAX + jitdump->n_sorted / 8)
		jitdump_sort(jitdump);
	for (size_t i = jitdump->n_sorted; i < jitdump->count; i++)
		search_take(&search, &jitdump->pieces[i]);
	high = jitdump->n_sorted;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (jitdump->pieces[jitdump->order[middle]].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (unsigned steps = 0; low > 0 && steps < WALK_MAX; low--, steps++) {
		const struct piece *piece =
			&jitdump->pieces[jitdump->order[low - 1]];

		if (address - piece->start >= jitdump->longest)
			break;
		search_take(&search, piece);
	}
	return search.best;
}

static const char *text_intern(const struct jitdump *jitdump, uint64_t offset,
			       uint32_t room)
{
	uint8_t bytes[NAME_MAX_SIZE];
	struct cursor cursor =
		file_read(jitdump, bytes,
			  room < sizeof(bytes) ? room : sizeof(bytes), offset);
	size_t left = cursor_left(&cursor);

	return strings_intern_n(jitdump->strings, (const char *)bytes,
				strnlen((const char *)bytes, left));
}

/*
 * count (u64), then entries: address (u64), line, discriminator (u32), file.
 * The file "\xff" is that of the entry before. Only the first LINES_READ
 * bytes are looked at.
 */
static void line_find(const struct jitdump *jitdump, const struct piece *piece,
		      uint64_t address, struct jitdump_symbol *symbol)
{
	uint32_t size =
		piece->debug_size < LINES_READ ? piece->debug_size : LINES_READ;
	uint8_t *bytes = mem_alloc(size);
	struct cursor cursor =
		file_read(jitdump, bytes, size, piece->debug_offset);
	uint64_t count = cursor_u64(&cursor), best = 0;
	const char *file = NULL, *best_file = NULL;

	while (count-- && !cursor.has_failed) {
		uint64_t at = cursor_u64(&cursor) + piece->moved_by;
		uint32_t line = cursor_u32(&cursor);
		const char *name;

		cursor_skip(&cursor, 4);
		name = cursor_text(&cursor);
		if (!name)
			break;
		if (strcmp(name, "\xff") != 0)
			file = name;
		if (at > address || at < best)
			continue;
		best = at;
		best_file = file;
		symbol->line = line;
	}
	if (best_file)
		symbol->file = strings_intern(jitdump->strings, best_file);
	free(bytes);
}

bool jitdump_find(struct jitdump *jitdump, uint64_t address, uint64_t time,
		  struct jitdump_symbol *symbol)
{
	const struct piece *piece;

	jitdump_read(jitdump);
	if (time < jitdump->first_time && time != JITDUMP_ANY_TIME &&
	    jitdump->count) {
		jitdump->is_timeless = true;
		time = JITDUMP_ANY_TIME;
	}
	piece = piece_find(jitdump, address, time);
	if (!piece)
		return false;
	*symbol = (struct jitdump_symbol){
		.start = piece->start,
		.end = piece->start + piece->size,
		.name = text_intern(jitdump, piece->name_offset,
				    piece->name_room),
	};
	if (piece->debug_size)
		line_find(jitdump, piece, address, symbol);
	return symbol->name[0] != '\0';
}

uint32_t jitdump_count(const struct jitdump *jitdump)
{
	return (uint32_t)jitdump->count;
}

bool jitdump_is_broken(const struct jitdump *jitdump)
{
	return jitdump->is_broken;
}

bool jitdump_is_timeless(const struct jitdump *jitdump)
{
	return jitdump->is_timeless;
}
