/*
 * Options: tables that say what a command takes. One table drives parsing,
 * --help and the test that holds the man page against it. Values are stored
 * into the command's own struct by offset; texts are borrowed from argv.
 *
 * "--name=value", "--name value", "-x value", "-xvalue" and "-xy" are
 * understood; options and operands may be mixed until "--".
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/error.h"

enum option_kind {
	OPTION_SWITCH,	/* bool: set to true */
	OPTION_OFF,	/* bool: set to false ("--no-inline") */
	OPTION_TEXT,	/* const char * */
	OPTION_TEXTS,	/* struct option_texts: may be given several times */
	OPTION_NUMBER,	/* uint64_t between low and high */
	OPTION_DECIMAL, /* double between low and high */
	OPTION_CHOICE,	/* int: index into choices */
	OPTION_CUSTOM,	/* parse() does it */
};

struct option_texts {
	const char **items; /* released by option_texts_destroy */
	size_t count, capacity;
};

void option_texts_destroy(struct option_texts *texts);

struct option {
	const char *name;     /* without dashes */
	char letter;	      /* 0: none */
	const char *argument; /* "HZ"; NULL: takes none */
	const char *help;     /* one line, with the default in brackets */
	enum option_kind kind;
	size_t offset; /* in the struct of the option's group */
	double low, high;
	const char *const *choices; /* ended by NULL */

	/* target is the group's struct. Returns 0, or -EINVAL with the
	 * reason in error ("'x' is no frequency"). */
	int (*parse)(void *target, const char *value, struct error *error);
};

/* Options under one heading, stored in one struct inside the command's. */
struct option_group {
	const char *title;
	const struct option *options; /* ended by a NULL name */
	size_t offset;		      /* of the group's struct */
};

/* What is left when options are taken away: a part of argv, in place, ended
 * by NULL. */
struct operands {
	char **items;
	int count;
	int dashes; /* operands before "--"; -1: there was no "--" */
};

enum options_style {
	OPTIONS_MIXED,	/* with operands, up to "--" */
	OPTIONS_FIRST,	/* the first operand ends them too */
	OPTIONS_AROUND, /* "--" is between two lists of operands and options
			 * go on after it; a second one ends them */
};

/*
 * Parses argv[1] to argv[argc - 1] into target. groups end with a NULL title.
 * Returns 0; 1 where help was asked for ("--help", "-h"), or -EINVAL with
 * error filled.
 */
int options_parse(const struct option_group *groups, enum options_style style,
		  int argc, char **argv, void *target,
		  struct operands *operands, struct error *error);

/* Reads a whole text as a number. Returns 0 or -EINVAL; spaces, signs of
 * unsigned numbers, overflow, "nan" and trailing text are refused. */
int option_number(const char *text, uint64_t *value);
int option_decimal(const char *text, double *value);

#endif
