#include "perfcore/perfdata_tables.h"

#include <errno.h>

#include "perfcore/perfdata_format.h"

#define SECTION_SIZE sizeof(struct perfdata_section)

void perfdata_tables_init(struct perfdata_tables *tables)
{
	*tables = (struct perfdata_tables){ .strings = strings_new() };
	perfdata_events_init(&tables->events, tables->strings);
	perfdata_buildids_init(&tables->buildids, tables->strings);
}

void perfdata_tables_destroy(struct perfdata_tables *tables)
{
	if (!tables)
		return;
	perfdata_events_destroy(&tables->events);
	perfdata_buildids_destroy(&tables->buildids);
	strings_free(tables->strings);
	*tables = (struct perfdata_tables){ 0 };
}

static struct perfdata_section read_section(struct cursor *cursor)
{
	struct perfdata_section section;

	section.offset = cursor_u64(cursor);
	section.size = cursor_u64(cursor);
	return section;
}

/* A file older than the features has a header that ends before them. */
static struct perfdata_header read_header(struct cursor *cursor)
{
	struct perfdata_header header = { 0 };

	cursor_skip(cursor, sizeof(header.magic));
	header.size = cursor_u64(cursor);
	header.attr_size = cursor_u64(cursor);
	header.attrs = read_section(cursor);
	header.data = read_section(cursor);
	header.event_types = read_section(cursor);
	if (header.size < sizeof(header) || cursor_left(cursor) < 32)
		return header;
	for (size_t i = 0; i < 4; i++)
		header.features[i] = cursor_u64(cursor);
	return header;
}

static bool has_feature(const struct perfdata_header *header, unsigned int bit)
{
	return header->features[bit / 64] >> (bit % 64) & 1;
}

/* The bits are an array of the writer's unsigned long: on a 32-bit big-endian
 * machine, halves stand the other way round than on a 64-bit one. Every perf
 * knows its host's name. */
static void fix_features(struct perfdata_header *header)
{
	if (has_feature(header, FEATURE_HOSTNAME))
		return;
	for (size_t i = 0; i < 4; i++)
		header->features[i] =
			header->features[i] << 32 | header->features[i] >> 32;
}

static struct cursor part_at(const struct perfdata_input *input,
			     struct perfdata_section section, bool is_swapped)
{
	struct cursor cursor =
		perfdata_input_part(input, section.offset, section.size);

	cursor.is_swapped = is_swapped;
	return cursor;
}

static int read_events(struct perfdata_tables *tables,
		       const struct perfdata_input *input,
		       const struct perfdata_header *header, bool is_swapped)
{
	struct cursor attrs = part_at(input, header->attrs, is_swapped);

	if (header->attr_size < PERF_ATTR_SIZE_VER0 + SECTION_SIZE ||
	    header->attr_size > UINT16_MAX)
		return -EBADMSG;
	while (cursor_left(&attrs) >= header->attr_size) {
		int event =
			perfdata_events_add(&tables->events, &attrs,
					    header->attr_size - SECTION_SIZE);
		struct cursor ids =
			part_at(input, read_section(&attrs), is_swapped);

		if (event < 0)
			return event;
		perfdata_events_add_ids(&tables->events, (uint32_t)event, &ids);
	}
	return attrs.has_failed || !tables->events.count ? -EBADMSG : 0;
}

static void read_feature(struct perfdata_tables *tables, uint32_t feature,
			 struct cursor *cursor)
{
	if (feature == FEATURE_BUILD_ID)
		perfdata_buildids_read(&tables->buildids, cursor);
	else if (feature == FEATURE_EVENT_DESC)
		perfdata_events_describe(&tables->events, cursor);
	else
		perfdata_feature_read(&tables->facts, feature, cursor,
				      tables->strings);
}

/* Returns how many of the features are outside the file. */
static unsigned int read_features(struct perfdata_tables *tables,
				  const struct perfdata_input *input,
				  const struct perfdata_header *header,
				  bool is_swapped)
{
	struct perfdata_section index = {
		header->data.offset + header->data.size,
		0,
	};
	unsigned int n_missing = 0;
	struct cursor sections;

	for (size_t i = 0; i < 4; i++)
		index.size += SECTION_SIZE * (uint64_t)__builtin_popcountll(
						     header->features[i]);
	sections = part_at(input, index, is_swapped);
	for (uint32_t bit = 0; bit < FEATURES_MAX; bit++) {
		struct cursor part;

		if (!has_feature(header, bit))
			continue;
		part = part_at(input, read_section(&sections), is_swapped);
		if (sections.has_failed || part.has_failed)
			n_missing++;
		else
			read_feature(tables, bit, &part);
	}
	return n_missing;
}

/* Sets the input to the data: to all that is there, where the header says
 * nothing (recording was killed) or more than there is (the file was cut). */
static void find_data(struct perfdata_input *input,
		      const struct perfdata_section *data, const char *name,
		      struct notes *notes)
{
	uint64_t left = input->map_size - data->offset;

	input->at = data->offset;
	input->end = input->map_size;
	if (!data->size)
		notes_add(notes,
			  "%s: its recording was not finished: read as "
			  "far as it goes",
			  name);
	else if (data->size > left)
		notes_add(notes,
			  "%s: %llu of %llu bytes of its data are "
			  "missing at the end",
			  name, (unsigned long long)(data->size - left),
			  (unsigned long long)data->size);
	else
		input->end = data->offset + data->size;
}

int perfdata_tables_read(struct perfdata_tables *tables,
			 struct perfdata_input *input, bool is_swapped,
			 const char *name, struct notes *notes,
			 struct error *error)
{
	struct cursor cursor = cursor_at(input->map, input->map_size);
	struct perfdata_header header;
	unsigned int n_missing = 0;

	cursor.is_swapped = is_swapped;
	header = read_header(&cursor);
	if (cursor.has_failed || header.data.offset > input->map_size)
		return error_set(error, -EBADMSG,
				 "%s: is cut off in its header, at byte %llu",
				 name, (unsigned long long)input->map_size);
	if (is_swapped)
		fix_features(&header);
	if (read_events(tables, input, &header, is_swapped) < 0)
		return error_set(error, -EBADMSG,
				 "%s: its table of events, at byte %llu, "
				 "cannot be read",
				 name, (unsigned long long)header.attrs.offset);
	find_data(input, &header.data, name, notes);
	if (input->end != input->map_size || header.data.size)
		n_missing = read_features(tables, input, &header, is_swapped);
	if (n_missing)
		notes_add(notes,
			  "%s: %u of its descriptions of the host and "
			  "the recording are missing",
			  name, n_missing);
	return 0;
}

static void take_event(struct perfdata_tables *tables, struct cursor *body)
{
	struct cursor peek = *body;
	uint32_t size;
	int event;

	cursor_skip(&peek, 4);
	size = cursor_u32(&peek);
	event = perfdata_events_add(&tables->events, body,
				    size ? size : PERF_ATTR_SIZE_VER0);
	if (event >= 0)
		perfdata_events_add_ids(&tables->events, (uint32_t)event, body);
}

void perfdata_tables_take(struct perfdata_tables *tables,
			  const struct perf_event_header *header,
			  struct cursor *body)
{
	uint64_t feature;

	switch (header->type) {
	case RECORD_HEADER_ATTR:
		take_event(tables, body);
		break;
	case RECORD_EVENT_UPDATE:
		perfdata_events_update(&tables->events, body);
		break;
	case RECORD_HEADER_BUILD_ID:
		perfdata_buildids_add(&tables->buildids, header->misc, body);
		break;
	case RECORD_HEADER_FEATURE:
		feature = cursor_u64(body);
		if (feature < FEATURES_MAX)
			read_feature(tables, (uint32_t)feature, body);
		break;
	}
}

void perfdata_tables_inform(const struct perfdata_tables *tables,
			    struct source_info *info)
{
	const struct perfdata_facts *facts = &tables->facts;

	info->host = facts->host;
	info->kernel = facts->kernel;
	info->arch = facts->arch;
	info->n_cpus = facts->n_cpus;
	info->events = tables->events.items;
	info->n_events = (uint32_t)tables->events.count;
	if (!info->clock_start_ns)
		info->clock_start_ns = facts->first_time;
	if (facts->has_clock && info->clock_start_ns)
		info->wall_start_ns =
			facts->wall_ns - facts->clock_ns + info->clock_start_ns;
}
