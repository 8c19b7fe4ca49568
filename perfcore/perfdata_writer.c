#include "perfcore/perfdata_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "perfcore/mem.h"
#include "perfcore/perfdata_buildids.h"
#include "perfcore/perfdata_format.h"
#include "perfcore/perfdata_output.h"

/* perf 6.1 refuses attrs longer than it knows; 112 holds all that is used. */
#define ATTR_SIZE PERF_ATTR_SIZE_VER5
#define PATH_SIZE 4096
/* Of a record's 65535 bytes, what is left for its callchain. */
#define CALLCHAIN_MAX 8000

#define SAMPLE_TYPE                                                            \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |           \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)

struct perfdata_writer {
	struct perfdata_output output;
	char *name;
	struct strings *strings;
	struct perfdata_buildids buildids;
	struct perfdata_facts facts;
	struct perf_event_attr *attrs;
	const char **event_names;
	uint32_t n_events;
	bool has_cpus, has_cgroups;
	struct perfdata_header header;
};

/* The one id of an event; 0 would be perf's "made up". */
static uint64_t event_id(uint32_t event)
{
	return event + 1ull;
}

/* What was recorded, without what is not written: registers, stacks, raw
 * data, counter values. */
static struct perf_event_attr attr_written(const struct perfdata_writer *writer,
					   const struct perf_event_attr *attr)
{
	struct perf_event_attr written = *attr;

	written.size = ATTR_SIZE;
	written.sample_type = SAMPLE_TYPE |
			      (writer->has_cpus ? PERF_SAMPLE_CPU : 0) |
			      (writer->has_cgroups ? PERF_SAMPLE_CGROUP : 0);
	written.read_format = PERF_FORMAT_ID;
	written.sample_id_all = 1;
	written.exclude_callchain_user = 0;
	written.exclude_callchain_kernel = 0;
	written.branch_sample_type = 0;
	written.sample_regs_user = 0;
	written.sample_stack_user = 0;
	written.sample_regs_intr = 0;
	written.aux_watermark = 0;
	written.cgroup = writer->has_cgroups;
	written.build_id = 1; /* MMAP2 have them where they are known */
	return written;
}

static void write_section(struct perfdata_output *output, uint64_t offset,
			  uint64_t size)
{
	perfdata_output_u64(output, offset);
	perfdata_output_u64(output, size);
}

/* Header, ids, attrs: everything before the data. */
static void write_head(struct perfdata_writer *writer)
{
	struct perfdata_output *output = &writer->output;
	struct perfdata_header *header = &writer->header;
	uint64_t ids = sizeof(*header);

	memcpy(header->magic, PERFDATA_MAGIC, sizeof(header->magic));
	header->size = sizeof(*header);
	header->attr_size = ATTR_SIZE + sizeof(struct perfdata_section);
	header->attrs.offset = ids + 8ull * writer->n_events;
	header->attrs.size = header->attr_size * writer->n_events;
	header->data.offset = header->attrs.offset + header->attrs.size;
	perfdata_output_bytes(output, header, sizeof(*header));
	for (uint32_t i = 0; i < writer->n_events; i++)
		perfdata_output_u64(output, event_id(i));
	for (uint32_t i = 0; i < writer->n_events; i++) {
		perfdata_output_bytes(output, &writer->attrs[i], ATTR_SIZE);
		write_section(output, ids + 8ull * i, 8);
	}
}

int perfdata_writer_open(int fd, const char *name,
			 const struct perfdata_writer_info *info,
			 struct perfdata_writer **result, struct error *error)
{
	struct perfdata_writer *writer = mem_calloc(1, sizeof(*writer));

	perfdata_output_init(&writer->output, fd);
	writer->name = mem_strdup(name);
	writer->strings = strings_new();
	perfdata_buildids_init(&writer->buildids, writer->strings);
	writer->facts = perfdata_facts_copy(&info->facts, writer->strings);
	writer->has_cpus = info->has_cpus;
	writer->has_cgroups = info->has_cgroups;
	writer->n_events = info->n_events;
	writer->attrs = mem_calloc(info->n_events, sizeof(*writer->attrs));
	writer->event_names =
		mem_calloc(info->n_events, sizeof(*writer->event_names));
	for (uint32_t i = 0; i < info->n_events; i++) {
		writer->attrs[i] = attr_written(writer, &info->events[i].attr);
		writer->event_names[i] =
			strings_intern(writer->strings, info->events[i].name);
	}
	write_head(writer);
	if (perfdata_writer_flush(writer, error) < 0) {
		int err = writer->output.err;

		perfdata_writer_free(writer);
		return err;
	}
	*result = writer;
	return 0;
}

void perfdata_writer_free(struct perfdata_writer *writer)
{
	if (!writer)
		return;
	perfdata_output_destroy(&writer->output);
	perfdata_buildids_destroy(&writer->buildids);
	strings_free(writer->strings);
	free(writer->attrs);
	free(writer->event_names);
	free(writer->name);
	free(writer);
}

int perfdata_writer_flush(struct perfdata_writer *writer, struct error *error)
{
	int err = perfdata_output_flush(&writer->output);

	if (err)
		error_set(error, err, "%s: cannot be written: %s", writer->name,
			  strerror(-err));
	return err;
}

/* Header of a record whose body has that many bytes; a multiple of 8. */
static void write_header(struct perfdata_output *output, uint32_t type,
			 uint16_t misc, size_t body)
{
	struct perf_event_header header = {
		.type = type,
		.misc = misc,
		.size = (uint16_t)(sizeof(header) + body),
	};

	perfdata_output_bytes(output, &header, sizeof(header));
}

static void write_cpu(struct perfdata_writer *writer, uint32_t cpu)
{
	if (!writer->has_cpus)
		return;
	perfdata_output_u32(&writer->output, cpu == EVENT_NO_CPU ? 0 : cpu);
	perfdata_output_u32(&writer->output, 0);
}

static void write_pid_tid(struct perfdata_output *output,
			  const struct event *event)
{
	perfdata_output_u32(output, event->pid);
	perfdata_output_u32(output, event->tid);
}

/* Every record but samples ends with pid and tid, time, CPU, identifier. */
static size_t trailer_size(const struct perfdata_writer *writer)
{
	return writer->has_cpus ? 32 : 24;
}

static void write_trailer(struct perfdata_writer *writer,
			  const struct event *event)
{
	write_pid_tid(&writer->output, event);
	perfdata_output_u64(&writer->output, event->time);
	write_cpu(writer, event->cpu);
	perfdata_output_u64(&writer->output, event_id(event->event));
}

/* Bytes of a text with its NUL, up to a multiple of 8. */
static size_t text_size(const char *text)
{
	return (strnlen(text, PATH_SIZE - 1) + 1 + 7) & ~(size_t)7;
}

static void write_sample(struct perfdata_writer *writer,
			 const struct event *event)
{
	struct perfdata_output *output = &writer->output;
	const struct sample *sample = &event->sample;
	uint64_t depth = sample->n_callchain;
	uint16_t misc = sample->mode & PERF_RECORD_MISC_CPUMODE_MASK;

	if (depth > CALLCHAIN_MAX)
		depth = CALLCHAIN_MAX;
	if (sample->is_exact_ip)
		misc |= PERF_RECORD_MISC_EXACT_IP;
	write_header(output, PERF_RECORD_SAMPLE, misc,
		     8 * (6 + depth + writer->has_cpus + writer->has_cgroups));
	perfdata_output_u64(output, event_id(event->event));
	perfdata_output_u64(output, sample->ip);
	write_pid_tid(output, event);
	perfdata_output_u64(output, event->time);
	write_cpu(writer, event->cpu);
	perfdata_output_u64(output, sample->period);
	perfdata_output_u64(output, depth);
	perfdata_output_bytes(output, sample->callchain, 8 * depth);
	if (writer->has_cgroups)
		perfdata_output_u64(output, sample->cgroup);
	if (!writer->facts.first_time)
		writer->facts.first_time = event->time;
	writer->facts.last_time = event->time;
}

/* Old MMAP records are the only ones that perf takes for the kernel's. */
static void write_kernel_mmap(struct perfdata_writer *writer,
			      const struct event *event)
{
	struct perfdata_output *output = &writer->output;
	const struct event_mmap *mmap = &event->mmap;
	size_t size = text_size(mmap->path);

	write_header(output, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL,
		     8 + 24 + size + trailer_size(writer));
	write_pid_tid(output, event);
	perfdata_output_u64(output, mmap->start);
	perfdata_output_u64(output, mmap->length);
	perfdata_output_u64(output, mmap->page_offset);
	perfdata_output_text(output, mmap->path, size);
	write_trailer(writer, event);
}

static void write_file_identity(struct perfdata_output *output,
				const struct event_mmap *mmap)
{
	if (mmap->build_id_size) {
		perfdata_output_u32(output, mmap->build_id_size);
		perfdata_output_bytes(output, mmap->build_id, BUILD_ID_MAX);
		return;
	}
	perfdata_output_u32(output, mmap->major);
	perfdata_output_u32(output, mmap->minor);
	perfdata_output_u64(output, mmap->inode);
	perfdata_output_u64(output, mmap->inode_generation);
}

static void write_user_mmap(struct perfdata_writer *writer,
			    const struct event *event)
{
	struct perfdata_output *output = &writer->output;
	const struct event_mmap *mmap = &event->mmap;
	size_t size = text_size(mmap->path);
	uint16_t misc = PERF_RECORD_MISC_USER;

	misc |= mmap->is_data ? PERF_RECORD_MISC_MMAP_DATA : 0;
	misc |= mmap->build_id_size ? MISC_MMAP_BUILD_ID : 0;
	write_header(output, PERF_RECORD_MMAP2, misc,
		     8 + 24 + 24 + 8 + size + trailer_size(writer));
	write_pid_tid(output, event);
	perfdata_output_u64(output, mmap->start);
	perfdata_output_u64(output, mmap->length);
	perfdata_output_u64(output, mmap->page_offset);
	write_file_identity(output, mmap);
	perfdata_output_u32(output, mmap->protection);
	perfdata_output_u32(output, mmap->is_shared ? MAP_SHARED : MAP_PRIVATE);
	perfdata_output_text(output, mmap->path, size);
	write_trailer(writer, event);
}

static void write_mmap(struct perfdata_writer *writer,
		       const struct event *event)
{
	const struct event_mmap *mmap = &event->mmap;

	if (mmap->build_id_size)
		perfdata_buildids_set(&writer->buildids, mmap->path,
				      mmap->build_id, mmap->build_id_size,
				      mmap->is_kernel);
	if (mmap->is_kernel)
		write_kernel_mmap(writer, event);
	else
		write_user_mmap(writer, event);
}

void perfdata_writer_kernel(struct perfdata_writer *writer, const char *symbol,
			    uint64_t address, uint64_t end,
			    const uint8_t *build_id, uint8_t build_id_size)
{
	char path[64] = "[kernel.kallsyms]";
	struct event event = {
		.kind = EVENT_MMAP,
		.pid = UINT32_MAX,
		.cpu = EVENT_NO_CPU,
		.mmap = { .start = address,
			  .length = end - address,
			  .page_offset = address,
			  .is_kernel = true,
			  .path = path },
	};

	strncat(path, symbol, sizeof(path) - strlen(path) - 1);
	if (build_id && build_id_size <= BUILD_ID_MAX) {
		memcpy(event.mmap.build_id, build_id, build_id_size);
		event.mmap.build_id_size = build_id_size;
	}
	write_mmap(writer, &event);
}

static void write_comm(struct perfdata_writer *writer,
		       const struct event *event)
{
	size_t size = text_size(event->comm.comm);

	write_header(&writer->output, PERF_RECORD_COMM,
		     event->comm.is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0,
		     8 + size + trailer_size(writer));
	write_pid_tid(&writer->output, event);
	perfdata_output_text(&writer->output, event->comm.comm, size);
	write_trailer(writer, event);
}

static void write_fork(struct perfdata_writer *writer,
		       const struct event *event)
{
	struct perfdata_output *output = &writer->output;

	write_header(output,
		     event->kind == EVENT_FORK ? PERF_RECORD_FORK
					       : PERF_RECORD_EXIT,
		     0, 24 + trailer_size(writer));
	perfdata_output_u32(output, event->pid);
	perfdata_output_u32(output, event->fork.parent_pid);
	perfdata_output_u32(output, event->tid);
	perfdata_output_u32(output, event->fork.parent_tid);
	perfdata_output_u64(output, event->time);
	write_trailer(writer, event);
}

static void write_lost(struct perfdata_writer *writer,
		       const struct event *event)
{
	struct perfdata_output *output = &writer->output;
	bool is_samples = event->kind == EVENT_LOST_SAMPLES;

	write_header(output,
		     is_samples ? PERF_RECORD_LOST_SAMPLES : PERF_RECORD_LOST,
		     0, (is_samples ? 8 : 16) + trailer_size(writer));
	if (!is_samples)
		perfdata_output_u64(output, event_id(event->event));
	perfdata_output_u64(output, event->lost.count);
	write_trailer(writer, event);
}

static void write_throttle(struct perfdata_writer *writer,
			   const struct event *event)
{
	struct perfdata_output *output = &writer->output;

	write_header(output,
		     event->kind == EVENT_THROTTLE ? PERF_RECORD_THROTTLE
						   : PERF_RECORD_UNTHROTTLE,
		     0, 24 + trailer_size(writer));
	perfdata_output_u64(output, event->time);
	perfdata_output_u64(output, event_id(event->event));
	perfdata_output_u64(output, 0); /* stream id */
	write_trailer(writer, event);
}

static void write_cgroup(struct perfdata_writer *writer,
			 const struct event *event)
{
	size_t size = text_size(event->cgroup.path);

	if (!writer->has_cgroups)
		return;
	write_header(&writer->output, PERF_RECORD_CGROUP, 0,
		     8 + size + trailer_size(writer));
	perfdata_output_u64(&writer->output, event->cgroup.id);
	perfdata_output_text(&writer->output, event->cgroup.path, size);
	write_trailer(writer, event);
}

void perfdata_writer_event(struct perfdata_writer *writer,
			   const struct event *event)
{
	switch (event->kind) {
	case EVENT_SAMPLE:
		write_sample(writer, event);
		break;
	case EVENT_MMAP:
		write_mmap(writer, event);
		break;
	case EVENT_COMM:
		write_comm(writer, event);
		break;
	case EVENT_FORK:
	case EVENT_EXIT:
		write_fork(writer, event);
		break;
	case EVENT_LOST:
	case EVENT_LOST_SAMPLES:
		write_lost(writer, event);
		break;
	case EVENT_THROTTLE:
	case EVENT_UNTHROTTLE:
		write_throttle(writer, event);
		break;
	case EVENT_CGROUP:
		write_cgroup(writer, event);
		break;
	default:
		break;
	}
}

static void write_buildids(struct perfdata_writer *writer)
{
	struct perfdata_output *output = &writer->output;

	for (size_t i = 0; i < writer->buildids.count; i++) {
		const struct perfdata_buildid *row = &writer->buildids.items[i];
		size_t size = text_size(row->path);
		uint8_t field[24] = { 0 };

		memcpy(field, row->id, row->size);
		field[20] = row->size;
		write_header(output, RECORD_HEADER_BUILD_ID,
			     MISC_TABLE_BUILD_ID_LEN |
				     (row->is_kernel ? PERF_RECORD_MISC_KERNEL
						     : PERF_RECORD_MISC_USER),
			     4 + sizeof(field) + 4 + size);
		perfdata_output_u32(output, UINT32_MAX);
		perfdata_output_bytes(output, field, sizeof(field));
		perfdata_output_text(output, row->path, size + 4);
	}
}

static void write_event_names(struct perfdata_writer *writer)
{
	struct perfdata_output *output = &writer->output;

	perfdata_output_u32(output, writer->n_events);
	perfdata_output_u32(output, ATTR_SIZE);
	for (uint32_t i = 0; i < writer->n_events; i++) {
		const char *name = writer->event_names[i];
		uint32_t size = ((uint32_t)strlen(name) + 64) & ~63u;

		perfdata_output_bytes(output, &writer->attrs[i], ATTR_SIZE);
		perfdata_output_u32(output, 1);
		perfdata_output_u32(output, size);
		perfdata_output_text(output, name, size);
		perfdata_output_u64(output, event_id(i));
	}
}

static bool has_feature(const struct perfdata_writer *writer, uint32_t feature)
{
	if (feature == FEATURE_EVENT_DESC)
		return true;
	if (feature == FEATURE_BUILD_ID)
		return writer->buildids.count > 0;
	return perfdata_feature_is_known(&writer->facts, feature);
}

static void write_feature(struct perfdata_writer *writer, uint32_t feature)
{
	if (feature == FEATURE_EVENT_DESC)
		write_event_names(writer);
	else if (feature == FEATURE_BUILD_ID)
		write_buildids(writer);
	else
		perfdata_feature_write(&writer->facts, feature,
				       &writer->output);
}

/* Behind the data: where each feature's section is, and the sections. */
static void write_features(struct perfdata_writer *writer)
{
	struct perfdata_output *output = &writer->output;
	struct perfdata_section sections[FEATURES_MAX];
	uint64_t index = output->offset;
	size_t count = 0, written = 0;

	for (uint32_t feature = 0; feature < FEATURES_MAX; feature++) {
		if (!has_feature(writer, feature))
			continue;
		writer->header.features[feature / 64] |= 1ull << feature % 64;
		write_section(output, 0, 0);
		count++;
	}
	for (uint32_t feature = 0; written < count; feature++) {
		uint64_t start = output->offset;

		if (!has_feature(writer, feature))
			continue;
		write_feature(writer, feature);
		sections[written++] =
			(struct perfdata_section){ start,
						   output->offset - start };
	}
	perfdata_output_patch(output, index, sections,
			      count * sizeof(sections[0]));
}

int perfdata_writer_finish(struct perfdata_writer *writer, struct error *error)
{
	struct perfdata_header *header = &writer->header;

	header->data.size = writer->output.offset - header->data.offset;
	write_features(writer);
	perfdata_output_patch(&writer->output, 0, header, sizeof(*header));
	return perfdata_writer_flush(writer, error);
}
