#include "symbolize/ranges.h"

#include <stdlib.h>

#include "perfcore/mem.h"

void ranges_init(struct ranges *ranges)
{
	*ranges = (struct ranges){ 0 };
}

void ranges_destroy(struct ranges *ranges)
{
	if (!ranges)
		return;
	free(ranges->items);
	ranges_init(ranges);
}

void ranges_begin(struct ranges_maker *maker, size_t max)
{
	*maker = (struct ranges_maker){
		.edges = mem_alloc(2 * max * sizeof(uint64_t)),
	};
}

void ranges_edge(struct ranges_maker *maker, uint64_t start, uint64_t end)
{
	maker->edges[maker->n_edges++] = start;
	maker->edges[maker->n_edges++] = end;
}

static int edge_compare(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return (first > second) - (first < second);
}

void ranges_sort(struct ranges_maker *maker)
{
	size_t unique = 0;

	qsort(maker->edges, maker->n_edges, sizeof(uint64_t), edge_compare);
	for (size_t i = 0; i < maker->n_edges; i++)
		if (!unique || maker->edges[unique - 1] != maker->edges[i])
			maker->edges[unique++] = maker->edges[i];
	maker->n_edges = unique;
	maker->values = mem_alloc(unique * sizeof(uint32_t));
	maker->next = mem_alloc((unique + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < unique; i++)
		maker->values[i] = RANGES_NONE;
	for (size_t i = 0; i <= unique; i++)
		maker->next[i] = (uint32_t)i;
}

/* The nearest unpainted edge from edge on; paths are shortened on the way. */
static uint32_t unpainted(struct ranges_maker *maker, uint32_t edge)
{
	while (maker->next[edge] != edge) {
		maker->next[edge] = maker->next[maker->next[edge]];
		edge = maker->next[edge];
	}
	return edge;
}

static uint32_t edge_find(const struct ranges_maker *maker, uint64_t address)
{
	size_t low = 0, high = maker->n_edges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (maker->edges[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

uint32_t ranges_paint(struct ranges_maker *maker, uint64_t start, uint64_t end,
		      uint32_t value)
{
	uint32_t first = edge_find(maker, start), last = edge_find(maker, end);
	uint32_t other = RANGES_NONE, wanted = first;

	for (uint32_t edge = unpainted(maker, first); edge < last;
	     edge = unpainted(maker, edge)) {
		if (edge != wanted)
			other = maker->values[wanted];
		maker->values[edge] = value;
		maker->next[edge] = edge + 1;
		wanted = edge + 1;
	}
	return wanted < last ? maker->values[wanted] : other;
}

void ranges_end(struct ranges_maker *maker, struct ranges *ranges)
{
	size_t count = 0;

	ranges->items = mem_alloc(maker->n_edges * sizeof(*ranges->items));
	for (size_t i = 0; i < maker->n_edges; i++)
		if (!count ||
		    ranges->items[count - 1].value != maker->values[i])
			ranges->items[count++] =
				(struct range){ maker->edges[i],
						maker->values[i] };
	ranges->items =
		mem_realloc(ranges->items, count * sizeof(*ranges->items));
	ranges->count = count;
	free(maker->edges);
	free(maker->values);
	free(maker->next);
}

uint32_t ranges_find(const struct ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ranges->items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? ranges->items[low - 1].value : RANGES_NONE;
}
