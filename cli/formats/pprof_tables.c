#include "cli/formats/pprof_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/formats/pprof_format.h"
#include "perfcore/mem.h"

struct pprof_text {
	const uint8_t *bytes;
	size_t length;
	const char *interned; /* NULL until asked for */
};

struct pprof_mapped {
	uint32_t mapping; /* in the profile */
	uint32_t flags;	  /* of the frames in it */
};

void pprof_tables_init(struct pprof_tables *tables, struct profile *profile,
		       const void *bytes, size_t size, const char *name,
		       struct error *error)
{
	*tables = (struct pprof_tables){
		.profile = profile,
		.file = cursor_at(bytes, size),
		.name = name,
		.error = error,
	};
	pprof_comments_init(&tables->comments);
	idmap_init(&tables->mapping_ids);
	idmap_init(&tables->function_ids);
	idmap_init(&tables->location_ids);
}

void pprof_tables_destroy(struct pprof_tables *tables)
{
	if (!tables)
		return;
	pprof_comments_destroy(&tables->comments);
	idmap_destroy(&tables->mapping_ids);
	idmap_destroy(&tables->function_ids);
	idmap_destroy(&tables->location_ids);
	free(tables->texts);
	free(tables->mappings);
}

int pprof_tables_refuse(struct pprof_tables *tables, const struct cursor *where,
			const char *format, ...)
{
	char reason[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	return error_set(tables->error, -EINVAL,
			 "%s: not a pprof profile that can be read: %s at byte "
			 "%zu of the uncompressed data",
			 tables->name, reason, cursor_offset(where));
}

int pprof_tables_read_texts(struct pprof_tables *tables)
{
	struct cursor cursor = tables->file;
	struct protobuf_field field;

	while (protobuf_next(&cursor, &field)) {
		if (field.number != PPROF_STRING_TABLE)
			continue;
		if (field.wire != PROTOBUF_BYTES ||
		    tables->n_texts >= PPROF_ENTRIES_MAX)
			return pprof_tables_refuse(tables, &cursor,
						   "a string too many");
		tables->texts =
			mem_grow(tables->texts, tables->n_texts,
				 &tables->text_room, sizeof(*tables->texts));
		tables->texts[tables->n_texts++] =
			(struct pprof_text){ field.bytes.at,
					     cursor_left(&field.bytes), NULL };
	}
	if (cursor.has_failed)
		return pprof_tables_refuse(tables, &cursor, "a broken field");
	if (tables->n_texts == 0 || tables->texts[0].length != 0)
		return pprof_tables_refuse(tables, &cursor,
					   "no string table that begins with "
					   "the empty string");
	return 0;
}

const char *pprof_tables_text(struct pprof_tables *tables, uint64_t index)
{
	struct pprof_text *text;

	if (index >= tables->n_texts)
		return NULL;
	text = &tables->texts[index];
	tables->text_bytes += text->length;
	if (tables->text_bytes > PPROF_TEXT_BYTES_MAX)
		text = &tables->texts[0];
	if (!text->interned)
		text->interned = strings_intern_n(
			tables->profile->strings, (const char *)text->bytes,
			strnlen((const char *)text->bytes, text->length));
	return text->interned;
}

int pprof_tables_check(struct pprof_tables *tables, const struct cursor *where)
{
	if (tables->text_bytes <= PPROF_TEXT_BYTES_MAX)
		return 0;
	return pprof_tables_refuse(tables, where,
				   "long strings used too often");
}

const char *pprof_tables_main(const struct pprof_tables *tables)
{
	const char *path, *slash;

	if (tables->n_mappings == 0)
		return "";
	path = tables->profile->mappings[tables->mappings[0].mapping].path;
	slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Reads a string index of a field into *text. */
static int read_text(struct pprof_tables *tables,
		     const struct protobuf_field *field,
		     const struct cursor *where, const char **text)
{
	*text = pprof_tables_text(tables, field->value);
	if (*text)
		return pprof_tables_check(tables, where);
	return pprof_tables_refuse(tables, where,
				   "string %" PRIu64 " of %zu strings",
				   field->value, tables->n_texts);
}

/* Gives id the index, once. */
static int define(struct pprof_tables *tables, struct idmap *ids, uint64_t id,
		  uint32_t index, const char *what, const struct cursor *where)
{
	uint32_t *slot;

	if (id == 0)
		return pprof_tables_refuse(tables, where, "a %s of id 0", what);
	if (ids->count >= PPROF_ENTRIES_MAX)
		return pprof_tables_refuse(tables, where, "more than %zu of %s",
					   ids->count, what);
	slot = idmap_at(ids, id, 0);
	if (*slot != IDMAP_NONE)
		return pprof_tables_refuse(
			tables, where, "a second %s of id %" PRIu64, what, id);
	*slot = index;
	return 0;
}

static uint32_t mapping_flags(struct pprof_tables *tables, uint64_t id,
			      struct profile_mapping *mapping)
{
	uint32_t note = idmap_get(&tables->comments.mapping_ids, id, 0);

	if (note == IDMAP_NONE)
		return pprof_mapped_flags(mapping->path);
	mapping->is_deleted = tables->comments.mappings[note].is_deleted;
	return tables->comments.mappings[note].flags;
}

static int read_mapping(struct pprof_tables *tables, struct cursor message)
{
	const char *empty = pprof_tables_text(tables, 0);
	struct profile_mapping mapping = { .path = empty, .build_id = empty };
	struct pprof_mapped mapped;
	struct protobuf_field field;
	const struct cursor start = message;
	uint64_t id = 0;
	int result = 0;

	while (result == 0 && protobuf_next(&message, &field)) {
		if (field.number == PPROF_MAPPING_ID)
			id = field.value;
		else if (field.number == PPROF_MAPPING_START)
			mapping.start = field.value;
		else if (field.number == PPROF_MAPPING_LIMIT)
			mapping.limit = field.value;
		else if (field.number == PPROF_MAPPING_OFFSET)
			mapping.offset = field.value;
		else if (field.number == PPROF_MAPPING_FILE)
			result = read_text(tables, &field, &message,
					   &mapping.path);
		else if (field.number == PPROF_MAPPING_BUILD_ID)
			result = read_text(tables, &field, &message,
					   &mapping.build_id);
	}
	if (result == 0 && message.has_failed)
		result = pprof_tables_refuse(tables, &message,
					     "a broken mapping");
	if (result)
		return result;
	mapped.flags = mapping_flags(tables, id, &mapping);
	mapped.mapping = profile_mapping(tables->profile, &mapping);
	tables->mappings =
		mem_grow(tables->mappings, tables->n_mappings,
			 &tables->mapping_room, sizeof(*tables->mappings));
	tables->mappings[tables->n_mappings] = mapped;
	return define(tables, &tables->mapping_ids, id,
		      (uint32_t)tables->n_mappings++, "mapping", &start);
}

static int read_function(struct pprof_tables *tables, struct cursor message)
{
	const char *empty = pprof_tables_text(tables, 0);
	struct profile_function function = { empty, empty, empty, false };
	struct protobuf_field field;
	const struct cursor start = message;
	uint64_t id = 0;
	int result = 0;

	while (result == 0 && protobuf_next(&message, &field)) {
		if (field.number == PPROF_FUNCTION_ID)
			id = field.value;
		else if (field.number == PPROF_FUNCTION_NAME)
			result = read_text(tables, &field, &message,
					   &function.name);
		else if (field.number == PPROF_FUNCTION_SYSTEM_NAME)
			result = read_text(tables, &field, &message,
					   &function.system_name);
		else if (field.number == PPROF_FUNCTION_FILE)
			result = read_text(tables, &field, &message,
					   &function.file);
	}
	if (result == 0 && message.has_failed)
		result = pprof_tables_refuse(tables, &message,
					     "a broken function");
	if (result)
		return result;
	if (!*function.name)
		function.name = function.system_name;
	function.is_named = pprof_is_named(function.name);
	return define(tables, &tables->function_ids, id,
		      profile_function(tables->profile, &function), "function",
		      &start);
}

static int read_line(struct pprof_tables *tables, struct cursor message,
		     struct profile_line *line)
{
	struct protobuf_field field;
	const struct cursor start = message;
	uint64_t id = 0, number = 0;

	while (protobuf_next(&message, &field)) {
		if (field.number == PPROF_LINE_FUNCTION)
			id = field.value;
		else if (field.number == PPROF_LINE_NUMBER)
			number = field.value;
	}
	if (message.has_failed)
		return pprof_tables_refuse(tables, &message, "a broken line");
	line->function = idmap_get(&tables->function_ids, id, 0);
	line->line = number <= UINT32_MAX ? (uint32_t)number : 0;
	if (line->function == IDMAP_NONE)
		return pprof_tables_refuse(
			tables, &start,
			"a line in function %" PRIu64 ", which is missing", id);
	return 0;
}

/* A location under construction. */
struct location {
	uint64_t id, mapping_id;
	struct profile_frame frame;
	struct profile_line lines[PPROF_LINES_MAX];
	uint32_t n_lines;
};

static int read_location_fields(struct pprof_tables *tables,
				struct cursor message,
				struct location *location)
{
	struct protobuf_field field;
	int result = 0;

	while (result == 0 && protobuf_next(&message, &field)) {
		if (field.number == PPROF_LOCATION_ID)
			location->id = field.value;
		else if (field.number == PPROF_LOCATION_MAPPING)
			location->mapping_id = field.value;
		else if (field.number == PPROF_LOCATION_ADDRESS)
			location->frame.address = field.value;
		else if (field.number == PPROF_LOCATION_LINE &&
			 location->n_lines == PPROF_LINES_MAX)
			result = pprof_tables_refuse(tables, &message,
						     "more than %d lines",
						     PPROF_LINES_MAX);
		else if (field.number == PPROF_LOCATION_LINE)
			result = read_line(
				tables, field.bytes,
				&location->lines[location->n_lines++]);
	}
	if (result == 0 && message.has_failed)
		result = pprof_tables_refuse(tables, &message,
					     "a broken location");
	return result;
}

/* "[libfoo.so]+0x12" for a location without lines. */
static uint32_t unknown_function(struct profile *profile,
				 const struct profile_frame *frame)
{
	char name[PPROF_UNKNOWN_MAX];
	const char *empty = strings_intern(profile->strings, "");

	pprof_unknown_name(name, profile->mappings[frame->mapping].path,
			   frame->address);
	return profile_function(profile,
				&(struct profile_function){
					strings_intern(profile->strings, name),
					empty, empty, false });
}

static uint32_t add_frame(struct pprof_tables *tables,
			  struct location *location)
{
	struct profile *profile = tables->profile;
	struct profile_frame *frame = &location->frame;
	uint32_t mapped =
		idmap_get(&tables->mapping_ids, location->mapping_id, 0);
	const char *name;
	uint32_t index;

	if (mapped != IDMAP_NONE)
		frame->mapping = tables->mappings[mapped].mapping;
	if (location->n_lines == 0)
		location->lines[location->n_lines++].function =
			unknown_function(profile, frame);
	name = profile->functions[location->lines[0].function].name;
	frame->flags = mapped != IDMAP_NONE
			       ? tables->mappings[mapped].flags
			       : pprof_bare_flags(frame->address, name);
	if (frame->flags == PROFILE_FRAME_SPECIAL)
		return profile_frame_special(profile, name);
	index = profile_frame_add(profile, frame);
	profile_frame_set_lines(profile, index, location->lines,
				location->n_lines);
	return index;
}

static int read_location(struct pprof_tables *tables, struct cursor message)
{
	struct location location = { 0 };
	int result = read_location_fields(tables, message, &location);

	if (result)
		return result;
	if (tables->profile->n_lines >= PPROF_ENTRIES_MAX)
		return pprof_tables_refuse(tables, &message,
					   "more than %u lines",
					   PPROF_ENTRIES_MAX);
	return define(tables, &tables->location_ids, location.id,
		      add_frame(tables, &location), "location", &message);
}

/* Calls read for each message of that field. */
static int read_all(struct pprof_tables *tables, uint32_t number,
		    int (*read)(struct pprof_tables *, struct cursor))
{
	struct cursor cursor = tables->file;
	struct protobuf_field field;
	int result = 0;

	while (result == 0 && protobuf_next(&cursor, &field))
		if (field.number == number && field.wire == PROTOBUF_BYTES)
			result = read(tables, field.bytes);
	return result;
}

int pprof_tables_read_code(struct pprof_tables *tables)
{
	int result = read_all(tables, PPROF_MAPPING, read_mapping);

	if (result == 0)
		result = read_all(tables, PPROF_FUNCTION, read_function);
	if (result == 0)
		result = read_all(tables, PPROF_LOCATION, read_location);
	return result;
}
