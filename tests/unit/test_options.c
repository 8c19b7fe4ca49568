#include "cli/options.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static const char *const modes[] = { "auto", "fp", "none", NULL };

struct inner {
	int padding;
	struct option_texts regexes;
	const char *even;
};

struct target {
	bool verbose, inlines;
	const char *output;
	uint64_t freq;
	double duration;
	int mode;
	struct inner inner;
};

static int parse_even(void *target, const char *value, struct error *error)
{
	if (strlen(value) % 2)
		return error_set(error, -EINVAL, "'%s' is odd", value);
	((struct inner *)target)->even = value;
	return 0;
}

static const struct option outer_options[] = {
	{ "verbose", 'v', NULL, "say more", OPTION_SWITCH,
	  offsetof(struct target, verbose) },
	{ "no-inline", 0, NULL, "", OPTION_OFF,
	  offsetof(struct target, inlines) },
	{ "output", 'o', "FILE", "", OPTION_TEXT,
	  offsetof(struct target, output) },
	{ "freq", 'F', "HZ", "", OPTION_NUMBER, offsetof(struct target, freq),
	  1, 1000 },
	{ "duration", 'd', "SECONDS", "", OPTION_DECIMAL,
	  offsetof(struct target, duration), 0, 100 },
	{ "mode", 0, "MODE", "", OPTION_CHOICE, offsetof(struct target, mode),
	  .choices = modes },
	{ NULL },
};

static const struct option inner_options[] = {
	{ "focus", 0, "REGEX", "", OPTION_TEXTS,
	  offsetof(struct inner, regexes) },
	{ "even", 0, "TEXT", "", OPTION_CUSTOM, .parse = parse_even },
	{ NULL },
};

static const struct option_group groups[] = {
	{ "Outer", outer_options, 0 },
	{ "Inner", inner_options, offsetof(struct target, inner) },
	{ NULL },
};

static struct target target;
static struct operands operands;
static struct error error;
static char *words[16];

/* Parses the words of a line; "_" stands for an empty word. */
static int parse(const char *line, enum options_style style)
{
	static char copy[256];
	int argc = 1;

	option_texts_destroy(&target.inner.regexes);
	memset(&target, 0, sizeof(target));
	target.inlines = true;
	error.text[0] = '\0';
	words[0] = "test";
	strncpy(copy, line, sizeof(copy) - 1);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[argc++] = strcmp(word, "_") ? word : "";
	words[argc] = NULL;
	return options_parse(groups, style, argc, words, &target, &operands,
			     &error);
}

static void assert_refused(const char *line, const char *reason)
{
	assert_int_equal(parse(line, OPTIONS_MIXED), -EINVAL);
	assert_string_equal(error.text, reason);
}

static void every_way_to_write_an_option(void **state)
{
	(void)state;
	assert_int_equal(
		parse("--output=a -F 99 --duration 0.5 -v", OPTIONS_MIXED), 0);
	assert_string_equal(target.output, "a");
	assert_int_equal(target.freq, 99);
	assert_true(fabs(target.duration - 0.5) < 1e-9);
	assert_true(target.verbose);
	assert_true(target.inlines);
	assert_int_equal(
		parse("-vF99 -obig --no-inline --mode none", OPTIONS_MIXED), 0);
	assert_int_equal(target.freq, 99);
	assert_string_equal(target.output, "big");
	assert_false(target.inlines);
	assert_int_equal(target.mode, 2);
	assert_int_equal(parse("--output= --output=x=y", OPTIONS_MIXED), 0);
	assert_string_equal(target.output, "x=y");
}

static void groups_have_their_own_struct(void **state)
{
	(void)state;
	assert_int_equal(parse("--focus a --focus=b --even xy", OPTIONS_MIXED),
			 0);
	assert_int_equal(target.inner.regexes.count, 2);
	assert_string_equal(target.inner.regexes.items[1], "b");
	assert_string_equal(target.inner.even, "xy");
	option_texts_destroy(&target.inner.regexes);
}

static void operands_are_what_is_left(void **state)
{
	(void)state;
	assert_int_equal(parse("a -v b - -- -c --", OPTIONS_MIXED), 0);
	assert_int_equal(operands.count, 5);
	assert_int_equal(operands.dashes, 3);
	assert_string_equal(operands.items[2], "-");
	assert_string_equal(operands.items[3], "-c");
	assert_string_equal(operands.items[4], "--");
	assert_null(operands.items[5]);
	assert_int_equal(parse("-v ls -v --help", OPTIONS_FIRST), 0);
	assert_int_equal(operands.count, 3);
	assert_int_equal(operands.dashes, -1);
	assert_int_equal(parse("a -- b -v -- -c", OPTIONS_AROUND), 0);
	assert_true(target.verbose);
	assert_int_equal(operands.count, 3);
	assert_int_equal(operands.dashes, 1);
	assert_string_equal(operands.items[2], "-c");
	assert_int_equal(parse("", OPTIONS_MIXED), 0);
	assert_int_equal(operands.count, 0);
}

static void help_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(parse("--help", OPTIONS_MIXED), 1);
	assert_int_equal(parse("-vh", OPTIONS_MIXED), 1);
	assert_int_equal(parse("-- --help", OPTIONS_MIXED), 0);
}

static void wrong_usage_is_named(void **state)
{
	(void)state;
	assert_refused("--ouptut x",
		       "unknown option --ouptut; did you mean --output?");
	assert_refused("--xyzzyxyzzy", "unknown option --xyzzyxyzzy");
	assert_refused("-q", "unknown option -q");
	assert_refused("--=x", "unknown option --");
	assert_refused("--output", "--output needs FILE");
	assert_refused("-o", "-o needs FILE");
	assert_refused("--verbose=1", "--verbose takes no value");
	assert_refused("-F 0", "--freq takes a number from 1 to 1000, not '0'");
	assert_refused("-F 1k",
		       "--freq takes a number from 1 to 1000, not '1k'");
	assert_refused("-d nan",
		       "--duration takes a number from 0 to 100, not 'nan'");
	assert_refused("--mode x",
		       "--mode takes one of auto, fp, none, not 'x'");
	assert_refused("--even odd", "--even: 'odd' is odd");
}

static void numbers_are_whole_texts(void **state)
{
	uint64_t number;
	double decimal;

	(void)state;
	assert_int_equal(option_number("18446744073709551615", &number), 0);
	assert_true(number == UINT64_MAX);
	assert_int_equal(option_number("18446744073709551616", &number),
			 -EINVAL);
	assert_int_equal(option_number("-1", &number), -EINVAL);
	assert_int_equal(option_number(" 1", &number), -EINVAL);
	assert_int_equal(option_number("", &number), -EINVAL);
	assert_int_equal(option_decimal("-1.5", &decimal), 0);
	assert_int_equal(option_decimal("1e999", &decimal), -EINVAL);
	assert_int_equal(option_decimal("1s", &decimal), -EINVAL);
	assert_int_equal(option_decimal("-", &decimal), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_to_write_an_option),
		cmocka_unit_test(groups_have_their_own_struct),
		cmocka_unit_test(operands_are_what_is_left),
		cmocka_unit_test(help_is_asked_for),
		cmocka_unit_test(wrong_usage_is_named),
		cmocka_unit_test(numbers_are_whole_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
