#include "symbolize/debug_unit.h"

#include <dwarf.h>
#include <stdlib.h>

#include "perfcore/hash.h"
#include "perfcore/mem.h"

#define UNITS_MAX (1u << 20)

/* How much of .debug_info is looked at before its pages are given back. */
#define FORGET_STEP (8u << 20)

static struct cursor cursor_in(const struct debug_file *file,
			       enum debug_section section, uint64_t offset)
{
	return debug_sections_at(&file->sections, section, offset);
}

static uint64_t cursor_sized(struct cursor *cursor, uint8_t size)
{
	switch (size) {
	case 1:
		return cursor_u8(cursor);
	case 2:
		return cursor_u16(cursor);
	case 4:
		return cursor_u32(cursor);
	default:
		return cursor_u64(cursor);
	}
}

static uint32_t cursor_u24(struct cursor *cursor)
{
	uint32_t first = cursor_u8(cursor), second = cursor_u8(cursor),
		 third = cursor_u8(cursor);

	return cursor->is_swapped == (__BYTE_ORDER == __LITTLE_ENDIAN)
		       ? first << 16 | second << 8 | third
		       : third << 16 | second << 8 | first;
}

static const struct debug_abbrevs *unit_abbrevs(struct debug_unit *unit)
{
	struct debug_file *file = unit->file;
	struct debug_abbrevs **kept =
		&file->abbrevs[hash_u64(unit->abbrev_offset) %
			       DEBUG_ABBREVS_KEPT];

	if (*kept && (*kept)->offset == unit->abbrev_offset &&
	    (*kept)->sizes.version == unit->sizes.version &&
	    (*kept)->sizes.address == unit->sizes.address &&
	    (*kept)->sizes.offset == unit->sizes.offset)
		return *kept;
	debug_abbrevs_free(*kept);
	*kept = debug_abbrevs_new(
		cursor_in(file, DEBUG_ABBREV, unit->abbrev_offset),
		unit->abbrev_offset, unit->sizes);
	return *kept;
}

bool debug_die_at(struct debug_unit *unit, uint64_t offset,
		  struct debug_die *die, bool *is_null)
{
	const struct debug_abbrevs *abbrevs = unit_abbrevs(unit);
	uint64_t code;

	*is_null = false;
	if (!abbrevs || offset < unit->first_die || offset >= unit->end)
		return false;
	die->unit = unit;
	die->offset = offset;
	die->cursor = cursor_in(unit->file, DEBUG_INFO, offset);
	die->cursor.end = die->cursor.begin + unit->end;
	code = cursor_uleb(&die->cursor);
	if (die->cursor.has_failed)
		return false;
	*is_null = code == 0;
	die->abbrev = code ? debug_abbrevs_get(abbrevs, code) : NULL;
	if (!die->abbrev)
		return false;
	die->attributes = NULL;
	if (die->abbrev->n_attributes)
		die->attributes =
			abbrevs->attributes + die->abbrev->first_attribute;
	return true;
}

uint64_t debug_die_end(const struct debug_die *die)
{
	struct cursor cursor = die->cursor;

	if (die->abbrev->size >= 0)
		return cursor_offset(&cursor) + (uint64_t)die->abbrev->size;
	for (uint32_t i = 0; i < die->abbrev->n_attributes; i++)
		if (!debug_form_skip(&cursor, die->attributes[i].form,
				     die->unit->sizes))
			return 0;
	return cursor.has_failed ? 0 : cursor_offset(&cursor);
}

/* Reads a value of any form into a number, or a text that stands there.
 * Blocks are moved over. */
static bool value_read(struct cursor *cursor,
		       const struct debug_attribute *attribute,
		       struct debug_sizes sizes, struct debug_value *value)
{
	value->form = attribute->form;
	value->text = NULL;
	if (value->form == DW_FORM_indirect)
		value->form = (uint16_t)cursor_uleb(cursor);
	switch (value->form) {
	case DW_FORM_implicit_const:
		value->number = (uint64_t)attribute->implicit;
		return true;
	case DW_FORM_flag_present:
		value->number = 1;
		return true;
	case DW_FORM_addr:
		value->number = cursor_sized(cursor, sizes.address);
		return true;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		value->number = cursor_u8(cursor);
		return true;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		value->number = cursor_u16(cursor);
		return true;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		value->number = cursor_u24(cursor);
		return true;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
	case DW_FORM_ref_sup4:
		value->number = cursor_u32(cursor);
		return true;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		value->number = cursor_u64(cursor);
		return true;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		value->number = cursor_sized(cursor, sizes.offset);
		return true;
	case DW_FORM_ref_addr:
		value->number =
			cursor_sized(cursor, sizes.version <= 2 ? sizes.address
								: sizes.offset);
		return true;
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		value->number = cursor_uleb(cursor);
		return true;
	case DW_FORM_sdata:
		value->number = (uint64_t)cursor_sleb(cursor);
		return true;
	case DW_FORM_string:
		value->text = cursor_text(cursor);
		return true;
	default:
		return debug_form_skip(cursor, value->form, sizes);
	}
}

void debug_walk_init(struct debug_walk *walk, const struct debug_die *die)
{
	walk->cursor = die->cursor;
	walk->number = 0;
}

bool debug_walk_next(struct debug_walk *walk, const struct debug_die *die,
		     uint16_t *name, struct debug_value *value)
{
	const struct debug_attribute *attribute;

	if (walk->number == die->abbrev->n_attributes)
		return false;
	attribute = &die->attributes[walk->number++];
	*name = attribute->name;
	return value_read(&walk->cursor, attribute, die->unit->sizes, value) &&
	       !walk->cursor.has_failed;
}

static bool address_by_index(const struct debug_unit *unit, uint64_t index,
			     uint64_t *address)
{
	struct cursor cursor;

	if (index > UINT32_MAX)
		return false;
	cursor = cursor_in(unit->addresses, DEBUG_ADDR,
			   unit->addr_base + index * unit->sizes.address);
	*address = cursor_sized(&cursor, unit->sizes.address);
	return !cursor.has_failed;
}

bool debug_value_address(const struct debug_unit *unit,
			 const struct debug_value *value, uint64_t *address)
{
	switch (value->form) {
	case DW_FORM_addr:
		*address = value->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return address_by_index(unit, value->number, address);
	default:
		return false;
	}
}

bool debug_value_number(const struct debug_value *value, uint64_t *number)
{
	switch (value->form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_implicit_const:
	case DW_FORM_sec_offset:
	case DW_FORM_flag:
	case DW_FORM_flag_present:
		*number = value->number;
		return true;
	default:
		return false;
	}
}

static const char *text_by_index(const struct debug_unit *unit, uint64_t index)
{
	struct cursor cursor;
	uint64_t offset;

	if (index > UINT32_MAX)
		return NULL;
	cursor = cursor_in(unit->file, DEBUG_STR_OFFSETS,
			   unit->str_offsets_base + index * unit->sizes.offset);
	offset = cursor_sized(&cursor, unit->sizes.offset);
	return cursor.has_failed ? NULL
				 : debug_sections_text(&unit->file->sections,
						       DEBUG_STR, offset);
}

const char *debug_value_text(const struct debug_unit *unit,
			     const struct debug_value *value)
{
	const struct debug_file *file = unit->file;

	switch (value->form) {
	case DW_FORM_string:
		return value->text;
	case DW_FORM_strp:
		return debug_sections_text(&file->sections, DEBUG_STR,
					   value->number);
	case DW_FORM_line_strp:
		return debug_sections_text(&file->sections, DEBUG_LINE_STR,
					   value->number);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return file->supplement ? debug_sections_text(
						  &file->supplement->sections,
						  DEBUG_STR, value->number)
					: NULL;
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return text_by_index(unit, value->number);
	default:
		return NULL;
	}
}

bool debug_value_reference(const struct debug_unit *unit,
			   const struct debug_value *value,
			   struct debug_unit **to, uint64_t *offset)
{
	const struct debug_file *file = unit->file;

	*offset = value->number;
	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		*offset += unit->offset;
		break;
	case DW_FORM_ref_addr:
		break;
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
		file = file->supplement;
		break;
	default:
		return false;
	}
	*to = file ? debug_file_unit(file, *offset) : NULL;
	return *to != NULL;
}

struct debug_unit *debug_file_unit(const struct debug_file *file,
				   uint64_t offset)
{
	size_t low = 0, high = file->n_units;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->units[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low && offset < file->units[low - 1].end ? &file->units[low - 1]
							: NULL;
}

/* Bases must be known before values that are read through them. */
static void unit_base(struct debug_unit *unit, uint16_t name,
		      const struct debug_value *value)
{
	switch (name) {
	case DW_AT_str_offsets_base:
		debug_value_number(value, &unit->str_offsets_base);
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		debug_value_number(value, &unit->addr_base);
		break;
	case DW_AT_rnglists_base:
		debug_value_number(value, &unit->rnglists_base);
		break;
	case DW_AT_GNU_ranges_base:
		debug_value_number(value, &unit->gnu_ranges_base);
		break;
	case DW_AT_stmt_list:
		unit->has_lines = debug_value_number(value, &unit->line_offset);
		break;
	case DW_AT_GNU_dwo_id:
		debug_value_number(value, &unit->dwo_id);
		break;
	}
}

static void unit_value(struct debug_unit *unit, uint16_t name,
		       const struct debug_value *value)
{
	switch (name) {
	case DW_AT_name:
		unit->name = debug_value_text(unit, value);
		break;
	case DW_AT_comp_dir:
		unit->comp_dir = debug_value_text(unit, value);
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		unit->dwo_name = debug_value_text(unit, value);
		break;
	case DW_AT_low_pc:
		debug_value_address(unit, value, &unit->low_pc);
		break;
	}
}

static void unit_die_read(struct debug_unit *unit)
{
	struct debug_walk walk;
	struct debug_value value;
	struct debug_die die;
	uint16_t name;
	bool is_null;

	if (!debug_die_at(unit, unit->first_die, &die, &is_null))
		return;
	for (debug_walk_init(&walk, &die);
	     debug_walk_next(&walk, &die, &name, &value);)
		unit_base(unit, name, &value);
	for (debug_walk_init(&walk, &die);
	     debug_walk_next(&walk, &die, &name, &value);)
		unit_value(unit, name, &value);
}

/*
 * A unit's header: length (4 bytes, or 0xffffffff and 8), version, and then
 * DWARF 5: type, address size, abbreviations; before: abbreviations, address
 * size. Skeletons and split units have an id (8 bytes), type units a
 * signature (8) and an offset.
 */
static bool unit_read(struct debug_file *file, struct cursor *cursor,
		      struct debug_unit *unit)
{
	uint64_t length;

	*unit = (struct debug_unit){ .file = file,
				     .addresses = file,
				     .offset = cursor_offset(cursor),
				     .type = DW_UT_compile,
				     .sizes = { .offset = 4 } };
	length = cursor_u32(cursor);
	if (length == 0xffffffff) {
		length = cursor_u64(cursor);
		unit->sizes.offset = 8;
	}
	if (cursor->has_failed || length > cursor_left(cursor))
		return false;
	unit->end = cursor_offset(cursor) + length;
	unit->sizes.version = (uint8_t)cursor_u16(cursor);
	if (unit->sizes.version >= 5) {
		unit->type = cursor_u8(cursor);
		unit->sizes.address = cursor_u8(cursor);
	}
	unit->abbrev_offset = cursor_sized(cursor, unit->sizes.offset);
	if (unit->sizes.version < 5)
		unit->sizes.address = cursor_u8(cursor);
	if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
		unit->dwo_id = cursor_u64(cursor);
	if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
		cursor_skip(cursor, 8u + unit->sizes.offset);
	unit->first_die = cursor_offset(cursor);
	return !cursor->has_failed;
}

static bool unit_is_known(const struct debug_unit *unit)
{
	const struct debug_sizes *sizes = &unit->sizes;

	return sizes->version >= 2 && sizes->version <= 5 &&
	       (sizes->address == 4 || sizes->address == 8) &&
	       unit->first_die < unit->end;
}

/* Where the tables of a split file begin that no base is told for. */
static void unit_split_bases(struct debug_unit *unit)
{
	if (unit->type != DW_UT_split_compile)
		return;
	unit->str_offsets_base = unit->sizes.offset == 8 ? 16 : 8;
	unit->rnglists_base = unit->sizes.offset == 8 ? 20 : 12;
}

void debug_file_scan(struct debug_file *file, void (*forget)(void *context),
		     void *context)
{
	struct cursor cursor = cursor_in(file, DEBUG_INFO, 0);
	uint64_t next_forget = FORGET_STEP;
	struct debug_unit unit;

	for (uint32_t i = 0; i < UNITS_MAX && cursor_left(&cursor) &&
			     unit_read(file, &cursor, &unit);
	     i++) {
		cursor.at = cursor.begin + unit.end;
		if (!unit_is_known(&unit))
			continue;
		unit_split_bases(&unit);
		unit_die_read(&unit);
		file->units =
			mem_grow(file->units, file->n_units,
				 &file->units_capacity, sizeof(*file->units));
		file->units[file->n_units++] = unit;
		if (forget && unit.end > next_forget) {
			forget(context);
			next_forget = unit.end + FORGET_STEP;
		}
	}
}

void debug_file_destroy(struct debug_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < DEBUG_ABBREVS_KEPT; i++)
		debug_abbrevs_free(file->abbrevs[i]);
	free(file->units);
	debug_sections_destroy(&file->sections);
	*file = (struct debug_file){ 0 };
}
