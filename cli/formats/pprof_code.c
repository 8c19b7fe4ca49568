#include "cli/formats/pprof_code.h"

#include <stdlib.h>
#include <string.h>

#include "cli/formats/pprof_format.h"
#include "perfcore/mem.h"

/* Texts of a Function message, by string index. */
struct pprof_function_entry {
	uint32_t name, system_name, file;
};

/* A Mapping message: the frames of one mapping that have the same flags. */
struct pprof_mapping_entry {
	uint32_t mapping; /* in the profile */
	uint32_t flags;
	bool has_functions, has_files, has_lines, has_inlines;
};

static uint32_t add_function(struct pprof_code *code,
			     const struct pprof_function_entry *entry)
{
	code->functions =
		mem_grow(code->functions, code->n_functions,
			 &code->function_room, sizeof(*code->functions));
	code->functions[code->n_functions++] = *entry;
	return (uint32_t)code->n_functions;
}

static uint32_t function_id(struct pprof_code *code, uint32_t index)
{
	const struct profile_function *function =
		&code->profile->functions[index];
	struct pprof_texts *texts = &code->stream->texts;

	if (!code->function_ids[index])
		code->function_ids[index] = add_function(
			code, &(struct pprof_function_entry){
				      pprof_texts_stable(texts, function->name),
				      pprof_texts_stable(texts,
							 function->system_name),
				      pprof_texts_stable(texts, function->file),
			      });
	return code->function_ids[index];
}

uint32_t pprof_code_location(struct pprof_code *code, uint32_t frame)
{
	uint32_t *id = &code->location_ids[frame];

	if (*id == 0) {
		code->located =
			mem_grow(code->located, code->n_located,
				 &code->located_room, sizeof(*code->located));
		code->located[code->n_located++] = frame;
		*id = (uint32_t)code->n_located;
	}
	return *id;
}

uint32_t pprof_code_no_stack(struct pprof_code *code)
{
	return pprof_code_location(code, (uint32_t)code->profile->n_frames);
}

/* Readers drop frames that have no function, so an unknown one gets one. */
static uint32_t unknown_function(struct pprof_code *code,
				 const struct profile_frame *frame)
{
	struct pprof_function_entry entry = { 0 };
	char name[PPROF_UNKNOWN_MAX];

	pprof_unknown_name(name, code->profile->mappings[frame->mapping].path,
			   frame->address);
	entry.name = pprof_texts_copy(&code->stream->texts, name);
	return add_function(code, &entry);
}

static const char *frame_name(const struct profile *profile,
			      const struct profile_frame *frame)
{
	if (frame->n_lines == 0)
		return "";
	return profile->functions[profile->lines[frame->first_line].function]
		.name;
}

/* The Mapping message of a frame; NULL where it needs none. */
static struct pprof_mapping_entry *mapping_of(struct pprof_code *code,
					      const struct profile_frame *frame,
					      uint32_t *id)
{
	uint32_t *slot;

	*id = 0;
	if (frame->mapping == 0 &&
	    pprof_bare_flags(frame->address,
			     frame_name(code->profile, frame)) == frame->flags)
		return NULL;
	slot = idmap_at(&code->mapping_ids, frame->mapping, frame->flags);
	if (*slot == IDMAP_NONE) {
		*slot = (uint32_t)code->n_mappings;
		code->mappings =
			mem_grow(code->mappings, code->n_mappings,
				 &code->mapping_room, sizeof(*code->mappings));
		code->mappings[code->n_mappings++] =
			(struct pprof_mapping_entry){
				frame->mapping, frame->flags, true,
				true,		true,	      false
			};
	}
	*id = *slot + 1;
	return &code->mappings[*slot];
}

static void emit_no_stack(struct pprof_code *code, uint32_t id)
{
	struct pprof_function_entry entry = {
		.name = pprof_texts_stable(&code->stream->texts, PPROF_NO_STACK)
	};

	protobuf_number(&code->stream->message, PPROF_LOCATION_ID, id);
	protobuf_number(&code->stream->child, PPROF_LINE_FUNCTION,
			add_function(code, &entry));
	pprof_stream_add_child(code->stream, PPROF_LOCATION_LINE);
	pprof_stream_emit(code->stream, PPROF_LOCATION);
}

static void emit_location(struct pprof_code *code, uint32_t id, uint32_t index)
{
	const struct profile *profile = code->profile;
	const struct profile_frame *frame = &profile->frames[index];
	struct pprof_mapping_entry none = { 0 }, *mapping;
	uint32_t mapping_id;

	if (index == profile->n_frames) {
		emit_no_stack(code, id);
		return;
	}
	mapping = mapping_of(code, frame, &mapping_id) ?: &none;
	protobuf_number(&code->stream->message, PPROF_LOCATION_ID, id);
	protobuf_number(&code->stream->message, PPROF_LOCATION_MAPPING,
			mapping_id);
	protobuf_number(&code->stream->message, PPROF_LOCATION_ADDRESS,
			frame->address);
	for (uint32_t i = 0; i < frame->n_lines; i++) {
		const struct profile_line *line =
			&profile->lines[frame->first_line + i];
		const struct profile_function *function =
			&profile->functions[line->function];

		mapping->has_functions &= function->is_named;
		mapping->has_files &= *function->file != '\0';
		mapping->has_lines &= line->line > 0;
		mapping->has_inlines |= i > 0;
		protobuf_number(&code->stream->child, PPROF_LINE_FUNCTION,
				function_id(code, line->function));
		protobuf_number(&code->stream->child, PPROF_LINE_NUMBER,
				line->line);
		pprof_stream_add_child(code->stream, PPROF_LOCATION_LINE);
	}
	if (frame->n_lines == 0) {
		mapping->has_functions = mapping->has_files =
			mapping->has_lines = false;
		protobuf_number(&code->stream->child, PPROF_LINE_FUNCTION,
				unknown_function(code, frame));
		pprof_stream_add_child(code->stream, PPROF_LOCATION_LINE);
	}
	pprof_stream_emit(code->stream, PPROF_LOCATION);
}

static void emit_mapping(struct pprof_code *code, uint32_t id,
			 const struct pprof_mapping_entry *entry)
{
	const struct profile_mapping *mapping =
		&code->profile->mappings[entry->mapping];
	struct pprof_mapping_note note = { id, entry->flags,
					   mapping->is_deleted };
	struct protobuf *message = &code->stream->message;

	protobuf_number(message, PPROF_MAPPING_ID, id);
	protobuf_number(message, PPROF_MAPPING_START, mapping->start);
	protobuf_number(message, PPROF_MAPPING_LIMIT, mapping->limit);
	protobuf_number(message, PPROF_MAPPING_OFFSET, mapping->offset);
	protobuf_number(
		message, PPROF_MAPPING_FILE,
		pprof_texts_stable(&code->stream->texts, mapping->path));
	protobuf_number(
		message, PPROF_MAPPING_BUILD_ID,
		pprof_texts_stable(&code->stream->texts, mapping->build_id));
	protobuf_number(message, PPROF_MAPPING_HAS_FUNCTIONS,
			entry->has_functions);
	protobuf_number(message, PPROF_MAPPING_HAS_FILENAMES, entry->has_files);
	protobuf_number(message, PPROF_MAPPING_HAS_LINES, entry->has_lines);
	protobuf_number(message, PPROF_MAPPING_HAS_INLINES, entry->has_inlines);
	pprof_stream_emit(code->stream, PPROF_MAPPING);
	if (mapping->is_deleted ||
	    entry->flags != pprof_mapped_flags(mapping->path))
		pprof_comments_mapping(&note, &code->stream->table_output);
}

static void emit_function(struct pprof_code *code, uint32_t id,
			  const struct pprof_function_entry *entry)
{
	struct protobuf *message = &code->stream->message;

	protobuf_number(message, PPROF_FUNCTION_ID, id);
	protobuf_number(message, PPROF_FUNCTION_NAME, entry->name);
	protobuf_number(message, PPROF_FUNCTION_SYSTEM_NAME,
			entry->system_name);
	protobuf_number(message, PPROF_FUNCTION_FILE, entry->file);
	pprof_stream_emit(code->stream, PPROF_FUNCTION);
}

/* Locations first, as they tell which mappings and functions are needed. */
void pprof_code_emit(struct pprof_code *code)
{
	for (size_t i = 0; i < code->n_located; i++)
		emit_location(code, (uint32_t)i + 1, code->located[i]);
	for (size_t i = 0; i < code->n_mappings; i++)
		emit_mapping(code, (uint32_t)i + 1, &code->mappings[i]);
	for (size_t i = 0; i < code->n_functions; i++)
		emit_function(code, (uint32_t)i + 1, &code->functions[i]);
}

void pprof_code_init(struct pprof_code *code, const struct profile *profile,
		     struct pprof_stream *stream)
{
	*code = (struct pprof_code){ .profile = profile, .stream = stream };
	idmap_init(&code->mapping_ids);
	code->location_ids =
		mem_calloc(profile->n_frames + 1, sizeof(*code->location_ids));
	code->function_ids = mem_calloc(profile->n_functions + 1,
					sizeof(*code->function_ids));
}

void pprof_code_destroy(struct pprof_code *code)
{
	if (!code)
		return;
	idmap_destroy(&code->mapping_ids);
	free(code->location_ids);
	free(code->function_ids);
	free(code->located);
	free(code->functions);
	free(code->mappings);
}
