#include "perfcore/record.h"

#include <errno.h>

#include "perfcore/cursor.h"

/* Newer than Debian 12's header (kernels 6.0 to 6.8). */
#define READ_FORMAT_LOST  (1u << 4)
#define BRANCH_HW_INDEX	  (1u << 17)
#define BRANCH_COUNTERS	  (1u << 19)
#define MISC_BUILD_ID	  (1u << 14)
#define RECORD_CGROUP	  19
#define RECORD_TEXT_POKE  20
#define RECORD_AUX_OUTPUT 21

struct record_format record_format_of(const struct perf_event_attr *attr,
				      uint32_t event)
{
	return (struct record_format){
		.sample_type = attr->sample_type,
		.read_format = attr->read_format,
		.branch_sample_type = attr->branch_sample_type,
		.user_regs_mask = attr->sample_regs_user,
		.intr_regs_mask = attr->sample_regs_intr,
		.period = attr->freq ? 1 : attr->sample_period,
		.sample_id_all = attr->sample_id_all,
		.asks_build_ids = attr->build_id,
		.event = event,
	};
}

/* Fields of 8 bytes in the order in which samples begin with them, and the
 * trailers of other records end with them. */
#define BEFORE_TIME (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID)
#define BEFORE_ID   (BEFORE_TIME | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)
#define AFTER_CPU   PERF_SAMPLE_IDENTIFIER
#define AFTER_ID    (AFTER_CPU | PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID)
#define AFTER_TIME  (AFTER_ID | PERF_SAMPLE_ID)
#define AFTER_TID   (AFTER_TIME | PERF_SAMPLE_TIME)

/* Copies a field of a sample; before holds the fields in front of it. */
static bool sample_field(const struct perf_event_header *header, uint64_t type,
			 uint64_t before, uint64_t *value)
{
	size_t offset = sizeof(*header) +
			8 * (size_t)__builtin_popcountll(type & before);

	if (offset + 8 > header->size)
		return false;
	memcpy(value, (const char *)header + offset, 8);
	return true;
}

/* Copies a field of a trailer; after holds the fields behind it. */
static bool trailer_field(const struct perf_event_header *header, uint64_t type,
			  uint64_t after, uint64_t *value)
{
	size_t back = 8 + 8 * (size_t)__builtin_popcountll(type & after);

	if (back + sizeof(*header) > header->size)
		return false;
	memcpy(value, (const char *)header + header->size - back, 8);
	return true;
}

uint64_t record_time(const struct perf_event_header *header,
		     const struct record_format *format)
{
	uint64_t type = format->sample_type, time = 0;

	if (!(type & PERF_SAMPLE_TIME))
		return 0;
	if (header->type == PERF_RECORD_SAMPLE)
		sample_field(header, type, BEFORE_TIME, &time);
	else if (format->sample_id_all)
		trailer_field(header, type, AFTER_TIME, &time);
	return time;
}

bool record_id(const struct perf_event_header *header,
	       const struct record_format *format, uint64_t *id)
{
	uint64_t type = format->sample_type;
	bool is_first = type & PERF_SAMPLE_IDENTIFIER;

	if (!(type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID)))
		return false;
	if (header->type == PERF_RECORD_SAMPLE)
		return sample_field(header, type, is_first ? 0 : BEFORE_ID, id);
	return format->sample_id_all &&
	       trailer_field(header, type, is_first ? 0 : AFTER_ID, id);
}

static void read_pid_tid(struct cursor *cursor, struct event *event)
{
	event->pid = cursor_u32(cursor);
	event->tid = cursor_u32(cursor);
}

static void read_cpu(struct cursor *cursor, struct event *event)
{
	event->cpu = cursor_u32(cursor);
	cursor_skip(cursor, 4);
}

/*
 * An array of count elements inside the record, or NULL (failed). Arrays are
 * used in place as u64, so one that stands askew is refused like one too long.
 */
static const void *read_array(struct cursor *cursor, uint64_t count,
			      size_t element)
{
	const void *bytes;

	if (count > cursor_left(cursor) / element) {
		cursor->has_failed = true;
		cursor->at = cursor->end;
		return NULL;
	}
	bytes = cursor_bytes(cursor, count * element);
	if ((uintptr_t)bytes % 8)
		cursor->has_failed = true;
	return bytes;
}

/* PERF_SAMPLE_READ: nothing here uses its values, but its size depends on
 * every bit of read_format (case C56). */
static void skip_read(struct cursor *cursor, uint64_t read_format)
{
	uint64_t times = 0, per_value = 8, n_values = 1;

	times += read_format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 8 : 0;
	times += read_format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 8 : 0;
	per_value += read_format & PERF_FORMAT_ID ? 8 : 0;
	per_value += read_format & READ_FORMAT_LOST ? 8 : 0;
	if (read_format & PERF_FORMAT_GROUP)
		n_values = cursor_u64(cursor);
	if (n_values > cursor_left(cursor) / per_value) {
		cursor->has_failed = true;
		return;
	}
	cursor_skip(cursor, times + n_values * per_value);
}

static void read_branches(struct cursor *cursor, uint64_t branch_sample_type,
			  struct sample *sample)
{
	sample->n_branches = cursor_u64(cursor);
	if (branch_sample_type & BRANCH_HW_INDEX)
		cursor_skip(cursor, 8);
	sample->branches = read_array(cursor, sample->n_branches,
				      sizeof(struct branch_entry));
	if (branch_sample_type & BRANCH_COUNTERS)
		read_array(cursor, sample->n_branches, 8);
}

static void read_regs(struct cursor *cursor, uint64_t mask,
		      struct sample_regs *regs)
{
	regs->abi = cursor_u64(cursor);
	regs->mask = regs->abi ? mask : 0;
	regs->values = read_array(
		cursor, (uint64_t)__builtin_popcountll(regs->mask), 8);
}

static void read_stack(struct cursor *cursor, struct sample *sample)
{
	uint64_t size = cursor_u64(cursor), copied;

	sample->has_stack = true;
	if (!size)
		return;
	if (size > cursor_left(cursor)) {
		cursor->has_failed = true;
		return;
	}
	sample->stack = cursor_bytes(cursor, size);
	copied = cursor_u64(cursor);
	sample->stack_size = copied < size ? copied : size;
}

static void read_sample_head(struct cursor *cursor, uint64_t type,
			     struct event *event)
{
	struct sample *sample = &event->sample;

	if (type & PERF_SAMPLE_IDENTIFIER)
		cursor_skip(cursor, 8);
	if (type & PERF_SAMPLE_IP)
		sample->ip = cursor_u64(cursor);
	if (type & PERF_SAMPLE_TID)
		read_pid_tid(cursor, event);
	if (type & PERF_SAMPLE_TIME)
		event->time = cursor_u64(cursor);
	if (type & PERF_SAMPLE_ADDR)
		sample->address = cursor_u64(cursor);
	if (type & PERF_SAMPLE_ID)
		cursor_skip(cursor, 8);
	if (type & PERF_SAMPLE_STREAM_ID)
		cursor_skip(cursor, 8);
	if (type & PERF_SAMPLE_CPU)
		read_cpu(cursor, event);
	if (type & PERF_SAMPLE_PERIOD)
		sample->period = cursor_u64(cursor);
}

static void read_sample_tail(struct cursor *cursor,
			     const struct record_format *format,
			     struct sample *sample)
{
	struct sample_regs intr;
	uint64_t type = format->sample_type;

	if (type & (PERF_SAMPLE_WEIGHT | 1u << 24)) /* or WEIGHT_STRUCT */
		cursor_skip(cursor, 8);
	if (type & PERF_SAMPLE_DATA_SRC)
		cursor_skip(cursor, 8);
	if (type & PERF_SAMPLE_TRANSACTION)
		cursor_skip(cursor, 8);
	if (type & PERF_SAMPLE_REGS_INTR)
		read_regs(cursor, format->intr_regs_mask, &intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		cursor_skip(cursor, 8);
	if (type & PERF_SAMPLE_CGROUP)
		sample->cgroup = cursor_u64(cursor);
}

static void read_sample(struct cursor *cursor,
			const struct record_format *format, struct event *event)
{
	struct sample *sample = &event->sample;
	uint64_t type = format->sample_type;

	sample->period = format->period ? format->period : 1;
	sample->mode = event->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	sample->is_exact_ip = event->misc & PERF_RECORD_MISC_EXACT_IP;
	read_sample_head(cursor, type, event);
	if (type & PERF_SAMPLE_READ)
		skip_read(cursor, format->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		sample->n_callchain = cursor_u64(cursor);
		sample->callchain = read_array(cursor, sample->n_callchain, 8);
	}
	if (type & PERF_SAMPLE_RAW) {
		sample->raw_size = cursor_u32(cursor);
		sample->raw = cursor_bytes(cursor, sample->raw_size);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		read_branches(cursor, format->branch_sample_type, sample);
	if (type & PERF_SAMPLE_REGS_USER)
		read_regs(cursor, format->user_regs_mask, &sample->user_regs);
	if (type & PERF_SAMPLE_STACK_USER)
		read_stack(cursor, sample);
	read_sample_tail(cursor, format, sample);
}

bool record_has_build_id(const struct perf_event_header *header,
			 const struct record_format *format)
{
	const uint8_t *field = (const uint8_t *)(header + 1) + 32;
	unsigned int size;

	if (!(header->misc & MISC_BUILD_ID) || header->size < 40 + 24)
		return false;
	/* A size and three zeros; or a device number and its minor one. */
	size = field[0];
	if (!size || size > BUILD_ID_MAX || field[1] || field[2] || field[3])
		return false;
	return format->asks_build_ids || size >= 16;
}

static void read_mmap(struct cursor *cursor, bool has_build_id,
		      struct event *event)
{
	struct event_mmap *mmap = &event->mmap;
	const void *id;

	read_pid_tid(cursor, event);
	mmap->start = cursor_u64(cursor);
	mmap->length = cursor_u64(cursor);
	mmap->page_offset = cursor_u64(cursor);
	mmap->is_data = event->misc & PERF_RECORD_MISC_MMAP_DATA;
	mmap->protection = mmap->is_data ? 1 : 4; /* PROT_READ, PROT_EXEC */
	mmap->is_kernel = (event->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			  PERF_RECORD_MISC_KERNEL;
	if (event->type == PERF_RECORD_MMAP2) {
		if (has_build_id) {
			mmap->build_id_size = cursor_u8(cursor);
			cursor_skip(cursor, 3);
			id = cursor_bytes(cursor, BUILD_ID_MAX);
			if (id)
				memcpy(mmap->build_id, id, mmap->build_id_size);
		} else {
			mmap->major = cursor_u32(cursor);
			mmap->minor = cursor_u32(cursor);
			mmap->inode = cursor_u64(cursor);
			mmap->inode_generation = cursor_u64(cursor);
		}
		mmap->protection = cursor_u32(cursor);
		mmap->is_shared = cursor_u32(cursor) == 1; /* MAP_SHARED */
	}
	mmap->path = cursor_text(cursor);
}

static void read_fork(struct cursor *cursor, struct event *event)
{
	event->pid = cursor_u32(cursor);
	event->fork.parent_pid = cursor_u32(cursor);
	event->tid = cursor_u32(cursor);
	event->fork.parent_tid = cursor_u32(cursor);
	event->time = cursor_u64(cursor);
}

static void read_switch(struct cursor *cursor, struct event *event)
{
	struct event_switch *switched = &event->switched;

	switched->is_out = event->misc & PERF_RECORD_MISC_SWITCH_OUT;
	switched->is_preempted =
		event->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	switched->is_cpu_wide = event->type == PERF_RECORD_SWITCH_CPU_WIDE;
	if (switched->is_cpu_wide) {
		switched->other_pid = cursor_u32(cursor);
		switched->other_tid = cursor_u32(cursor);
	}
}

static void read_namespaces(struct cursor *cursor, struct event *event)
{
	uint64_t count;

	read_pid_tid(cursor, event);
	count = cursor_u64(cursor);
	if (count > cursor_left(cursor) / 16) {
		cursor->has_failed = true;
		return;
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t inode;

		cursor_skip(cursor, 8);
		inode = cursor_u64(cursor);
		if (i < NAMESPACE_KINDS)
			event->namespaces.inode[i] = inode;
	}
}

static void read_ksymbol(struct cursor *cursor, struct event *event)
{
	event->ksymbol.address = cursor_u64(cursor);
	event->ksymbol.length = cursor_u32(cursor);
	event->ksymbol.type = cursor_u16(cursor);
	event->ksymbol.is_unregister = cursor_u16(cursor) & 1;
	event->ksymbol.name = cursor_text(cursor);
}

static void read_bpf(struct cursor *cursor, struct event *event)
{
	const void *tag;

	event->bpf.type = cursor_u16(cursor);
	cursor_skip(cursor, 2); /* flags */
	event->bpf.id = cursor_u32(cursor);
	tag = cursor_bytes(cursor, sizeof(event->bpf.tag));
	if (tag)
		memcpy(event->bpf.tag, tag, sizeof(event->bpf.tag));
}

static enum event_kind read_body(struct cursor *cursor,
				 const struct record_format *format,
				 struct event *event)
{
	switch (event->type) {
	case PERF_RECORD_SAMPLE:
		read_sample(cursor, format, event);
		return EVENT_SAMPLE;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		read_mmap(cursor,
			  record_has_build_id((const void *)cursor->begin,
					      format),
			  event);
		return EVENT_MMAP;
	case PERF_RECORD_COMM:
		read_pid_tid(cursor, event);
		event->comm.comm = cursor_text(cursor);
		event->comm.is_exec = event->misc & PERF_RECORD_MISC_COMM_EXEC;
		return EVENT_COMM;
	case PERF_RECORD_FORK:
		read_fork(cursor, event);
		return EVENT_FORK;
	case PERF_RECORD_EXIT:
		read_fork(cursor, event);
		return EVENT_EXIT;
	case PERF_RECORD_LOST:
		cursor_skip(cursor, 8); /* id */
		event->lost.count = cursor_u64(cursor);
		return EVENT_LOST;
	case PERF_RECORD_LOST_SAMPLES:
		event->lost.count = cursor_u64(cursor);
		return EVENT_LOST_SAMPLES;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		event->time = cursor_u64(cursor);
		return event->type == PERF_RECORD_THROTTLE ? EVENT_THROTTLE
							   : EVENT_UNTHROTTLE;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		read_switch(cursor, event);
		return EVENT_SWITCH;
	case PERF_RECORD_NAMESPACES:
		read_namespaces(cursor, event);
		return EVENT_NAMESPACES;
	case PERF_RECORD_KSYMBOL:
		read_ksymbol(cursor, event);
		return EVENT_KSYMBOL;
	case PERF_RECORD_BPF_EVENT:
		read_bpf(cursor, event);
		return EVENT_BPF;
	case RECORD_CGROUP:
		event->cgroup.id = cursor_u64(cursor);
		event->cgroup.path = cursor_text(cursor);
		return EVENT_CGROUP;
	case PERF_RECORD_AUX:
	case RECORD_AUX_OUTPUT:
	case RECORD_TEXT_POKE:
		return EVENT_AUX;
	default:
		return EVENT_OTHER;
	}
}

/* The trailer names the thread, time and CPU of a record that has not told
 * them in its body. A task record's own pid and tid stand. */
static void read_trailer(const struct perf_event_header *header,
			 const struct record_format *format,
			 struct event *event)
{
	uint64_t type = format->sample_type, value;
	bool has_own_pid =
		event->kind == EVENT_MMAP || event->kind == EVENT_COMM ||
		event->kind == EVENT_FORK || event->kind == EVENT_EXIT ||
		event->kind == EVENT_NAMESPACES;

	if (!format->sample_id_all)
		return;
	if (!has_own_pid && (type & PERF_SAMPLE_TID) &&
	    trailer_field(header, type, AFTER_TID, &value)) {
		event->pid = (uint32_t)value;
		event->tid = (uint32_t)(value >> 32);
	}
	if ((type & PERF_SAMPLE_TIME) &&
	    trailer_field(header, type, AFTER_TIME, &value))
		event->time = value;
	if ((type & PERF_SAMPLE_CPU) &&
	    trailer_field(header, type, AFTER_CPU, &value))
		event->cpu = (uint32_t)value;
}

int record_decode(const struct perf_event_header *header,
		  const struct record_format *format, struct event *event)
{
	struct cursor cursor;

	if (header->size < sizeof(*header))
		return -EBADMSG;
	cursor = cursor_at(header, header->size);
	cursor_skip(&cursor, sizeof(*header));
	memset(event, 0, sizeof(*event));
	event->type = header->type;
	event->misc = header->misc;
	event->event = format->event;
	event->cpu = EVENT_NO_CPU;
	event->kind = read_body(&cursor, format, event);
	if (cursor.has_failed)
		return -EBADMSG;
	if (event->kind != EVENT_SAMPLE)
		read_trailer(header, format, event);
	return 0;
}
