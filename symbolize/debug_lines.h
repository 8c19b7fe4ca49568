/*
 * The line table of one unit: which file and line an address was compiled
 * from, and the names of its files, joined with the directories they are
 * relative to (case C25). DWARF 2 to 5.
 *
 * Rows are kept in 12 bytes, sequence by sequence; rows that only repeat the
 * line before them are not.
 * Source: DWARF 5, section 6.2.
 */
#ifndef SYMBOLIZE_DEBUG_LINES_H
#define SYMBOLIZE_DEBUG_LINES_H

#include "perfcore/strings.h"
#include "symbolize/debug_unit.h"

struct debug_row {
	uint32_t offset; /* from the start of its sequence */
	uint32_t file, line;
};

/* Code without gaps; its last row only tells where it ends. */
struct debug_sequence {
	uint64_t start, end;
	uint32_t first_row, n_rows;
};

struct debug_line_file {
	const char *name; /* as in the table */
	uint64_t dir;
	const char *path; /* joined and interned; NULL: not asked for yet */
};

struct debug_lines {
	const struct debug_unit *unit;
	uint16_t version;
	const char **dirs;
	struct debug_line_file *files;
	size_t n_dirs, dirs_capacity, n_files, files_capacity;
	struct debug_sequence *sequences; /* by start */
	struct debug_row *rows;
	size_t n_sequences, sequences_capacity, n_rows, rows_capacity;
};

/* Reads unit's table as far as it makes sense. Sequences that do not begin in
 * an executable segment of image were discarded by the linker. */
void debug_lines_init(struct debug_lines *lines, const struct debug_unit *unit,
		      const struct image *image);
void debug_lines_destroy(struct debug_lines *lines);

/* Memory kept, in bytes. */
size_t debug_lines_bytes(const struct debug_lines *lines);

/* Finds file and line of an address; false where none is known. */
bool debug_lines_find(const struct debug_lines *lines, uint64_t vaddr,
		      uint32_t *file, uint32_t *line);

/* The path of a file by its number in the table; NULL: no such file. */
const char *debug_lines_path(struct debug_lines *lines, uint64_t file,
			     struct strings *strings);

#endif
