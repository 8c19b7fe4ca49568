#include "cli/formats/perfdata_export.h"

#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"
#include "perfcore/perfdata_writer.h"

#define PAGE 4096ull

/* Where files are put, one behind the other: free in every user's half. */
#define FILES_START 0x100000000000ull
#define FILES_GAP   (1ull << 24)

/* Recording begins here on the events' clock: 0 means "before". */
#define CLOCK_START 1000000000ull

/* A file's place in memory. Its frame at an ELF address is at address + bias;
 * bias wraps around. */
struct place {
	uint64_t start, length, page_offset, bias;
	bool is_user;
};

/* A row of the profile on its way out: sorted by slice. */
struct turn {
	uint32_t slice, row;
};

struct exporter {
	const struct profile *profile;
	uint32_t value;
	bool with_cgroups;
	struct perfdata_writer *writer;
	struct place *places; /* by mapping */
	struct idmap comms;   /* (pid, tid) -> thread whose name is told */
	struct idmap mapped;  /* (pid, mapping): it was told */
	struct turn *turns;
	uint64_t *chain; /* scratch */
	size_t chain_room;
};

static bool is_kernel(const struct profile_frame *frame)
{
	return frame->flags & PROFILE_FRAME_KERNEL;
}

/* Code of a file, as against the kernel's, JIT code, or none. */
static bool is_in_file(const struct profile_frame *frame)
{
	return frame->mapping != 0 &&
	       !(frame->flags & (PROFILE_FRAME_KERNEL | PROFILE_FRAME_JIT |
				 PROFILE_FRAME_SPECIAL));
}

/* The range of each file that a frame is in, from its segment, and from the
 * frames where that is not known. */
static void find_ranges(struct exporter *exporter, uint64_t *limits)
{
	const struct profile *profile = exporter->profile;

	for (size_t i = 0; i < profile->n_mappings; i++)
		limits[i] = profile->mappings[i].limit;
	for (size_t i = 0; i < profile->n_frames; i++) {
		const struct profile_frame *frame = &profile->frames[i];

		if (!is_in_file(frame))
			continue;
		exporter->places[frame->mapping].is_user = true;
		if (limits[frame->mapping] <= frame->address)
			limits[frame->mapping] = frame->address + 1;
	}
}

static void place_files(struct exporter *exporter)
{
	const struct profile *profile = exporter->profile;
	uint64_t *limits = mem_calloc(profile->n_mappings, sizeof(*limits));
	uint64_t at = FILES_START;

	find_ranges(exporter, limits);
	for (size_t i = 0; i < profile->n_mappings; i++) {
		const struct profile_mapping *mapping = &profile->mappings[i];
		struct place *place = &exporter->places[i];
		uint64_t first = mapping->start & ~(PAGE - 1);

		if (!place->is_user)
			continue;
		place->start = at;
		place->length = (limits[i] - first + PAGE - 1) & ~(PAGE - 1);
		place->page_offset = mapping->offset & ~(PAGE - 1);
		place->bias = at - first;
		at += (place->length + FILES_GAP) & ~(FILES_GAP - 1);
	}
	free(limits);
}

static uint8_t hex_digit(char digit)
{
	return (uint8_t)(digit <= '9' ? digit - '0'
				      : (digit | 0x20) - 'a' + 10);
}

/* Returns the size in bytes; 0 where the text is no build-id. */
static uint8_t build_id_of(const char *text, uint8_t *bytes)
{
	size_t length = strlen(text);

	if (length % 2 || length / 2 > BUILD_ID_MAX ||
	    text[strspn(text, "0123456789abcdefABCDEF")])
		return 0;
	for (size_t i = 0; i < length / 2; i++)
		bytes[i] = (uint8_t)(hex_digit(text[2 * i]) << 4 |
				     hex_digit(text[2 * i + 1]));
	return (uint8_t)(length / 2);
}

/* Only a kernel whose _stext is known can be told: readers would relocate its
 * symbols by a wrong one. */
static void write_kernel(struct exporter *exporter)
{
	const struct profile *profile = exporter->profile;

	for (size_t i = 1; i < profile->n_mappings; i++) {
		const struct profile_mapping *mapping = &profile->mappings[i];
		uint8_t build_id[BUILD_ID_MAX], size;

		if (strcmp(mapping->path, "[kernel.kallsyms]") != 0 ||
		    mapping->start == 0)
			continue;
		size = build_id_of(mapping->build_id, build_id);
		perfdata_writer_kernel(exporter->writer, "_stext",
				       mapping->start, mapping->limit, build_id,
				       size);
		return;
	}
}

static void write_cgroups(struct exporter *exporter)
{
	const struct profile *profile = exporter->profile;

	for (size_t i = 0; exporter->with_cgroups && i < profile->n_containers;
	     i++) {
		struct event event = { .kind = EVENT_CGROUP,
				       .cpu = EVENT_NO_CPU };

		event.cgroup.id = i + 1;
		event.cgroup.path = profile->containers[i].path;
		perfdata_writer_event(exporter->writer, &event);
	}
}

/* Tells the file's place in that process, once. */
static void write_mapping(struct exporter *exporter, uint32_t pid,
			  uint32_t mapping)
{
	const struct place *place = &exporter->places[mapping];
	const struct profile_mapping *from =
		&exporter->profile->mappings[mapping];
	uint32_t *told = idmap_at(&exporter->mapped, pid, mapping);
	struct event event = {
		.kind = EVENT_MMAP, .pid = pid, .tid = pid, .cpu = EVENT_NO_CPU
	};

	if (*told != IDMAP_NONE)
		return;
	*told = 1;
	event.mmap = (struct event_mmap){
		.start = place->start,
		.length = place->length,
		.page_offset = place->page_offset,
		.protection = 5, /* PROT_READ | PROT_EXEC */
		.path = from->path,
	};
	event.mmap.build_id_size =
		build_id_of(from->build_id, event.mmap.build_id);
	perfdata_writer_event(exporter->writer, &event);
}

static uint32_t pid_of(const struct profile *profile,
		       const struct profile_row *row)
{
	if (row->thread == PROFILE_NONE)
		return 0;
	return profile->processes[profile->threads[row->thread].process].pid;
}

static void write_mappings(struct exporter *exporter)
{
	const struct profile *profile = exporter->profile;

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct profile_row *row = &profile->rows[i];
		uint32_t pid = pid_of(profile, row);

		for (uint32_t node = row->stack; node;
		     node = profile->nodes[node].parent) {
			const struct profile_frame *frame =
				&profile->frames[profile->nodes[node].frame];

			if (is_in_file(frame))
				write_mapping(exporter, pid, frame->mapping);
		}
	}
}

/* A thread is called what its last COMM said: said again where the sample is
 * of another name, or of another process that had the pid. */
static void write_comm(struct exporter *exporter, uint32_t index, uint64_t time)
{
	const struct profile *profile = exporter->profile;
	const struct profile_thread *thread = &profile->threads[index];
	uint32_t pid = profile->processes[thread->process].pid;
	uint32_t *told = idmap_at(&exporter->comms, pid, thread->tid);
	struct event event = { .kind = EVENT_COMM,
			       .pid = pid,
			       .tid = thread->tid,
			       .cpu = EVENT_NO_CPU };

	if (*told == index)
		return;
	event.time = *told == IDMAP_NONE ? 0 : time;
	event.comm.comm = thread->comm;
	*told = index;
	perfdata_writer_event(exporter->writer, &event);
}

/* The first name of every thread stands before all samples. */
static void write_comms(struct exporter *exporter)
{
	const struct profile *profile = exporter->profile;

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct profile_row *row =
			&profile->rows[exporter->turns[i].row];
		const struct profile_thread *thread;

		if (row->thread == PROFILE_NONE)
			continue;
		thread = &profile->threads[row->thread];
		if (idmap_get(&exporter->comms, pid_of(profile, row),
			      thread->tid) == IDMAP_NONE)
			write_comm(exporter, row->thread, 0);
	}
}

static uint64_t *chain_add(struct exporter *exporter, size_t depth)
{
	exporter->chain =
		mem_grow(exporter->chain, depth, &exporter->chain_room,
			 sizeof(*exporter->chain));
	return &exporter->chain[depth];
}

/* Leaf first, with the marks between kernel and user; callers at their return
 * addresses, which readers count back from. Frames that are no code are left
 * out. Returns the length. */
static size_t chain_of(struct exporter *exporter, uint32_t stack)
{
	const struct profile *profile = exporter->profile;
	uint64_t mark = 0;
	size_t depth = 0;

	for (uint32_t node = stack; node; node = profile->nodes[node].parent) {
		const struct profile_frame *frame =
			&profile->frames[profile->nodes[node].frame];
		uint64_t wanted = is_kernel(frame)
					  ? (uint64_t)PERF_CONTEXT_KERNEL
					  : (uint64_t)PERF_CONTEXT_USER;
		uint64_t address = frame->address + (node != stack);

		if (frame->flags & PROFILE_FRAME_SPECIAL)
			continue;
		if (is_in_file(frame))
			address += exporter->places[frame->mapping].bias;
		if (mark != wanted)
			*chain_add(exporter, depth++) = wanted;
		mark = wanted;
		*chain_add(exporter, depth++) = address;
	}
	return depth;
}

/* One event of each of the row's samples, at that time. */
static void write_row(struct exporter *exporter, const struct profile_row *row,
		      uint64_t time)
{
	const struct profile *profile = exporter->profile;
	uint64_t weight = exporter->value == PROFILE_NONE
				  ? row->count
				  : row->values[exporter->value];
	uint64_t count = row->count ? row->count : 1;
	size_t depth = chain_of(exporter, row->stack);
	struct event event = { .kind = EVENT_SAMPLE,
			       .time = time,
			       .pid = pid_of(profile, row),
			       .cpu = row->cpu };

	if (weight == 0)
		return;
	if (row->thread != PROFILE_NONE) {
		write_comm(exporter, row->thread, time);
		event.tid = profile->threads[row->thread].tid;
	}
	event.sample.callchain = exporter->chain;
	event.sample.n_callchain = depth;
	event.sample.ip = depth > 1 ? exporter->chain[1] : 0;
	event.sample.mode = row->state == PROFILE_STATE_KERNEL ? CPU_MODE_KERNEL
							       : CPU_MODE_USER;
	if (depth > 1)
		event.sample.mode =
			exporter->chain[0] == (uint64_t)PERF_CONTEXT_KERNEL
				? CPU_MODE_KERNEL
				: CPU_MODE_USER;
	event.misc = (uint16_t)event.sample.mode;
	event.sample.cgroup =
		row->container == PROFILE_NONE ? 0 : row->container + 1;
	for (uint64_t i = 0; i < count; i++) {
		event.sample.period = weight / count + (i < weight % count);
		perfdata_writer_event(exporter->writer, &event);
	}
}

static int compare_turns(const void *left, const void *right)
{
	const struct turn *a = left, *b = right;

	if (a->slice != b->slice)
		return a->slice < b->slice ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static void sort_rows(struct exporter *exporter)
{
	const struct profile *profile = exporter->profile;

	exporter->turns =
		mem_calloc(profile->n_rows + 1, sizeof(*exporter->turns));
	for (size_t i = 0; i < profile->n_rows; i++)
		exporter->turns[i] =
			(struct turn){ profile->rows[i].slice, (uint32_t)i };
	qsort(exporter->turns, profile->n_rows, sizeof(*exporter->turns),
	      compare_turns);
}

/* Rows of a slice follow each other evenly. */
static void write_samples(struct exporter *exporter)
{
	const struct profile *profile = exporter->profile;
	const struct turn *turns = exporter->turns;
	uint64_t length =
		profile->slice_ns ? profile->slice_ns : profile->duration_ns;
	size_t next;

	for (size_t i = 0; i < profile->n_rows; i = next) {
		uint64_t from = CLOCK_START + turns[i].slice * length;

		next = i;
		while (next < profile->n_rows &&
		       turns[next].slice == turns[i].slice)
			next++;
		for (size_t j = i; j < next; j++)
			write_row(exporter, &profile->rows[turns[j].row],
				  from + length / (next - i) * (j - i));
	}
}

/* The event that samples are of. A time is that of the CPU's clock. */
static struct source_event event_of(const struct exporter *exporter)
{
	const struct profile *profile = exporter->profile;
	const char *unit = exporter->value == PROFILE_NONE
				   ? "count"
				   : profile->value_types[exporter->value].unit;
	struct source_event event = { .name = "cpu-clock",
				      .is_clock = true,
				      .is_sampling = true };

	event.attr.type = PERF_TYPE_SOFTWARE;
	event.attr.config = PERF_COUNT_SW_CPU_CLOCK;
	event.attr.freq = profile->event.freq_hz >= 1;
	event.attr.sample_period =
		event.attr.freq ? (uint64_t)profile->event.freq_hz : 1;
	if (strcmp(unit, "nanoseconds") == 0)
		return event;
	event.is_clock = false;
	event.attr.config = PERF_COUNT_SW_DUMMY;
	event.name = exporter->value == PROFILE_NONE
			     ? "samples"
			     : profile->value_types[exporter->value].type;
	return event;
}

static struct perfdata_facts facts_of(const struct profile *profile)
{
	return (struct perfdata_facts){
		.host = profile->host.name,
		.kernel = profile->host.kernel,
		.arch = profile->host.arch,
		.command = "hostprof export",
		.n_cpus = profile->host.cpus ? profile->host.cpus : 1,
		.n_cpus_present = profile->host.cpus ? profile->host.cpus : 1,
		.has_clock = profile->start_ns > 0,
		.wall_ns = profile->start_ns,
		.clock_ns = CLOCK_START,
		.clock_id = 1, /* CLOCK_MONOTONIC */
	};
}

static int write_all(struct exporter *exporter, struct error *error)
{
	place_files(exporter);
	sort_rows(exporter);
	write_kernel(exporter);
	write_cgroups(exporter);
	write_comms(exporter);
	write_mappings(exporter);
	write_samples(exporter);
	return perfdata_writer_finish(exporter->writer, error);
}

int perfdata_export(const struct profile *profile, uint32_t value,
		    bool with_cgroups, int fd, struct error *error)
{
	struct exporter exporter = { .profile = profile,
				     .value = value,
				     .with_cgroups = with_cgroups };
	struct source_event event = event_of(&exporter);
	struct perfdata_writer_info info = { .facts = facts_of(profile),
					     .events = &event,
					     .n_events = 1,
					     .has_cpus = true,
					     .has_cgroups = with_cgroups };
	int result = perfdata_writer_open(fd, "perf.data", &info,
					  &exporter.writer, error);

	if (result)
		return result;
	idmap_init(&exporter.comms);
	idmap_init(&exporter.mapped);
	exporter.places =
		mem_calloc(profile->n_mappings, sizeof(*exporter.places));
	result = write_all(&exporter, error);
	perfdata_writer_free(exporter.writer);
	idmap_destroy(&exporter.comms);
	idmap_destroy(&exporter.mapped);
	free(exporter.places);
	free(exporter.turns);
	free(exporter.chain);
	return result;
}
