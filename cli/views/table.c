#include "cli/views/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cli/formats/printable.h"
#include "perfcore/mem.h"

#define GAP	     3 /* spaces between columns */
#define FLEXIBLE_MIN 16
#define FLEXIBLE_MAX 100

static const char dots[] = "…";

void table_init(struct table *table)
{
	*table = (struct table){ 0 };
}

void table_destroy(struct table *table)
{
	for (size_t i = 0; i < table->n_rows; i++)
		for (size_t j = 0; j < table->n_columns; j++)
			free(table->rows[i].cells[j]);
	free(table->rows);
	table_init(table);
}

size_t table_column_add(struct table *table, struct table_column column)
{
	table->columns[table->n_columns] = column;
	return table->n_columns++;
}

void table_row_add(struct table *table, bool is_dim)
{
	table->rows = mem_grow(table->rows, table->n_rows, &table->capacity,
			       sizeof(*table->rows));
	table->rows[table->n_rows++] = (struct table_row){ .is_dim = is_dim };
}

void table_cell(struct table *table, size_t column, const char *format, ...)
{
	char **cell = &table->rows[table->n_rows - 1].cells[column];
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = mem_strdup("");
	va_end(args);
	free(*cell);
	*cell = printable_new(text, ";");
	free(text);
}

/* Bytes and columns of the character at text. */
static size_t character(const char *text, size_t *width)
{
	size_t size = printable_utf8(text);
	mbstate_t state = { 0 };
	wchar_t wide;
	int columns;

	if (!size)
		size = 1;
	if (mbrtowc(&wide, text, size, &state) == size) {
		columns = wcwidth(wide);
		*width = columns < 0 ? 1 : (size_t)columns;
	} else {
		*width = 1;
	}
	return size;
}

size_t table_text_width(const char *text)
{
	size_t total = 0, width;

	while (*text) {
		text += character(text, &width);
		total += width;
	}
	return total;
}

/* Prints at most width columns: the text's start, dots, and its end. */
static void print_cut(FILE *out, const char *text, size_t width)
{
	size_t left = (width - 1) / 2, right = width - 1 - left;
	size_t total = table_text_width(text), at = 0, size, columns;

	for (; *text; text += size, at += columns) {
		size = character(text, &columns);
		if (at + columns > left)
			break;
		fwrite(text, 1, size, out);
	}
	fputs(dots, out);
	for (; *text && total - at > right; text += size, at += columns)
		size = character(text, &columns);
	fputs(text, out);
}

static size_t cell_width(const char *cell)
{
	return cell ? table_text_width(cell) : 0;
}

/* Makes the flexible columns narrower, the widest first, until a line fits. */
static void widths_fit(const struct table *table, size_t *widths, int limit)
{
	size_t total = table->n_columns ? (table->n_columns - 1) * GAP : 0;

	for (size_t i = 0; i < table->n_columns; i++)
		total += widths[i];
	while (limit > 0 && total > (size_t)limit) {
		size_t widest = table->n_columns;

		for (size_t i = 0; i < table->n_columns; i++)
			if (table->columns[i].is_flexible &&
			    widths[i] > FLEXIBLE_MIN &&
			    (widest == table->n_columns ||
			     widths[i] > widths[widest]))
				widest = i;
		if (widest == table->n_columns)
			return;
		widths[widest]--;
		total--;
	}
}

static void widths_find(const struct table *table, size_t *widths, int limit)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		widths[i] = table_text_width(table->columns[i].title);
		for (size_t j = 0; j < table->n_rows; j++) {
			size_t width = cell_width(table->rows[j].cells[i]);

			if (width > widths[i])
				widths[i] = width;
		}
		/* Where no width is given one monster of a template must not
		 * push all other columns out of sight. */
		if (limit == 0 && table->columns[i].is_flexible &&
		    widths[i] > FLEXIBLE_MAX)
			widths[i] = FLEXIBLE_MAX;
	}
	widths_fit(table, widths, limit);
}

static void print_spaces(FILE *out, size_t count)
{
	fprintf(out, "%*s", (int)count, "");
}

/* Spaces are held back until something follows them. */
static void print_cells(const struct table *table, FILE *out,
			const char *const *cells, const size_t *widths)
{
	size_t spaces = 0;

	for (size_t i = 0; i < table->n_columns; i++) {
		const char *cell = cells[i] ? cells[i] : "";
		size_t width = table_text_width(cell);
		size_t shown = width < widths[i] ? width : widths[i];

		if (!table->columns[i].is_left)
			spaces += widths[i] - shown;
		if (shown) {
			print_spaces(out, spaces);
			spaces = 0;
		}
		if (width > shown)
			print_cut(out, cell, shown);
		else
			fputs(cell, out);
		spaces += GAP;
		if (table->columns[i].is_left)
			spaces += widths[i] - shown;
	}
	fputc('\n', out);
}

void table_print(const struct table *table, FILE *out,
		 const struct terminal *terminal)
{
	const char *titles[TABLE_COLUMNS_MAX];
	size_t widths[TABLE_COLUMNS_MAX];
	bool has_color = terminal->has_color;

	widths_find(table, widths, terminal->width);
	for (size_t i = 0; i < table->n_columns; i++)
		titles[i] = table->columns[i].title;
	fputs(has_color ? "\033[1m" : "", out);
	print_cells(table, out, titles, widths);
	fputs(has_color ? "\033[0m" : "", out);
	for (size_t i = 0; i < table->n_rows; i++) {
		const struct table_row *row = &table->rows[i];
		bool is_dim = has_color && row->is_dim;

		fputs(is_dim ? "\033[2m" : "", out);
		print_cells(table, out, (const char *const *)row->cells,
			    widths);
		fputs(is_dim ? "\033[0m" : "", out);
	}
}
