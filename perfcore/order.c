#include "perfcore/order.h"

#include <stdbool.h>
#include <stdlib.h>

#include "perfcore/mem.h"

void order_destroy(struct order *order)
{
	if (!order)
		return;
	free(order->heap);
	*order = (struct order){ 0 };
}

static bool is_before(const struct order_entry *a, const struct order_entry *b)
{
	return a->time < b->time ||
	       (a->time == b->time && a->stream < b->stream);
}

static void sift_down(struct order *order)
{
	struct order_entry *heap = order->heap, moving = heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < order->count) {
		if (child + 1 < order->count &&
		    is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &moving))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moving;
}

void order_push(struct order *order, uint64_t time, uint32_t stream)
{
	struct order_entry entry = { time, stream };
	size_t at;

	order->heap = mem_grow(order->heap, order->count, &order->capacity,
			       sizeof(*order->heap));
	for (at = order->count++; at > 0; at = (at - 1) / 2) {
		if (!is_before(&entry, &order->heap[(at - 1) / 2]))
			break;
		order->heap[at] = order->heap[(at - 1) / 2];
	}
	order->heap[at] = entry;
}

const struct order_entry *order_top(const struct order *order)
{
	return order->count ? &order->heap[0] : NULL;
}

void order_pop(struct order *order)
{
	order->heap[0] = order->heap[--order->count];
	sift_down(order);
}

void order_retime_top(struct order *order, uint64_t time)
{
	order->heap[0].time = time;
	sift_down(order);
}
