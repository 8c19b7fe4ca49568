#include "cli/views/page_tables.h"

#include <stdlib.h>
#include <string.h>

#include "cli/profile/label.h"
#include "cli/views/page_tree.h"
#include "perfcore/idmap.h"
#include "perfcore/mem.h"

/* The tables under construction: what finds equal entries again. */
struct builder {
	struct page_tables *tables;
	struct page_tree tree;
	struct idmap texts, functions, frames, containers, processes, threads,
		states;
	size_t texts_capacity, functions_capacity, frames_capacity,
		containers_capacity, processes_capacity, threads_capacity,
		states_capacity, rows_capacity;
};

/* Makes room in one of the tables and counts the new entry in. */
#define BUILDER_ADD(builder, table)                                            \
	((builder)->tables->table = mem_grow(                                  \
		 (builder)->tables->table, (builder)->tables->n_##table,       \
		 &(builder)->table##_capacity,                                 \
		 sizeof(*(builder)->tables->table)),                           \
	 &(builder)->tables->table[(builder)->tables->n_##table++])

static uint32_t text_of(struct builder *builder, const char *text)
{
	const char *interned = strings_intern(builder->tables->strings, text);
	uint32_t *at = idmap_at(&builder->texts, (uintptr_t)interned, 0);

	if (*at == IDMAP_NONE) {
		*at = (uint32_t)builder->tables->n_texts;
		*BUILDER_ADD(builder, texts) = interned;
	}
	return *at;
}

static uint32_t function_of(struct builder *builder, const struct label *label)
{
	struct page_function function = { text_of(builder, label->name),
					  text_of(builder, label->module) };
	uint32_t *at =
		idmap_at(&builder->functions, function.name, function.module);

	if (*at == IDMAP_NONE) {
		*at = (uint32_t)builder->tables->n_functions;
		*BUILDER_ADD(builder, functions) = function;
	}
	return *at;
}

static uint32_t frame_of(struct builder *builder, uint32_t function,
			 uint32_t kind)
{
	uint32_t *at = idmap_at(&builder->frames, function, kind);

	if (*at == IDMAP_NONE) {
		*at = (uint32_t)builder->tables->n_frames;
		*BUILDER_ADD(builder, frames) =
			(struct page_frame){ function, kind };
	}
	return *at;
}

static uint32_t kind_of(const struct profile_frame *frame)
{
	if (frame->flags & PROFILE_FRAME_SPECIAL)
		return PAGE_KIND_SPECIAL;
	if (frame->flags & PROFILE_FRAME_JIT)
		return PAGE_KIND_JIT;
	return frame->flags & PROFILE_FRAME_KERNEL ? PAGE_KIND_KERNEL
						   : PAGE_KIND_USER;
}

/* For each element of the profile's frames (label.h) its frame of the page;
 * to be released with free(). All but the last of a frame are inlined. */
static uint32_t *frames_of(struct builder *builder, struct labels *labels)
{
	const struct profile *profile = labels->profile;
	uint32_t *label = labels_of_elements(labels, LABEL_FUNCTION);
	uint32_t *frames = mem_calloc(labels->n_elements + 1, sizeof(*frames));

	for (size_t i = 0; i < profile->n_frames; i++) {
		uint32_t kind = kind_of(&profile->frames[i]);
		uint32_t end = labels->first_element[i + 1];

		for (uint32_t e = labels->first_element[i]; e < end; e++)
			frames[e] = frame_of(
				builder,
				function_of(builder, &labels->items[label[e]]),
				e + 1 < end ? kind | PAGE_KIND_INLINED : kind);
	}
	free(label);
	return frames;
}

/* For each node of the profile its node of the tree; free() it. */
static uint32_t *nodes_of(struct builder *builder,
			  const struct profile *profile)
{
	uint32_t *nodes = mem_calloc(profile->n_nodes + 1, sizeof(*nodes));
	struct labels labels;
	uint32_t *frames;

	labels_init(&labels, profile);
	frames = frames_of(builder, &labels);
	nodes[0] = PROFILE_NONE;
	for (size_t i = 1; i < profile->n_nodes; i++) {
		const struct profile_node *node = &profile->nodes[i];
		uint32_t at = nodes[node->parent];
		uint32_t first = labels.first_element[node->frame];

		for (uint32_t e = labels.first_element[node->frame + 1];
		     e-- > first;)
			at = page_tree_node(&builder->tree, at, frames[e]);
		nodes[i] = at;
	}
	free(frames);
	labels_destroy(&labels);
	return nodes;
}

static uint32_t container_of_page(struct builder *builder,
				  const struct profile *profile, uint32_t index)
{
	const struct profile_container *from;
	struct page_container made;
	uint32_t *at;

	if (index >= profile->n_containers)
		return PROFILE_NONE;
	from = &profile->containers[index];
	made = (struct page_container){ text_of(builder, from->name),
					text_of(builder, from->id),
					text_of(builder, from->runtime),
					text_of(builder, from->path) };
	/* before and after a deployment, ids and paths are others */
	at = builder->tables->n_sides > 1
		     ? idmap_at(&builder->containers, made.name, made.runtime)
		     : idmap_at(&builder->containers, made.path,
				(uint64_t)made.id << 32 | made.name);
	if (*at == IDMAP_NONE) {
		*at = (uint32_t)builder->tables->n_containers;
		*BUILDER_ADD(builder, containers) = made;
	}
	return *at;
}

static void process_add(struct page_process *to,
			const struct profile_process *from)
{
	to->has_accounting |= from->has_accounting;
	to->cpu_ns += from->cpu_ns;
	to->runqueue_ns += from->runqueue_ns;
	to->blocked_ns += from->blocked_ns;
	to->n_threads += from->n_threads;
}

static uint32_t process_of_page(struct builder *builder,
				const struct profile *profile, uint32_t index)
{
	const struct profile_process *from;
	struct page_process made = { 0 };
	uint32_t *at;

	if (index >= profile->n_processes)
		return PROFILE_NONE;
	from = &profile->processes[index];
	made.comm = text_of(builder, from->comm);
	made.exe = text_of(builder, from->exe);
	made.user = text_of(builder, from->user);
	made.container = container_of_page(builder, profile, from->container);
	if (builder->tables->n_sides == 1)
		made.pid = from->pid;
	at = builder->tables->n_sides > 1
		     ? idmap_at(&builder->processes, made.comm, made.container)
		     : idmap_at(&builder->processes, index, 0);
	if (*at == IDMAP_NONE) {
		*at = (uint32_t)builder->tables->n_processes;
		*BUILDER_ADD(builder, processes) = made;
	}
	process_add(&builder->tables->processes[*at], from);
	return *at;
}

/* For each thread of the profile its thread of the page; free() it. */
static uint32_t *threads_of(struct builder *builder,
			    const struct profile *profile)
{
	uint32_t *processes =
		mem_calloc(profile->n_processes + 1, sizeof(*processes));
	uint32_t *threads =
		mem_calloc(profile->n_threads + 1, sizeof(*threads));
	bool is_compared = builder->tables->n_sides > 1;

	for (uint32_t i = 0; i < profile->n_processes; i++)
		processes[i] = process_of_page(builder, profile, i);
	for (size_t i = 0; i < profile->n_threads; i++) {
		const struct profile_thread *from = &profile->threads[i];
		struct page_thread made = {
			from->process < profile->n_processes
				? processes[from->process]
				: PROFILE_NONE,
			is_compared ? 0 : from->tid,
			text_of(builder, from->comm),
		};
		uint32_t *at = idmap_at(&builder->threads, made.process,
					(uint64_t)made.tid << 32 | made.comm);

		if (*at == IDMAP_NONE) {
			*at = (uint32_t)builder->tables->n_threads;
			*BUILDER_ADD(builder, threads) = made;
		}
		threads[i] = *at;
	}
	free(processes);
	return threads;
}

/* For each container of the profile its container of the page; free() it. */
static uint32_t *containers_of(struct builder *builder,
			       const struct profile *profile)
{
	uint32_t *containers =
		mem_calloc(profile->n_containers + 1, sizeof(*containers));

	for (uint32_t i = 0; i < profile->n_containers; i++)
		containers[i] = container_of_page(builder, profile, i);
	return containers;
}

/* For each state of the profile its state of the page; free() it. */
static uint32_t *states_of(struct builder *builder,
			   const struct profile *profile)
{
	uint32_t *states = mem_calloc(profile->n_states + 1, sizeof(*states));

	for (size_t i = 0; i < profile->n_states; i++) {
		uint32_t text = text_of(builder, profile->states[i]);
		uint32_t *at = idmap_at(&builder->states, text, 0);

		if (*at == IDMAP_NONE) {
			*at = (uint32_t)builder->tables->n_states;
			*BUILDER_ADD(builder, states) = text;
		}
		states[i] = *at;
	}
	return states;
}

static uint32_t place_of(const uint32_t *places, size_t count, uint32_t index)
{
	return index < count ? places[index] : PROFILE_NONE;
}

/* For each value type of the profile its place on the page; PROFILE_NONE for
 * a fifth type, which only a comparison of unlike profiles can have. */
static void value_types_of(struct builder *builder,
			   const struct profile *profile, uint32_t *places)
{
	struct page_tables *tables = builder->tables;

	for (uint32_t i = 0; i < profile->n_value_types; i++) {
		const struct profile_value_type *type =
			&profile->value_types[i];
		uint32_t at = 0;

		while (at < tables->n_value_types &&
		       (strcmp(tables->value_types[at].type, type->type) ||
			strcmp(tables->value_types[at].unit, type->unit)))
			at++;
		places[i] = at < PROFILE_VALUES_MAX ? at : PROFILE_NONE;
		if (at == tables->n_value_types && at < PROFILE_VALUES_MAX)
			tables->value_types[tables->n_value_types++] = *type;
		if (i == profile->default_value && at < PROFILE_VALUES_MAX)
			tables->default_value = at;
	}
}

static void add_rows(struct builder *builder, uint32_t side,
		     const uint32_t *nodes)
{
	const struct profile *profile = builder->tables->sides[side];
	uint32_t *threads = threads_of(builder, profile);
	uint32_t *containers = containers_of(builder, profile);
	uint32_t *states = states_of(builder, profile);
	uint32_t places[PROFILE_VALUES_MAX];

	value_types_of(builder, profile, places);
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct profile_row *from = &profile->rows[i];
		struct page_row row = {
			.node = nodes[from->stack],
			.side = side,
			.thread = place_of(threads, profile->n_threads,
					   from->thread),
			.container = place_of(containers, profile->n_containers,
					      from->container),
			.state = place_of(states, profile->n_states,
					  from->state),
			.slice = from->slice,
			.count = from->count,
		};

		for (uint32_t v = 0; v < profile->n_value_types; v++)
			if (places[v] != PROFILE_NONE)
				row.values[places[v]] += from->values[v];
		*BUILDER_ADD(builder, rows) = row;
	}
	free(threads);
	free(containers);
	free(states);
}

static void add_side(struct builder *builder, uint32_t side)
{
	uint32_t *nodes = nodes_of(builder, builder->tables->sides[side]);

	add_rows(builder, side, nodes);
	free(nodes);
}

static int key_compare(const struct page_row *a, const struct page_row *b)
{
	const uint32_t left[] = { a->node,	a->side,  a->thread,
				  a->container, a->state, a->slice };
	const uint32_t right[] = { b->node,	 b->side,  b->thread,
				   b->container, b->state, b->slice };

	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++)
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	return 0;
}

static int row_compare(const void *a, const void *b)
{
	return key_compare(a, b);
}

/* Orders the rows and adds up those of one key: they differed in address or
 * CPU only. */
static void rows_settle(struct page_tables *tables)
{
	size_t kept = 0;

	if (tables->n_rows)
		qsort(tables->rows, tables->n_rows, sizeof(*tables->rows),
		      row_compare);
	for (size_t i = 0; i < tables->n_rows; i++) {
		const struct page_row *row = &tables->rows[i];
		struct page_row *last = kept ? &tables->rows[kept - 1] : NULL;

		if (!last || key_compare(last, row)) {
			tables->rows[kept++] = *row;
			continue;
		}
		last->count += row->count;
		for (size_t v = 0; v < PROFILE_VALUES_MAX; v++)
			last->values[v] += row->values[v];
	}
	tables->n_rows = kept;
}

static void settle(struct builder *builder)
{
	struct page_tables *tables = builder->tables;
	uint32_t *numbers;

	tables->nodes = page_tree_preorder(&builder->tree, &numbers);
	tables->n_nodes = builder->tree.count;
	for (size_t i = 0; i < tables->n_rows; i++)
		if (tables->rows[i].node != PROFILE_NONE)
			tables->rows[i].node = numbers[tables->rows[i].node];
	free(numbers);
	rows_settle(tables);
}

void page_tables_init(struct page_tables *tables, const struct profile *before,
		      const struct profile *after)
{
	struct builder builder = { .tables = tables };
	struct idmap *maps[] = { &builder.texts,     &builder.functions,
				 &builder.frames,    &builder.containers,
				 &builder.processes, &builder.threads,
				 &builder.states };
	const size_t n_maps = sizeof(maps) / sizeof(*maps);

	*tables = (struct page_tables){ .sides = { before, after },
					.n_sides = after ? 2 : 1,
					.strings = strings_new() };
	for (size_t i = 0; i < n_maps; i++)
		idmap_init(maps[i]);
	page_tree_init(&builder.tree);
	text_of(&builder, "");
	for (uint32_t side = 0; side < tables->n_sides; side++)
		add_side(&builder, side);
	settle(&builder);
	page_tree_destroy(&builder.tree);
	for (size_t i = 0; i < n_maps; i++)
		idmap_destroy(maps[i]);
}

void page_tables_destroy(struct page_tables *tables)
{
	if (!tables)
		return;
	free(tables->texts);
	free(tables->functions);
	free(tables->frames);
	free(tables->nodes);
	free(tables->containers);
	free(tables->processes);
	free(tables->threads);
	free(tables->states);
	free(tables->rows);
	strings_free(tables->strings);
}
