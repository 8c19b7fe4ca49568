/*
 * Order: puts records that stand in a perf.data CPU by CPU into one order of
 * time, with bounded memory. perf writes FINISHED_ROUND after it has visited
 * every ring once: what a round holds may be older than the end of the round
 * before, but not than the end of the one before that. Files without rounds
 * are held back as far as the bounds allow, then their older half is let go.
 *
 * Records are referred to, never copied. Equal times keep the file's order.
 */
#ifndef PERFCORE_PERFDATA_ORDER_H
#define PERFCORE_PERFDATA_ORDER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata_entry {
	uint64_t time;
	const struct perf_event_header *record;
	uint16_t event; /* index of the event it belongs to */
	uint16_t size;	/* of the record, in bytes */
	uint32_t block; /* of perfdata_blocks, or none */
};

struct perfdata_order {
	struct perfdata_entry *entries, *scratch;
	size_t count, capacity;
	size_t ready_at, ready_end; /* those that can be delivered now */
	size_t *runs; /* where each ascending run in entries begins */
	size_t n_runs, runs_capacity;
	uint64_t bytes;		    /* of the records held */
	uint64_t newest, round_end; /* greatest time so far, and at the last
				     * round's end */
	uint64_t delivered;	    /* time of the last one let go */
	uint64_t n_late; /* came when something younger was already let go */
};

void perfdata_order_init(struct perfdata_order *order);
void perfdata_order_destroy(struct perfdata_order *order);

/* Adds a record. Nothing may be ready. entry->time is not 0. */
void perfdata_order_push(struct perfdata_order *order,
			 const struct perfdata_entry *entry);

/* A round has ended here: makes ready what no later record can precede. */
void perfdata_order_round(struct perfdata_order *order);

/* No more records come: makes everything ready. */
void perfdata_order_finish(struct perfdata_order *order);

/* Takes the oldest record that is ready; false where none is. */
bool perfdata_order_pop(struct perfdata_order *order,
			struct perfdata_entry *entry);

/* The lowest address of a record that is held, NULL where none is. */
const void *perfdata_order_lowest(const struct perfdata_order *order);

#endif
