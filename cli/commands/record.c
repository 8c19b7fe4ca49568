/*
 * hostprof record: samples the whole host, writes a profile, prints the
 * summary.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/command.h"
#include "cli/formats/pprof_writer.h"
#include "cli/message.h"
#include "cli/output_file.h"
#include "cli/recorder.h"
#include "cli/stack_walker.h"
#include "cli/terminal.h"
#include "cli/views/text.h"
#include "perfcore/mem.h"

#define SUMMARY_ROWS   20
#define STACK_SIZE     32768
#define STACK_SIZE_MAX 65528 /* the kernel's limit; a multiple of 8 */

enum call_graph {
	CALL_GRAPH_AUTO,
	CALL_GRAPH_FP,
	CALL_GRAPH_DWARF,
	CALL_GRAPH_NONE
};

struct record_options {
	uint64_t freq_hz, period, pages, stack_size;
	double duration_s, slice_s;
	const char *event, *comm, *cgroup, *container, *output;
	uint32_t *pids;
	size_t n_pids;
	int call_graph;
	bool off_cpu;
	double off_cpu_budget; /* percent */
	bool is_quiet, is_raw, has_cgroups;
	int color;
};

static const char *const call_graph_names[] = { "auto", "fp", "dwarf", "none",
						NULL };

static int parse_pids(void *target, const char *value, struct error *error)
{
	struct record_options *options = target;

	if (sample_filter_parse_pids(value, &options->pids, &options->n_pids) <
	    0)
		return error_set(error, -EINVAL,
				 "'%s' is no list of process ids (12,34)",
				 value);
	return 0;
}

#define AT(member) offsetof(struct record_options, member)

static const struct option sampling_options[] = {
	{ "freq", 'F', "HZ", "samples a second on each CPU [99]", OPTION_NUMBER,
	  AT(freq_hz), 1, 1000000 },
	{ "count", 'c', "PERIOD", "one sample each PERIOD events instead",
	  OPTION_NUMBER, AT(period), 1, 1e15 },
	{ "duration", 'd', "SECONDS", "how long [until Ctrl-C]", OPTION_DECIMAL,
	  AT(duration_s), 0.001, 1e9 },
	{ "event", 'e', "NAME[:MODIFIERS]",
	  "what to sample [cycles:P, else cycles, else cpu-clock]", OPTION_TEXT,
	  AT(event) },
	{ "call-graph", 'g', "auto|fp|dwarf|none",
	  "how stacks are found: unwound, by frame pointer, not at all [auto]",
	  OPTION_CHOICE, AT(call_graph), .choices = call_graph_names },
	{ "stack-size", 0, "BYTES",
	  "how much of each stack is copied to be unwound [32768]",
	  OPTION_NUMBER, AT(stack_size), 256, STACK_SIZE_MAX },
	{ "slice", 0, "SECONDS", "length of a time slice [0.1]", OPTION_DECIMAL,
	  AT(slice_s), 0.001, 3600 },
	{ "off-cpu", 0, NULL, "time off the CPU too: who waits where, and why",
	  OPTION_SWITCH, AT(off_cpu) },
	{ "off-cpu-budget", 0, "PERCENT",
	  "of each CPU that stacks of waits may take [2]", OPTION_DECIMAL,
	  AT(off_cpu_budget), 0.01, 100 },
	{ "mmap-pages", 'm', "N", "pages of each CPU's ring [by need]",
	  OPTION_NUMBER, AT(pages), 1, 65536 },
	{ NULL }
};

static const struct option filter_options[] = {
	{ "pid", 'p', "LIST", "only these processes (12,34)", OPTION_CUSTOM, 0,
	  .parse = parse_pids },
	{ "comm", 0, "NAME", "only threads or processes of that name",
	  OPTION_TEXT, AT(comm) },
	{ "cgroup", 0, "PATH", "only this cgroup and those below", OPTION_TEXT,
	  AT(cgroup) },
	{ "container", 0, "NAME|ID", "only this container", OPTION_TEXT,
	  AT(container) },
	{ NULL }
};

static const struct option output_options[] = {
	{ "output", 'o', "FILE",
	  "where to write it [hostprof-HOST-TIME.pb.gz]; - is standard output",
	  OPTION_TEXT, AT(output) },
	{ "raw", 0, NULL,
	  "a perf.data instead of a profile, as for a FILE named *.data",
	  OPTION_SWITCH, AT(is_raw) },
	{ "cgroups", 0, NULL,
	  "cgroups too in a perf.data (autofdo stops there)", OPTION_SWITCH,
	  AT(has_cgroups) },
	{ "quiet", 'q', NULL, "no summary", OPTION_SWITCH, AT(is_quiet) },
	{ NULL }
};

static const struct option_group record_groups[] = {
	{ "Sampling", sampling_options, 0 },
	{ "Only some", filter_options, 0 },
	{ "Output", output_options, 0 },
	{ "Display", color_options, AT(color) },
	{ NULL }
};

static volatile sig_atomic_t stop_flag;

static void on_stop(int number)
{
	(void)number;
	stop_flag = 1;
}

static void on_child(int number)
{
	(void)number; /* interrupts the wait, no more */
}

static void signals_set(void)
{
	struct sigaction stop = { .sa_handler = on_stop };
	struct sigaction child = { .sa_handler = on_child,
				   .sa_flags = SA_NOCLDSTOP };

	stop_flag = 0;
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGHUP, &stop, NULL);
	sigaction(SIGCHLD, &child, NULL);
	signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write() */
}

struct recording {
	char *path; /* of what is written */
	bool is_raw;
	struct output_file raw; /* the perf.data, if that is written */
	const struct record_options *options;
	struct child child;
	char *const *argv;  /* of the command; NULL: none */
	struct error error; /* of starting it */
	int failure;
	bool shows_progress;
};

static void on_started(void *context)
{
	struct recording *recording = context;

	if (!recording->argv)
		return;
	recording->failure = child_release(
		&recording->child, recording->argv[0], &recording->error);
	if (recording->failure < 0)
		stop_flag = 1;
}

static bool is_over(void *context)
{
	struct recording *recording = context;

	return recording->argv && child_has_ended(&recording->child);
}

static void on_progress(void *context, double seconds, uint64_t samples)
{
	const struct recording *recording = context;

	if (recording->shows_progress)
		fprintf(stderr, "\r%.0f s, %llu samples ", seconds,
			(unsigned long long)samples);
}

/* What is written is a perf.data, by --raw or by its name. */
static bool wants_raw(const struct record_options *options)
{
	const char *name = options->output;
	size_t length = name ? strlen(name) : 0;

	return options->is_raw ||
	       (length > 5 && strcmp(name + length - 5, ".data") == 0);
}

static char *default_output(const char *suffix)
{
	char stamp[32];
	struct utsname system;
	time_t now = time(NULL);

	uname(&system);
	for (char *at = system.nodename; *at; at++)
		if (*at == '/')
			*at = '_';
	strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime(&now));
	return mem_printf("hostprof-%s-%s%s", system.nodename, stamp, suffix);
}

/* Where we cannot unwind this machine's stacks, "auto" is frame pointers. */
static enum session_stacks stacks_wanted(const struct record_options *options)
{
	struct utsname system;

	switch (options->call_graph) {
	case CALL_GRAPH_NONE:
		return SESSION_STACKS_NONE;
	case CALL_GRAPH_FP:
		return SESSION_STACKS_FP;
	case CALL_GRAPH_DWARF:
		return SESSION_STACKS_COPY;
	default:
		uname(&system);
		return stack_walker_machine(system.machine)
			       ? SESSION_STACKS_COPY
			       : SESSION_STACKS_FP;
	}
}

static struct recorder_options recorder_options_of(
	const struct record_options *options, struct recording *recording)
{
	return (struct recorder_options){
		.session = {
			.event = options->event,
			.freq_hz = options->period ? 0 : options->freq_hz,
			.period = options->period,
			.stacks = stacks_wanted(options),
			.stack_size = (uint32_t)options->stack_size & ~7u,
			.pages = (uint32_t)options->pages,
			.off_cpu = options->off_cpu,
		},
		.filter = {
			.pids = options->pids,
			.n_pids = options->n_pids,
			.comm = options->comm,
			.cgroup = options->cgroup,
			.container = options->container,
		},
		.slice_ns = (uint64_t)(options->slice_s * 1e9),
		.duration_ns = (uint64_t)(options->duration_s * 1e9),
		.want_inlines = true,
		.off_cpu_budget = options->off_cpu_budget / 100,
		.stop = &stop_flag,
		.is_over = is_over,
		.started = on_started,
		.progress = on_progress,
		.context = recording,
	};
}

/* Writes the profile under its name. Returns 0 or -errno. */
static int profile_save(const struct profile *profile, const char *path,
			struct error *error)
{
	struct output_file out;
	int result = output_file_open(&out, path, error);

	if (result < 0)
		return result;
	result = pprof_write(profile, out.fd, error);
	return output_file_close(&out, result, error);
}

static int record_run(const struct record_options *options,
		      struct recording *recording, struct profile **profile)
{
	struct recorder_options recorder =
		recorder_options_of(options, recording);
	struct error error;
	int result;

	if (recording->is_raw) {
		result = output_file_open(&recording->raw, recording->path,
					  &error);
		if (result < 0) {
			message_error("%s", error.text);
			return COMMAND_FAILED;
		}
		recorder.raw_name = recording->path;
		recorder.raw_fd = recording->raw.fd;
		recorder.has_cgroups = options->has_cgroups;
	}
	if (recording->argv) {
		result =
			child_start(&recording->child, recording->argv, &error);
		if (result < 0) {
			if (recording->is_raw)
				output_file_close(&recording->raw, result,
						  &error);
			message_error("%s", error.text);
			return COMMAND_FAILED;
		}
	}
	result = recorder_run(&recorder, profile, &error);
	if (recording->is_raw) {
		int closed = output_file_close(&recording->raw, result, &error);

		result = result < 0 ? result : closed;
	}
	if (recording->shows_progress)
		fprintf(stderr, "\r\033[K");
	if (result < 0) {
		message_error("%s", error.text);
		child_finish(&recording->child);
		return command_failure(result);
	}
	if (recording->failure < 0) {
		message_error("%s", recording->error.text);
		child_finish(&recording->child);
		return COMMAND_FAILED;
	}
	return COMMAND_DONE;
}

static void show_summary(const struct profile *profile, const char *path,
			 int color)
{
	struct terminal terminal = terminal_of(stdout, color);
	struct window window;

	window_of(&window, profile, profile->default_value);
	text_summary(stdout, profile, &window, SUMMARY_ROWS, &terminal);
	printf("\nwritten to %s\n", path);
}

static int record_output(const struct record_options *options,
			 const struct recording *recording,
			 const struct profile *profile)
{
	bool to_stdout = strcmp(recording->path, "-") == 0;
	struct error error;
	int result = 0;

	if (!recording->is_raw)
		result = profile_save(profile, recording->path, &error);
	if (result < 0)
		message_error("%s", error.text);
	else if (!options->is_quiet && !to_stdout)
		show_summary(profile, recording->path, options->color);
	return result < 0 ? COMMAND_FAILED : COMMAND_DONE;
}

static int record(int argc, char **argv)
{
	struct record_options options = { .freq_hz = 99,
					  .slice_s = 0.1,
					  .stack_size = STACK_SIZE,
					  .off_cpu_budget = 2 };
	struct recording recording = { .options = &options };
	struct profile *profile = NULL;
	struct operands operands;
	int code;

	if (!command_parse(&record_command, argc, argv, &options, &operands,
			   &code))
		return code;
	if (options.off_cpu && wants_raw(&options))
		return command_misused(&record_command,
				       "--off-cpu goes into a profile, not "
				       "into a perf.data");
	if (operands.count > 0)
		recording.argv = operands.items;
	recording.child.gate = recording.child.report = -1;
	recording.shows_progress = isatty(STDERR_FILENO) && !options.is_quiet;
	recording.is_raw = wants_raw(&options);
	recording.path = options.output	    ? mem_strdup(options.output)
			 : recording.is_raw ? default_output(".data")
					    : default_output(".pb.gz");
	signals_set();
	code = record_run(&options, &recording, &profile);
	if (code == COMMAND_DONE) {
		code = record_output(&options, &recording, profile);
		if (code == COMMAND_DONE && recording.argv &&
		    recording.child.has_ended)
			code = child_exit_code(&recording.child);
	}
	profile_free(profile);
	free(recording.path);
	free(options.pids);
	return code;
}

const struct command record_command = {
	.name = "record",
	.operands = "[-- COMMAND…]",
	.help = "sample the whole host and write a profile",
	.text = "Samples until -d has passed, COMMAND has ended, or Ctrl-C. "
		"The exit status is COMMAND's.",
	.groups = record_groups,
	.style = OPTIONS_FIRST,
	.run = record,
};
