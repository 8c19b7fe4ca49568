#include "symbolize/debug_abbrev.h"

#include <dwarf.h>
#include <stdlib.h>

#include "perfcore/mem.h"

#define ABBREVS_MAX    16384u
#define ATTRIBUTES_MAX 65536u

/* The size of a form's values, or -1 where it varies or is unknown. */
static int form_size(uint16_t form, struct debug_sizes sizes)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return sizes.address;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return sizes.offset;
	case DW_FORM_ref_addr:
		return sizes.version <= 2 ? sizes.address : sizes.offset;
	default:
		return -1;
	}
}

bool debug_form_skip(struct cursor *cursor, uint16_t form,
		     struct debug_sizes sizes)
{
	int size = form_size(form, sizes);

	if (size >= 0) {
		cursor_skip(cursor, (size_t)size);
		return true;
	}
	switch (form) {
	case DW_FORM_string:
		cursor_text(cursor);
		return true;
	case DW_FORM_block1:
		cursor_skip(cursor, cursor_u8(cursor));
		return true;
	case DW_FORM_block2:
		cursor_skip(cursor, cursor_u16(cursor));
		return true;
	case DW_FORM_block4:
		cursor_skip(cursor, cursor_u32(cursor));
		return true;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		cursor_skip(cursor, cursor_uleb(cursor));
		return true;
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		cursor_uleb(cursor);
		return true;
	case DW_FORM_indirect:
		form = (uint16_t)cursor_uleb(cursor);
		return form != DW_FORM_indirect &&
		       debug_form_skip(cursor, form, sizes);
	default:
		return false;
	}
}

static bool attribute_read(struct debug_abbrevs *abbrevs,
			   struct debug_abbrev *abbrev, struct cursor *cursor)
{
	struct debug_attribute attribute = { 0 };
	int size;

	attribute.name = (uint16_t)cursor_uleb(cursor);
	attribute.form = (uint16_t)cursor_uleb(cursor);
	if (attribute.form == DW_FORM_implicit_const)
		attribute.implicit = cursor_sleb(cursor);
	if (cursor->has_failed || (!attribute.name && !attribute.form) ||
	    abbrevs->n_attributes == ATTRIBUTES_MAX ||
	    abbrev->n_attributes == UINT16_MAX)
		return false;
	abbrevs->attributes = mem_grow(
		abbrevs->attributes, abbrevs->n_attributes,
		&abbrevs->attributes_capacity, sizeof(*abbrevs->attributes));
	abbrevs->attributes[abbrevs->n_attributes++] = attribute;
	abbrev->n_attributes++;
	size = form_size(attribute.form, abbrevs->sizes);
	abbrev->size = size < 0 || abbrev->size < 0 ? -1 : abbrev->size + size;
	return true;
}

/* Code, tag, has children, then pairs of attribute and form up to 0, 0. */
static bool abbrev_read(struct debug_abbrevs *abbrevs, struct cursor *cursor)
{
	struct debug_abbrev abbrev = { .code = cursor_uleb(cursor) };

	if (!abbrev.code || abbrevs->count == ABBREVS_MAX)
		return false;
	abbrev.tag = (uint16_t)cursor_uleb(cursor);
	abbrev.has_children = cursor_u8(cursor);
	abbrev.first_attribute = (uint32_t)abbrevs->n_attributes;
	while (attribute_read(abbrevs, &abbrev, cursor))
		;
	if (cursor->has_failed)
		return false;
	abbrevs->items = mem_grow(abbrevs->items, abbrevs->count,
				  &abbrevs->capacity, sizeof(*abbrevs->items));
	abbrevs->items[abbrevs->count++] = abbrev;
	return true;
}

struct debug_abbrevs *debug_abbrevs_new(struct cursor cursor, uint64_t offset,
					struct debug_sizes sizes)
{
	struct debug_abbrevs *abbrevs = mem_calloc(1, sizeof(*abbrevs));

	abbrevs->offset = offset;
	abbrevs->sizes = sizes;
	while (abbrev_read(abbrevs, &cursor))
		;
	if (!cursor.has_failed)
		return abbrevs;
	debug_abbrevs_free(abbrevs);
	return NULL;
}

void debug_abbrevs_free(struct debug_abbrevs *abbrevs)
{
	if (!abbrevs)
		return;
	free(abbrevs->items);
	free(abbrevs->attributes);
	free(abbrevs);
}

/* Codes run from 1 in every file seen; others are searched for. */
const struct debug_abbrev *debug_abbrevs_get(
	const struct debug_abbrevs *abbrevs, uint64_t code)
{
	if (code - 1 < abbrevs->count && abbrevs->items[code - 1].code == code)
		return &abbrevs->items[code - 1];
	for (size_t i = 0; i < abbrevs->count; i++)
		if (abbrevs->items[i].code == code)
			return &abbrevs->items[i];
	return NULL;
}
