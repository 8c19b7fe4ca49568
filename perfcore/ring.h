/*
 * One ring buffer of the kernel, read in place: a record is looked at where
 * it lies and its room is given back only when it has been consumed. Only a
 * record that wraps around the ring's end is copied, into the ring's own
 * buffer.
 *
 *   tail (given back) <= at (next to consume) <= head (written by the kernel)
 *
 * Layout: struct perf_event_mmap_page and n data pages, a power of two;
 * man perf_event_open(2), "MMAP layout".
 */
#ifndef PERFCORE_RING_H
#define PERFCORE_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t size;	  /* of the data, bytes */
	uint64_t head;	  /* as of the last ring_refresh() */
	uint64_t at;	  /* next record to consume */
	uint64_t given;	  /* tail, as published */
	uint64_t scanned; /* how far ring_scan() has looked ahead */
	uint8_t *wrapped; /* room for one record that wraps */
	uint64_t broken;  /* times the ring held what is no record */
	size_t map_size;
};

/* Maps the ring of an event; pages is a power of two. Returns -errno. */
int ring_open(struct ring *ring, int fd, uint32_t pages);
void ring_close(struct ring *ring);

/* Learns of all that the kernel has written up to now. */
void ring_refresh(struct ring *ring);

/*
 * The next whole record, or NULL when there is none up to the last refresh.
 * Valid until ring_consume(). What is no record (a size below a header's or
 * past the head) cannot be stepped over: it empties the ring and is counted
 * in broken.
 */
const struct perf_event_header *ring_peek(struct ring *ring);
void ring_consume(struct ring *ring, const struct perf_event_header *record);

/* Gives everything consumed back to the kernel. ring_consume() does so by
 * itself each eighth of the ring. */
void ring_release(struct ring *ring);

/* Looks ahead without consuming: each record after the last scan, once. The
 * record is valid until the next scan or peek. */
const struct perf_event_header *ring_scan(struct ring *ring);

#endif
