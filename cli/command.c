#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "cli/message.h"
#include "cli/version.h"
#include "perfcore/nearest.h"

#define HELP_COLUMN 28 /* where an option's help text starts */

const struct command *const commands[] = {
	&record_command, &report_command,   &diff_command, &flame_command,
	&export_command, &overhead_command, NULL,
};

const struct command *command_find(const char *name)
{
	for (const struct command *const *at = commands; *at; at++)
		if (strcmp((*at)->name, name) == 0)
			return *at;
	return NULL;
}

/* Columns that UTF-8 text takes: "…" is three bytes and one column. */
static int columns(const char *text)
{
	int count = 0;

	for (; *text; text++)
		count += (*text & 0xc0) != 0x80;
	return count;
}

static void help_option(const struct option *option, FILE *out)
{
	int at = 6 + columns(option->name);

	if (option->letter)
		fprintf(out, "  -%c, ", option->letter);
	else
		fputs("      ", out);
	at += fprintf(out, "--%s", option->name) - columns(option->name);
	if (option->argument) {
		fprintf(out, " %s", option->argument);
		at += 1 + columns(option->argument);
	}
	if (at + 1 >= HELP_COLUMN) {
		fputc('\n', out);
		at = 0;
	}
	fprintf(out, "%*s", HELP_COLUMN - at, "");
	for (const char *text = option->help; *text; text++) {
		fputc(*text, out);
		if (*text == '\n')
			fprintf(out, "%*s", HELP_COLUMN, "");
	}
	fputc('\n', out);
}

void command_help(const struct command *command, FILE *out)
{
	fprintf(out, "usage: hostprof %s [OPTIONS]%s%s\n\n%s\n", command->name,
		*command->operands ? " " : "", command->operands,
		command->help);
	if (*command->text)
		fprintf(out, "\n%s\n", command->text);
	for (const struct option_group *group = command->groups; group->title;
	     group++) {
		fprintf(out, "\n%s:\n", group->title);
		for (const struct option *option = group->options; option->name;
		     option++)
			help_option(option, out);
	}
}

int command_misused(const struct command *command, const char *format, ...)
{
	char text[ERROR_TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	message_error("%s: %s (see hostprof %s --help)", command->name, text,
		      command->name);
	return COMMAND_WRONG_USAGE;
}

int command_failure(int failure)
{
	return failure == -EACCES || failure == -EPERM ? COMMAND_NOT_PERMITTED
						       : COMMAND_FAILED;
}

bool command_parse(const struct command *command, int argc, char **argv,
		   void *options, struct operands *operands, int *exit_code)
{
	struct error error;
	int status = options_parse(command->groups, command->style, argc, argv,
				   options, operands, &error);

	if (status == 0)
		return true;
	if (status > 0) {
		command_help(command, stdout);
		*exit_code = COMMAND_DONE;
	} else {
		*exit_code = command_misused(command, "%s", error.text);
	}
	return false;
}

static void print_usage(FILE *out)
{
	fputs("usage: hostprof COMMAND [OPTIONS] …\n\n"
	      "Which processes, containers and functions use this machine's "
	      "CPUs.\n\nCommands:\n",
	      out);
	for (const struct command *const *at = commands; *at; at++)
		fprintf(out, "  %-12s%s\n", (*at)->name, (*at)->help);
	fputs("\nhostprof COMMAND --help says more of each; --version prints "
	      "the version.\n",
	      out);
}

static int unknown_command(const char *name)
{
	struct nearest nearest = { name };

	for (const struct command *const *at = commands; *at; at++)
		nearest_offer(&nearest, (*at)->name);
	if (nearest.count)
		message_error("unknown command '%s'; did you mean '%s'?", name,
			      nearest.items[0]);
	else
		message_error("unknown command '%s' (see hostprof help)", name);
	return COMMAND_WRONG_USAGE;
}

static int print_help(const char *name)
{
	const struct command *command = name ? command_find(name) : NULL;

	if (name && !command)
		return unknown_command(name);
	if (command)
		command_help(command, stdout);
	else
		print_usage(stdout);
	return COMMAND_DONE;
}

/* A result that could not be written is no result. */
static int flushed(int exit_code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return exit_code;
	message_error("writing to standard output failed: %m");
	return COMMAND_FAILED;
}

int command_main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;
	const struct command *command;

	if (!name) {
		print_usage(stderr);
		return COMMAND_WRONG_USAGE;
	}
	if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 ||
	    strcmp(name, "-h") == 0)
		return flushed(print_help(argc > 2 ? argv[2] : NULL));
	if (strcmp(name, "--version") == 0) {
		puts("hostprof " HOSTPROF_VERSION);
		return flushed(COMMAND_DONE);
	}
	command = command_find(name);
	if (!command)
		return unknown_command(name);
	return flushed(command->run(argc - 1, argv + 1));
}
