#include "symbolize/debug_scopes.h"

#include <dwarf.h>
#include <stdlib.h>

#include "perfcore/mem.h"
#include "symbolize/debug_ranges.h"

#define DEPTH_MAX      1024u
#define SCOPES_MAX     (4u << 20)
#define PIECES_MAX     (2u << 20)
#define REFERENCES_MAX 16

/* A range of a scope: painted when all are known. */
struct piece {
	uint64_t start, end;
	uint32_t scope;
};

struct pass {
	struct debug_scopes *scopes;
	const struct image *image;
	struct piece *pieces; /* outer scopes before those inside of them */
	size_t n_pieces, pieces_capacity;
	uint32_t scope;		     /* the one whose pieces are added */
	uint32_t parents[DEPTH_MAX]; /* scope of each level of children */
	uint32_t depth;
};

/* Functions that the linker discarded begin at 0 or at a tombstone. */
static void piece_add(void *context, uint64_t start, uint64_t end)
{
	struct pass *pass = context;
	const struct module_segment *segment =
		image_segment(pass->image, start);

	if (!start || !segment || !segment->is_executable ||
	    pass->n_pieces == PIECES_MAX)
		return;
	pass->pieces = mem_grow(pass->pieces, pass->n_pieces,
				&pass->pieces_capacity, sizeof(*pass->pieces));
	pass->pieces[pass->n_pieces++] =
		(struct piece){ start, end, pass->scope };
}

/* Adds the function of die, if it has code; returns its number, or that of
 * the scope around it. */
static uint32_t scope_add(struct pass *pass, const struct debug_die *die,
			  uint32_t around)
{
	struct debug_scopes *scopes = pass->scopes;
	bool is_inlined = die->abbrev->tag == DW_TAG_inlined_subroutine;
	struct debug_scope scope = {
		.parent = is_inlined ? around : DEBUG_SCOPE_NONE,
		.die = die->offset,
	};
	struct debug_extent extent = { 0 };
	size_t n_pieces = pass->n_pieces;
	struct debug_walk walk;
	struct debug_value value;
	uint64_t number;
	uint16_t name;

	if (scopes->count == SCOPES_MAX)
		return around;
	for (debug_walk_init(&walk, die);
	     debug_walk_next(&walk, die, &name, &value);) {
		debug_extent_take(&extent, name, &value);
		if (name == DW_AT_call_file &&
		    debug_value_number(&value, &number))
			scope.call_file = (uint32_t)number;
		if (name == DW_AT_call_line &&
		    debug_value_number(&value, &number))
			scope.call_line = (uint32_t)number;
	}
	pass->scope = (uint32_t)scopes->count;
	debug_extent_walk(&extent, die->unit, piece_add, pass);
	if (pass->n_pieces == n_pieces)
		return around;
	scopes->items = mem_grow(scopes->items, scopes->count,
				 &scopes->capacity, sizeof(*scopes->items));
	scopes->items[scopes->count++] = scope;
	return pass->scope;
}

/* Where the entry behind die and its children is, if it tells; else 0. */
static uint64_t sibling(const struct debug_die *die)
{
	struct debug_walk walk;
	struct debug_value value;
	struct debug_unit *unit;
	uint64_t offset;
	uint16_t name;

	for (debug_walk_init(&walk, die);
	     debug_walk_next(&walk, die, &name, &value);)
		if (name == DW_AT_sibling)
			return debug_value_reference(die->unit, &value, &unit,
						     &offset) &&
					       unit == die->unit &&
					       offset > die->offset
				       ? offset
				       : 0;
	return 0;
}

/* Entries whose children are no code. Classes only declare their methods. */
static bool is_without_code(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_array_type:
		return true;
	default:
		return false;
	}
}

/* Handles one entry; returns where the next one is, 0: nowhere. */
static uint64_t die_take(struct pass *pass, const struct debug_die *die)
{
	uint32_t around = pass->parents[pass->depth], scope = around;
	uint64_t next = 0;

	switch (die->abbrev->tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
		scope = scope_add(pass, die, around);
		break;
	default:
		if (die->abbrev->has_children &&
		    is_without_code(die->abbrev->tag))
			next = sibling(die);
		break;
	}
	if (next)
		return next;
	if (die->abbrev->has_children) {
		if (pass->depth + 1 == DEPTH_MAX)
			return 0;
		pass->parents[++pass->depth] = scope;
	}
	return debug_die_end(die);
}

static void dies_walk(struct pass *pass)
{
	struct debug_unit *unit = pass->scopes->unit;
	uint64_t offset = unit->first_die;
	struct debug_die die;
	bool is_null;

	pass->parents[0] = DEBUG_SCOPE_NONE;
	while (offset && offset < unit->end) {
		if (debug_die_at(unit, offset, &die, &is_null)) {
			offset = die_take(pass, &die);
			continue;
		}
		if (!is_null || pass->depth <= 1)
			break;
		pass->depth--;
		offset++;
	}
}

/* From the innermost to the outermost: an inner scope comes later. */
static void pieces_paint(struct pass *pass)
{
	struct ranges_maker maker;

	ranges_begin(&maker, pass->n_pieces);
	for (size_t i = 0; i < pass->n_pieces; i++)
		ranges_edge(&maker, pass->pieces[i].start, pass->pieces[i].end);
	ranges_sort(&maker);
	for (size_t i = pass->n_pieces; i-- > 0;)
		ranges_paint(&maker, pass->pieces[i].start, pass->pieces[i].end,
			     pass->pieces[i].scope);
	ranges_end(&maker, &pass->scopes->ranges);
}

void debug_scopes_init(struct debug_scopes *scopes, struct debug_unit *unit,
		       const struct image *image)
{
	struct pass pass = { .scopes = scopes, .image = image };

	*scopes = (struct debug_scopes){ .unit = unit };
	dies_walk(&pass);
	pieces_paint(&pass);
	free(pass.pieces);
	scopes->items = mem_realloc(scopes->items,
				    scopes->count * sizeof(*scopes->items));
	scopes->capacity = scopes->count;
}

void debug_scopes_destroy(struct debug_scopes *scopes)
{
	if (!scopes)
		return;
	ranges_destroy(&scopes->ranges);
	free(scopes->items);
	*scopes = (struct debug_scopes){ 0 };
}

size_t debug_scopes_bytes(const struct debug_scopes *scopes)
{
	return scopes->capacity * sizeof(*scopes->items) +
	       scopes->ranges.count * sizeof(*scopes->ranges.items);
}

uint32_t debug_scopes_find(const struct debug_scopes *scopes, uint64_t vaddr)
{
	return ranges_find(&scopes->ranges, vaddr);
}

/* Takes the names that one entry tells. Returns true where another entry,
 * set in *unit and *offset, may tell more. */
static bool name_take(struct debug_name *name, struct debug_unit **unit,
		      uint64_t *offset)
{
	struct debug_unit *from = *unit;
	struct debug_walk walk;
	struct debug_value value, origin = { 0 };
	struct debug_die die;
	uint16_t attribute;
	bool is_null;

	if (!debug_die_at(from, *offset, &die, &is_null))
		return false;
	for (debug_walk_init(&walk, &die);
	     debug_walk_next(&walk, &die, &attribute, &value);) {
		switch (attribute) {
		case DW_AT_name:
			if (!name->name)
				name->name = debug_value_text(from, &value);
			break;
		case DW_AT_linkage_name:
		case DW_AT_MIPS_linkage_name:
			name->linkage = debug_value_text(from, &value);
			break;
		case DW_AT_abstract_origin:
		case DW_AT_specification:
			origin = value;
			break;
		}
	}
	return !name->linkage && origin.form &&
	       debug_value_reference(from, &origin, unit, offset);
}

void debug_scope_name(struct debug_unit *unit, uint64_t die,
		      struct debug_name *name)
{
	*name = (struct debug_name){ NULL, NULL };
	for (int i = 0; i < REFERENCES_MAX; i++)
		if (!name_take(name, &unit, &die))
			return;
}
