#include "perfcore/perfdata_order.h"

#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

/* Bounds of what is held: entries twice (24 MB each), and the records they
 * refer to, which keep blocks or pages of the file in memory. */
#define ENTRIES_MAX (1u << 20)
#define BYTES_MAX   (96ull << 20)
/* Records ahead: enough for memory to answer while as many are used. */
#define PREFETCH 8

void perfdata_order_init(struct perfdata_order *order)
{
	*order = (struct perfdata_order){ 0 };
}

void perfdata_order_destroy(struct perfdata_order *order)
{
	if (!order)
		return;
	free(order->entries);
	free(order->scratch);
	free(order->runs);
	perfdata_order_init(order);
}

static void order_add_run(struct perfdata_order *order, size_t start)
{
	order->runs = mem_grow(order->runs, order->n_runs,
			       &order->runs_capacity, sizeof(*order->runs));
	order->runs[order->n_runs++] = start;
}

/* Merges two neighbouring runs of from into to; of equal times the left
 * run's stay first. */
static void merge_runs(const struct perfdata_entry *from, size_t left,
		       size_t middle, size_t end, struct perfdata_entry *to)
{
	size_t right = middle, at = left;

	while (left < middle && right < end) {
		bool takes_left = from[left].time <= from[right].time;

		to[at++] = from[takes_left ? left : right];
		left += takes_left;
		right += !takes_left;
	}
	memcpy(to + at, from + left, (middle - left) * sizeof(*to));
	at += middle - left;
	memcpy(to + at, from + right, (end - right) * sizeof(*to));
}

/* A natural merge sort: the rings' own runs are merged in pairs until one is
 * left, which for a file of two CPUs is one pass. */
static void order_sort(struct perfdata_order *order)
{
	if (order->n_runs > 1)
		order->scratch =
			mem_realloc(order->scratch,
				    order->capacity * sizeof(*order->scratch));
	while (order->n_runs > 1) {
		struct perfdata_entry *sorted = order->scratch;
		size_t n_merged = 0;

		for (size_t i = 0; i < order->n_runs; i += 2) {
			size_t middle = i + 1 < order->n_runs
						? order->runs[i + 1]
						: order->count;
			size_t end = i + 2 < order->n_runs ? order->runs[i + 2]
							   : order->count;

			merge_runs(order->entries, order->runs[i], middle, end,
				   sorted);
			order->runs[n_merged++] = order->runs[i];
		}
		order->n_runs = n_merged;
		order->scratch = order->entries;
		order->entries = sorted;
	}
}

/* Sorts, and makes ready what is not younger than limit. */
static void order_release(struct perfdata_order *order, uint64_t limit)
{
	size_t low = 0, high = order->count;

	order_sort(order);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order->entries[middle].time <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	order->ready_at = 0;
	order->ready_end = low;
}

void perfdata_order_push(struct perfdata_order *order,
			 const struct perfdata_entry *entry)
{
	if (!order->count ||
	    entry->time < order->entries[order->count - 1].time)
		order_add_run(order, order->count);
	order->entries = mem_grow(order->entries, order->count,
				  &order->capacity, sizeof(*order->entries));
	order->entries[order->count++] = *entry;
	order->bytes += entry->size;
	if (entry->time > order->newest)
		order->newest = entry->time;
	if (entry->time < order->delivered)
		order->n_late++;
	if (order->count >= ENTRIES_MAX || order->bytes >= BYTES_MAX) {
		order_sort(order);
		order_release(order, order->entries[order->count / 2].time);
	}
}

void perfdata_order_round(struct perfdata_order *order)
{
	order_release(order, order->round_end);
	order->round_end = order->newest;
}

void perfdata_order_finish(struct perfdata_order *order)
{
	order_release(order, UINT64_MAX);
}

/* All that was ready is gone: the rest begins the next round, as one run. */
static void order_compact(struct perfdata_order *order)
{
	size_t left = order->count - order->ready_end;

	memmove(order->entries, order->entries + order->ready_end,
		left * sizeof(*order->entries));
	order->count = left;
	order->ready_at = order->ready_end = 0;
	order->n_runs = 0;
	if (left)
		order_add_run(order, 0);
}

bool perfdata_order_pop(struct perfdata_order *order,
			struct perfdata_entry *entry)
{
	if (order->ready_at == order->ready_end)
		return false;
	/* Records were last seen when they were pushed, long ago. */
	if (order->ready_at + PREFETCH < order->ready_end)
		__builtin_prefetch(
			order->entries[order->ready_at + PREFETCH].record);
	*entry = order->entries[order->ready_at++];
	order->bytes -= entry->size;
	if (entry->time > order->delivered)
		order->delivered = entry->time;
	if (order->ready_at == order->ready_end)
		order_compact(order);
	return true;
}

const void *perfdata_order_lowest(const struct perfdata_order *order)
{
	const void *lowest = NULL;

	for (size_t i = order->ready_at; i < order->count; i++) {
		const void *record = order->entries[i].record;

		if (!lowest || record < lowest)
			lowest = record;
	}
	return lowest;
}
