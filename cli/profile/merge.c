#include "cli/profile/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

/* For each table of from the index in into. */
struct merger {
	struct profile *into;
	const struct profile *from;
	uint32_t *mappings, *functions, *frames, *nodes, *processes, *threads,
		*containers, *states;
	uint32_t values[PROFILE_VALUES_MAX];
	uint32_t first_slice; /* of from, in into */
};

static uint32_t merge_frame(struct merger *merger,
			    const struct profile_frame *frame)
{
	struct profile *into = merger->into;
	struct profile_frame moved = *frame;
	struct profile_line *lines;
	uint32_t number;

	moved.mapping = merger->mappings[frame->mapping];
	lines = mem_alloc(frame->n_lines * sizeof(*lines));
	for (uint32_t i = 0; i < frame->n_lines; i++) {
		lines[i] = merger->from->lines[frame->first_line + i];
		lines[i].function = merger->functions[lines[i].function];
	}
	number = profile_frame_get(into, &moved, lines, frame->n_lines);
	free(lines);
	return number;
}

static uint32_t *indices_new(size_t count)
{
	return mem_calloc(count, sizeof(uint32_t));
}

static void merge_code(struct merger *merger)
{
	const struct profile *from = merger->from;
	struct profile *into = merger->into;

	for (size_t i = 0; i < from->n_mappings; i++)
		merger->mappings[i] = profile_mapping(into, &from->mappings[i]);
	for (size_t i = 0; i < from->n_functions; i++)
		merger->functions[i] =
			profile_function(into, &from->functions[i]);
	for (size_t i = 0; i < from->n_frames; i++) {
		const struct profile_frame *frame = &from->frames[i];
		const struct profile_line *line =
			&from->lines[frame->first_line];

		if (frame->flags == PROFILE_FRAME_SPECIAL && frame->n_lines)
			merger->frames[i] = profile_frame_special(
				into, from->functions[line->function].name);
		else
			merger->frames[i] = merge_frame(merger, frame);
	}
	for (size_t i = 1; i < from->n_nodes; i++)
		merger->nodes[i] =
			profile_node(into, merger->nodes[from->nodes[i].parent],
				     merger->frames[from->nodes[i].frame]);
}

static const char *or_text(struct profile *into, const char *old,
			   const char *text)
{
	return *text ? strings_intern(into->strings, text) : old;
}

/* The last name wins; accounting is only known where both know it. */
static void merge_process(struct merger *merger, uint32_t number)
{
	const struct profile_process *from = &merger->from->processes[number];
	struct profile *into = merger->into;
	size_t before = into->n_processes;
	uint32_t at = profile_process(into, from->pid, from->start_ns);
	struct profile_process *process = &into->processes[at];

	merger->processes[number] = at;
	process->comm = or_text(into, process->comm, from->comm);
	process->exe = or_text(into, process->exe, from->exe);
	process->user = or_text(into, process->user, from->user);
	if (from->container < merger->from->n_containers)
		process->container = merger->containers[from->container];
	if (into->n_processes > before)
		process->has_accounting = from->has_accounting;
	process->has_accounting &= from->has_accounting;
	process->cpu_ns += from->cpu_ns;
	process->runqueue_ns += from->runqueue_ns;
	process->blocked_ns += from->blocked_ns;
	if (from->n_threads > process->n_threads)
		process->n_threads = from->n_threads;
}

static void merge_who(struct merger *merger)
{
	const struct profile *from = merger->from;
	struct profile *into = merger->into;

	for (size_t i = 0; i < from->n_containers; i++)
		merger->containers[i] =
			profile_container(into, &from->containers[i]);
	for (size_t i = 0; i < from->n_processes; i++)
		merge_process(merger, (uint32_t)i);
	for (size_t i = 0; i < from->n_threads; i++)
		merger->threads[i] = profile_thread(
			into, merger->processes[from->threads[i].process],
			from->threads[i].tid, from->threads[i].comm);
	for (size_t i = 0; i < from->n_states; i++)
		merger->states[i] = profile_state(into, from->states[i]);
}

static uint32_t value_of(struct profile *into,
			 const struct profile_value_type *type)
{
	for (uint32_t i = 0; i < into->n_value_types; i++)
		if (strcmp(into->value_types[i].type, type->type) == 0 &&
		    strcmp(into->value_types[i].unit, type->unit) == 0)
			return i;
	if (into->n_value_types == PROFILE_VALUES_MAX) {
		notes_add(&into->notes, "no room for the values of '%s'",
			  type->type);
		return PROFILE_NONE;
	}
	into->value_types[into->n_value_types] = (struct profile_value_type){
		strings_intern(into->strings, type->type),
		strings_intern(into->strings, type->unit),
	};
	return into->n_value_types++;
}

static uint32_t n_slices(const struct profile *profile)
{
	uint64_t count;

	if (!profile->duration_ns)
		return 0;
	count = (profile->duration_ns - 1) / profile->slice_ns + 1;
	return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* A profile without slices is one slice as long as itself. */
static void merge_slices(struct merger *merger)
{
	struct profile *into = merger->into;

	if (!into->slice_ns)
		into->slice_ns = merger->from->slice_ns
					 ? merger->from->slice_ns
					 : merger->from->duration_ns;
	merger->first_slice = into->slice_ns ? n_slices(into) : 0;
	into->windows = mem_realloc(
		into->windows, (into->n_windows + 1) * sizeof(*into->windows));
	into->windows[into->n_windows++] =
		(struct profile_window){ merger->first_slice,
					 merger->from->duration_ns };
}

static uint32_t slice_of(const struct merger *merger, uint32_t slice)
{
	uint64_t length = merger->from->slice_ns;
	uint64_t into = merger->into->slice_ns, moved = slice;

	if (length != into)
		moved = into ? (uint64_t)((double)slice * (double)length /
					  (double)into)
			     : 0;
	moved += merger->first_slice;
	return moved < UINT32_MAX ? (uint32_t)moved : UINT32_MAX - 1;
}

static uint32_t moved(const uint32_t *indices, size_t count, uint32_t index)
{
	return index < count ? indices[index] : PROFILE_NONE;
}

static void merge_rows(struct merger *merger)
{
	const struct profile *from = merger->from;

	for (size_t i = 0; i < from->n_rows; i++) {
		struct profile_row row = from->rows[i];

		memset(row.values, 0, sizeof(row.values));
		for (uint32_t j = 0; j < from->n_value_types; j++)
			if (merger->values[j] != PROFILE_NONE)
				row.values[merger->values[j]] =
					from->rows[i].values[j];
		row.stack = merger->nodes[row.stack];
		row.thread =
			moved(merger->threads, from->n_threads, row.thread);
		row.container = moved(merger->containers, from->n_containers,
				      row.container);
		row.state = moved(merger->states, from->n_states, row.state);
		row.slice = slice_of(merger, row.slice);
		profile_add(merger->into, &row);
	}
}

static void add_known(double *sum, double part)
{
	*sum = *sum < 0 || part < 0 ? -1 : *sum + part;
}

static void merge_health(struct profile_health *into,
			 const struct profile_health *from)
{
	double peak = into->own_peak_bytes;

	add_known(&into->samples, from->samples);
	add_known(&into->expected, from->expected);
	add_known(&into->lost, from->lost);
	add_known(&into->throttled, from->throttled);
	add_known(&into->throttled_s, from->throttled_s);
	add_known(&into->stacks_complete, from->stacks_complete);
	add_known(&into->stacks_truncated, from->stacks_truncated);
	add_known(&into->stacks_failed, from->stacks_failed);
	add_known(&into->frames_named, from->frames_named);
	add_known(&into->frames_unnamed, from->frames_unnamed);
	add_known(&into->kernel_cpu_s, from->kernel_cpu_s);
	add_known(&into->sampled_cpu_s, from->sampled_cpu_s);
	add_known(&into->own_cpu_s, from->own_cpu_s);
	into->own_peak_bytes =
		from->own_peak_bytes > peak ? from->own_peak_bytes : peak;
}

static double host_capacity(const struct profile *profile)
{
	if (profile->host.capacity_s >= 0 || !profile->host.cpus)
		return profile->host.capacity_s;
	return (double)profile->duration_ns / 1e9 * profile->host.cpus;
}

static void merge_host(struct profile *into, const struct profile *from)
{
	struct profile_host *host = &into->host;
	char name[128];

	add_known(&host->capacity_s, host_capacity(from));
	add_known(&host->busy_s, from->host.busy_s);
	add_known(&host->runqueue_s, from->host.runqueue_s);
	add_known(&host->steal_s, from->host.steal_s);
	if (from->host.cpus > host->cpus)
		host->cpus = from->host.cpus;
	if (strcmp(host->name, from->host.name) == 0)
		return;
	snprintf(name, sizeof(name), "%s", host->name);
	name[strcspn(name, " ")] = '\0'; /* "web1 and others" has web1 */
	if (strcmp(name, from->host.name) == 0)
		return;
	host->name = strings_intern(
		into->strings,
		strncat(name, " and others", sizeof(name) - strlen(name) - 1));
}

static void merge_notes(struct profile *into, const struct profile *from)
{
	for (size_t i = 0; i < from->notes.count; i++)
		for (uint64_t j = 0; j < from->notes.items[i].count; j++)
			notes_add(&into->notes, "%s",
				  from->notes.items[i].text);
	into->notes.dropped += from->notes.dropped;
}

static void merge_header(struct profile *into, const struct profile *from)
{
	merge_health(&into->health, &from->health);
	merge_host(into, from);
	if (strcmp(into->event.name, from->event.name) != 0)
		notes_add(&into->notes,
			  "profiles of different events were merged: %s and %s",
			  into->event.name, from->event.name);
}

/* The first profile says what the result is of. */
static void copy_header(struct profile *into, const struct profile *from)
{
	into->health = from->health;
	into->host = from->host;
	into->host.name = strings_intern(into->strings, from->host.name);
	into->host.kernel = strings_intern(into->strings, from->host.kernel);
	into->host.arch = strings_intern(into->strings, from->host.arch);
	into->host.capacity_s = host_capacity(from);
	into->event = from->event;
	into->event.name = strings_intern(into->strings, from->event.name);
	into->event.requested =
		strings_intern(into->strings, from->event.requested);
	into->event.fallback_reason =
		strings_intern(into->strings, from->event.fallback_reason);
	into->default_value = from->default_value;
}

static void merger_init(struct merger *merger)
{
	const struct profile *from = merger->from;

	merger->mappings = indices_new(from->n_mappings);
	merger->functions = indices_new(from->n_functions);
	merger->frames = indices_new(from->n_frames);
	merger->nodes = indices_new(from->n_nodes);
	merger->processes = indices_new(from->n_processes);
	merger->threads = indices_new(from->n_threads);
	merger->containers = indices_new(from->n_containers);
	merger->states = indices_new(from->n_states);
	for (uint32_t i = 0; i < from->n_value_types; i++)
		merger->values[i] =
			value_of(merger->into, &from->value_types[i]);
}

static void merger_destroy(struct merger *merger)
{
	free(merger->mappings);
	free(merger->functions);
	free(merger->frames);
	free(merger->nodes);
	free(merger->processes);
	free(merger->threads);
	free(merger->containers);
	free(merger->states);
}

struct profile *profile_merge_new(void)
{
	struct profile *profile = profile_new();

	profile->n_profiles = 0;
	return profile;
}

void profile_merge(struct profile *into, const struct profile *from)
{
	struct merger merger = { .into = into, .from = from };

	merger_init(&merger);
	merge_slices(&merger);
	merge_code(&merger);
	merge_who(&merger);
	merge_rows(&merger);
	merge_notes(into, from);
	if (into->n_profiles == 0)
		copy_header(into, from);
	else
		merge_header(into, from);
	if (!into->start_ns ||
	    (from->start_ns && from->start_ns < into->start_ns))
		into->start_ns = from->start_ns;
	into->duration_ns += from->duration_ns;
	into->n_profiles += from->n_profiles;
	merger_destroy(&merger);
}
