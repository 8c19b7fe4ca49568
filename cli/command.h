/*
 * Commands: a table drives dispatch, `hostprof help`, `--help` and the test
 * that holds the man page against it. Each command is one file in
 * cli/commands with one struct command in it (NAME_command), declared below
 * and named in commands[].
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdio.h>

#include "cli/options.h"

/* Exit codes: a contract with scripts. */
enum command_exit {
	COMMAND_DONE = 0,
	COMMAND_FAILED = 1,
	COMMAND_WRONG_USAGE = 2,
	COMMAND_NOT_PERMITTED = 3,
	COMMAND_DATA_SHORT = 4, /* done, but short of what was required */
	COMMAND_STORE_BUSY = 75,
};

struct command {
	const char *name;
	const char *operands; /* "FILE…", "[-- COMMAND…]" or "" */
	const char *help;     /* one line, no capital, no full stop */
	const char *text;     /* a few more lines for --help, or "" */
	const struct option_group *groups; /* ended by a NULL title */
	enum options_style style;
	int (*run)(int argc, char **argv); /* returns an exit code */
};

extern const struct command record_command;
extern const struct command report_command;
extern const struct command overhead_command;
extern const struct command flame_command;
extern const struct command diff_command;
extern const struct command export_command;

/* Ended by NULL, in the order of `hostprof help`. */
extern const struct command *const commands[];

const struct command *command_find(const char *name);

/*
 * What every run() starts with: parses argv into options. Returns true to go
 * on; else *exit_code is what run() returns at once (help was printed, or
 * what was wrong).
 */
bool command_parse(const struct command *command, int argc, char **argv,
		   void *options, struct operands *operands, int *exit_code);

/* Says what was wrong with the usage; returns COMMAND_WRONG_USAGE. */
int command_misused(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The exit code of a failure with that -errno. */
int command_failure(int failure);

void command_help(const struct command *command, FILE *out);

/* The whole program: argv[1] names the command. Returns the exit code. */
int command_main(int argc, char **argv);

#endif
