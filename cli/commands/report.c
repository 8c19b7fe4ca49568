#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/formats/machine_report.h"
#include "cli/input.h"
#include "cli/message.h"
#include "cli/profile/require.h"
#include "cli/views/text.h"

enum report_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

struct report_options {
	struct group_request group; /* no keys: the summary */
	int sort, format, color;
	bool is_tree;
	const char *require;
	struct select_options select;
};

static const char *const sorts[] = { "self", "total", "name", NULL };
static const char *const formats[] = { "text", "json", "csv", NULL };

static int parse_by(void *target, const char *value, struct error *error)
{
	struct report_options *options = target;

	return group_keys_parse(&options->group, value, error);
}

static int parse_sort(void *target, const char *value, struct error *error)
{
	struct report_options *options = target;

	for (int i = 0; sorts[i]; i++) {
		if (strcmp(sorts[i], value) == 0) {
			options->group.sort = GROUP_SORT_SELF + i;
			return 0;
		}
	}
	return error_set(error, -EINVAL, "self, total or name, not '%s'",
			 value);
}

static const struct option report_options[] = {
	{ "by", 0, "KEYS",
	  "container, process, thread, comm, user, cpu, state, slice,\n"
	  "module, function, line; several are nested",
	  OPTION_CUSTOM, .parse = parse_by },
	{ "sort", 0, "COLUMN", "self, total or name [self]", OPTION_CUSTOM,
	  .parse = parse_sort },
	{ "top", 'n', "N", "rows in each group; 0: all [20]", OPTION_NUMBER,
	  offsetof(struct report_options, group.top), 0, 1e9 },
	{ "tree", 0, NULL, "the call tree, in each group of --by",
	  OPTION_SWITCH, offsetof(struct report_options, is_tree) },
	{ "format", 0, "FORMAT", "text, json or csv [text]", OPTION_CHOICE,
	  offsetof(struct report_options, format), .choices = formats },
	{ "require", 0, "CONDITIONS",
	  "exit 4 when the data fall short: lost<1%,names>95%", OPTION_TEXT,
	  offsetof(struct report_options, require) },
	{ NULL },
};

static const struct option_group report_groups[] = {
	{ "Report", report_options, 0 },
	{ "Selection", select_option_table,
	  offsetof(struct report_options, select) },
	{ "Output", color_options, offsetof(struct report_options, color) },
	{ NULL },
};

struct report {
	const struct report_options *options;
	const struct profile *profile;
	struct window window;
};

static void print_tree(const struct report *report,
		       const struct terminal *terminal)
{
	const struct group_request *request = &report->options->group;
	struct tree tree;

	tree_init(&tree, report->profile, &report->window, request);
	text_tree(stdout, &tree, &report->window, request->top, terminal);
	tree_destroy(&tree);
}

static void print_text(const struct report *report)
{
	const struct group_request *request = &report->options->group;
	struct terminal terminal = terminal_of(stdout, report->options->color);
	struct grouping grouping;

	if (!request->n_keys && !report->options->is_tree) {
		text_summary(stdout, report->profile, &report->window,
			     request->top, &terminal);
		return;
	}
	text_header(stdout, report->profile, &report->window);
	putchar('\n');
	if (report->options->is_tree) {
		print_tree(report, &terminal);
		return;
	}
	group_profile(&grouping, report->profile, &report->window, request);
	text_groups(stdout, &grouping, &report->window, request, &terminal);
	grouping_destroy(&grouping);
}

static int report_profile(const struct report_options *options,
			  struct profile *profile, struct error *error)
{
	struct report report = { options, profile };
	int metric = select_metric(profile, &options->select, error);
	int code;

	if (metric < 0)
		return metric;
	window_of(&report.window, profile, (uint32_t)metric);
	code = select_rows(profile, &options->select, error);
	if (code)
		return code;
	if (options->format != FORMAT_TEXT)
		return machine_report_write(
			profile, &report.window, &options->group,
			options->format == FORMAT_JSON, STDOUT_FILENO, error);
	print_text(&report);
	return 0;
}

/* Printed first, judged after: whoever reads it sees why. */
static int judge(const struct report_options *options,
		 const struct profile *profile)
{
	struct error error;
	int verdict;

	if (!options->require)
		return COMMAND_DONE;
	verdict = require_check(profile, options->require, &error);
	if (verdict == 0)
		return COMMAND_DONE;
	message_error("%s", error.text);
	return verdict < 0 ? COMMAND_WRONG_USAGE : COMMAND_DATA_SHORT;
}

static int report_files(const struct report_options *options,
			const struct operands *files)
{
	struct profile *profile;
	struct error error;
	int code = input_merge(&profile, files->items, files->count,
			       &options->select, &error);

	if (code) {
		message_error("%s", error.text);
		return COMMAND_FAILED;
	}
	code = report_profile(options, profile, &error);
	if (code)
		message_error("%s", error.text);
	code = code ? COMMAND_FAILED : judge(options, profile);
	profile_free(profile);
	return code;
}

static int report_run(int argc, char **argv)
{
	struct report_options options = { .group.top = 20,
					  .select = select_everything };
	struct operands files;
	struct error error;
	int exit_code;

	if (command_parse(&report_command, argc, argv, &options, &files,
			  &exit_code)) {
		if (!files.count)
			exit_code = command_misused(&report_command,
						    "needs a FILE to read");
		else if (options.is_tree && options.format != FORMAT_TEXT)
			exit_code = command_misused(&report_command,
						    "--tree is a text format");
		else if (select_check(&options.select, &error) != 0)
			exit_code = command_misused(&report_command, "%s",
						    error.text);
		else
			exit_code = report_files(&options, &files);
	}
	select_options_destroy(&options.select);
	return exit_code;
}

const struct command report_command = {
	.name = "report",
	.operands = "FILE…",
	.help = "tables by process, container, function and more",
	.text = "Several files are merged. Without --by it prints the "
		"summary.",
	.groups = report_groups,
	.run = report_run,
};
