/*
 * The one bounds-checked reader of hostile bytes: kernel records, ELF, DWARF,
 * /proc text, profile files. A read past the end gives zero and sets
 * has_failed, which stays set: a caller reads a whole structure and asks once.
 * The bytes are borrowed.
 */
#ifndef PERFCORE_CURSOR_H
#define PERFCORE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *begin, *at, *end;
	bool is_swapped; /* numbers are of the other byte order */
	bool has_failed;
};

static inline struct cursor cursor_at(const void *bytes, size_t size)
{
	return (struct cursor){ bytes, bytes, (const uint8_t *)bytes + size,
				false, false };
}

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline size_t cursor_offset(const struct cursor *cursor)
{
	return (size_t)(cursor->at - cursor->begin);
}

/* Returns size bytes and moves on, or NULL (and moves to the end). */
static inline const void *cursor_bytes(struct cursor *cursor, size_t size)
{
	const uint8_t *bytes = cursor->at;

	if (size > cursor_left(cursor)) {
		cursor->has_failed = true;
		cursor->at = cursor->end;
		return NULL;
	}
	cursor->at += size;
	return bytes;
}

static inline void cursor_skip(struct cursor *cursor, size_t size)
{
	cursor_bytes(cursor, size);
}

static inline uint8_t cursor_u8(struct cursor *cursor)
{
	const uint8_t *bytes = cursor_bytes(cursor, 1);

	return bytes ? *bytes : 0;
}

static inline uint16_t cursor_u16(struct cursor *cursor)
{
	const void *bytes = cursor_bytes(cursor, 2);
	uint16_t value = 0;

	if (bytes)
		memcpy(&value, bytes, 2);
	return cursor->is_swapped ? __builtin_bswap16(value) : value;
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
	const void *bytes = cursor_bytes(cursor, 4);
	uint32_t value = 0;

	if (bytes)
		memcpy(&value, bytes, 4);
	return cursor->is_swapped ? __builtin_bswap32(value) : value;
}

static inline uint64_t cursor_u64(struct cursor *cursor)
{
	const void *bytes = cursor_bytes(cursor, 8);
	uint64_t value = 0;

	if (bytes)
		memcpy(&value, bytes, 8);
	return cursor->is_swapped ? __builtin_bswap64(value) : value;
}

/* A NUL-terminated text; NULL (failed) where no NUL is before the end. */
const char *cursor_text(struct cursor *cursor);

/* LEB128 as DWARF 5 section 7.6 and protobuf's varint; more than 64 bits
 * (over 10 bytes) fails. */
uint64_t cursor_uleb(struct cursor *cursor);
int64_t cursor_sleb(struct cursor *cursor);

#endif
