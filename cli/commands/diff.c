/*
 * hostprof diff: what changed between two sides, and what is only noise.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/formats/diff_report.h"
#include "cli/input.h"
#include "cli/message.h"
#include "cli/profile/fail_if.h"
#include "cli/views/text_diff.h"

enum diff_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct diff_options {
	struct compare_options compare;
	double ops[2]; /* 0: not given */
	double same_percent;
	bool is_share;
	uint64_t top;
	int format, column, color;
	const char *fail_if;
	struct select_options select;
};

static const char *const columns[] = { "self", "total", NULL };
static const char *const formats[] = { "text", "json", "csv", NULL };

/* "BEFORE=1000,AFTER=2000", in this order */
static int parse_ops(void *target, const char *value, struct error *error)
{
	struct diff_options *options = target;
	const char *const names[] = { "BEFORE=", "AFTER=" };

	for (int i = 0; i < 2; i++) {
		size_t length = strlen(names[i]);
		char *end = NULL;

		if (strncasecmp(value, names[i], length) == 0)
			options->ops[i] = strtod(value + length, &end);
		if (!end || end == value + length || !(options->ops[i] > 0) ||
		    *end != (i == 0 ? ',' : '\0'))
			return error_set(error, -EINVAL,
					 "takes BEFORE=N,AFTER=M, not '%s'",
					 value);
		value = end + 1;
	}
	return 0;
}

#define AT(field) offsetof(struct diff_options, field)

static const struct option diff_options[] = {
	{ "per-op", 0, "BEFORE=N,AFTER=M",
	  "CPU time for each of the operations done meanwhile", OPTION_CUSTOM,
	  .parse = parse_ops },
	{ "share", 0, NULL, "parts of the on-CPU time", OPTION_SWITCH,
	  AT(is_share) },
	{ "sort", 0, "COLUMN", "what is judged: self or total [self]",
	  OPTION_CHOICE, AT(column), .choices = columns },
	{ "same", 0, "PERCENT", "changes that count as none [5]",
	  OPTION_DECIMAL, AT(same_percent), 0.01, 100 },
	{ "top", 'n', "N", "rows of each kind; 0: all [20]", OPTION_NUMBER,
	  AT(top), 0, 1e9 },
	{ "format", 0, "FORMAT", "text, json or csv [text]", OPTION_CHOICE,
	  AT(format), .choices = formats },
	{ "fail-if", 0, "CONDITION",
	  "exit 4 when it is so: total(FUNCTION)>+5%", OPTION_TEXT,
	  AT(fail_if) },
	{ NULL },
};

static const struct option_group diff_groups[] = {
	{ "Comparison", diff_options, 0 },
	{ "Selection", select_option_table, AT(select) },
	{ "Output", color_options, AT(color) },
	{ NULL },
};

static int side_read(struct profile **profile, struct compare_side *side,
		     char *const *paths, int count,
		     const struct select_options *options, struct error *error)
{
	int metric, code = input_merge(profile, paths, count, options, error);

	if (code)
		return code;
	side->profile = *profile;
	metric = select_metric(*profile, options, error);
	if (metric < 0)
		return metric;
	window_of(&side->window, *profile, (uint32_t)metric);
	return select_rows(*profile, options, error);
}

static int print(const struct diff_options *options,
		 const struct comparison *comparison,
		 const struct compare_side sides[2], struct error *error)
{
	struct terminal terminal = terminal_of(stdout, options->color);
	struct sink sink;

	if (options->format == FORMAT_TEXT) {
		text_diff(stdout, comparison, sides, &options->compare,
			  options->top, &terminal);
		return 0;
	}
	sink_init(&sink, STDOUT_FILENO);
	if (options->format == FORMAT_JSON)
		diff_report_json(&sink, comparison, sides, &options->compare,
				 options->top);
	else
		diff_report_csv(&sink, comparison, options->top);
	return sink_finish(&sink, error);
}

/* Compares again by the column that the condition names. */
static int judge(const struct diff_options *options,
		 const struct compare_side sides[2], struct error *error)
{
	struct compare_options compare = options->compare;
	struct comparison comparison;
	struct fail_if condition;
	int verdict;

	if (!options->fail_if)
		return COMMAND_DONE;
	verdict = fail_if_parse(&condition, options->fail_if, error);
	if (verdict < 0)
		return verdict;
	compare.by_total = condition.by_total;
	compare_sides(&comparison, sides, &compare);
	verdict = fail_if_check(&condition, &comparison, error);
	comparison_destroy(&comparison);
	fail_if_destroy(&condition);
	if (verdict > 0)
		message_error("%s", error->text);
	return verdict > 0 ? COMMAND_DATA_SHORT : verdict;
}

/* Returns an exit code, or -errno with error filled. */
static int diff_sides(const struct diff_options *options,
		      const struct compare_side sides[2], struct error *error)
{
	struct comparison comparison;
	int code;

	compare_sides(&comparison, sides, &options->compare);
	code = print(options, &comparison, sides, error);
	comparison_destroy(&comparison);
	return code ? code : judge(options, sides, error);
}

static int diff_files(const struct diff_options *options,
		      const struct operands *files)
{
	struct profile *profiles[2] = { NULL, NULL };
	struct compare_side sides[2] = { { .ops = options->ops[0] },
					 { .ops = options->ops[1] } };
	struct error error;
	int code = side_read(&profiles[0], &sides[0], files->items,
			     files->dashes, &options->select, &error);

	if (!code)
		code = side_read(
			&profiles[1], &sides[1], files->items + files->dashes,
			files->count - files->dashes, &options->select, &error);
	if (!code)
		code = diff_sides(options, sides, &error);
	if (code < 0)
		message_error("%s", error.text);
	profile_free(profiles[0]);
	profile_free(profiles[1]);
	return code < 0 ? COMMAND_FAILED : code;
}

static int diff_checked(struct diff_options *options,
			const struct operands *files)
{
	struct fail_if condition = { 0 };
	struct error error;
	int code = select_check(&options->select, &error);

	if (files->dashes <= 0 || files->dashes == files->count)
		return command_misused(&diff_command,
				       "needs BEFORE… -- AFTER…");
	if (options->is_share && options->ops[0] > 0)
		return command_misused(&diff_command,
				       "--share and --per-op exclude each "
				       "other");
	if (!code && options->fail_if)
		code = fail_if_parse(&condition, options->fail_if, &error);
	fail_if_destroy(&condition);
	if (code)
		return command_misused(&diff_command, "%s", error.text);
	options->compare = (struct compare_options){
		options->is_share     ? COMPARE_SHARE
		: options->ops[0] > 0 ? COMPARE_PER_OP
				      : COMPARE_PER_SECOND,
		options->column == 1, options->same_percent / 100
	};
	return diff_files(options, files);
}

static int diff_run(int argc, char **argv)
{
	struct diff_options options = { .top = 20,
					.same_percent = 5,
					.select = select_everything };
	struct operands files;
	int exit_code;

	if (command_parse(&diff_command, argc, argv, &options, &files,
			  &exit_code))
		exit_code = diff_checked(&options, &files);
	select_options_destroy(&options.select);
	return exit_code;
}

const struct command diff_command = {
	.name = "diff",
	.operands = "BEFORE… -- AFTER…",
	.help = "what changed, and what is only noise",
	.text = "Each side is one or several profiles; with three or more, "
		"what "
		"differs\nbetween them tells what noise is.",
	.groups = diff_groups,
	.style = OPTIONS_AROUND,
	.run = diff_run,
};
