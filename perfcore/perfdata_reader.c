#include "perfcore/perfdata_reader.h"

#include <errno.h>
#include <stdlib.h>

#include "perfcore/branch_chain.h"
#include "perfcore/mem.h"
#include "perfcore/perfdata_format.h"
#include "perfcore/perfdata_inflate.h"
#include "perfcore/perfdata_order.h"
#include "perfcore/perfdata_swap.h"
#include "perfcore/perfdata_tables.h"

#define KERNEL_PATH   "[kernel.kallsyms]"
#define KERNEL_WITHIN 64 /* the first records of a file */
/* How far reading goes on before the pages behind it leave memory. */
#define FORGET_STEP (16ull << 20)

struct reader {
	struct source source; /* first, for the cast back */
	struct source_info info;
	struct perfdata_counts counts;
	char *name;
	struct notes *notes;
	struct perfdata_tables tables;
	struct perfdata_pool pool;
	struct perfdata_input input;
	struct perfdata_inflate inflate;
	struct perfdata_feed copies; /* records that were swapped or moved */
	struct perfdata_order order;
	struct branch_chain chain; /* of the last event delivered */
	bool is_swapped;
	bool has_ended;	    /* the input gives no more records */
	bool has_finished;  /* and the order holds none back any more */
	bool has_told;	    /* and the notes at the end are made */
	uint32_t held;	    /* block of the last event delivered */
	uint64_t forget_at; /* offset at which pages are given back next */
};

/* A record where it was found; only its header is in the host's order. */
struct found {
	struct perf_event_header header;
	const uint8_t *bytes;
	uint32_t block;
};

static struct reader *reader_of(const struct source *source)
{
	return (struct reader *)(uintptr_t)source;
}

static struct perf_event_header header_at(const struct reader *reader,
					  const uint8_t *bytes)
{
	struct perf_event_header header;

	memcpy(&header, bytes, sizeof(header));
	if (reader->is_swapped) {
		header.type = __builtin_bswap32(header.type);
		header.misc = __builtin_bswap16(header.misc);
		header.size = __builtin_bswap16(header.size);
	}
	return header;
}

/* The input broke: what is behind this place is not read. */
static void reader_break(struct reader *reader, const char *why)
{
	struct perfdata_input *input = &reader->input;

	reader->has_ended = true;
	if (input->map)
		reader->counts.lost_bytes = input->end - input->at;
	notes_add(reader->notes, "%s: read up to byte %llu: %s", reader->name,
		  (unsigned long long)input->at, why);
}

/* Inflated records first: they stand before the next one of the input. */
static bool find_inflated(struct reader *reader, struct found *found)
{
	struct perfdata_inflate *inflate = &reader->inflate;
	const uint8_t *bytes =
		perfdata_inflate_peek(inflate, sizeof(found->header));

	if (!bytes)
		return false;
	found->header = header_at(reader, bytes);
	if (found->header.size < sizeof(found->header)) {
		perfdata_inflate_stop(inflate);
		return false;
	}
	if (!perfdata_inflate_peek(inflate, found->header.size))
		return false;
	found->bytes = perfdata_inflate_take(inflate, found->header.size,
					     &found->block);
	return true;
}

static bool find_plain(struct reader *reader, struct found *found)
{
	struct perfdata_input *input = &reader->input;
	const uint8_t *bytes =
		perfdata_input_peek(input, sizeof(found->header));

	if (!bytes) {
		reader->has_ended = true;
		if (input->read_errno)
			reader_break(reader, strerror(input->read_errno));
		else if (perfdata_input_peek(input, 1))
			reader_break(reader, "there it is cut off");
		return false;
	}
	found->header = header_at(reader, bytes);
	if (found->header.size < sizeof(found->header)) {
		reader_break(reader, "there a record has no size");
		return false;
	}
	if (!perfdata_input_peek(input, found->header.size)) {
		reader_break(reader, "there a record is cut off");
		return false;
	}
	found->bytes =
		perfdata_input_take(input, found->header.size, &found->block);
	return true;
}

/* A copy in the host's order, at a multiple of 8; NULL where it is broken. */
static const struct perf_event_header *reader_copy(struct reader *reader,
						   struct found *found,
						   uint32_t *event)
{
	struct perfdata_events *events = &reader->tables.events;
	struct perf_event_header *copy =
		(void *)perfdata_feed_copy(&reader->copies, found->bytes,
					   found->header.size, &found->block);

	*copy = found->header;
	if (!reader->is_swapped) {
		*event = perfdata_events_of(events, copy);
		return copy;
	}
	*event = perfdata_events_of_swapped(events, copy);
	if (*event != PERFDATA_NO_EVENT &&
	    perfdata_swap_record(copy, &events->formats[*event]) < 0)
		return NULL;
	return copy;
}

/* Queues a record of the kernel's. Returns true where it has no time and is
 * the next to be delivered. */
static bool reader_queue(struct reader *reader, struct found *found,
			 struct perfdata_entry *entry)
{
	struct perfdata_events *events = &reader->tables.events;
	const struct perf_event_header *record = (const void *)found->bytes;
	uint32_t event;

	if (reader->is_swapped || (uintptr_t)record % 8)
		record = reader_copy(reader, found, &event);
	else
		event = perfdata_events_of(events, record);
	if (!record) {
		reader->counts.unread++;
		return false;
	}
	if (event == PERFDATA_NO_EVENT) {
		reader->counts.unknown_id++;
		return false;
	}
	*entry = (struct perfdata_entry){
		.time = record_time(record, &events->formats[event]),
		.record = record,
		.event = (uint16_t)event,
		.size = record->size,
		.block = found->block,
	};
	perfdata_pool_hold(&reader->pool, entry->block);
	if (!entry->time || entry->time == UINT64_MAX)
		return true;
	perfdata_order_push(&reader->order, entry);
	return false;
}

/* Data that stands behind a record and is not counted in its size. */
static void skip_payload(struct reader *reader, uint64_t size)
{
	if (!perfdata_input_skip(&reader->input, size))
		reader_break(reader, "there a record's data are cut off");
}

static void take_compressed(struct reader *reader, const struct found *found,
			    struct cursor *body)
{
	uint64_t size = cursor_left(body);
	const void *bytes;

	if (found->header.type == RECORD_COMPRESSED2)
		size = cursor_u64(body);
	bytes = cursor_bytes(body, size);
	if (bytes)
		perfdata_inflate_feed(&reader->inflate, bytes, size);
	else
		reader->counts.unread++;
}

/* A record that perf added. */
static void reader_take(struct reader *reader, const struct found *found,
			bool is_inflated)
{
	struct cursor body = cursor_at(found->bytes, found->header.size);

	body.is_swapped = reader->is_swapped;
	cursor_skip(&body, sizeof(found->header));
	switch (found->header.type) {
	case RECORD_FINISHED_ROUND:
		perfdata_order_round(&reader->order);
		break;
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		if (!is_inflated)
			take_compressed(reader, found, &body);
		break;
	case RECORD_AUXTRACE:
		if (!is_inflated)
			skip_payload(reader, cursor_u64(&body));
		break;
	case RECORD_HEADER_TRACING_DATA:
		if (!is_inflated)
			skip_payload(reader,
				     (cursor_u32(&body) + 7ull) & ~7ull);
		break;
	default:
		perfdata_tables_take(&reader->tables, &found->header, &body);
		perfdata_tables_inform(&reader->tables, &reader->info);
	}
}

/* Gives back the pages of a mapped file that no held record is in. */
static void reader_forget(struct reader *reader)
{
	struct perfdata_input *input = &reader->input;
	const uint8_t *lowest = perfdata_order_lowest(&reader->order);
	uint64_t offset = input->at;

	if (lowest >= input->map && lowest < input->map + input->at)
		offset = (uint64_t)(lowest - input->map);
	perfdata_input_forget(input, offset);
	reader->forget_at = input->at + FORGET_STEP;
}

/* Reads one record; true where it is the next to be delivered. */
static bool reader_read(struct reader *reader, struct perfdata_entry *entry)
{
	bool is_inflated = false;
	struct found found;
	uint32_t type;

	if (reader->inflate.stream)
		is_inflated = find_inflated(reader, &found);
	if (!is_inflated && !find_plain(reader, &found))
		return false;
	type = found.header.type;
	reader->counts
		.records[type < PERFDATA_TYPES ? type : PERFDATA_TYPES - 1]++;
	if (reader->input.at >= reader->forget_at)
		reader_forget(reader);
	if (type < RECORD_USER_FIRST)
		return reader_queue(reader, &found, entry);
	reader_take(reader, &found, is_inflated);
	return false;
}

/* The next record in order of time; false at the end. */
static bool reader_pop(struct reader *reader, struct perfdata_entry *entry)
{
	while (!perfdata_order_pop(&reader->order, entry)) {
		if (reader->has_finished)
			return false;
		if (reader->has_ended) {
			reader->has_finished = true;
			perfdata_order_finish(&reader->order);
		} else if (reader_read(reader, entry)) {
			return true;
		}
	}
	return true;
}

/* The kernel's mapping is the first record that perf writes. */
static void take_kernel(struct reader *reader,
			const struct perf_event_header *record)
{
	struct perfdata_facts *facts = &reader->tables.facts;
	const struct record_format plain = { 0 };
	const size_t length = strlen(KERNEL_PATH);
	struct event event;

	if (record->type != PERF_RECORD_MMAP || facts->kernel_symbol ||
	    record_decode(record, &plain, &event) < 0 ||
	    !event.mmap.is_kernel ||
	    strncmp(event.mmap.path, KERNEL_PATH, length) != 0)
		return;
	facts->kernel_symbol = strings_intern(reader->tables.strings,
					      event.mmap.path + length);
	facts->kernel_address = event.mmap.page_offset;
}

/* Looks for it without taking records from the input. */
static void find_kernel(struct reader *reader)
{
	struct perfdata_input ahead = reader->input;
	const uint8_t *bytes;

	for (int i = 0; i < KERNEL_WITHIN && !reader->is_swapped; i++) {
		struct perf_event_header header;
		uint32_t block;

		bytes = perfdata_input_peek(&reader->input, sizeof(header));
		if (!bytes)
			break;
		header = header_at(reader, bytes);
		bytes = perfdata_input_peek(&reader->input, header.size);
		if (!bytes || header.size < sizeof(header))
			break;
		if ((uintptr_t)bytes % 8 == 0)
			take_kernel(reader, (const void *)bytes);
		if (!reader->input.map) /* a pipe cannot be read twice */
			return;
		perfdata_input_take(&reader->input, header.size, &block);
	}
	reader->input = ahead;
}

/* What a mapping does not tell of its file may stand in the table. */
static void add_buildid(const struct reader *reader, struct event_mmap *mmap)
{
	const struct perfdata_buildid *row;

	if (mmap->build_id_size)
		return;
	row = perfdata_buildids_find(&reader->tables.buildids, mmap->path);
	if (!row)
		return;
	memcpy(mmap->build_id, row->id, row->size);
	mmap->build_id_size = row->size;
}

/* Adds what a record does not tell by itself. */
static void reader_complete(struct reader *reader, uint32_t number,
			    struct event *event)
{
	const struct record_format *format =
		&reader->tables.events.formats[number];

	if (event->kind == EVENT_MMAP)
		add_buildid(reader, &event->mmap);
	else if (event->kind == EVENT_SAMPLE &&
		 branch_chain_is_calls(format->branch_sample_type))
		branch_chain_set(&reader->chain, &event->sample);
}

static void reader_note_end(struct reader *reader)
{
	struct perfdata_counts *counts = &reader->counts;
	struct notes *notes = reader->notes;

	counts->late = reader->order.n_late;
	if (perfdata_inflate_is_broken(&reader->inflate))
		notes_add(notes,
			  "%s: its compressed data are broken: the rest "
			  "of them is not read",
			  reader->name);
	if (counts->unread)
		notes_add(notes, "%s: %llu records are broken and not read",
			  reader->name, (unsigned long long)counts->unread);
	if (counts->unknown_id)
		notes_add(notes,
			  "%s: %llu records belong to no event that it "
			  "describes",
			  reader->name, (unsigned long long)counts->unknown_id);
	if (counts->late)
		notes_add(notes,
			  "%s: %llu records stand too late in it to be "
			  "put in order",
			  reader->name, (unsigned long long)counts->late);
}

static int reader_next(struct source *source, struct event *event,
		       struct error *error)
{
	struct reader *reader = reader_of(source);
	struct perfdata_entry entry;

	(void)error;
	perfdata_pool_release(&reader->pool, reader->held);
	reader->held = PERFDATA_NO_BLOCK;
	while (reader_pop(reader, &entry)) {
		if (record_decode(entry.record,
				  &reader->tables.events.formats[entry.event],
				  event) < 0) {
			perfdata_pool_release(&reader->pool, entry.block);
			reader->counts.unread++;
			continue;
		}
		reader->held = entry.block;
		reader_complete(reader, entry.event, event);
		if (!reader->info.clock_start_ns && event->time) {
			reader->info.clock_start_ns = event->time;
			perfdata_tables_inform(&reader->tables, &reader->info);
		}
		return 1;
	}
	if (!reader->has_told)
		reader_note_end(reader);
	reader->has_told = true;
	return 0;
}

static const struct source_info *reader_info(const struct source *source)
{
	return &reader_of(source)->info;
}

static void reader_free(struct source *source)
{
	struct reader *reader = reader_of(source);

	perfdata_order_destroy(&reader->order);
	branch_chain_destroy(&reader->chain);
	perfdata_inflate_destroy(&reader->inflate);
	perfdata_input_close(&reader->input);
	perfdata_pool_destroy(&reader->pool);
	perfdata_tables_destroy(&reader->tables);
	free(reader->name);
	free(reader);
}

static const struct source_ops reader_ops = {
	.next = reader_next,
	.info = reader_info,
	.free = reader_free,
};

bool perfdata_is_magic(const void *bytes, size_t size)
{
	bool is_swapped;

	return size >= PERFDATA_PIPE_HEADER &&
	       perfdata_kind_of(bytes, &is_swapped) != PERFDATA_NONE;
}

/* A stream begins with what describes it: read up to its first record, so
 * that source_info knows the events. */
static void read_stream_head(struct reader *reader)
{
	const uint8_t *bytes;

	while ((bytes = perfdata_input_peek(&reader->input, 8))) {
		struct perf_event_header header = header_at(reader, bytes);
		struct perfdata_entry entry;

		if (header.type < RECORD_USER_FIRST ||
		    header.type == RECORD_COMPRESSED ||
		    header.type == RECORD_COMPRESSED2 ||
		    header.size < sizeof(header))
			return;
		reader_read(reader, &entry);
		if (reader->has_ended)
			return;
	}
}

static int read_head(struct reader *reader, struct error *error)
{
	struct perfdata_input *input = &reader->input;
	const uint8_t *bytes = perfdata_input_peek(input, PERFDATA_PIPE_HEADER);
	enum perfdata_kind kind = PERFDATA_NONE;
	uint32_t block;

	if (bytes)
		kind = perfdata_kind_of(bytes, &reader->is_swapped);
	if (kind == PERFDATA_NONE)
		return error_set(error, -EBADMSG, "%s: is not a perf.data file",
				 reader->name);
	if (kind == PERFDATA_FILE)
		return perfdata_tables_read(&reader->tables, input,
					    reader->is_swapped, reader->name,
					    reader->notes, error);
	perfdata_input_take(input, PERFDATA_PIPE_HEADER, &block);
	read_stream_head(reader);
	if (!reader->tables.events.count)
		return error_set(error, -EBADMSG,
				 "%s: ends before its first event is described",
				 reader->name);
	return 0;
}

int perfdata_reader_open(int fd, const char *name, struct notes *notes,
			 struct source **source, struct error *error)
{
	struct reader *reader = mem_calloc(1, sizeof(*reader));
	int err;

	reader->source.ops = &reader_ops;
	reader->name = mem_strdup(name);
	reader->notes = notes;
	reader->held = PERFDATA_NO_BLOCK;
	perfdata_tables_init(&reader->tables);
	perfdata_inflate_init(&reader->inflate, &reader->pool);
	perfdata_feed_init(&reader->copies, &reader->pool);
	perfdata_order_init(&reader->order);
	err = perfdata_input_open(&reader->input, fd, name, &reader->pool,
				  error);
	reader->forget_at = reader->input.map ? FORGET_STEP : UINT64_MAX;
	if (!err)
		err = read_head(reader, error);
	if (err) {
		reader_free(&reader->source);
		return err;
	}
	find_kernel(reader);
	perfdata_tables_inform(&reader->tables, &reader->info);
	*source = &reader->source;
	return 0;
}

const struct perfdata_counts *perfdata_reader_counts(
	const struct source *source)
{
	return &reader_of(source)->counts;
}

const struct perfdata_facts *perfdata_reader_facts(const struct source *source)
{
	return &reader_of(source)->tables.facts;
}

uint8_t perfdata_reader_build_id(const struct source *source, const char *path,
				 uint8_t id[BUILD_ID_MAX])
{
	const struct perfdata_buildid *row = perfdata_buildids_find(
		&reader_of(source)->tables.buildids, path);

	if (!row)
		return 0;
	memcpy(id, row->id, row->size);
	return row->size;
}
