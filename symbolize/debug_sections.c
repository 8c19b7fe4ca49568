#include "symbolize/debug_sections.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "perfcore/mem.h"

/* Real sections shrink by a factor of 3 to 20; a bomb's by 1,000 and more. */
#define UNPACKED_MAX (512u << 20)
#define FACTOR_MAX   200u

#define COMPRESSED_ZLIB 1
#define COMPRESSED_ZSTD 2

static const char *const section_names[DEBUG_SECTIONS_COUNT] = {
	[DEBUG_INFO] = "info",
	[DEBUG_ABBREV] = "abbrev",
	[DEBUG_STR] = "str",
	[DEBUG_LINE_STR] = "line_str",
	[DEBUG_STR_OFFSETS] = "str_offsets",
	[DEBUG_ADDR] = "addr",
	[DEBUG_RANGES] = "ranges",
	[DEBUG_RNGLISTS] = "rnglists",
	[DEBUG_LINE] = "line",
	[DEBUG_CU_INDEX] = "cu_index",
};

static int unpack(struct debug_bytes *out, uint32_t kind, const uint8_t *packed,
		  size_t packed_size, uint64_t size)
{
	uint8_t *bytes;
	uLongf got = size;
	bool is_good;

	if (size > UNPACKED_MAX || size / FACTOR_MAX > packed_size)
		return -EINVAL;
	bytes = mem_alloc(size);
	if (kind == COMPRESSED_ZSTD)
		is_good = ZSTD_decompress(bytes, size, packed, packed_size) ==
			  size;
	else
		is_good =
			kind == COMPRESSED_ZLIB &&
			uncompress(bytes, &got, packed, packed_size) == Z_OK &&
			got == size;
	if (!is_good) {
		free(bytes);
		return -EINVAL;
	}
	*out = (struct debug_bytes){ bytes, size, true };
	return 0;
}

/* The section begins with an Elf32_Chdr or Elf64_Chdr, at any alignment. */
static int unpack_compressed(struct debug_bytes *out, const struct image *image,
			     struct cursor cursor)
{
	bool is_64 = gelf_getclass(image->elf) == ELFCLASS64;
	uint32_t kind = cursor_u32(&cursor);
	uint64_t size;

	if (is_64)
		cursor_skip(&cursor, 4);
	size = is_64 ? cursor_u64(&cursor) : cursor_u32(&cursor);
	cursor_skip(&cursor, is_64 ? 8 : 4); /* alignment */
	return cursor.has_failed ? -EINVAL
				 : unpack(out, kind, cursor.at,
					  cursor_left(&cursor), size);
}

/* .zdebug_*: "ZLIB", the size in eight bytes, most significant first. */
static int unpack_zdebug(struct debug_bytes *out, struct cursor cursor)
{
	const void *magic = cursor_bytes(&cursor, 4);
	uint64_t size = 0;

	for (int i = 0; i < 8; i++)
		size = size << 8 | cursor_u8(&cursor);
	if (cursor.has_failed || memcmp(magic, "ZLIB", 4) != 0)
		return -EINVAL;
	return unpack(out, COMPRESSED_ZLIB, cursor.at, cursor_left(&cursor),
		      size);
}

static int section_read(struct debug_bytes *out, const struct image *image,
			const char *name, bool is_split)
{
	char full[48];
	struct image_section section;
	struct cursor cursor;
	const uint8_t *bytes;
	size_t size;

	snprintf(full, sizeof(full), ".debug_%s%s", name,
		 is_split && strcmp(name, "cu_index") ? ".dwo" : "");
	if (image_section(image, full, &section)) {
		bytes = image_section_bytes(image, &section, &size);
		if (!bytes) /* SHT_NOBITS, or not within the file */
			return section.header.sh_type == SHT_NOBITS ? 0
								    : -EINVAL;
		cursor = cursor_at(bytes, size);
		cursor.is_swapped = image_is_swapped(image);
		if (section.header.sh_flags & SHF_COMPRESSED)
			return unpack_compressed(out, image, cursor);
		*out = (struct debug_bytes){ bytes, size, false };
		return 0;
	}
	snprintf(full, sizeof(full), ".zdebug_%s%s", name,
		 is_split ? ".dwo" : "");
	if (!image_section(image, full, &section))
		return 0;
	bytes = image_section_bytes(image, &section, &size);
	return bytes ? unpack_zdebug(out, cursor_at(bytes, size)) : -EINVAL;
}

int debug_sections_read(struct debug_sections *sections,
			const struct image *image, bool is_split)
{
	*sections = (struct debug_sections){
		.is_swapped = image_is_swapped(image),
	};
	for (size_t i = 0; i < DEBUG_SECTIONS_COUNT; i++) {
		int ret = section_read(&sections->of[i], image,
				       section_names[i], is_split);

		if (ret) {
			debug_sections_destroy(sections);
			return ret;
		}
	}
	return 0;
}

void debug_sections_destroy(struct debug_sections *sections)
{
	if (!sections)
		return;
	for (size_t i = 0; i < DEBUG_SECTIONS_COUNT; i++)
		if (sections->of[i].is_owned)
			free((void *)(uintptr_t)sections->of[i].bytes);
	*sections = (struct debug_sections){ 0 };
}

struct cursor debug_sections_at(const struct debug_sections *sections,
				enum debug_section section, uint64_t offset)
{
	static const struct debug_bytes none = { (const uint8_t *)"", 0,
						 false };
	const struct debug_bytes *of =
		sections->of[section].bytes ? &sections->of[section] : &none;
	struct cursor cursor = cursor_at(of->bytes, of->size);

	cursor.is_swapped = sections->is_swapped;
	if (of == &none || offset > of->size)
		cursor.has_failed = true;
	cursor_skip(&cursor, offset < of->size ? offset : of->size);
	return cursor;
}

const char *debug_sections_text(const struct debug_sections *sections,
				enum debug_section section, uint64_t offset)
{
	struct cursor cursor = debug_sections_at(sections, section, offset);

	return cursor.has_failed ? NULL : cursor_text(&cursor);
}
