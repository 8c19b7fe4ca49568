/*
 * A text table: columns aligned by the width that their texts take on a
 * terminal, also with wide and combining characters. Texts are made
 * printable: control characters, bytes that are no UTF-8, and ';' are
 * escaped, so that a row stays a row whatever a process calls itself.
 */
#ifndef CLI_VIEWS_TABLE_H
#define CLI_VIEWS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/terminal.h"

#define TABLE_COLUMNS_MAX 16

struct table_column {
	const char *title; /* borrowed */
	bool is_left;	   /* aligned to the left */
	bool is_flexible;  /* cut in its middle where the line is too long */
};

struct table_row {
	char *cells[TABLE_COLUMNS_MAX]; /* NULL: empty */
	bool is_dim;
};

struct table {
	struct table_column columns[TABLE_COLUMNS_MAX];
	size_t n_columns;
	struct table_row *rows;
	size_t n_rows, capacity;
};

void table_init(struct table *table);
void table_destroy(struct table *table);

/* Adds a column, before any row; returns its number. */
size_t table_column_add(struct table *table, struct table_column column);

void table_row_add(struct table *table, bool is_dim);

/* Sets a cell of the last row; the text is escaped. */
void table_cell(struct table *table, size_t column, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Prints titles and rows, without spaces at the ends of lines. */
void table_print(const struct table *table, FILE *out,
		 const struct terminal *terminal);

/* Columns of a terminal that a printable text takes (wcwidth, so
 * LC_CTYPE must be a UTF-8 locale). */
size_t table_text_width(const char *text);

#endif
