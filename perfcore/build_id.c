#include "perfcore/build_id.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "perfcore/cursor.h"

#define HEADERS_MAX 64	 /* program headers looked at */
#define NOTES_MAX   8192 /* bytes of one note segment looked at */

struct elf_shape {
	bool is_64, is_swapped;
	uint64_t headers_offset;
	uint16_t header_size, n_headers;
};

static ssize_t read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
	ssize_t n;

	if (offset > INT64_MAX)
		return -EBADMSG;
	do
		n = pread(fd, buffer, size, (off_t)offset);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static uint64_t read_word(struct cursor *cursor, bool is_64)
{
	return is_64 ? cursor_u64(cursor) : cursor_u32(cursor);
}

static int read_shape(int fd, struct elf_shape *shape)
{
	uint8_t header[sizeof(Elf64_Ehdr)];
	ssize_t n = read_at(fd, header, sizeof(header), 0);
	struct cursor cursor;
	uint8_t order = ELFDATA2LSB;

	if (n < 0)
		return (int)n;
	if (n < EI_NIDENT || memcmp(header, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		order = ELFDATA2MSB;
	cursor = cursor_at(header, (size_t)n);
	shape->is_64 = header[EI_CLASS] == ELFCLASS64;
	shape->is_swapped = header[EI_DATA] != order;
	cursor.is_swapped = shape->is_swapped;
	cursor_skip(&cursor, EI_NIDENT + 8);	    /* type, machine, version */
	cursor_skip(&cursor, shape->is_64 ? 8 : 4); /* entry */
	shape->headers_offset = read_word(&cursor, shape->is_64);
	cursor_skip(&cursor, shape->is_64 ? 8 : 4); /* section headers */
	cursor_skip(&cursor, 6); /* flags, size of this header */
	shape->header_size = cursor_u16(&cursor);
	shape->n_headers = cursor_u16(&cursor);
	return cursor.has_failed ? -ENOEXEC : 0;
}

/* Finds NT_GNU_BUILD_ID among the notes; their layout: elf(5). */
static int find_note(struct cursor *notes, uint64_t alignment,
		     uint8_t build_id[BUILD_ID_MAX])
{
	size_t mask = alignment == 8 ? 7 : 3;

	while (cursor_left(notes) >= 12) {
		uint32_t name_size = cursor_u32(notes);
		uint32_t size = cursor_u32(notes);
		uint32_t type = cursor_u32(notes);
		const void *name = cursor_bytes(notes, name_size);
		const uint8_t *bytes;

		cursor_skip(notes, -cursor_offset(notes) & mask);
		bytes = cursor_bytes(notes, size);
		if (notes->has_failed)
			return 0;
		if (type == NT_GNU_BUILD_ID && name_size == 4 &&
		    memcmp(name, "GNU", 4) == 0) {
			static const uint8_t zeros[BUILD_ID_MAX];

			size = size < BUILD_ID_MAX ? size : BUILD_ID_MAX;
			memcpy(build_id, bytes, size);
			return memcmp(bytes, zeros, size) ? (int)size : 0;
		}
		/* The last one may end without its padding. */
		size = -cursor_offset(notes) & mask;
		cursor_skip(notes, size < cursor_left(notes)
					   ? size
					   : cursor_left(notes));
	}
	return 0;
}

static int search_notes(int fd, const struct elf_shape *shape, uint64_t offset,
			uint64_t size, uint64_t alignment,
			uint8_t build_id[BUILD_ID_MAX])
{
	uint8_t bytes[NOTES_MAX];
	struct cursor notes;
	ssize_t n =
		read_at(fd, bytes, size < NOTES_MAX ? size : NOTES_MAX, offset);

	if (n <= 0)
		return 0;
	notes = cursor_at(bytes, (size_t)n);
	notes.is_swapped = shape->is_swapped;
	return find_note(&notes, alignment, build_id);
}

int build_id_read(int fd, uint8_t build_id[BUILD_ID_MAX])
{
	struct elf_shape shape;
	int status = read_shape(fd, &shape);

	if (status < 0)
		return status;
	for (unsigned i = 0; i < shape.n_headers && i < HEADERS_MAX; i++) {
		uint8_t header[sizeof(Elf64_Phdr)];
		uint64_t at =
			shape.headers_offset + (uint64_t)i * shape.header_size;
		ssize_t n = read_at(fd, header, sizeof(header), at);
		struct cursor cursor;
		uint64_t offset, size, alignment;

		if (n < 0)
			return 0;
		cursor = cursor_at(header, (size_t)n);
		cursor.is_swapped = shape.is_swapped;
		if (cursor_u32(&cursor) != PT_NOTE)
			continue;
		cursor_skip(&cursor, shape.is_64 ? 4 : 0); /* flags */
		offset = read_word(&cursor, shape.is_64);
		cursor_skip(&cursor, shape.is_64 ? 16 : 8); /* addresses */
		size = read_word(&cursor, shape.is_64);
		cursor_skip(&cursor, 8); /* memory, flags */
		alignment = read_word(&cursor, shape.is_64);
		if (cursor.has_failed)
			continue;
		status = search_notes(fd, &shape, offset, size, alignment,
				      build_id);
		if (status > 0)
			return status;
	}
	return 0;
}

int build_id_of_kernel(int fd, uint8_t build_id[BUILD_ID_MAX])
{
	uint8_t bytes[NOTES_MAX];
	ssize_t n = read_at(fd, bytes, sizeof(bytes), 0);
	struct cursor notes;

	if (n <= 0)
		return 0;
	notes = cursor_at(bytes, (size_t)n);
	return find_note(&notes, 4, build_id);
}
