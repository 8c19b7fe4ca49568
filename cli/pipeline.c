#include "cli/pipeline.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/event_values.h"
#include "cli/frame_table.h"
#include "cli/stacks.h"
#include "cli/waits.h"
#include "perfcore/binary_file.h"
#include "perfcore/build_id.h"
#include "perfcore/container.h"
#include "perfcore/mem.h"
#include "perfcore/session.h"
#include "perfcore/vdso.h"

struct pipeline {
	struct pipeline_config config;
	const struct source_info *info;
	struct profile *profile;
	struct strings *strings; /* the profile's */
	struct binary_table *binaries;
	struct process_table *processes;
	struct containers *containers;
	struct binary_files *files;
	struct frame_table *frames;
	struct stack_walker *walker;
	struct stacks *stacks;
	struct symbolizer *symbolizer;
	struct jit_dumps *jit_dumps;
	struct waits *waits; /* NULL: not followed */
	int kallsyms_fd;

	uint32_t *container_of; /* profile's, by the resolver's number */
	size_t n_container_of, container_capacity;
	uint32_t states[PROFILE_STATES];
	struct event_values values;
	struct pipeline_counts counts;
};

static int open_for_module(void *context, const struct binary *binary,
			   const char *path)
{
	return binary_files_open_path(context, binary, path);
}

static void symbolizer_make(struct pipeline *pipeline)
{
	struct symbolizer_config config = {
		.strings = pipeline->strings,
		.notes = &pipeline->profile->notes,
		.kallsyms_fd = -1,
		.open = open_for_module,
		.context = pipeline->files,
		.debug_dirs = pipeline->config.debug_dirs,
		.debuginfod_ms = pipeline->config.debuginfod_ms,
		.want_inlines = pipeline->config.want_inlines,
	};
	const char *root = pipeline->config.root;
	char path[4096];
	size_t size;

	pipeline->kallsyms_fd = -1;
	if (root)
		snprintf(path, sizeof(path), "%s/proc/kallsyms", root);
	else if (pipeline->config.kallsyms)
		snprintf(path, sizeof(path), "%s", pipeline->config.kallsyms);
	if (root || pipeline->config.kallsyms) {
		pipeline->kallsyms_fd = open(path, O_RDONLY | O_CLOEXEC);
		config.kallsyms_fd = pipeline->kallsyms_fd;
	}
	if (root || pipeline->config.has_own_vdso) {
		config.vdso = vdso_image(&size);
		config.vdso_size = size;
	}
	pipeline->symbolizer = symbolizer_new(&config);
}

/* The running kernel's; of a file's kernel nothing is known here. */
static int kernel_build_id(const struct pipeline *pipeline, uint8_t *build_id)
{
	char path[4096];
	int fd, size;

	if (!pipeline->config.root)
		return 0;
	snprintf(path, sizeof(path), "%s/sys/kernel/notes",
		 pipeline->config.root);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	size = build_id_of_kernel(fd, build_id);
	close(fd);
	return size;
}

static void stacks_make(struct pipeline *pipeline)
{
	struct stacks_config config = {
		.profile = pipeline->profile,
		.frames = pipeline->frames,
		.processes = pipeline->processes,
		.binaries = pipeline->binaries,
		.files = pipeline->files,
		.walker = pipeline->walker,
		.jit_dumps = pipeline->jit_dumps,
		.max_callchain = pipeline->config.max_callchain,
		.want_addresses = pipeline->config.raw != NULL,
	};

	config.kernel_build_id_size =
		(uint8_t)kernel_build_id(pipeline, config.kernel_build_id);
	pipeline->stacks = stacks_new(&config);
}

static void states_make(struct pipeline *pipeline)
{
	static const char *const names[PROFILE_STATES] = { "user", "kernel" };

	for (int i = 0; i < PROFILE_STATES; i++)
		pipeline->states[i] =
			profile_state(pipeline->profile, names[i]);
}

static struct stack_walker *walker_make(const struct pipeline *pipeline)
{
	struct stack_walker_config config = {
		.processes = pipeline->processes,
		.files = pipeline->files,
		.machine = stack_walker_machine(pipeline->info->arch),
	};
	size_t size = 0;

	if (pipeline->config.root)
		config.vdso = vdso_image(&size);
	config.vdso_size = size;
	return stack_walker_new(&config);
}

struct pipeline *pipeline_new(const struct pipeline_config *config,
			      const struct source_info *info)
{
	struct pipeline *pipeline = mem_calloc(1, sizeof(*pipeline));
	struct profile *profile = profile_new();
	struct process_table_config processes = {
		.root = config->root,
		.strings = profile->strings,
		.notes = &profile->notes,
	};

	if (info->wall_start_ns)
		processes.wall_offset_ns =
			(int64_t)(info->wall_start_ns - info->clock_start_ns);
	pipeline->config = *config;
	pipeline->info = info;
	pipeline->profile = profile;
	pipeline->strings = profile->strings;
	pipeline->binaries = binary_table_new(profile->strings);
	processes.binaries = pipeline->binaries;
	pipeline->processes = process_table_new(&processes);
	pipeline->containers =
		containers_new(config->root, profile->strings, &profile->notes);
	pipeline->files = binary_files_new(config->root, pipeline->binaries);
	binary_files_set_symfs(pipeline->files, config->symfs);
	pipeline->frames = frame_table_new(profile, pipeline->binaries);
	pipeline->walker = walker_make(pipeline);
	symbolizer_make(pipeline);
	pipeline->jit_dumps =
		jit_dumps_new(pipeline->files, pipeline->symbolizer);
	stacks_make(pipeline);
	event_values_init(&pipeline->values, profile, info);
	states_make(pipeline);
	return pipeline;
}

void pipeline_free(struct pipeline *pipeline)
{
	if (!pipeline)
		return;
	waits_free(pipeline->waits);
	jit_dumps_free(pipeline->jit_dumps);
	symbolizer_free(pipeline->symbolizer);
	if (pipeline->kallsyms_fd >= 0)
		close(pipeline->kallsyms_fd);
	stacks_free(pipeline->stacks);
	stack_walker_free(pipeline->walker);
	frame_table_free(pipeline->frames);
	binary_files_free(pipeline->files);
	containers_free(pipeline->containers);
	process_table_free(pipeline->processes);
	binary_table_free(pipeline->binaries);
	free(pipeline->container_of);
	profile_free(pipeline->profile);
	free(pipeline);
}

static const char *user_name(struct strings *strings, uint32_t uid)
{
	struct passwd *entry = getpwuid(uid);
	char number[16];

	if (entry)
		return strings_intern(strings, entry->pw_name);
	snprintf(number, sizeof(number), "%u", uid);
	return strings_intern(strings, number);
}

/* What is known of a process now; said again at every rename and exec, so
 * the profile holds its last name. */
static uint32_t process_describe(struct pipeline *pipeline,
				 struct process *process)
{
	uint32_t index = profile_process(pipeline->profile, process->pid,
					 process->start_wall_ns);
	struct profile_process *entry = &pipeline->profile->processes[index];

	entry->comm = process->comm;
	entry->exe = process->exe;
	if (pipeline->config.root && process->uid != PROCESS_NO_TAG &&
	    !entry->user[0])
		entry->user = user_name(pipeline->strings, process->uid);
	binary_files_pin(pipeline->files, process);
	return index;
}

static uint32_t thread_index(struct pipeline *pipeline, struct thread *thread)
{
	if (thread->tag == PROCESS_NO_TAG)
		thread->tag = profile_thread(
			pipeline->profile,
			process_describe(pipeline, thread->process),
			thread->tid, thread->comm);
	return thread->tag;
}

/* The container's index in the profile; its names are filled in at the end,
 * when the resolver knows them best. */
static uint32_t container_index(struct pipeline *pipeline,
				const struct container *container)
{
	struct profile_container entry = {
		.name = container->name,
		.id = container->id,
		.runtime = container->runtime,
		.path = container->path,
	};

	while (pipeline->n_container_of <= container->number) {
		pipeline->container_of = mem_grow(
			pipeline->container_of, pipeline->n_container_of,
			&pipeline->container_capacity,
			sizeof(*pipeline->container_of));
		pipeline->container_of[pipeline->n_container_of++] =
			PROFILE_NONE;
	}
	if (pipeline->container_of[container->number] == PROFILE_NONE)
		pipeline->container_of[container->number] =
			profile_container(pipeline->profile, &entry);
	return pipeline->container_of[container->number];
}

static uint32_t slice_of(const struct pipeline *pipeline, uint64_t time)
{
	if (!pipeline->config.slice_ns || time < pipeline->info->clock_start_ns)
		return 0;
	return (uint32_t)((time - pipeline->info->clock_start_ns) /
			  pipeline->config.slice_ns);
}

static void count_stack(struct pipeline *pipeline, enum stack_end end)
{
	pipeline->counts.stacks_complete += end == STACK_COMPLETE;
	pipeline->counts.stacks_truncated += end == STACK_TRUNCATED;
	pipeline->counts.stacks_failed += end == STACK_FAILED;
}

static void write_raw(struct pipeline *pipeline, const struct event *event,
		      const struct thread *thread)
{
	size_t count;
	const uint64_t *addresses = stacks_addresses(pipeline->stacks, &count);

	raw_recording_sample(pipeline->config.raw, event, thread, addresses,
			     count);
}

static struct profile_row row_of(struct pipeline *pipeline,
				 const struct event *event,
				 struct thread *thread,
				 const struct container *container,
				 enum stack_end *end)
{
	const struct sample *sample = &event->sample;
	struct profile_row row = {
		.stack = stacks_of(pipeline->stacks, thread->process, sample,
				   end),
		.thread = thread_index(pipeline, thread),
		.container = container_index(pipeline, container),
		.cpu = event->cpu == EVENT_NO_CPU ? PROFILE_NONE : event->cpu,
		.state = pipeline->states[sample->mode == CPU_MODE_USER
						  ? PROFILE_STATE_USER
						  : PROFILE_STATE_KERNEL],
		.slice = slice_of(pipeline, event->time),
		.count = 1,
	};
	uint32_t process = pipeline->profile->threads[row.thread].process;

	pipeline->profile->processes[process].container = row.container;
	return row;
}

static void add_sample(struct pipeline *pipeline, const struct event *event,
		       uint32_t value, struct thread *thread,
		       const struct container *container)
{
	enum stack_end end;
	struct profile_row row =
		row_of(pipeline, event, thread, container, &end);

	if (pipeline->config.raw)
		write_raw(pipeline, event, thread);
	row.values[value] = event->sample.period;
	pipeline->values.samples[value]++;
	profile_add(pipeline->profile, &row);
	count_stack(pipeline, end);
	pipeline->counts.samples++;
	pipeline->counts.last_sample_ns = event->time;
	if (!pipeline->counts.first_sample_ns)
		pipeline->counts.first_sample_ns = event->time;
}

/* The thread of an event and where it runs (cgroup 0: asked of /proc); NULL
 * when the filter leaves it out. */
static struct thread *wanted_thread(struct pipeline *pipeline,
				    const struct event *event, uint64_t cgroup,
				    const struct container **container)
{
	const struct sample_filter *filter = &pipeline->config.filter;
	struct thread *thread =
		process_table_thread(pipeline->processes, event->pid,
				     event->tid, event->cpu, event->time);

	if (!sample_filter_thread(filter, thread))
		return NULL;
	*container = containers_of(pipeline->containers, cgroup,
				   thread->process->pid, thread->process->comm);
	if ((filter->cgroup || filter->container) &&
	    !sample_filter_container(filter, *container,
				     containers_path(pipeline->containers,
						     cgroup,
						     thread->process->pid)))
		return NULL;
	return thread;
}

static void take_sample(struct pipeline *pipeline, const struct event *event)
{
	uint32_t value = event_values_find(&pipeline->values, event->event);
	const struct container *container;
	struct thread *thread;

	if (value == PROFILE_NONE) {
		pipeline->counts.filtered++;
		return;
	}
	/* Hardware events ignore exclude_idle. */
	if (event->pid == 0) {
		pipeline->counts.idle++;
		return;
	}
	thread = wanted_thread(pipeline, event, event->sample.cgroup,
			       &container);
	if (!thread) {
		pipeline->counts.filtered++;
		return;
	}
	frame_table_set_time(pipeline->frames, event->time);
	add_sample(pipeline, event, value, thread, container);
}

/* A stack of a thread that is about to leave its CPU. */
static void take_wait(struct pipeline *pipeline, const struct event *event)
{
	const struct container *container;
	struct profile_row row;
	struct thread *thread;
	enum stack_end end;

	if (event->pid == 0)
		return;
	thread = wanted_thread(pipeline, event, event->sample.cgroup,
			       &container);
	if (!thread)
		return;
	frame_table_set_time(pipeline->frames, event->time);
	row = row_of(pipeline, event, thread, container, &end);
	waits_sample(pipeline->waits, event, &row);
}

static uint32_t waiting_thread(void *context, const struct event *event)
{
	struct pipeline *pipeline = context;
	const struct container *container;
	struct thread *thread = wanted_thread(pipeline, event, 0, &container);
	struct profile_process *process;
	uint32_t index;

	if (!thread)
		return PROFILE_NONE;
	index = thread_index(pipeline, thread);
	process =
		&pipeline->profile
			 ->processes[pipeline->profile->threads[index].process];
	if (process->container == PROFILE_NONE)
		process->container = container_index(pipeline, container);
	return index;
}

void pipeline_follow_waits(struct pipeline *pipeline)
{
	pipeline->waits = waits_new(&(struct waits_config){
		.profile = pipeline->profile,
		.begin_ns = pipeline->info->clock_start_ns,
		.thread = waiting_thread,
		.context = pipeline,
	});
}

void pipeline_end_waits(struct pipeline *pipeline, uint64_t end_ns)
{
	waits_cut(pipeline->waits, end_ns);
	waits_never_ran(pipeline->waits, pipeline->config.root, end_ns);
}

const struct waits *pipeline_waits(const struct pipeline *pipeline)
{
	return pipeline->waits;
}

static void take_event(struct pipeline *pipeline, const struct event *event)
{
	pipeline->counts.events++;
	if (pipeline->config.raw && event->kind != EVENT_SAMPLE)
		raw_recording_event(pipeline->config.raw, event);
	switch (event->kind) {
	case EVENT_SAMPLE:
		if (pipeline->waits && event->event == SESSION_WAITS)
			take_wait(pipeline, event);
		else
			take_sample(pipeline, event);
		return;
	case EVENT_SWITCH:
		pipeline->counts.switches += event->switched.is_out;
		if (pipeline->waits)
			waits_event(pipeline->waits, event);
		return;
	case EVENT_CGROUP:
		containers_event_cgroup(pipeline->containers, &event->cgroup,
					false);
		return;
	case EVENT_KSYMBOL:
		stacks_ksymbol(pipeline->stacks, &event->ksymbol);
		return;
	case EVENT_LOST:
	case EVENT_LOST_SAMPLES:
		pipeline->counts.lost += event->lost.count;
		return;
	default:
		break;
	}
	containers_event(pipeline->containers, event);
	process_table_event(pipeline->processes, event);
	if (pipeline->waits)
		waits_event(pipeline->waits, event);
}

int pipeline_drain(struct pipeline *pipeline, struct source *source,
		   struct error *error)
{
	struct event event;
	int result;

	while ((result = source_next(source, &event, error)) == 1)
		take_event(pipeline, &event);
	containers_retry(pipeline->containers);
	return result;
}

/* Files of new mappings are opened while their process is alive: a compiler
 * of 30 ms, its binary deleted at once, has its names all the same (C18). */
static void open_early(struct pipeline *pipeline, const struct event *event)
{
	struct binary_identity identity = binary_identity_of(&event->mmap);
	struct mapping mapping = {
		.start = event->mmap.start,
		.end = event->mmap.start + event->mmap.length,
		.page_offset = event->mmap.page_offset,
	};
	/* Its own number: another process is another try. */
	struct process process = { .pid = event->pid,
				   .number = 1u << 31 | event->pid,
				   .uid = PROCESS_NO_TAG,
				   .comm = "",
				   .exe = "" };

	if (identity.kind != BINARY_FILE || event->mmap.is_data ||
	    event->mmap.is_kernel)
		return;
	mapping.binary =
		binary_resolve(binary_table_get(pipeline->binaries, &identity));
	binary_files_open(pipeline->files, &process, &mapping);
}

void pipeline_look_ahead(void *context, const struct event *event)
{
	struct pipeline *pipeline = context;

	if (event->kind == EVENT_CGROUP)
		containers_event_cgroup(pipeline->containers, &event->cgroup,
					true);
	if (event->kind == EVENT_MMAP)
		open_early(pipeline, event);
}

uint64_t pipeline_attend(struct pipeline *pipeline)
{
	return containers_retry(pipeline->containers);
}

static void containers_fill(struct pipeline *pipeline)
{
	struct strings *strings = pipeline->strings;

	for (uint32_t i = 0; i < pipeline->n_container_of; i++) {
		const struct container *container =
			containers_at(pipeline->containers, i);
		uint32_t index = pipeline->container_of[i];
		struct profile_container *entry;

		if (index == PROFILE_NONE)
			continue;
		entry = &pipeline->profile->containers[index];
		entry->name = strings_intern(strings, container->name);
		entry->id = strings_intern(strings, container->id);
		entry->runtime = strings_intern(strings, container->runtime);
		entry->path = strings_intern(strings, container->path);
	}
}

uint32_t pipeline_process(struct pipeline *pipeline, uint32_t pid)
{
	struct thread *thread = process_table_thread(
		pipeline->processes, pid, pid, EVENT_NO_CPU,
		pipeline->counts.last_sample_ns);
	uint32_t index = process_describe(pipeline, thread->process);
	struct profile_process *entry = &pipeline->profile->processes[index];

	if (entry->container == PROFILE_NONE)
		entry->container = container_index(
			pipeline, containers_of(pipeline->containers, 0, pid,
						thread->process->comm));
	return index;
}

void pipeline_finish(struct pipeline *pipeline)
{
	event_values_finish(&pipeline->values, pipeline->profile,
			    pipeline->info);
	containers_retry(pipeline->containers);
	containers_fill(pipeline);
	frame_table_symbolize(pipeline->frames, pipeline->symbolizer);
	symbolizer_report(pipeline->symbolizer);
	if (pipeline->waits)
		waits_distribute(pipeline->waits);
	process_table_report(pipeline->processes);
	binary_files_report(pipeline->files, &pipeline->profile->notes);
}

struct profile *pipeline_profile(struct pipeline *pipeline)
{
	return pipeline->profile;
}

const struct pipeline_counts *pipeline_counts(const struct pipeline *pipeline)
{
	return &pipeline->counts;
}

struct profile *pipeline_take(struct pipeline *pipeline)
{
	struct profile *profile = pipeline->profile;

	/* What borrows the profile's strings goes with it. */
	pipeline->profile = NULL;
	return profile;
}
