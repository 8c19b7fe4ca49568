#include "symbolize/debug_lines.h"

#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

#define FILES_MAX   65536u
#define PROGRAM_MAX (256u << 20) /* bytes */
#define ROWS_MAX    (8u << 20)

/* The header of a line number program, and the state of running it. */
struct program {
	struct debug_lines *lines;
	const struct image *image;
	struct cursor cursor;
	struct debug_sizes sizes;
	const uint8_t *first_opcode;
	uint8_t min_length, max_operations, line_range, opcode_base;
	int8_t line_base;
	const uint8_t *opcode_lengths;

	uint64_t address, file, line, operation;
	uint64_t start; /* of the sequence */
	size_t first_row;
	bool is_started;
};

static uint64_t offset_read(struct cursor *cursor, uint8_t size)
{
	return size == 8 ? cursor_u64(cursor) : cursor_u32(cursor);
}

static void dir_add(struct debug_lines *lines, const char *dir)
{
	lines->dirs = mem_grow(lines->dirs, lines->n_dirs,
			       &lines->dirs_capacity, sizeof(*lines->dirs));
	lines->dirs[lines->n_dirs++] = dir;
}

static void file_add(struct debug_lines *lines, const char *name, uint64_t dir)
{
	lines->files = mem_grow(lines->files, lines->n_files,
				&lines->files_capacity, sizeof(*lines->files));
	lines->files[lines->n_files++] =
		(struct debug_line_file){ .name = name, .dir = dir };
}

/* One file as up to DWARF 4: name, directory, time, length; "" ends. */
static bool file_read_old(struct program *program)
{
	const char *name = cursor_text(&program->cursor);
	uint64_t dir;

	if (!name || !name[0])
		return false;
	dir = cursor_uleb(&program->cursor);
	cursor_uleb(&program->cursor);
	cursor_uleb(&program->cursor);
	file_add(program->lines, name, dir);
	return !program->cursor.has_failed &&
	       program->lines->n_files < FILES_MAX;
}

/* Directory 0 is where the compiler ran, file 0 the unit's own. */
static void tables_read_old(struct program *program)
{
	struct debug_lines *lines = program->lines;
	const char *dir;

	dir_add(lines, lines->unit->comp_dir);
	file_add(lines, lines->unit->name, 0);
	while ((dir = cursor_text(&program->cursor)) && dir[0] &&
	       lines->n_dirs < FILES_MAX)
		dir_add(lines, dir);
	while (file_read_old(program))
		;
}

#define FORMATS_MAX 16

struct entry_format {
	uint64_t type[FORMATS_MAX], form[FORMATS_MAX];
	uint8_t count;
};

static bool format_read(struct cursor *cursor, struct entry_format *format)
{
	format->count = cursor_u8(cursor);
	if (format->count > FORMATS_MAX)
		return false;
	for (uint8_t i = 0; i < format->count; i++) {
		format->type[i] = cursor_uleb(cursor);
		format->form[i] = cursor_uleb(cursor);
	}
	return !cursor->has_failed;
}

static const char *text_read(struct program *program, uint64_t form)
{
	struct debug_value value = { .form = (uint16_t)form };

	if (form == DW_FORM_string)
		value.text = cursor_text(&program->cursor);
	else if (form == DW_FORM_strp || form == DW_FORM_line_strp)
		value.number =
			offset_read(&program->cursor, program->sizes.offset);
	else if (!debug_form_skip(&program->cursor, (uint16_t)form,
				  program->sizes))
		program->cursor.has_failed = true;
	return debug_value_text(program->lines->unit, &value);
}

static uint64_t index_read(struct program *program, uint64_t form)
{
	switch (form) {
	case DW_FORM_data1:
		return cursor_u8(&program->cursor);
	case DW_FORM_data2:
		return cursor_u16(&program->cursor);
	default:
		return cursor_uleb(&program->cursor);
	}
}

/* A table of directories or files as from DWARF 5 on. */
static bool table_read(struct program *program, bool is_files)
{
	struct entry_format format;
	uint64_t count;

	if (!format_read(&program->cursor, &format))
		return false;
	count = cursor_uleb(&program->cursor);
	if (count > FILES_MAX)
		return false;
	while (count-- && !program->cursor.has_failed) {
		const char *path = NULL;
		uint64_t dir = 0;

		for (uint8_t i = 0; i < format.count; i++) {
			if (format.type[i] == DW_LNCT_path)
				path = text_read(program, format.form[i]);
			else if (format.type[i] == DW_LNCT_directory_index)
				dir = index_read(program, format.form[i]);
			else if (!debug_form_skip(&program->cursor,
						  (uint16_t)format.form[i],
						  program->sizes))
				return false;
		}
		if (is_files)
			file_add(program->lines, path, dir);
		else
			dir_add(program->lines, path);
	}
	return !program->cursor.has_failed;
}

/* Everything before the program itself. */
static bool header_read(struct program *program)
{
	struct cursor *cursor = &program->cursor;
	uint64_t length = cursor_u32(cursor);

	program->sizes.offset = 4;
	if (length == 0xffffffff) {
		length = cursor_u64(cursor);
		program->sizes.offset = 8;
	}
	if (cursor->has_failed || length > cursor_left(cursor) ||
	    length > PROGRAM_MAX)
		return false;
	cursor->end = cursor->at + length;
	program->sizes.version = (uint8_t)cursor_u16(cursor);
	program->sizes.address = program->lines->unit->sizes.address;
	if (program->sizes.version < 2 || program->sizes.version > 5)
		return false;
	if (program->sizes.version >= 5) {
		program->sizes.address = cursor_u8(cursor);
		cursor_skip(cursor, 1); /* size of segment selectors */
	}
	length = offset_read(cursor, program->sizes.offset);
	if (cursor->has_failed || length > cursor_left(cursor))
		return false;
	program->first_opcode = cursor->at + length;
	program->min_length = cursor_u8(cursor);
	program->max_operations =
		program->sizes.version >= 4 ? cursor_u8(cursor) : 1;
	cursor_skip(cursor, 1); /* default_is_stmt */
	program->line_base = (int8_t)cursor_u8(cursor);
	program->line_range = cursor_u8(cursor);
	program->opcode_base = cursor_u8(cursor);
	program->opcode_lengths = cursor_bytes(
		cursor, program->opcode_base ? program->opcode_base - 1u : 0);
	program->lines->version = program->sizes.version;
	return !cursor->has_failed && program->line_range;
}

static bool tables_read(struct program *program)
{
	if (program->sizes.version < 5) {
		tables_read_old(program);
		return !program->cursor.has_failed;
	}
	return table_read(program, false) && table_read(program, true);
}

static void program_reset(struct program *program)
{
	program->address = 0;
	program->operation = 0;
	program->file = 1;
	program->line = 1;
	program->is_started = false;
	program->first_row = program->lines->n_rows;
}

/* Adds a row; the last of several at one address counts. */
static void row_add(struct program *program)
{
	struct debug_lines *lines = program->lines;
	struct debug_row *last;
	struct debug_row row = {
		.file = (uint32_t)program->file,
		.line = (uint32_t)program->line,
	};

	if (!program->is_started) {
		program->is_started = true;
		program->start = program->address;
	}
	if (program->address - program->start > UINT32_MAX ||
	    lines->n_rows == ROWS_MAX)
		return;
	row.offset = (uint32_t)(program->address - program->start);
	if (lines->n_rows > program->first_row) {
		last = &lines->rows[lines->n_rows - 1];
		if (row.offset < last->offset)
			return; /* only hostile programs go backwards */
		if (row.offset == last->offset) {
			*last = row;
			return;
		}
		if (row.file == last->file && row.line == last->line)
			return;
	}
	lines->rows = mem_grow(lines->rows, lines->n_rows,
			       &lines->rows_capacity, sizeof(*lines->rows));
	lines->rows[lines->n_rows++] = row;
}

static bool is_code(const struct image *image, uint64_t vaddr)
{
	const struct module_segment *segment = image_segment(image, vaddr);

	return vaddr && segment && segment->is_executable;
}

static void sequence_end(struct program *program)
{
	struct debug_lines *lines = program->lines;
	uint32_t count = (uint32_t)(lines->n_rows - program->first_row);

	if (!count || program->address <= program->start ||
	    !is_code(program->image, program->start)) {
		lines->n_rows = program->first_row;
		program_reset(program);
		return;
	}
	lines->sequences =
		mem_grow(lines->sequences, lines->n_sequences,
			 &lines->sequences_capacity, sizeof(*lines->sequences));
	lines->sequences[lines->n_sequences++] = (struct debug_sequence){
		.start = program->start,
		.end = program->address,
		.first_row = (uint32_t)program->first_row,
		.n_rows = count,
	};
	program_reset(program);
}

/* Moves by so many operations: VLIW machines have several in a word. */
static void advance(struct program *program, uint64_t operations)
{
	if (program->max_operations <= 1) {
		program->address += operations * program->min_length;
		return;
	}
	operations += program->operation;
	program->address +=
		operations / program->max_operations * program->min_length;
	program->operation = operations % program->max_operations;
}

static void run_special(struct program *program, uint8_t opcode)
{
	uint8_t adjusted = opcode - program->opcode_base;

	advance(program, adjusted / program->line_range);
	program->line +=
		(uint64_t)(program->line_base + adjusted % program->line_range);
	row_add(program);
}

static void run_extended(struct program *program)
{
	uint64_t length = cursor_uleb(&program->cursor);
	struct cursor cursor = program->cursor;
	const char *name;

	if (!cursor_bytes(&program->cursor, length) || !length)
		return;
	cursor.end = program->cursor.at;
	switch (cursor_u8(&cursor)) {
	case DW_LNE_end_sequence:
		sequence_end(program);
		break;
	case DW_LNE_set_address:
		program->address = length - 1 == 4 ? cursor_u32(&cursor)
						   : cursor_u64(&cursor);
		program->operation = 0;
		break;
	case DW_LNE_define_file:
		name = cursor_text(&cursor);
		if (program->lines->n_files < FILES_MAX)
			file_add(program->lines, name, cursor_uleb(&cursor));
		break;
	}
}

static void run_unknown(struct program *program, uint8_t opcode)
{
	uint8_t operands = program->opcode_lengths[opcode - 1];

	while (operands--)
		cursor_uleb(&program->cursor);
}

static void run_standard(struct program *program, uint8_t opcode)
{
	struct cursor *cursor = &program->cursor;

	switch (opcode) {
	case DW_LNS_copy:
		row_add(program);
		break;
	case DW_LNS_advance_pc:
		advance(program, cursor_uleb(cursor));
		break;
	case DW_LNS_advance_line:
		program->line += (uint64_t)cursor_sleb(cursor);
		break;
	case DW_LNS_set_file:
		program->file = cursor_uleb(cursor);
		break;
	case DW_LNS_const_add_pc:
		advance(program,
			(255u - program->opcode_base) / program->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		program->address += cursor_u16(cursor);
		program->operation = 0;
		break;
	default:
		run_unknown(program, opcode);
		break;
	}
}

static void program_run(struct program *program)
{
	program->cursor.at = program->first_opcode;
	program_reset(program);
	while (cursor_left(&program->cursor) && !program->cursor.has_failed) {
		uint8_t opcode = cursor_u8(&program->cursor);

		if (opcode >= program->opcode_base)
			run_special(program, opcode);
		else if (opcode == 0)
			run_extended(program);
		else
			run_standard(program, opcode);
	}
	program->lines->n_rows = program->first_row;
}

static int sequence_compare(const void *a, const void *b)
{
	const struct debug_sequence *first = a, *second = b;

	return (first->start > second->start) - (first->start < second->start);
}

void debug_lines_init(struct debug_lines *lines, const struct debug_unit *unit,
		      const struct image *image)
{
	struct program program = { .lines = lines, .image = image };

	*lines = (struct debug_lines){ .unit = unit };
	if (!unit->has_lines)
		return;
	program.cursor = debug_sections_at(&unit->file->sections, DEBUG_LINE,
					   unit->line_offset);
	if (!header_read(&program) || !tables_read(&program))
		return;
	program_run(&program);
	if (lines->n_sequences)
		qsort(lines->sequences, lines->n_sequences,
		      sizeof(*lines->sequences), sequence_compare);
	lines->rows =
		mem_realloc(lines->rows, lines->n_rows * sizeof(*lines->rows));
	lines->rows_capacity = lines->n_rows;
}

void debug_lines_destroy(struct debug_lines *lines)
{
	if (!lines)
		return;
	free(lines->dirs);
	free(lines->files);
	free(lines->sequences);
	free(lines->rows);
	*lines = (struct debug_lines){ 0 };
}

size_t debug_lines_bytes(const struct debug_lines *lines)
{
	return lines->rows_capacity * sizeof(*lines->rows) +
	       lines->sequences_capacity * sizeof(*lines->sequences) +
	       lines->files_capacity * sizeof(*lines->files) +
	       lines->dirs_capacity * sizeof(*lines->dirs);
}

static const struct debug_sequence *sequence_find(
	const struct debug_lines *lines, uint64_t vaddr)
{
	size_t low = 0, high = lines->n_sequences;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines->sequences[middle].start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && vaddr < lines->sequences[low - 1].end
		       ? &lines->sequences[low - 1]
		       : NULL;
}

bool debug_lines_find(const struct debug_lines *lines, uint64_t vaddr,
		      uint32_t *file, uint32_t *line)
{
	const struct debug_sequence *sequence = sequence_find(lines, vaddr);
	const struct debug_row *rows;
	size_t low = 0, high;

	if (!sequence)
		return false;
	rows = lines->rows + sequence->first_row;
	high = sequence->n_rows;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle].offset <= vaddr - sequence->start)
			low = middle + 1;
		else
			high = middle;
	}
	*file = rows[low - 1].file;
	*line = rows[low - 1].line;
	return true;
}

/* Joins what is there of three parts, from the last absolute one on. */
static const char *path_join(struct strings *strings, const char *comp_dir,
			     const char *dir, const char *name)
{
	char path[PATH_MAX];
	const char *parts[3] = { comp_dir, dir, name };
	size_t used = 0;

	for (int i = 0; i < 3; i++) {
		if (!parts[i] || !parts[i][0])
			continue;
		if (parts[i][0] == '/')
			used = 0;
		used += (size_t)snprintf(
			path + used, sizeof(path) - used, "%s%s",
			used && path[used - 1] != '/' ? "/" : "", parts[i]);
		if (used >= sizeof(path))
			return strings_intern(strings, name);
	}
	return strings_intern_n(strings, path, used);
}

const char *debug_lines_path(struct debug_lines *lines, uint64_t file,
			     struct strings *strings)
{
	struct debug_line_file *found;
	const char *dir = NULL;

	if (file >= lines->n_files || !lines->files[file].name)
		return NULL;
	found = &lines->files[file];
	if (found->path)
		return found->path;
	if (found->dir < lines->n_dirs)
		dir = lines->dirs[found->dir];
	found->path =
		path_join(strings, lines->unit->comp_dir, dir, found->name);
	return found->path;
}
