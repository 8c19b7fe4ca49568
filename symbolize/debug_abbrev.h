/*
 * Abbreviations: the shapes of DWARF entries. Most have a size that can be
 * told in advance, so that entries nobody asks for are skipped at once.
 * Source: DWARF 5, sections 7.5.3 to 7.5.6.
 */
#ifndef SYMBOLIZE_DEBUG_ABBREV_H
#define SYMBOLIZE_DEBUG_ABBREV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/cursor.h"

/* What the sizes of values depend on. */
struct debug_sizes {
	uint8_t version;
	uint8_t address; /* 2, 4 or 8 */
	uint8_t offset;	 /* 4 or 8 */
};

struct debug_attribute {
	uint16_t name, form;
	int64_t implicit; /* value of DW_FORM_implicit_const */
};

struct debug_abbrev {
	uint64_t code;
	uint16_t tag;
	bool has_children;
	uint16_t n_attributes;
	uint32_t first_attribute;
	int32_t size; /* of all attributes' values; -1: it varies */
};

struct debug_abbrevs {
	uint64_t offset; /* in .debug_abbrev */
	struct debug_sizes sizes;
	struct debug_abbrev *items;
	struct debug_attribute *attributes;
	size_t count, capacity, n_attributes, attributes_capacity;
};

/* Reads the abbreviations at cursor; NULL where they make no sense. */
struct debug_abbrevs *debug_abbrevs_new(struct cursor cursor, uint64_t offset,
					struct debug_sizes sizes);
void debug_abbrevs_free(struct debug_abbrevs *abbrevs);

/* Finds one by its code, or NULL. */
const struct debug_abbrev *debug_abbrevs_get(
	const struct debug_abbrevs *abbrevs, uint64_t code);

/* Moves over the value of a form. False: the form is unknown. */
bool debug_form_skip(struct cursor *cursor, uint16_t form,
		     struct debug_sizes sizes);

#endif
