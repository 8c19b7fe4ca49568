#include "symbolize/debug_ranges.h"

#include <dwarf.h>

/* No real function has so many pieces. */
#define RANGES_MAX 65536u

void debug_extent_take(struct debug_extent *extent, uint16_t name,
		       const struct debug_value *value)
{
	switch (name) {
	case DW_AT_low_pc:
		extent->low = *value;
		break;
	case DW_AT_high_pc:
		extent->high = *value;
		break;
	case DW_AT_ranges:
		extent->ranges = *value;
		break;
	}
}

static uint64_t address_read(struct cursor *cursor, uint8_t size)
{
	return size == 4 ? cursor_u32(cursor) : cursor_u64(cursor);
}

struct list {
	const struct debug_unit *unit;
	struct cursor cursor;
	uint64_t base;
	void (*add)(void *context, uint64_t start, uint64_t end);
	void *context;
};

static void list_add(const struct list *list, uint64_t start, uint64_t end)
{
	if (start < end)
		list->add(list->context, start, end);
}

/* Pairs of addresses; (-1, base) sets the base, (0, 0) ends the list. */
static bool list_next_old(struct list *list)
{
	uint8_t size = list->unit->sizes.address;
	uint64_t begin = address_read(&list->cursor, size);
	uint64_t end = address_read(&list->cursor, size);

	if (list->cursor.has_failed || (!begin && !end))
		return false;
	if (begin == (size == 4 ? UINT32_MAX : UINT64_MAX))
		list->base = end;
	else
		list_add(list, list->base + begin, list->base + end);
	return true;
}

static uint64_t indexed(struct list *list)
{
	struct debug_value value = { .form = DW_FORM_addrx,
				     .number = cursor_uleb(&list->cursor) };
	uint64_t address = 0;

	if (!debug_value_address(list->unit, &value, &address))
		list->cursor.has_failed = true;
	return address;
}

static bool list_next(struct list *list)
{
	struct cursor *cursor = &list->cursor;
	uint8_t size = list->unit->sizes.address;
	uint64_t start = 0, end = 0;

	switch (cursor_u8(cursor)) {
	case DW_RLE_base_addressx:
		list->base = indexed(list);
		break;
	case DW_RLE_startx_endx:
		start = indexed(list);
		end = indexed(list);
		break;
	case DW_RLE_startx_length:
		start = indexed(list);
		end = start + cursor_uleb(cursor);
		break;
	case DW_RLE_offset_pair:
		start = list->base + cursor_uleb(cursor);
		end = list->base + cursor_uleb(cursor);
		break;
	case DW_RLE_base_address:
		list->base = address_read(cursor, size);
		break;
	case DW_RLE_start_end:
		start = address_read(cursor, size);
		end = address_read(cursor, size);
		break;
	case DW_RLE_start_length:
		start = address_read(cursor, size);
		end = start + cursor_uleb(cursor);
		break;
	default:
		return false;
	}
	if (cursor->has_failed)
		return false;
	list_add(list, start, end);
	return true;
}

/* DW_FORM_rnglistx counts in a table of offsets at the unit's base. */
static bool list_by_index(const struct debug_unit *unit, uint64_t index,
			  uint64_t *offset)
{
	struct cursor cursor;

	if (index > UINT32_MAX)
		return false;
	cursor = debug_sections_at(&unit->file->sections, DEBUG_RNGLISTS,
				   unit->rnglists_base +
					   index * unit->sizes.offset);
	*offset = unit->rnglists_base + (unit->sizes.offset == 8
						 ? cursor_u64(&cursor)
						 : cursor_u32(&cursor));
	return !cursor.has_failed;
}

static void list_walk(struct list *list, const struct debug_value *value)
{
	const struct debug_unit *unit = list->unit;
	uint64_t offset = value->number;
	uint32_t left = RANGES_MAX;

	if (unit->sizes.version < 5) {
		list->cursor = debug_sections_at(
			&unit->addresses->sections, DEBUG_RANGES,
			offset + (unit->addresses != unit->file
					  ? unit->gnu_ranges_base
					  : 0));
		while (left-- && list_next_old(list))
			;
		return;
	}
	if (value->form == DW_FORM_rnglistx &&
	    !list_by_index(unit, value->number, &offset))
		return;
	list->cursor = debug_sections_at(&unit->file->sections, DEBUG_RNGLISTS,
					 offset);
	while (left-- && list_next(list))
		;
}

void debug_extent_walk(const struct debug_extent *extent,
		       const struct debug_unit *unit,
		       void (*add)(void *context, uint64_t start, uint64_t end),
		       void *context)
{
	struct list list = { .unit = unit,
			     .base = unit->low_pc,
			     .add = add,
			     .context = context };
	uint64_t low, high;

	if (extent->ranges.form) {
		list_walk(&list, &extent->ranges);
		return;
	}
	if (!debug_value_address(unit, &extent->low, &low))
		return;
	if (debug_value_number(&extent->high, &high))
		list_add(&list, low, low + high);
	else if (debug_value_address(unit, &extent->high, &high))
		list_add(&list, low, high);
}
