/*
 * Many streams, each nearly in time order, into one: a binary heap of streams
 * by the time of each one's next record. Ties go to the lower stream, so that
 * the order is the same every time.
 */
#ifndef PERFCORE_ORDER_H
#define PERFCORE_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct order_entry {
	uint64_t time;
	uint32_t stream;
};

struct order {
	struct order_entry *heap;
	size_t count, capacity;
};

void order_destroy(struct order *order);
void order_push(struct order *order, uint64_t time, uint32_t stream);

/* The stream whose turn it is; NULL when empty. Valid until the next call. */
const struct order_entry *order_top(const struct order *order);
void order_pop(struct order *order);

/* The top stream's next record is of that time: cheaper than pop and push. */
void order_retime_top(struct order *order, uint64_t time);

#endif
