#include "cli/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "perfcore/hash.h"
#include "perfcore/mem.h"

/*
 * Finds entries of a table by more than an idmap's two keys: open addressing
 * over the hash and the index of the entry, which holds the key itself.
 */
struct lookup_slot {
	uint32_t hash;
	uint32_t entry; /* PROFILE_NONE = free */
};

struct lookup {
	struct lookup_slot *slots;
	size_t n_slots, count; /* n_slots is a power of two, or 0 */
};

struct profile_index {
	struct idmap processes; /* (pid, start_ns) */
	struct idmap specials;	/* (interned name, 0) -> frame */
	struct lookup mappings, functions, frames, nodes, threads, containers,
		rows;
	size_t mapping_room, function_room, line_room, frame_room, node_room,
		process_room, thread_room, container_room, state_room, row_room;
};

static void lookup_grow(struct lookup *lookup)
{
	size_t n_slots = lookup->n_slots ? lookup->n_slots * 2 : 64;
	struct lookup_slot *slots = mem_alloc(n_slots * sizeof(*slots));

	memset(slots, 0xff, n_slots * sizeof(*slots));
	for (size_t i = 0; i < lookup->n_slots; i++) {
		size_t at = lookup->slots[i].hash & (n_slots - 1);

		if (lookup->slots[i].entry == PROFILE_NONE)
			continue;
		while (slots[at].entry != PROFILE_NONE)
			at = (at + 1) & (n_slots - 1);
		slots[at] = lookup->slots[i];
	}
	free(lookup->slots);
	lookup->slots = slots;
	lookup->n_slots = n_slots;
}

/*
 * Returns the entry whose key is equal to key; where there is none, next,
 * which the caller then adds. Always inlined, so that equal is no call.
 */
static inline __attribute__((always_inline)) uint32_t lookup_at(
	struct lookup *lookup, uint64_t hash, uint32_t next,
	bool (*equal)(const void *entries, uint32_t entry, const void *key),
	const void *entries, const void *key)
{
	struct lookup_slot *slot;
	size_t at;

	if ((lookup->count + 1) * 3 > lookup->n_slots * 2)
		lookup_grow(lookup);
	for (at = hash & (lookup->n_slots - 1);;
	     at = (at + 1) & (lookup->n_slots - 1)) {
		slot = &lookup->slots[at];
		if (slot->entry == PROFILE_NONE)
			break;
		if (slot->hash == (uint32_t)hash &&
		    equal(entries, slot->entry, key))
			return slot->entry;
	}
	*slot = (struct lookup_slot){ (uint32_t)hash, next };
	lookup->count++;
	return next;
}

static uint64_t text_hash(const char *interned)
{
	return hash_u64((uintptr_t)interned);
}

static const char *intern(struct profile *profile, const char *text)
{
	return strings_intern(profile->strings, text ? text : "");
}

static const struct profile_health health_unknown = {
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
};

struct profile *profile_new(void)
{
	struct profile *profile = mem_calloc(1, sizeof(*profile));
	const char *empty;

	profile->index = mem_calloc(1, sizeof(*profile->index));
	profile->strings = strings_new();
	notes_init(&profile->notes);
	empty = intern(profile, "");
	profile->host = (struct profile_host){
		empty, empty, empty, 0, -1, -1, -1, -1,
	};
	profile->event = (struct profile_event){ empty, empty, 0, 0, empty };
	profile->health = health_unknown;
	profile->n_profiles = 1;
	profile_mapping(profile, &(struct profile_mapping){ 0 });
	profile_function(profile, &(struct profile_function){ 0 });
	profile->nodes = mem_grow(profile->nodes, 0, &profile->index->node_room,
				  sizeof(*profile->nodes));
	profile->nodes[profile->n_nodes++] =
		(struct profile_node){ 0, PROFILE_NONE };
	return profile;
}

static void index_free(struct profile_index *index)
{
	idmap_destroy(&index->processes);
	idmap_destroy(&index->specials);
	free(index->mappings.slots);
	free(index->functions.slots);
	free(index->frames.slots);
	free(index->nodes.slots);
	free(index->threads.slots);
	free(index->containers.slots);
	free(index->rows.slots);
	free(index);
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	index_free(profile->index);
	free(profile->mappings);
	free(profile->functions);
	free(profile->lines);
	free(profile->frames);
	free(profile->nodes);
	free(profile->processes);
	free(profile->threads);
	free(profile->containers);
	free(profile->states);
	free(profile->rows);
	free(profile->windows);
	notes_destroy(&profile->notes);
	strings_free(profile->strings);
	free(profile);
}

static bool mapping_equal(const void *entries, uint32_t entry, const void *key)
{
	const struct profile_mapping *a =
		(const struct profile_mapping *)entries + entry;
	const struct profile_mapping *b = key;

	return a->path == b->path && a->build_id == b->build_id &&
	       a->start == b->start && a->limit == b->limit &&
	       a->offset == b->offset && a->is_deleted == b->is_deleted;
}

uint32_t profile_mapping(struct profile *profile,
			 const struct profile_mapping *mapping)
{
	struct profile_mapping key = *mapping;
	uint64_t hash;
	uint32_t entry;

	key.path = intern(profile, mapping->path);
	key.build_id = intern(profile, mapping->build_id);
	hash = hash_pair(text_hash(key.path) + key.start,
			 text_hash(key.build_id) + key.offset);
	entry = lookup_at(&profile->index->mappings, hash,
			  (uint32_t)profile->n_mappings, mapping_equal,
			  profile->mappings, &key);
	if (entry < profile->n_mappings)
		return entry;
	profile->mappings = mem_grow(profile->mappings, profile->n_mappings,
				     &profile->index->mapping_room,
				     sizeof(*profile->mappings));
	profile->mappings[profile->n_mappings++] = key;
	return entry;
}

static bool function_equal(const void *entries, uint32_t entry, const void *key)
{
	const struct profile_function *a =
		(const struct profile_function *)entries + entry;
	const struct profile_function *b = key;

	return a->name == b->name && a->system_name == b->system_name &&
	       a->file == b->file && a->is_named == b->is_named;
}

uint32_t profile_function(struct profile *profile,
			  const struct profile_function *function)
{
	struct profile_function key = {
		intern(profile, function->name),
		intern(profile, function->system_name),
		intern(profile, function->file),
		function->is_named,
	};
	uint64_t hash = hash_pair(text_hash(key.name),
				  text_hash(key.system_name) +
					  (uintptr_t)key.file + key.is_named);
	uint32_t entry = lookup_at(&profile->index->functions, hash,
				   (uint32_t)profile->n_functions,
				   function_equal, profile->functions, &key);

	if (entry < profile->n_functions)
		return entry;
	profile->functions = mem_grow(profile->functions, profile->n_functions,
				      &profile->index->function_room,
				      sizeof(*profile->functions));
	profile->functions[profile->n_functions++] = key;
	return entry;
}

uint32_t profile_process(struct profile *profile, uint32_t pid,
			 uint64_t start_ns)
{
	uint32_t *entry = idmap_at(&profile->index->processes, pid, start_ns);
	const char *empty;

	if (*entry != IDMAP_NONE)
		return *entry;
	empty = intern(profile, "");
	profile->processes = mem_grow(profile->processes, profile->n_processes,
				      &profile->index->process_room,
				      sizeof(*profile->processes));
	*entry = (uint32_t)profile->n_processes;
	profile->processes[profile->n_processes++] = (struct profile_process){
		.pid = pid,
		.start_ns = start_ns,
		.comm = empty,
		.exe = empty,
		.user = empty,
		.container = PROFILE_NONE,
	};
	return *entry;
}

static bool thread_equal(const void *entries, uint32_t entry, const void *key)
{
	const struct profile_thread *a =
		(const struct profile_thread *)entries + entry;
	const struct profile_thread *b = key;

	return a->process == b->process && a->tid == b->tid &&
	       a->comm == b->comm;
}

uint32_t profile_thread(struct profile *profile, uint32_t process, uint32_t tid,
			const char *comm)
{
	struct profile_thread key = { process, tid, intern(profile, comm) };
	uint64_t hash =
		hash_pair((uint64_t)process << 32 | tid, (uintptr_t)key.comm);
	uint32_t entry = lookup_at(&profile->index->threads, hash,
				   (uint32_t)profile->n_threads, thread_equal,
				   profile->threads, &key);

	if (entry < profile->n_threads)
		return entry;
	profile->threads = mem_grow(profile->threads, profile->n_threads,
				    &profile->index->thread_room,
				    sizeof(*profile->threads));
	profile->threads[profile->n_threads++] = key;
	return entry;
}

static bool container_equal(const void *entries, uint32_t entry,
			    const void *key)
{
	const struct profile_container *a =
		(const struct profile_container *)entries + entry;
	const struct profile_container *b = key;

	return a->name == b->name && a->id == b->id &&
	       a->runtime == b->runtime && a->path == b->path;
}

uint32_t profile_container(struct profile *profile,
			   const struct profile_container *container)
{
	struct profile_container key = {
		intern(profile, container->name),
		intern(profile, container->id),
		intern(profile, container->runtime),
		intern(profile, container->path),
	};
	uint64_t hash = hash_pair(text_hash(key.name) + (uintptr_t)key.id,
				  text_hash(key.path) + (uintptr_t)key.runtime);
	uint32_t entry = lookup_at(&profile->index->containers, hash,
				   (uint32_t)profile->n_containers,
				   container_equal, profile->containers, &key);

	if (entry < profile->n_containers)
		return entry;
	profile->containers = mem_grow(
		profile->containers, profile->n_containers,
		&profile->index->container_room, sizeof(*profile->containers));
	profile->containers[profile->n_containers++] = key;
	return entry;
}

uint32_t profile_state(struct profile *profile, const char *name)
{
	const char *key = intern(profile, name);

	for (size_t i = 0; i < profile->n_states; i++)
		if (profile->states[i] == key)
			return (uint32_t)i;
	profile->states =
		mem_grow(profile->states, profile->n_states,
			 &profile->index->state_room, sizeof(*profile->states));
	profile->states[profile->n_states] = key;
	return (uint32_t)profile->n_states++;
}

static bool node_equal(const void *entries, uint32_t entry, const void *key)
{
	const struct profile_node *a =
		(const struct profile_node *)entries + entry;
	const struct profile_node *b = key;

	return a->parent == b->parent && a->frame == b->frame;
}

uint32_t profile_node(struct profile *profile, uint32_t parent, uint32_t frame)
{
	struct profile_node key = { parent, frame };
	uint32_t entry = lookup_at(&profile->index->nodes,
				   hash_u64((uint64_t)parent << 32 | frame),
				   (uint32_t)profile->n_nodes, node_equal,
				   profile->nodes, &key);

	if (entry < profile->n_nodes)
		return entry;
	profile->nodes =
		mem_grow(profile->nodes, profile->n_nodes,
			 &profile->index->node_room, sizeof(*profile->nodes));
	profile->nodes[profile->n_nodes++] = key;
	return entry;
}

uint32_t profile_frame_add(struct profile *profile,
			   const struct profile_frame *frame)
{
	profile->frames =
		mem_grow(profile->frames, profile->n_frames,
			 &profile->index->frame_room, sizeof(*profile->frames));
	profile->frames[profile->n_frames] = (struct profile_frame){
		.mapping = frame->mapping,
		.flags = frame->flags,
		.address = frame->address,
	};
	return (uint32_t)profile->n_frames++;
}

void profile_frame_set_lines(struct profile *profile, uint32_t frame,
			     const struct profile_line *lines, uint32_t count)
{
	profile->frames[frame].first_line = (uint32_t)profile->n_lines;
	profile->frames[frame].n_lines = count;
	for (uint32_t i = 0; i < count; i++) {
		profile->lines = mem_grow(profile->lines, profile->n_lines,
					  &profile->index->line_room,
					  sizeof(*profile->lines));
		profile->lines[profile->n_lines++] = lines[i];
	}
}

struct frame_key {
	const struct profile_line *known_lines;
	const struct profile_frame *frame;
	const struct profile_line *lines;
	uint32_t n_lines;
};

static bool frame_equal(const void *entries, uint32_t entry, const void *key)
{
	const struct profile_frame *a =
		(const struct profile_frame *)entries + entry;
	const struct frame_key *b = key;

	return a->mapping == b->frame->mapping && a->flags == b->frame->flags &&
	       a->address == b->frame->address && a->n_lines == b->n_lines &&
	       (!b->n_lines || memcmp(b->known_lines + a->first_line, b->lines,
				      b->n_lines * sizeof(*b->lines)) == 0);
}

uint32_t profile_frame_get(struct profile *profile,
			   const struct profile_frame *frame,
			   const struct profile_line *lines, uint32_t count)
{
	struct frame_key key = { profile->lines, frame, lines, count };
	uint64_t hash = hash_pair((uint64_t)frame->mapping << 32 | frame->flags,
				  frame->address);
	uint32_t entry;

	for (uint32_t i = 0; i < count; i++)
		hash = hash_pair(hash, (uint64_t)lines[i].function << 32 |
					       lines[i].line);
	entry = lookup_at(&profile->index->frames, hash,
			  (uint32_t)profile->n_frames, frame_equal,
			  profile->frames, &key);
	if (entry == profile->n_frames) {
		profile_frame_add(profile, frame);
		profile_frame_set_lines(profile, entry, lines, count);
	}
	return entry;
}

uint32_t profile_frame_special(struct profile *profile, const char *name)
{
	const char *key = intern(profile, name);
	uint32_t *entry =
		idmap_at(&profile->index->specials, (uintptr_t)key, 0);
	struct profile_line line = { 0 };

	if (*entry != IDMAP_NONE)
		return *entry;
	*entry = profile_frame_add(
		profile,
		&(struct profile_frame){ .flags = PROFILE_FRAME_SPECIAL });
	line.function = profile_function(
		profile,
		&(struct profile_function){ .name = key, .is_named = true });
	profile_frame_set_lines(profile, *entry, &line, 1);
	return *entry;
}

static bool row_equal(const void *entries, uint32_t entry, const void *key)
{
	/* stack to slice are the first six numbers, without gaps */
	return memcmp((const struct profile_row *)entries + entry, key,
		      offsetof(struct profile_row, count)) == 0;
}

static uint64_t row_hash(const struct profile_row *row)
{
	uint64_t hash = hash_pair((uint64_t)row->stack << 32 | row->thread,
				  (uint64_t)row->slice << 32 | row->cpu);

	return hash_u64(hash + ((uint64_t)row->container << 32 | row->state));
}

void profile_add(struct profile *profile, const struct profile_row *row)
{
	uint32_t entry = lookup_at(&profile->index->rows, row_hash(row),
				   (uint32_t)profile->n_rows, row_equal,
				   profile->rows, row);
	struct profile_row *found;

	if (entry == profile->n_rows) {
		profile->rows = mem_grow(profile->rows, profile->n_rows,
					 &profile->index->row_room,
					 sizeof(*profile->rows));
		profile->rows[profile->n_rows++] = *row;
		return;
	}
	found = &profile->rows[entry];
	found->count += row->count;
	for (size_t i = 0; i < PROFILE_VALUES_MAX; i++)
		found->values[i] += row->values[i];
}

struct profile_row *profile_rows_take(struct profile *profile, size_t *n_rows)
{
	struct profile_row *rows = profile->rows;

	*n_rows = profile->n_rows;
	free(profile->index->rows.slots);
	profile->index->rows = (struct lookup){ 0 };
	profile->index->row_room = 0;
	profile->rows = NULL;
	profile->n_rows = 0;
	return rows;
}

uint32_t profile_value_type(const struct profile *profile, const char *type)
{
	if (!*type && profile->default_value < profile->n_value_types)
		return profile->default_value;
	for (uint32_t i = 0; i < profile->n_value_types; i++)
		if (strcmp(profile->value_types[i].type, type) == 0)
			return i;
	return PROFILE_NONE;
}
