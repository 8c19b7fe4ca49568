#include "cli/profile/select.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cli/profile/number_list.h"
#include "cli/profile/select_stacks.h"
#include "cli/profile/wall.h"
#include "perfcore/mem.h"

#define CONTAINER_ID_MIN 6 /* characters of an id that name a container */

const struct select_options select_everything = { .has_inlines = true };

#define AT(field) offsetof(struct select_options, field)

const struct option select_option_table[] = {
	{ "focus", 0, "REGEX", "only stacks with a matching function",
	  OPTION_TEXTS, AT(focus) },
	{ "ignore", 0, "REGEX", "only stacks without a matching function",
	  OPTION_TEXTS, AT(ignore) },
	{ "caller-of", 0, "FUNCTION", "what leads to it, without it",
	  OPTION_TEXT, AT(caller_of) },
	{ "callee-of", 0, "FUNCTION", "it and what it calls", OPTION_TEXT,
	  AT(callee_of) },
	{ "container", 0, "NAME|ID", "only these containers (patterns)",
	  OPTION_TEXTS, AT(containers) },
	{ "pid", 'p', "LIST", "only these processes", OPTION_TEXT, AT(pids) },
	{ "comm", 0, "NAME", "only these commands (patterns)", OPTION_TEXTS,
	  AT(comms) },
	{ "module", 0, "NAME", "only stacks that pass through it (patterns)",
	  OPTION_TEXTS, AT(modules) },
	{ "cpu", 0, "LIST", "only these CPUs (0,2-5)", OPTION_TEXT, AT(cpus) },
	{ "from", 0, "TIME", "seconds into the window, or a UTC time",
	  OPTION_TEXT, AT(from) },
	{ "to", 0, "TIME", "seconds into the window, or a UTC time",
	  OPTION_TEXT, AT(to) },
	{ "metric", 0, "NAME", "what is counted: cpu, … [the profile's own]",
	  OPTION_TEXT, AT(metric) },
	{ "no-inline", 0, NULL, "count inlined functions as their callers",
	  OPTION_OFF, AT(has_inlines) },
	{ "symfs", 0, "DIR",
	  "where a perf.data's files are: a copy of its host's root",
	  OPTION_TEXT, AT(symfs) },
	{ "debug-dir", 0, "DIR",
	  "where a perf.data's debug files are, beside /usr/lib/debug",
	  OPTION_TEXTS, AT(debug_dirs) },
	{ "debuginfod", 0, NULL,
	  "ask $DEBUGINFOD_URLS for a perf.data's debug files", OPTION_SWITCH,
	  AT(has_debuginfod) },
	{ NULL },
};

void select_options_destroy(struct select_options *options)
{
	option_texts_destroy(&options->focus);
	option_texts_destroy(&options->ignore);
	option_texts_destroy(&options->containers);
	option_texts_destroy(&options->comms);
	option_texts_destroy(&options->modules);
	option_texts_destroy(&options->debug_dirs);
}

int select_metric(struct profile *profile, const struct select_options *options,
		  struct error *error)
{
	const char *metric = options->metric ? options->metric : "";
	uint32_t value = profile_value_type(profile, metric);
	char known[256] = "";
	size_t length = 0;

	if (value == PROFILE_NONE && strcmp(metric, "wall") == 0)
		value = wall_add(profile);
	if (value != PROFILE_NONE)
		return (int)value;
	for (uint32_t i = 0; i < profile->n_value_types; i++) {
		const char *type = profile->value_types[i].type;

		if (length + strlen(type) + 3 > sizeof(known))
			break;
		if (length)
			length = (size_t)(stpcpy(known + length, ", ") - known);
		length = (size_t)(stpcpy(known + length, type) - known);
	}
	return error_set(error, -ENODATA,
			 "no '%s' was recorded here; --metric can be %s",
			 metric, length ? known : "nothing");
}

static bool matches_any(const struct option_texts *patterns, const char *text)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (fnmatch(patterns->items[i], text, 0) == 0)
			return true;
	return false;
}

static bool id_matches(const struct option_texts *ids, const char *id)
{
	for (size_t i = 0; i < ids->count; i++) {
		size_t length = strlen(ids->items[i]);

		if (length >= CONTAINER_ID_MIN &&
		    strncmp(ids->items[i], id, length) == 0)
			return true;
	}
	return false;
}

static bool container_is_chosen(const struct profile *profile,
				const struct select_options *options,
				uint32_t number)
{
	const struct profile_container *container;

	if (!options->containers.count)
		return true;
	if (number >= profile->n_containers)
		return false;
	container = &profile->containers[number];
	return matches_any(&options->containers, container->name) ||
	       id_matches(&options->containers, container->id);
}

static bool thread_is_chosen(const struct profile *profile,
			     const struct select_options *options,
			     uint32_t number)
{
	const struct profile_thread *thread;
	const struct profile_process *process;

	if (!options->pids && !options->comms.count)
		return true;
	if (number >= profile->n_threads)
		return false;
	thread = &profile->threads[number];
	process = &profile->processes[thread->process];
	if (options->pids && !number_list_has(options->pids, process->pid))
		return false;
	return !options->comms.count ||
	       matches_any(&options->comms, thread->comm) ||
	       matches_any(&options->comms, process->comm);
}

static int check_texts(const struct select_options *options,
		       struct error *error)
{
	if (options->pids && !number_list_is_valid(options->pids))
		return error_set(error, -EINVAL,
				 "--pid takes numbers such as 1,5-7, not '%s'",
				 options->pids);
	if (options->cpus && !number_list_is_valid(options->cpus))
		return error_set(error, -EINVAL,
				 "--cpu takes numbers such as 0,2-5, not '%s'",
				 options->cpus);
	if (options->caller_of && options->callee_of)
		return error_set(error, -EINVAL,
				 "--caller-of and --callee-of exclude each "
				 "other");
	return 0;
}

static int check_time(const char *name, const char *text, struct error *error)
{
	double seconds;
	bool is_offset;

	if (!text || select_time_parse(text, 0, &seconds, &is_offset) == 0)
		return 0;
	return error_set(error, -EINVAL,
			 "--%s takes seconds or a UTC time such as "
			 "2026-11-30T19:23:05Z, not '%s'",
			 name, text);
}

static int check_regexes(const struct option_texts *texts, struct error *error)
{
	for (size_t i = 0; i < texts->count; i++) {
		regex_t regex;
		int code = select_regex(&regex, texts->items[i], error);

		if (code)
			return code;
		regfree(&regex);
	}
	return 0;
}

int select_check(const struct select_options *options, struct error *error)
{
	int code = check_texts(options, error);

	if (!code)
		code = check_time("from", options->from, error);
	if (!code)
		code = check_time("to", options->to, error);
	if (!code)
		code = check_regexes(&options->focus, error);
	if (!code)
		code = check_regexes(&options->ignore, error);
	return code;
}

static bool *choices_of(const struct profile *profile,
			const struct select_options *options, size_t count,
			bool (*is_chosen)(const struct profile *,
					  const struct select_options *,
					  uint32_t))
{
	bool *choices = mem_alloc(count * sizeof(*choices));

	for (size_t i = 0; i < count; i++)
		choices[i] = is_chosen(profile, options, (uint32_t)i);
	return choices;
}

/* Everything but its last line is inlined into the function of a frame. */
static void inlines_remove(struct profile *profile)
{
	for (size_t i = 0; i < profile->n_frames; i++) {
		struct profile_frame *frame = &profile->frames[i];

		if (frame->n_lines < 2)
			continue;
		frame->first_line += frame->n_lines - 1;
		frame->n_lines = 1;
	}
}

/* What the kernel accounts for whole processes does not tell about parts of
 * them. */
static bool cuts_processes(const struct select_options *options)
{
	return options->focus.count || options->ignore.count ||
	       options->modules.count || options->comms.count ||
	       options->cpus || options->caller_of || options->callee_of;
}

static void accounting_forget(struct profile *profile)
{
	for (size_t i = 0; i < profile->n_processes; i++)
		profile->processes[i].has_accounting = false;
}

/* Takes the rows out and adds those chosen again, with their new stacks. */
static void rows_choose(struct profile *profile,
			const struct select_options *options,
			const uint32_t *stacks)
{
	size_t n_containers = profile->n_containers;
	size_t n_threads = profile->n_threads, n_rows;
	bool *containers = choices_of(profile, options, n_containers + 1,
				      container_is_chosen);
	bool *threads =
		choices_of(profile, options, n_threads + 1, thread_is_chosen);
	struct profile_row *rows = profile_rows_take(profile, &n_rows);

	for (size_t i = 0; i < n_rows; i++) {
		struct profile_row *row = &rows[i];

		if (stacks[row->stack] == PROFILE_NONE ||
		    !containers[row->container < n_containers ? row->container
							      : n_containers] ||
		    !threads[row->thread < n_threads ? row->thread
						     : n_threads] ||
		    (options->cpus &&
		     !number_list_has(options->cpus, row->cpu)))
			continue;
		row->stack = stacks[row->stack];
		profile_add(profile, row);
	}
	free(containers);
	free(threads);
	free(rows);
}

int select_rows(struct profile *profile, const struct select_options *options,
		struct error *error)
{
	uint32_t *stacks;
	int code;

	if (!options->has_inlines)
		inlines_remove(profile);
	code = select_stacks(profile, options, &stacks, error);
	if (code)
		return code;
	rows_choose(profile, options, stacks);
	if (cuts_processes(options))
		accounting_forget(profile);
	free(stacks);
	return 0;
}
