#include "perfcore/perfdata_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "perfcore/mem.h"
#include "perfcore/perfdata_swap.h"

/* Bounds for hostile files; perf has one id for each event and CPU. */
#define EVENTS_MAX 16384
#define IDS_MAX	   (4u << 20)

void perfdata_events_init(struct perfdata_events *events,
			  struct strings *strings)
{
	*events = (struct perfdata_events){ .strings = strings };
	idmap_init(&events->by_id);
}

void perfdata_events_destroy(struct perfdata_events *events)
{
	if (!events)
		return;
	free(events->items);
	free(events->formats);
	idmap_destroy(&events->by_id);
	perfdata_events_init(events, NULL);
}

static const char *software_name(uint64_t config)
{
	static const char *const names[] = {
		"cpu-clock",	    "task-clock",
		"page-faults",	    "context-switches",
		"cpu-migrations",   "minor-faults",
		"major-faults",	    "alignment-faults",
		"emulation-faults", "dummy",
		"bpf-output",	    "cgroup-switches",
	};

	return config < sizeof(names) / sizeof(names[0]) ? names[config] : NULL;
}

/* The upper half of config is the PMU's number on hybrid machines. */
static const char *hardware_name(uint64_t config)
{
	static const char *const names[] = {
		"cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-misses",
		"bus-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"ref-cycles",
	};

	config &= UINT32_MAX;
	return config < sizeof(names) / sizeof(names[0]) ? names[config] : NULL;
}

/* What to call an event whose name the file does not tell. */
static const char *name_derived(struct strings *strings,
				const struct perf_event_attr *attr)
{
	const char *known = NULL;
	char name[64];

	if (attr->type == PERF_TYPE_SOFTWARE)
		known = software_name(attr->config);
	if (attr->type == PERF_TYPE_HARDWARE)
		known = hardware_name(attr->config);
	if (known)
		return strings_intern(strings, known);
	snprintf(name, sizeof(name),
		 attr->type == PERF_TYPE_RAW	      ? "r%llx"
		 : attr->type == PERF_TYPE_TRACEPOINT ? "tracepoint:%llu"
						      : "event:%llx:%x",
		 (unsigned long long)attr->config, attr->type);
	return strings_intern(strings, name);
}

static bool attr_is(const struct perf_event_attr *attr, uint64_t config)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == config;
}

int perfdata_events_add(struct perfdata_events *events, struct cursor *cursor,
			size_t attr_size)
{
	struct perf_event_attr attr = { 0 };
	size_t known = attr_size < sizeof(attr) ? attr_size : sizeof(attr);
	const void *bytes = cursor_bytes(cursor, attr_size);
	uint32_t index = (uint32_t)events->count;

	if (!bytes || attr_size < PERF_ATTR_SIZE_VER0 || index >= EVENTS_MAX)
		return -EBADMSG;
	memcpy(&attr, bytes, known);
	if (cursor->is_swapped)
		perfdata_swap_attr(&attr, known);
	events->items = mem_grow(events->items, index, &events->capacity,
				 sizeof(*events->items));
	events->formats =
		mem_grow(events->formats, index, &events->formats_capacity,
			 sizeof(*events->formats));
	events->items[index] = (struct source_event){
		.name = name_derived(events->strings, &attr),
		.attr = attr,
		.is_clock = attr_is(&attr, PERF_COUNT_SW_CPU_CLOCK) ||
			    attr_is(&attr, PERF_COUNT_SW_TASK_CLOCK),
		.is_sampling = attr.sample_period &&
			       !attr_is(&attr, PERF_COUNT_SW_DUMMY),
	};
	events->formats[index] = record_format_of(&attr, index);
	events->count++;
	return (int)index;
}

static void add_id(struct perfdata_events *events, uint32_t event, uint64_t id)
{
	if (events->n_ids >= IDS_MAX)
		return;
	events->n_ids++;
	events->last_id = 0;
	*idmap_at(&events->by_id, id, 0) = event;
}

void perfdata_events_add_ids(struct perfdata_events *events, uint32_t event,
			     struct cursor *ids)
{
	while (cursor_left(ids) >= 8)
		add_id(events, event, cursor_u64(ids));
}

static uint32_t event_of_id(struct perfdata_events *events, uint64_t id)
{
	if (!id) /* perf's own, made for processes that ran already */
		return 0;
	if (id != events->last_id) {
		events->last_event = idmap_get(&events->by_id, id, 0);
		events->last_id = id;
	}
	return events->last_event;
}

static uint32_t event_of(struct perfdata_events *events,
			 const struct perf_event_header *header,
			 bool is_swapped)
{
	uint64_t id;

	if (events->count == 1)
		return 0;
	if (!events->count)
		return PERFDATA_NO_EVENT;
	/* Where ids stand is the same for all events of a file, or perf
	 * would not have recorded them together. */
	if (!record_id(header, &events->formats[0], &id))
		return 0;
	return event_of_id(events, is_swapped ? __builtin_bswap64(id) : id);
}

uint32_t perfdata_events_of(struct perfdata_events *events,
			    const struct perf_event_header *header)
{
	return event_of(events, header, false);
}

uint32_t perfdata_events_of_swapped(struct perfdata_events *events,
				    const struct perf_event_header *header)
{
	return event_of(events, header, true);
}

static void set_name(struct perfdata_events *events, uint32_t event,
		     const char *name)
{
	if (event < events->count && name && *name)
		events->items[event].name =
			strings_intern(events->strings, name);
}

/* A u32 length and so many bytes, of which the text is the first part. */
static const char *sized_text(struct cursor *cursor)
{
	uint32_t size = cursor_u32(cursor);
	const char *text = cursor_bytes(cursor, size);

	return text && memchr(text, '\0', size) ? text : NULL;
}

void perfdata_events_describe(struct perfdata_events *events,
			      struct cursor *cursor)
{
	uint32_t count = cursor_u32(cursor);
	uint32_t attr_size = cursor_u32(cursor);

	for (uint32_t i = 0; i < count && !cursor->has_failed; i++) {
		uint32_t n_ids, event = i;
		const char *name;

		cursor_skip(cursor, attr_size);
		n_ids = cursor_u32(cursor);
		name = sized_text(cursor);
		for (uint32_t j = 0; j < n_ids && !cursor->has_failed; j++) {
			uint64_t id = cursor_u64(cursor);
			uint32_t owner = event_of_id(events, id);

			if (owner != IDMAP_NONE)
				event = owner;
			else if (i < events->count && !cursor->has_failed)
				add_id(events, i, id);
		}
		if (!cursor->has_failed)
			set_name(events, event, name);
	}
}

void perfdata_events_update(struct perfdata_events *events,
			    struct cursor *cursor)
{
	enum { UPDATE_UNIT, UPDATE_SCALE, UPDATE_NAME, UPDATE_CPUS };
	uint64_t kind = cursor_u64(cursor), id = cursor_u64(cursor);

	if (kind == UPDATE_NAME)
		set_name(events, event_of_id(events, id), cursor_text(cursor));
}
