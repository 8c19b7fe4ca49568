/*
 * docs/hostprof.1 says what the options' tables say: every command has its
 * section and every option its entry there (or among the options of several
 * commands), and no entry is left over.
 */
#include "cli/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "perfcore/mem.h"

static char *page;

static int setup(void **state)
{
	FILE *file = fopen("docs/hostprof.1", "r");
	size_t size;

	(void)state;
	assert_non_null(file);
	page = mem_calloc(1, 1 << 20);
	size = fread(page, 1, (1 << 20) - 1, file);
	fclose(file);
	return size ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(page);
	return 0;
}

/* Appends text with each '-' written "\-", as roff wants it. */
static void append(char *line, size_t size, const char *text)
{
	size_t length = strlen(line);

	for (; *text && length + 3 < size; text++) {
		if (*text == '-')
			line[length++] = '\\';
		line[length++] = *text;
	}
	line[length] = '\0';
}

/* The line under .TP that an option has in the page. */
static void entry_of(const struct option *option, char *line, size_t size)
{
	char letter[2] = { option->letter, '\0' };

	snprintf(line, size, "\n.TP\n\\fB");
	if (option->letter) {
		append(line, size, "-");
		append(line, size, letter);
		strncat(line, "\\fR, \\fB", size - strlen(line) - 1);
	}
	append(line, size, "--");
	append(line, size, option->name);
	strncat(line, "\\fR", size - strlen(line) - 1);
	if (option->argument) {
		strncat(line, " \\fI", size - strlen(line) - 1);
		append(line, size, option->argument);
		strncat(line, "\\fR", size - strlen(line) - 1);
	}
	strncat(line, "\n", size - strlen(line) - 1);
}

/* The text from title up to the next line that starts with one of the ends
 * (other may be NULL); for free(), or NULL. */
static char *section_of(const char *title, const char *end, const char *other)
{
	char *start = strstr(page, title), *next, *before;

	if (!start)
		return NULL;
	next = strstr(start + 1, end);
	before = other ? strstr(start + 1, other) : NULL;
	if (!next || (before && before < next))
		next = before;
	return next ? mem_strndup(start, (size_t)(next - start) + 1)
		    : mem_strdup(start);
}

static char *command_section(const char *name)
{
	char *title = mem_printf("\n.SS %s\n", name);
	char *section = section_of(title, "\n.SS ", "\n.SH ");

	free(title);
	return section;
}

static bool is_documented(const struct command *command,
			  const struct option *option)
{
	char *own = command_section(command->name);
	char *shared = section_of("\n.SH OPTIONS OF SEVERAL COMMANDS\n",
				  "\n.SH ", NULL);
	char line[256];
	bool is_found;

	entry_of(option, line, sizeof(line));
	is_found =
		(own && strstr(own, line)) || (shared && strstr(shared, line));
	free(own);
	free(shared);
	return is_found;
}

static void every_option_is_in_the_page(void **state)
{
	(void)state;
	for (const struct command *const *at = commands; *at; at++) {
		const struct command *command = *at;
		char *section = command_section(command->name);

		if (!section)
			fail_msg("no section .SS %s", command->name);
		free(section);
		for (const struct option_group *group = command->groups;
		     group->title; group++)
			for (const struct option *option = group->options;
			     option->name; option++)
				if (!is_documented(command, option))
					fail_msg("no entry of %s --%s",
						 command->name, option->name);
	}
}

static bool is_an_option(const char *entry)
{
	char line[256];

	for (const struct command *const *at = commands; *at; at++)
		for (const struct option_group *group = (*at)->groups;
		     group->title; group++)
			for (const struct option *option = group->options;
			     option->name; option++) {
				entry_of(option, line, sizeof(line));
				if (strncmp(entry, line, strlen(line)) == 0)
					return true;
			}
	return false;
}

static void no_entry_is_left_over(void **state)
{
	(void)state;
	for (const char *at = page; (at = strstr(at, "\n.TP\n\\fB\\-")); at++) {
		if (!is_an_option(at))
			fail_msg("no command has%.60s", at + 5);
	}
}

static void exit_codes_are_in_the_page(void **state)
{
	static const char *const codes[] = { "0", "1", "2", "3", "4", "75" };

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		char *text = mem_printf("\n.B %s\n", codes[i]);

		assert_non_null(strstr(page, text));
		free(text);
	}
}

/* --help and `hostprof help` print the same tables. */
static void help_names_every_option(void **state)
{
	(void)state;
	for (const struct command *const *at = commands; *at; at++) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		command_help(*at, out);
		fclose(out);
		for (const struct option_group *group = (*at)->groups;
		     group->title; group++)
			for (const struct option *option = group->options;
			     option->name; option++) {
				char *name = mem_printf("--%s", option->name);

				assert_non_null(strstr(text, name));
				free(name);
			}
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_option_is_in_the_page),
		cmocka_unit_test(no_entry_is_left_over),
		cmocka_unit_test(exit_codes_are_in_the_page),
		cmocka_unit_test(help_names_every_option),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
