#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"
#include "perfcore/nearest.h"

struct found_option {
	const struct option *option; /* NULL: not found */
	void *target;		     /* the group's struct */
};

void option_texts_destroy(struct option_texts *texts)
{
	if (!texts)
		return;
	free(texts->items);
	*texts = (struct option_texts){ 0 };
}

int option_number(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno || *end ? -EINVAL : 0;
}

int option_decimal(const char *text, double *value)
{
	char *end;

	if (!isdigit((unsigned char)*text) && *text != '.' && *text != '-')
		return -EINVAL;
	errno = 0;
	*value = strtod(text, &end);
	return errno || *end || end == text || !isfinite(*value) ? -EINVAL : 0;
}

static bool option_is(const struct option *option, const char *name,
		      size_t length)
{
	return strlen(option->name) == length &&
	       memcmp(option->name, name, length) == 0;
}

/* By name of length bytes, or where that is 0 by letter. */
static struct found_option option_find(const struct option_group *groups,
				       void *target, const char *name,
				       size_t length)
{
	for (const struct option_group *group = groups; group->title; group++)
		for (const struct option *option = group->options; option->name;
		     option++)
			if (length ? option_is(option, name, length)
				   : option->letter == *name)
				return (struct found_option){
					option, (char *)target + group->offset
				};
	return (struct found_option){ 0 };
}

static int unknown_name(const struct option_group *groups, const char *name,
			size_t length, struct error *error)
{
	char *word = mem_strndup(name, length);
	struct nearest nearest = { word };
	int code;

	for (const struct option_group *group = groups; group->title; group++)
		for (const struct option *option = group->options; option->name;
		     option++)
			nearest_offer(&nearest, option->name);
	if (nearest.count)
		code = error_set(error, -EINVAL,
				 "unknown option --%s; did you mean --%s?",
				 word, nearest.items[0]);
	else
		code = error_set(error, -EINVAL, "unknown option --%s", word);
	free(word);
	return code;
}

static int store_number(const struct option *option, uint64_t *stored,
			const char *value, struct error *error)
{
	uint64_t number;

	if (option_number(value, &number) != 0 || number < option->low ||
	    number > option->high)
		return error_set(
			error, -EINVAL,
			"--%s takes a number from %.0f to %.0f, not '%s'",
			option->name, option->low, option->high, value);
	*stored = number;
	return 0;
}

static int store_decimal(const struct option *option, double *stored,
			 const char *value, struct error *error)
{
	double number;

	if (option_decimal(value, &number) != 0 || number < option->low ||
	    number > option->high)
		return error_set(error, -EINVAL,
				 "--%s takes a number from %g to %g, not '%s'",
				 option->name, option->low, option->high,
				 value);
	*stored = number;
	return 0;
}

static int store_choice(const struct option *option, int *stored,
			const char *value, struct error *error)
{
	char list[256] = "";
	size_t length = 0;

	for (int i = 0; option->choices[i]; i++) {
		const char *choice = option->choices[i];

		if (strcmp(choice, value) == 0) {
			*stored = i;
			return 0;
		}
		if (length + strlen(choice) + 3 > sizeof(list))
			continue;
		if (i)
			length = (size_t)(stpcpy(list + length, ", ") - list);
		length = (size_t)(stpcpy(list + length, choice) - list);
	}
	return error_set(error, -EINVAL, "--%s takes one of %s, not '%s'",
			 option->name, list, value);
}

static void store_texts(struct option_texts *texts, const char *value)
{
	texts->items = mem_grow(texts->items, texts->count, &texts->capacity,
				sizeof(*texts->items));
	texts->items[texts->count++] = value;
}

static int option_store(struct found_option found, const char *value,
			struct error *error)
{
	const struct option *option = found.option;
	void *stored = (char *)found.target + option->offset;
	struct error reason;

	switch (option->kind) {
	case OPTION_SWITCH:
	case OPTION_OFF:
		*(bool *)stored = option->kind == OPTION_SWITCH;
		return 0;
	case OPTION_TEXT:
		*(const char **)stored = value;
		return 0;
	case OPTION_TEXTS:
		store_texts(stored, value);
		return 0;
	case OPTION_NUMBER:
		return store_number(option, stored, value, error);
	case OPTION_DECIMAL:
		return store_decimal(option, stored, value, error);
	case OPTION_CHOICE:
		return store_choice(option, stored, value, error);
	case OPTION_CUSTOM:
		break;
	}
	if (option->parse(found.target, value, &reason) == 0)
		return 0;
	return error_set(error, -EINVAL, "--%s: %s", option->name, reason.text);
}

struct parser {
	const struct option_group *groups;
	void *target;
	int argc, at; /* argv[at] is read next */
	char **argv;
	struct error *error;
};

static int parse_name(struct parser *parser, const char *name)
{
	size_t length = strcspn(name, "=");
	const char *value = name[length] ? name + length + 1 : NULL;
	struct found_option found =
		option_find(parser->groups, parser->target, name, length);

	if (length == 4 && memcmp(name, "help", 4) == 0)
		return 1;
	if (!length || !found.option)
		return unknown_name(parser->groups, name, length,
				    parser->error);
	if (value && !found.option->argument)
		return error_set(parser->error, -EINVAL, "--%s takes no value",
				 found.option->name);
	if (found.option->argument && !value) {
		if (parser->at == parser->argc)
			return error_set(parser->error, -EINVAL,
					 "--%s needs %s", found.option->name,
					 found.option->argument);
		value = parser->argv[parser->at++];
	}
	return option_store(found, value, parser->error);
}

static int parse_letters(struct parser *parser, const char *letters)
{
	int status = 0;

	for (; *letters && status == 0; letters++) {
		struct found_option found =
			option_find(parser->groups, parser->target, letters, 0);
		const char *value = letters + 1;

		if (*letters == 'h')
			return 1;
		if (!found.option)
			return error_set(parser->error, -EINVAL,
					 "unknown option -%c", *letters);
		if (!found.option->argument) {
			status = option_store(found, NULL, parser->error);
			continue;
		}
		if (!*value && parser->at == parser->argc)
			return error_set(parser->error, -EINVAL, "-%c needs %s",
					 *letters, found.option->argument);
		if (!*value)
			value = parser->argv[parser->at++];
		return option_store(found, value, parser->error);
	}
	return status;
}

int options_parse(const struct option_group *groups, enum options_style style,
		  int argc, char **argv, void *target,
		  struct operands *operands, struct error *error)
{
	struct parser parser = { groups, target, argc, 1, argv, error };
	bool is_over = false;
	int status = 0;

	*operands = (struct operands){ argv + 1, 0, -1 };
	while (parser.at < argc && status == 0) {
		char *word = argv[parser.at++];

		if (!is_over && strcmp(word, "--") == 0) {
			is_over = style != OPTIONS_AROUND ||
				  operands->dashes >= 0;
			if (operands->dashes < 0)
				operands->dashes = operands->count;
		} else if (is_over || word[0] != '-' || !word[1]) {
			/* Never ahead of what is still to be read. */
			operands->items[operands->count++] = word;
			is_over = is_over || style == OPTIONS_FIRST;
		} else if (word[1] == '-') {
			status = parse_name(&parser, word + 2);
		} else {
			status = parse_letters(&parser, word + 1);
		}
	}
	operands->items[operands->count] = NULL;
	return status;
}
