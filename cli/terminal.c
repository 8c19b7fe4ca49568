#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *const color_modes[] = { "auto", "always", "never", NULL };

const struct option color_options[] = {
	{ "color", 0, "WHEN", "auto, always or never [auto]", OPTION_CHOICE,
	  .choices = color_modes },
	{ NULL },
};

static int terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t width;

	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	if (columns && option_number(columns, &width) == 0 && width > 0 &&
	    width < 10000)
		return (int)width;
	return 80;
}

static bool wants_color(bool is_terminal)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return is_terminal && !(no_color && *no_color) &&
	       !(term && strcmp(term, "dumb") == 0);
}

struct terminal terminal_of(FILE *out, int color_mode)
{
	bool is_terminal = isatty(fileno(out));
	struct terminal terminal = { is_terminal, false, 0 };

	terminal.has_color = color_mode == COLOR_AUTO
				     ? wants_color(is_terminal)
				     : color_mode == COLOR_ALWAYS;
	if (is_terminal)
		terminal.width = terminal_width(fileno(out));
	return terminal;
}
