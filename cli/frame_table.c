#include "cli/frame_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

/* Key of code in no mapping; binaries are numbered from 0. */
#define NO_BINARY UINT64_MAX

struct place {
	uint32_t frame; /* in the profile */
	uint32_t binary;
	uint64_t address;
	uint64_t time; /* when it was first seen */
};

/* In front of the index: the frames asked for last. Most of a stack was in
 * the stack before, and this table stays in the CPU's caches. */
#define RECENT 4096 /* 52 = 64 - its binary logarithm */

struct recent {
	uint64_t address;
	uint32_t binary;
	uint32_t frame; /* plus 1; 0: nothing here yet */
};

struct frame_table {
	struct profile *profile;
	struct recent recent[RECENT];
	const struct binary_table *binaries;
	struct idmap index;
	struct place *places; /* in order of appearance */
	size_t n_places, capacity, n_symbolized;
	uint64_t time; /* of the sample that is taken in */
};

struct frame_table *frame_table_new(struct profile *profile,
				    const struct binary_table *binaries)
{
	struct frame_table *table = mem_calloc(1, sizeof(*table));

	table->profile = profile;
	table->binaries = binaries;
	idmap_init(&table->index);
	return table;
}

void frame_table_free(struct frame_table *table)
{
	if (!table)
		return;
	idmap_destroy(&table->index);
	free(table->places);
	free(table);
}

static uint32_t flags_of(const struct binary *binary)
{
	switch (binary->id.kind) {
	case BINARY_KERNEL:
	case BINARY_KSYMBOL:
		return PROFILE_FRAME_KERNEL;
	case BINARY_MEMORY:
		return PROFILE_FRAME_USER | PROFILE_FRAME_JIT;
	default:
		return PROFILE_FRAME_USER;
	}
}

static uint32_t frame_find(struct frame_table *table,
			   const struct binary *binary, uint64_t address,
			   bool *is_new)
{
	uint32_t *frame = idmap_at(&table->index, binary->number, address);

	*is_new = *frame == IDMAP_NONE;
	if (!*is_new)
		return *frame;
	*frame = profile_frame_add(
		table->profile,
		&(struct profile_frame){ .flags = flags_of(binary),
					 .address = address });
	table->places = mem_grow(table->places, table->n_places,
				 &table->capacity, sizeof(*table->places));
	table->places[table->n_places++] =
		(struct place){ *frame, binary->number, address, table->time };
	return *frame;
}

uint32_t frame_table_get(struct frame_table *table, const struct binary *binary,
			 uint64_t address, bool *is_new)
{
	struct recent *recent =
		&table->recent[(address * 0x9e3779b97f4a7c15ull) >> 52];

	*is_new = false;
	if (recent->address == address && recent->binary == binary->number &&
	    recent->frame)
		return recent->frame - 1;
	*recent = (struct recent){ address, binary->number,
				   frame_find(table, binary, address, is_new) +
					   1 };
	return recent->frame - 1;
}

static void set_unnamed(struct profile *profile, uint32_t frame,
			const char *name)
{
	struct profile_function function = { name, "", "", false };
	struct profile_line line = { profile_function(profile, &function), 0 };

	profile_frame_set_lines(profile, frame, &line, 1);
}

void frame_table_set_time(struct frame_table *table, uint64_t time)
{
	table->time = time;
}

uint32_t frame_table_unmapped(struct frame_table *table, uint64_t address)
{
	uint32_t *frame = idmap_at(&table->index, NO_BINARY, address);
	char name[32];

	if (*frame != IDMAP_NONE)
		return *frame;
	*frame = profile_frame_add(
		table->profile,
		&(struct profile_frame){ .flags = PROFILE_FRAME_USER,
					 .address = address });
	snprintf(name, sizeof(name), "[unmapped]+0x%llx",
		 (unsigned long long)address);
	set_unnamed(table->profile, *frame, name);
	return *frame;
}

static uint32_t mapping_of(struct profile *profile, const struct binary *binary,
			   const struct symbol *symbol)
{
	struct profile_mapping mapping = {
		.path = symbol->path,
		.build_id = symbol->build_id,
		.start = symbol->segment_start,
		.limit = symbol->segment_limit,
		.offset = symbol->segment_offset,
		.is_deleted = binary->is_deleted,
	};

	return profile_mapping(profile, &mapping);
}

/* "[libfoo.so.1]+0x12", "[kernel]+0xffffffff81000012", "[perf-12.map]+…" */
static void unnamed_text(char *text, size_t size, const struct symbol *symbol)
{
	const char *slash = strrchr(symbol->path, '/');
	const char *base = slash ? slash + 1 : symbol->path;
	size_t length = strlen(base);

	if (base[0] == '[' && length > 1 && base[length - 1] == ']')
		snprintf(text, size, "%s+0x%llx", base,
			 (unsigned long long)symbol->address);
	else
		snprintf(text, size, "[%s]+0x%llx", base,
			 (unsigned long long)symbol->address);
}

static void place_symbolize(struct frame_table *table,
			    struct symbolizer *symbolizer,
			    const struct place *place)
{
	struct profile *profile = table->profile;
	const struct binary *binary =
		binary_table_at(table->binaries, place->binary);
	struct profile_line lines[MODULE_LINES_MAX];
	struct profile_frame *frame;
	struct symbol symbol;
	char name[512];

	if (binary->alias)
		binary = binary->alias;
	symbolizer_set_time(symbolizer, place->time);
	symbolizer_resolve(symbolizer, binary, place->address, &symbol);
	frame = &profile->frames[place->frame];
	frame->mapping = mapping_of(profile, binary, &symbol);
	frame->address = symbol.address;
	if (!symbol.has_name) {
		unnamed_text(name, sizeof(name), &symbol);
		set_unnamed(profile, place->frame, name);
		return;
	}
	for (uint32_t i = 0; i < symbol.n_lines; i++) {
		const struct module_line *from = &symbol.lines[i];
		struct profile_function function = {
			from->name, from->system_name,
			from->file ? from->file : "", true
		};

		lines[i] = (struct profile_line){
			profile_function(profile, &function), from->line
		};
	}
	profile_frame_set_lines(profile, place->frame, lines, symbol.n_lines);
}

void frame_table_symbolize(struct frame_table *table,
			   struct symbolizer *symbolizer)
{
	while (table->n_symbolized < table->n_places)
		place_symbolize(table, symbolizer,
				&table->places[table->n_symbolized++]);
}
