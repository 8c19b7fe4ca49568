#include "cli/formats/firefox_tables.h"

#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

#define SAFE_INTEGER ((1ull << 53) - 1) /* of JavaScript */

enum category { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL };

static void subset_init(struct firefox_subset *subset, size_t n_items)
{
	subset->numbers = mem_alloc((n_items + 1) * sizeof(uint32_t));
	subset->items = mem_alloc((n_items + 1) * sizeof(uint32_t));
	memset(subset->numbers, 0xff, (n_items + 1) * sizeof(uint32_t));
	subset->count = 0;
}

static void subset_destroy(struct firefox_subset *subset)
{
	free(subset->numbers);
	free(subset->items);
}

static void subset_clear(struct firefox_subset *subset)
{
	for (size_t i = 0; i < subset->count; i++)
		subset->numbers[subset->items[i]] = PROFILE_NONE;
	subset->count = 0;
}

/* Returns false where the item was there already. */
static bool subset_add(struct firefox_subset *subset, uint32_t item)
{
	if (subset->numbers[item] != PROFILE_NONE)
		return false;
	subset->numbers[item] = (uint32_t)subset->count;
	subset->items[subset->count++] = item;
	return true;
}

void firefox_tables_init(struct firefox_tables *tables,
			 const struct stack_tree *tree,
			 const uint32_t *functions)
{
	const struct labels *labels = tree->labels;
	const struct profile *profile = tree->profile;

	*tables = (struct firefox_tables){
		.profile = profile,
		.labels = labels,
		.tree = tree,
		.functions = functions,
		.frames = mem_calloc(labels->n_elements + 1, sizeof(uint32_t)),
	};
	for (uint32_t i = 0; i < profile->n_frames; i++)
		for (uint32_t j = labels->first_element[i];
		     j < labels->first_element[i + 1]; j++)
			tables->frames[j] = i;
	tables->frames[labels->n_elements] = PROFILE_NONE;
	subset_init(&tables->stacks, tree->n_nodes);
	subset_init(&tables->elements, labels->n_elements);
	subset_init(&tables->functions_used, labels->count);
	tables->first_elements =
		mem_alloc((labels->count + 1) * sizeof(uint32_t));
	idmap_init(&tables->string_numbers);
	idmap_init(&tables->resource_numbers);
}

void firefox_tables_destroy(struct firefox_tables *tables)
{
	if (!tables)
		return;
	subset_destroy(&tables->stacks);
	subset_destroy(&tables->elements);
	subset_destroy(&tables->functions_used);
	idmap_destroy(&tables->string_numbers);
	idmap_destroy(&tables->resource_numbers);
	free(tables->first_elements);
	free(tables->frames);
	free(tables->strings);
	free(tables->resources);
}

void firefox_tables_clear(struct firefox_tables *tables)
{
	subset_clear(&tables->stacks);
	subset_clear(&tables->elements);
	subset_clear(&tables->functions_used);
	idmap_destroy(&tables->string_numbers);
	idmap_destroy(&tables->resource_numbers);
	idmap_init(&tables->string_numbers);
	idmap_init(&tables->resource_numbers);
	tables->n_strings = 0;
	tables->n_resources = 0;
}

void firefox_tables_add(struct firefox_tables *tables, uint32_t node)
{
	while (node && subset_add(&tables->stacks, node))
		node = tables->tree->nodes[node].parent;
}

static int compare_numbers(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* A stack's prefix must stand before it: as parents do in the tree. */
void firefox_tables_number(struct firefox_tables *tables)
{
	struct firefox_subset *stacks = &tables->stacks;
	size_t n_functions = 0;

	qsort(stacks->items, stacks->count, sizeof(uint32_t), compare_numbers);
	for (size_t i = 0; i < stacks->count; i++) {
		uint32_t element = tables->tree->nodes[stacks->items[i]].class;

		stacks->numbers[stacks->items[i]] = (uint32_t)i;
		subset_add(&tables->elements, element);
		if (subset_add(&tables->functions_used,
			       tables->functions[element]))
			tables->first_elements[n_functions++] =
				tables->elements.numbers[element];
	}
}

uint32_t firefox_tables_stack(const struct firefox_tables *tables,
			      uint32_t node)
{
	return tables->stacks.numbers[node];
}

static uint32_t string_number(struct firefox_tables *tables, const char *text)
{
	uint32_t *slot = idmap_at(&tables->string_numbers, (uintptr_t)text, 0);

	if (*slot != IDMAP_NONE)
		return *slot;
	tables->strings =
		mem_grow(tables->strings, tables->n_strings,
			 &tables->string_room, sizeof(*tables->strings));
	tables->strings[tables->n_strings] = text;
	*slot = (uint32_t)tables->n_strings++;
	return *slot;
}

static uint32_t resource_number(struct firefox_tables *tables, uint32_t mapping)
{
	uint32_t *slot = idmap_at(&tables->resource_numbers, mapping, 0);

	if (*slot != IDMAP_NONE)
		return *slot;
	tables->resources =
		mem_grow(tables->resources, tables->n_resources,
			 &tables->resource_room, sizeof(*tables->resources));
	tables->resources[tables->n_resources] = mapping;
	*slot = (uint32_t)tables->n_resources++;
	return *slot;
}

/* Writes one column: value writes the i-th item. */
static void column(struct firefox_tables *tables, struct json *json,
		   const char *name, size_t count,
		   void (*value)(struct firefox_tables *, struct json *,
				 uint32_t))
{
	json_open_list(json, name);
	for (uint32_t i = 0; i < count; i++)
		value(tables, json, i);
	json_close_list(json);
}

static void end_table(struct json *json, size_t count)
{
	json_put_count(json, "length", count);
	json_close_object(json);
}

static void put_zero(struct firefox_tables *tables, struct json *json,
		     uint32_t i)
{
	(void)tables;
	(void)i;
	json_put_count(json, NULL, 0);
}

static void put_null(struct firefox_tables *tables, struct json *json,
		     uint32_t i)
{
	(void)tables;
	(void)i;
	json_put_null(json, NULL);
}

static void put_false(struct firefox_tables *tables, struct json *json,
		      uint32_t i)
{
	(void)tables;
	(void)i;
	json_put_bool(json, NULL, false);
}

static void put_stack_frame(struct firefox_tables *tables, struct json *json,
			    uint32_t i)
{
	uint32_t node = tables->stacks.items[i];

	json_put_count(
		json, NULL,
		tables->elements.numbers[tables->tree->nodes[node].class]);
}

static void put_stack_prefix(struct firefox_tables *tables, struct json *json,
			     uint32_t i)
{
	uint32_t parent = tables->tree->nodes[tables->stacks.items[i]].parent;

	if (parent == 0)
		json_put_null(json, NULL);
	else
		json_put_count(json, NULL, tables->stacks.numbers[parent]);
}

/* The profile's frame of the i-th frame here; NULL: of the empty stack. */
static const struct profile_frame *frame_at(const struct firefox_tables *tables,
					    uint32_t i)
{
	uint32_t frame = tables->frames[tables->elements.items[i]];

	return frame == PROFILE_NONE ? NULL : &tables->profile->frames[frame];
}

/* Which of its frame's lines the i-th frame here is, from the innermost. */
static uint32_t line_index(const struct firefox_tables *tables, uint32_t i)
{
	uint32_t element = tables->elements.items[i];

	return element - tables->labels->first_element[tables->frames[element]];
}

static void put_address(struct firefox_tables *tables, struct json *json,
			uint32_t i)
{
	const struct profile_frame *frame = frame_at(tables, i);
	uint64_t address = frame ? frame->address : UINT64_MAX;

	if (frame && address > SAFE_INTEGER) /* kernel: from the map's start */
		address -= tables->profile->mappings[frame->mapping].start;
	if (address > SAFE_INTEGER)
		json_put_number(json, NULL, -1);
	else
		json_put_count(json, NULL, address);
}

static void put_inline_depth(struct firefox_tables *tables, struct json *json,
			     uint32_t i)
{
	const struct profile_frame *frame = frame_at(tables, i);

	json_put_count(json, NULL,
		       frame && frame->n_lines
			       ? frame->n_lines - 1 - line_index(tables, i)
			       : 0);
}

static void put_category(struct firefox_tables *tables, struct json *json,
			 uint32_t i)
{
	const struct profile_frame *frame = frame_at(tables, i);
	enum category category = CATEGORY_OTHER;

	if (frame && (frame->flags & PROFILE_FRAME_KERNEL))
		category = CATEGORY_KERNEL;
	else if (frame && (frame->flags & PROFILE_FRAME_USER))
		category = CATEGORY_USER;
	json_put_count(json, NULL, category);
}

static void put_frame_function(struct firefox_tables *tables, struct json *json,
			       uint32_t i)
{
	uint32_t label = tables->functions[tables->elements.items[i]];

	json_put_count(json, NULL, tables->functions_used.numbers[label]);
}

static const struct profile_line *line_at(const struct firefox_tables *tables,
					  uint32_t i)
{
	const struct profile_frame *frame = frame_at(tables, i);

	if (!frame || frame->n_lines == 0)
		return NULL;
	return &tables->profile
			->lines[frame->first_line + line_index(tables, i)];
}

static void put_line(struct firefox_tables *tables, struct json *json,
		     uint32_t i)
{
	const struct profile_line *line = line_at(tables, i);

	if (line && line->line)
		json_put_count(json, NULL, line->line);
	else
		json_put_null(json, NULL);
}

static void put_function_name(struct firefox_tables *tables, struct json *json,
			      uint32_t i)
{
	uint32_t label = tables->functions_used.items[i];

	json_put_count(
		json, NULL,
		string_number(tables, tables->labels->items[label].name));
}

static void put_resource(struct firefox_tables *tables, struct json *json,
			 uint32_t i)
{
	const struct profile_frame *frame =
		frame_at(tables, tables->first_elements[i]);

	if (!frame || frame->mapping == 0)
		json_put_number(json, NULL, -1);
	else
		json_put_count(json, NULL,
			       resource_number(tables, frame->mapping));
}

static void put_file(struct firefox_tables *tables, struct json *json,
		     uint32_t i)
{
	const struct profile_line *line =
		line_at(tables, tables->first_elements[i]);
	const char *file =
		line ? tables->profile->functions[line->function].file : "";

	if (*file)
		json_put_count(json, NULL, string_number(tables, file));
	else
		json_put_null(json, NULL);
}

static void put_lib(struct firefox_tables *tables, struct json *json,
		    uint32_t i)
{
	json_put_count(json, NULL, tables->resources[i] - 1);
}

static void put_lib_name(struct firefox_tables *tables, struct json *json,
			 uint32_t i)
{
	uint32_t mapping = tables->resources[i];

	json_put_count(
		json, NULL,
		string_number(tables, tables->profile->mappings[mapping].path));
}

static void put_library_type(struct firefox_tables *tables, struct json *json,
			     uint32_t i)
{
	(void)tables;
	(void)i;
	json_put_count(json, NULL, 1);
}

static void write_functions(struct firefox_tables *tables, struct json *json)
{
	size_t count = tables->functions_used.count;

	json_open_object(json, "funcTable");
	column(tables, json, "name", count, put_function_name);
	column(tables, json, "isJS", count, put_false);
	column(tables, json, "relevantForJS", count, put_false);
	column(tables, json, "resource", count, put_resource);
	column(tables, json, "fileName", count, put_file);
	column(tables, json, "lineNumber", count, put_null);
	column(tables, json, "columnNumber", count, put_null);
	end_table(json, count);
	count = tables->n_resources;
	json_open_object(json, "resourceTable");
	column(tables, json, "lib", count, put_lib);
	column(tables, json, "name", count, put_lib_name);
	column(tables, json, "host", count, put_null);
	column(tables, json, "type", count, put_library_type);
	end_table(json, count);
	json_open_object(json, "nativeSymbols");
	column(tables, json, "libIndex", 0, put_null);
	column(tables, json, "address", 0, put_null);
	column(tables, json, "name", 0, put_null);
	column(tables, json, "functionSize", 0, put_null);
	end_table(json, 0);
}

void firefox_tables_write(struct firefox_tables *tables, struct json *json)
{
	size_t count = tables->stacks.count;

	json_open_object(json, "stackTable");
	column(tables, json, "frame", count, put_stack_frame);
	column(tables, json, "prefix", count, put_stack_prefix);
	end_table(json, count);
	count = tables->elements.count;
	json_open_object(json, "frameTable");
	column(tables, json, "address", count, put_address);
	column(tables, json, "inlineDepth", count, put_inline_depth);
	column(tables, json, "category", count, put_category);
	column(tables, json, "subcategory", count, put_zero);
	column(tables, json, "func", count, put_frame_function);
	column(tables, json, "nativeSymbol", count, put_null);
	column(tables, json, "innerWindowID", count, put_zero);
	column(tables, json, "line", count, put_line);
	column(tables, json, "column", count, put_null);
	end_table(json, count);
	write_functions(tables, json);
	json_open_list(json, "stringArray");
	for (size_t i = 0; i < tables->n_strings; i++)
		json_put_text(json, NULL, tables->strings[i]);
	json_close_list(json);
}
