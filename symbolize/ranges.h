/*
 * Address ranges that may overlap, made into ranges that do not: each part
 * belongs to the first range that was painted over it. Used for code that
 * later code replaced, and for functions inlined into each other.
 *
 * Made in three steps: all edges are told, sorted, then ranges are painted.
 */
#ifndef SYMBOLIZE_RANGES_H
#define SYMBOLIZE_RANGES_H

#include <stddef.h>
#include <stdint.h>

#define RANGES_NONE UINT32_MAX

struct range {
	uint64_t start; /* reaches to the start of the next one */
	uint32_t value; /* RANGES_NONE: a gap */
};

struct ranges {
	struct range *items;
	size_t count;
};

struct ranges_maker {
	uint64_t *edges;
	size_t n_edges;
	uint32_t *values; /* of what begins at each edge */
	uint32_t *next;	  /* nearest edge from here on that is unpainted */
};

void ranges_init(struct ranges *ranges);
void ranges_destroy(struct ranges *ranges);

/* max: how many ranges there will be. */
void ranges_begin(struct ranges_maker *maker, size_t max);
void ranges_edge(struct ranges_maker *maker, uint64_t start, uint64_t end);
void ranges_sort(struct ranges_maker *maker);

/*
 * Gives value to what is not painted yet of a range whose edges were told.
 * Returns the value of a part that was painted before, or RANGES_NONE.
 */
uint32_t ranges_paint(struct ranges_maker *maker, uint64_t start, uint64_t end,
		      uint32_t value);

/* Hands over the result and releases the maker. */
void ranges_end(struct ranges_maker *maker, struct ranges *ranges);

/* The value at an address, or RANGES_NONE. */
uint32_t ranges_find(const struct ranges *ranges, uint64_t address);

#endif
