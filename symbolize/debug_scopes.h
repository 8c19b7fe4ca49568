/*
 * The functions of one unit and those inlined into them, as ranges of
 * addresses: made in one pass over the unit's entries, then an address is a
 * binary search away from its chain of inlined functions (case C61).
 * Functions in several pieces (.cold, DW_AT_ranges; case C07) are one.
 */
#ifndef SYMBOLIZE_DEBUG_SCOPES_H
#define SYMBOLIZE_DEBUG_SCOPES_H

#include "symbolize/debug_unit.h"
#include "symbolize/ranges.h"

#define DEBUG_SCOPE_NONE UINT32_MAX

struct debug_scope {
	uint32_t parent; /* what it is inlined into; DEBUG_SCOPE_NONE: it is
			  * no inlined function */
	uint32_t call_file, call_line; /* of its call in parent */
	uint64_t die;		       /* offset of its entry */
};

struct debug_scopes {
	struct debug_unit *unit;
	struct debug_scope *items;
	size_t count, capacity;
	struct ranges ranges; /* value: number of the innermost scope */
};

/* unit is borrowed until debug_scopes_destroy; image tells what is code. */
void debug_scopes_init(struct debug_scopes *scopes, struct debug_unit *unit,
		       const struct image *image);
void debug_scopes_destroy(struct debug_scopes *scopes);

/* Memory kept, in bytes. */
size_t debug_scopes_bytes(const struct debug_scopes *scopes);

/* The innermost scope at an address, or DEBUG_SCOPE_NONE. */
uint32_t debug_scopes_find(const struct debug_scopes *scopes, uint64_t vaddr);

/*
 * The names of the function whose entry is at an offset of unit's file,
 * through abstract origins and specifications. Either may be NULL: linkage
 * is the mangled one. id identifies the entry that the name was found at.
 */
struct debug_name {
	const char *name, *linkage;
};
void debug_scope_name(struct debug_unit *unit, uint64_t die,
		      struct debug_name *name);

#endif
