/*
 * hostprof export: profiles in the formats of other programs.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "cli/command.h"
#include "cli/formats/firefox.h"
#include "cli/formats/folded.h"
#include "cli/formats/machine_report.h"
#include "cli/formats/perfdata_export.h"
#include "cli/formats/pprof_writer.h"
#include "cli/formats/speedscope.h"
#include "cli/input.h"
#include "cli/message.h"
#include "cli/output_file.h"

struct export_options {
	int format; /* index into formats */
	int per;    /* enum stack_grouping, or PER_DEFAULT */
	const char *output;
	bool has_cgroups; /* in perf.data */
	struct select_options select;
};

#define PER_DEFAULT (-1)
#define NO_FORMAT   (-1)

/* A selected profile on its way out. */
struct outgoing {
	struct profile *profile;
	struct window window; /* before rows were selected */
	uint32_t value;	      /* the metric's value type */
	const char *output;
	bool has_cgroups;
	int per;
};

static enum stack_grouping grouping_or(const struct outgoing *outgoing,
				       enum stack_grouping usual)
{
	return outgoing->per == PER_DEFAULT
		       ? usual
		       : (enum stack_grouping)outgoing->per;
}

static int write_pprof(const struct outgoing *outgoing, int fd,
		       struct error *error)
{
	if (outgoing->value < outgoing->profile->n_value_types)
		outgoing->profile->default_value = outgoing->value;
	return pprof_write(outgoing->profile, fd, error);
}

static int write_folded(const struct outgoing *outgoing, int fd,
			struct error *error)
{
	return folded_write(outgoing->profile, outgoing->value,
			    grouping_or(outgoing, STACK_GROUPING_COMM), fd,
			    error);
}

static int write_speedscope(const struct outgoing *outgoing, int fd,
			    struct error *error)
{
	return speedscope_write(outgoing->profile, outgoing->value,
				grouping_or(outgoing, STACK_GROUPING_PROCESS),
				fd, error);
}

static int write_firefox(const struct outgoing *outgoing, int fd,
			 struct error *error)
{
	return firefox_write(outgoing->profile, outgoing->value, fd, error);
}

static int write_perfdata(const struct outgoing *outgoing, int fd,
			  struct error *error)
{
	return perfdata_export(outgoing->profile, outgoing->value,
			       outgoing->has_cgroups, fd, error);
}

static int write_report(const struct outgoing *outgoing, bool is_json, int fd,
			struct error *error)
{
	const struct group_request all = { 0 };

	return machine_report_write(outgoing->profile, &outgoing->window, &all,
				    is_json, fd, error);
}

static int write_json(const struct outgoing *outgoing, int fd,
		      struct error *error)
{
	return write_report(outgoing, true, fd, error);
}

static int write_csv(const struct outgoing *outgoing, int fd,
		     struct error *error)
{
	return write_report(outgoing, false, fd, error);
}

static const struct {
	const char *name;
	int (*write)(const struct outgoing *, int, struct error *);
} formats[] = {
	{ "pprof", write_pprof },     { "perfdata", write_perfdata },
	{ "folded", write_folded },   { "speedscope", write_speedscope },
	{ "firefox", write_firefox }, { "json", write_json },
	{ "csv", write_csv },
};

#define N_FORMATS ((int)(sizeof(formats) / sizeof(formats[0])))

/* Of the selection's options there is a --to too. A time begins with a digit
 * and a format does not. */
static int parse_to(void *target, const char *value, struct error *error)
{
	struct export_options *options = target;

	if (isdigit((unsigned char)*value)) {
		options->select.to = value;
		return 0;
	}
	for (int i = 0; i < N_FORMATS; i++) {
		if (strcmp(formats[i].name, value) == 0) {
			options->format = i;
			return 0;
		}
	}
	return error_set(error, -EINVAL, "'%s' is neither a format nor a time",
			 value);
}

static const struct option export_options[] = {
	{ "to", 0, "FORMAT",
	  "pprof, perfdata, folded, speedscope, firefox, json, csv",
	  OPTION_CUSTOM, .parse = parse_to },
	{ "output", 'o', "OUT", "the file to write; \"-\": standard output",
	  OPTION_TEXT, offsetof(struct export_options, output) },
	{ "per", 0, "KEY",
	  "none, comm, process or container: what has a profile of its own\n"
	  "in speedscope [process], or is the first frame in folded [comm];\n"
	  "container: followed by comm",
	  OPTION_CHOICE, offsetof(struct export_options, per),
	  .choices = stack_grouping_names },
	{ "cgroups", 0, NULL,
	  "perfdata: with containers as cgroups (stops Debian's autofdo)",
	  OPTION_SWITCH, offsetof(struct export_options, has_cgroups) },
	{ NULL },
};

static const struct option_group export_groups[] = {
	{ "Export", export_options, 0 },
	{ "Selection", select_option_table,
	  offsetof(struct export_options, select) },
	{ NULL },
};

/* The selection's, and what it leaves. Returns 0 or -errno with error. */
static int prepare(struct outgoing *outgoing,
		   const struct export_options *options, struct error *error)
{
	int metric = select_metric(outgoing->profile, &options->select, error);

	if (metric < 0)
		return metric;
	outgoing->value = (uint32_t)metric;
	window_of(&outgoing->window, outgoing->profile, outgoing->value);
	if (outgoing->value >= outgoing->profile->n_value_types)
		outgoing->value = PROFILE_NONE;
	return select_rows(outgoing->profile, &options->select, error);
}

static int export_files(const struct export_options *options,
			const struct operands *files, struct error *error)
{
	struct outgoing outgoing = { .per = options->per,
				     .has_cgroups = options->has_cgroups };
	struct output_file out;
	int code = input_merge(&outgoing.profile, files->items, files->count,
			       &options->select, error);

	if (code)
		return code;
	code = prepare(&outgoing, options, error);
	if (code == 0)
		code = output_file_open(&out, options->output, error);
	if (code == 0) {
		code = formats[options->format].write(&outgoing, out.fd, error);
		code = output_file_close(&out, code, error);
	}
	profile_free(outgoing.profile);
	return code;
}

static int export_checked(const struct export_options *options,
			  const struct operands *files)
{
	struct error error;

	if (files->count == 0)
		return command_misused(&export_command, "needs a FILE to read");
	if (options->format == NO_FORMAT)
		return command_misused(&export_command, "needs --to FORMAT");
	if (!options->output)
		return command_misused(&export_command,
				       "needs -o OUT (\"-\" is standard "
				       "output)");
	if (select_check(&options->select, &error))
		return command_misused(&export_command, "%s", error.text);
	if (export_files(options, files, &error) == 0)
		return COMMAND_DONE;
	message_error("%s", error.text);
	return COMMAND_FAILED;
}

static int export_run(int argc, char **argv)
{
	struct export_options options = { .format = NO_FORMAT,
					  .per = PER_DEFAULT,
					  .select = select_everything };
	struct operands files;
	int exit_code;

	if (command_parse(&export_command, argc, argv, &options, &files,
			  &exit_code))
		exit_code = export_checked(&options, &files);
	select_options_destroy(&options.select);
	return exit_code;
}

const struct command export_command = {
	.name = "export",
	.operands = "FILE…",
	.help = "profiles in the formats of other programs",
	.text = "Several files are merged. The output is written whole or not "
		"at all.",
	.groups = export_groups,
	.run = export_run,
};
