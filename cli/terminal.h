/*
 * Where text goes: a terminal with a width and colours, or a file without.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct terminal {
	bool is_terminal;
	bool has_color;
	int width; /* columns; 0: unlimited, as for files and pipes */
};

/* The option that every command with coloured output has; stored into an
 * int of enum color_mode, the first member of the group's struct. */
extern const struct option color_options[];

/*
 * --color always and never decide; auto means colours on a terminal unless
 * NO_COLOR is set and not empty (no-color.org) or TERM is "dumb". The width
 * is the terminal's own, else COLUMNS, else 80; for no terminal 0.
 */
struct terminal terminal_of(FILE *out, int color_mode);

#endif
