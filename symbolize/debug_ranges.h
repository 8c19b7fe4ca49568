/*
 * The address ranges of a DWARF entry: DW_AT_low_pc and DW_AT_high_pc, or a
 * list in .debug_ranges (up to DWARF 4) or .debug_rnglists (5).
 * Source: DWARF 4 and 5, section 2.17.
 */
#ifndef SYMBOLIZE_DEBUG_RANGES_H
#define SYMBOLIZE_DEBUG_RANGES_H

#include "symbolize/debug_unit.h"

/* What an entry says of its ranges, filled while its attributes are read. */
struct debug_extent {
	struct debug_value low, high, ranges; /* form 0: not there */
};

/* Takes the attribute if it is one of the three. */
void debug_extent_take(struct debug_extent *extent, uint16_t name,
		       const struct debug_value *value);

/* Calls add for each range that is not empty, until a list makes no sense. */
void debug_extent_walk(const struct debug_extent *extent,
		       const struct debug_unit *unit,
		       void (*add)(void *context, uint64_t start, uint64_t end),
		       void *context);

#endif
