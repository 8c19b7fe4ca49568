/*
 * The DWARF sections of one file, uncompressed where need be: SHF_COMPRESSED
 * by zlib and zstd, and .zdebug_* (case C23). What they declare as their size
 * is bounded before it is believed.
 */
#ifndef SYMBOLIZE_DEBUG_SECTIONS_H
#define SYMBOLIZE_DEBUG_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/cursor.h"
#include "symbolize/image.h"

enum debug_section {
	DEBUG_INFO,
	DEBUG_ABBREV,
	DEBUG_STR,
	DEBUG_LINE_STR,
	DEBUG_STR_OFFSETS,
	DEBUG_ADDR,
	DEBUG_RANGES,
	DEBUG_RNGLISTS,
	DEBUG_LINE,
	DEBUG_CU_INDEX,
	DEBUG_SECTIONS_COUNT
};

struct debug_bytes {
	const uint8_t *bytes; /* NULL: the file has no such section */
	size_t size;
	bool is_owned; /* uncompressed by us */
};

struct debug_sections {
	struct debug_bytes of[DEBUG_SECTIONS_COUNT];
	bool is_swapped; /* the file is of the other byte order */
};

/*
 * Reads the sections of image (borrowed until debug_sections_destroy); of
 * those that end in .dwo where is_split. Returns 0, or -EINVAL where one is
 * corrupt or too large: then there are none.
 */
int debug_sections_read(struct debug_sections *sections,
			const struct image *image, bool is_split);
void debug_sections_destroy(struct debug_sections *sections);

/* A cursor from offset to the section's end, failed where that is outside. */
struct cursor debug_sections_at(const struct debug_sections *sections,
				enum debug_section section, uint64_t offset);

/* The text at an offset of DEBUG_STR or DEBUG_LINE_STR, or NULL. */
const char *debug_sections_text(const struct debug_sections *sections,
				enum debug_section section, uint64_t offset);

#endif
