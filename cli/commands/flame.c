#include <string.h>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/message.h"
#include "cli/output_file.h"
#include "cli/views/page.h"

struct flame_options {
	const char *output;
	struct select_options select;
};

static const struct option output_options[] = {
	{ "output", 'o', "PAGE.html", "the page to write; - is standard output",
	  OPTION_TEXT, offsetof(struct flame_options, output) },
	{ NULL },
};

static const struct option_group flame_groups[] = {
	{ "Output", output_options, 0 },
	{ "Selection", select_option_table,
	  offsetof(struct flame_options, select) },
	{ NULL },
};

/* Reads one side: the files merged, and of that what is selected. */
static int read_side(struct compare_side *side, struct profile **profile,
		     char **files, int count,
		     const struct select_options *select, struct error *error)
{
	int metric, status;

	status = input_merge(profile, files, count, select, error);
	if (status)
		return status;
	side->profile = *profile;
	metric = select_metric(*profile, select, error);
	if (metric < 0)
		return metric;
	(*profile)->default_value = (uint32_t)metric;
	window_of(&side->window, *profile, (uint32_t)metric);
	return select_rows(*profile, select, error);
}

static int write_page(const char *path, const struct compare_side *before,
		      const struct compare_side *after, struct error *error)
{
	struct output_file out;
	struct sink sink;
	int status = output_file_open(&out, path, error);

	if (status)
		return status;
	sink_init(&sink, out.fd);
	page_write(&sink, before, after);
	status = sink_finish(&sink, error);
	return output_file_close(&out, status, error);
}

static int flame_files(const struct flame_options *options,
		       const struct operands *files)
{
	struct compare_side sides[2] = { 0 };
	struct profile *profiles[2] = { NULL };
	struct error error;
	int first = files->dashes < 0 ? files->count : files->dashes;
	int status;

	status = read_side(&sides[0], &profiles[0], files->items, first,
			   &options->select, &error);
	if (status == 0 && first < files->count)
		status = read_side(&sides[1], &profiles[1],
				   files->items + first, files->count - first,
				   &options->select, &error);
	if (status == 0)
		status = write_page(options->output, &sides[0],
				    profiles[1] ? &sides[1] : NULL, &error);
	if (status)
		message_error("%s", error.text);
	profile_free(profiles[0]);
	profile_free(profiles[1]);
	return status ? COMMAND_FAILED : COMMAND_DONE;
}

/* What is wrong with the usage, or NULL. */
static const char *misuse(const struct flame_options *options,
			  const struct operands *files, struct error *error)
{
	if (!files->count)
		return "needs a FILE to read";
	if (files->dashes == 0 || files->dashes == files->count)
		return "a comparison needs files before and after the --";
	if (!options->output)
		return files->dashes < 0
			       ? "needs the page to write: -o PAGE.html"
			       : "needs -o PAGE.html, and before the --";
	return select_check(&options->select, error) ? error->text : NULL;
}

static int flame_run(int argc, char **argv)
{
	struct flame_options options = { .select = select_everything };
	struct operands files;
	struct error error;
	int exit_code;

	if (command_parse(&flame_command, argc, argv, &options, &files,
			  &exit_code)) {
		const char *wrong = misuse(&options, &files, &error);

		exit_code = wrong ? command_misused(&flame_command, "%s", wrong)
				  : flame_files(&options, &files);
	}
	select_options_destroy(&options.select);
	return exit_code;
}

const struct command flame_command = {
	.name = "flame",
	.operands = "FILE… | BEFORE… -- AFTER…",
	.help = "writes one self-contained page with the flame graph",
	.text = "The page needs neither a network nor a server: it can be "
		"mailed, archived and\nopened anywhere. Several files are "
		"merged; with -- it compares.",
	.groups = flame_groups,
	.style = OPTIONS_AROUND,
	.run = flame_run,
};
