#include "perfcore/maps.h"

#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

struct maps {
	uint32_t references;
	size_t count, capacity;
	struct mapping *items;
};

struct maps *maps_new(void)
{
	struct maps *maps = mem_calloc(1, sizeof(*maps));

	maps->references = 1;
	return maps;
}

struct maps *maps_share(struct maps *maps)
{
	maps->references++;
	return maps;
}

void maps_free(struct maps *maps)
{
	if (!maps || --maps->references)
		return;
	free(maps->items);
	free(maps);
}

static void make_private(struct maps **maps)
{
	struct maps *shared = *maps;
	struct maps *copy;

	if (shared->references == 1)
		return;
	copy = maps_new();
	copy->count = copy->capacity = shared->count;
	copy->items =
		mem_dup(shared->items, shared->count * sizeof(*shared->items));
	maps_free(shared);
	*maps = copy;
}

/* The first mapping that ends above address. */
static size_t first_above(const struct maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maps->items[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What is left of old above address. */
static struct mapping upper_part(struct mapping old, uint64_t address)
{
	old.page_offset += address - old.start;
	old.start = address;
	return old;
}

/* Puts n mappings in the place of those in [first, last). */
static void replace(struct maps *maps, size_t first, size_t last,
		    const struct mapping *with, size_t n)
{
	size_t tail = maps->count - last;

	while (first + n + tail > maps->capacity)
		maps->items = mem_grow(maps->items, maps->capacity,
				       &maps->capacity, sizeof(*maps->items));
	if (tail)
		memmove(maps->items + first + n, maps->items + last,
			tail * sizeof(*maps->items));
	if (n)
		memcpy(maps->items + first, with, n * sizeof(*with));
	maps->count = first + n + tail;
}

/* Cuts [start, end) out and puts middle there, where it is not NULL. */
static void change(struct maps **pointer, uint64_t start, uint64_t end,
		   const struct mapping *middle)
{
	struct mapping parts[3];
	struct maps *maps;
	size_t first, last, n = 0;

	if (end <= start)
		return;
	make_private(pointer);
	maps = *pointer;
	/* /proc lists mappings in order: each goes behind the last. */
	if (!maps->count || maps->items[maps->count - 1].end <= start) {
		if (middle)
			replace(maps, maps->count, maps->count, middle, 1);
		return;
	}
	first = last = first_above(maps, start);
	while (last < maps->count && maps->items[last].start < end)
		last++;
	if (first < last && maps->items[first].start < start) {
		parts[n] = maps->items[first];
		parts[n++].end = start;
	}
	if (middle)
		parts[n++] = *middle;
	if (first < last && maps->items[last - 1].end > end)
		parts[n++] = upper_part(maps->items[last - 1], end);
	replace(maps, first, last, parts, n);
}

void maps_insert(struct maps **maps, const struct mapping *mapping)
{
	change(maps, mapping->start, mapping->end, mapping);
}

void maps_remove(struct maps **maps, uint64_t start, uint64_t end)
{
	change(maps, start, end, NULL);
}

const struct mapping *maps_find(const struct maps *maps, uint64_t address)
{
	size_t i = first_above(maps, address);

	if (i == maps->count || maps->items[i].start > address)
		return NULL;
	return &maps->items[i];
}

size_t maps_count(const struct maps *maps)
{
	return maps->count;
}

const struct mapping *maps_at(const struct maps *maps, size_t index)
{
	return &maps->items[index];
}

void maps_set_binary(struct maps *maps, const struct mapping *mapping,
		     struct binary *binary)
{
	maps->items[mapping - maps->items].binary = binary;
}
