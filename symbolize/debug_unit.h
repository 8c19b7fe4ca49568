/*
 * Units of .debug_info and the entries (DIEs) in them: DWARF 2 to 5, GNU's
 * split DWARF before it, and dwz's references to a supplementary file.
 *
 * Why not libdw: 0.188 cannot read zstd sections, opens .dwo and
 * supplementary files by paths that the file tells, past the one door, and
 * takes several times as long for each entry.
 *
 * Source: DWARF 5, chapter 7; GCC wiki, DebugFission.
 */
#ifndef SYMBOLIZE_DEBUG_UNIT_H
#define SYMBOLIZE_DEBUG_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/cursor.h"
#include "symbolize/debug_abbrev.h"
#include "symbolize/debug_sections.h"

#define DEBUG_ABBREVS_KEPT 128

/* The debug information of one file. */
struct debug_file {
	struct debug_sections sections;
	struct debug_unit *units; /* in the order of .debug_info */
	size_t n_units, units_capacity;
	struct debug_file *supplement; /* dwz's, owned elsewhere; or NULL */
	/* Abbreviations of recent units: those of one file often share. */
	struct debug_abbrevs *abbrevs[DEBUG_ABBREVS_KEPT];
};

struct debug_unit {
	struct debug_file *file;
	uint64_t offset;    /* of its header in .debug_info */
	uint64_t end;	    /* behind its last byte */
	uint64_t first_die; /* offset */
	uint64_t abbrev_offset;
	struct debug_sizes sizes;
	uint8_t type; /* DW_UT_*; compile for old versions */

	/* From its first entry. */
	uint64_t low_pc, dwo_id;
	uint64_t str_offsets_base, addr_base, rnglists_base;
	uint64_t gnu_ranges_base; /* for a split unit's DW_AT_ranges */
	uint64_t line_offset;	  /* into .debug_line */
	bool has_lines;
	const char *name, *comp_dir; /* NULL: unknown */
	const char *dwo_name;	     /* NULL: it is no skeleton */

	/* The file that addresses by index, and GNU's ranges, are in: its
	 * own, or for a split unit the skeleton's. */
	const struct debug_file *addresses;
};

struct debug_value {
	uint16_t form; /* DW_FORM_*; 0: the entry has no such attribute */
	uint64_t number;
	const char *text; /* of DW_FORM_string */
};

struct debug_die {
	struct debug_unit *unit;
	uint64_t offset;
	const struct debug_abbrev *abbrev;
	const struct debug_attribute *attributes;
	struct cursor cursor; /* at the first attribute's value */
};

/*
 * Finds all units of the file, whose sections were read already, and reads
 * their first entries. Stops at the first unit that makes no sense. forget,
 * where not NULL, is called with context now and then: pages of .debug_info
 * seen so far are not needed any more.
 */
void debug_file_scan(struct debug_file *file, void (*forget)(void *context),
		     void *context);
void debug_file_destroy(struct debug_file *file);

/* The unit that holds an offset of .debug_info, or NULL. */
struct debug_unit *debug_file_unit(const struct debug_file *file,
				   uint64_t offset);

/*
 * Reads the entry at an offset within unit, and moves offset behind its code.
 * False where it makes no sense, or is the null entry (*is_null) that ends a
 * list of children.
 */
bool debug_die_at(struct debug_unit *unit, uint64_t offset,
		  struct debug_die *die, bool *is_null);

/* The offset behind an entry's attributes. 0: it makes no sense. */
uint64_t debug_die_end(const struct debug_die *die);

/* Reads the next attribute; false behind the last one. */
struct debug_walk {
	struct cursor cursor;
	uint32_t number;
};
void debug_walk_init(struct debug_walk *walk, const struct debug_die *die);
bool debug_walk_next(struct debug_walk *walk, const struct debug_die *die,
		     uint16_t *name, struct debug_value *value);

/* What a value means, by its form; false where it is of another class. */
bool debug_value_address(const struct debug_unit *unit,
			 const struct debug_value *value, uint64_t *address);
bool debug_value_number(const struct debug_value *value, uint64_t *number);
const char *debug_value_text(const struct debug_unit *unit,
			     const struct debug_value *value);

/* The entry that a reference leads to: its unit and offset. */
bool debug_value_reference(const struct debug_unit *unit,
			   const struct debug_value *value,
			   struct debug_unit **to, uint64_t *offset);

#endif
