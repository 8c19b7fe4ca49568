/*
 * Blocks: memory for records that cannot be read in place: those of a pipe,
 * of compressed data, and of the other byte order. A feed appends bytes to
 * its newest block and takes whole records from it, where they lie. A block
 * lives while records in it are held; then the pool gives it out again.
 */
#ifndef PERFCORE_PERFDATA_BLOCKS_H
#define PERFCORE_PERFDATA_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata_block {
	uint8_t *bytes;
	uint32_t held; /* records somebody still needs */
	bool is_open;  /* the newest of a feed */
};

struct perfdata_pool {
	struct perfdata_block *items;
	size_t count, capacity;
};

struct perfdata_feed {
	struct perfdata_pool *pool; /* borrowed */
	uint32_t newest;	    /* index in the pool */
	size_t begin, end;	    /* of what was appended and not yet taken */
};

/* Index of a record's block; this one for records that are in no block. */
#define PERFDATA_NO_BLOCK UINT32_MAX

/* A pool of zeros is empty. */
void perfdata_pool_destroy(struct perfdata_pool *pool);

/* A record in the block is needed until it is released. Both do nothing for
 * PERFDATA_NO_BLOCK. */
void perfdata_pool_hold(struct perfdata_pool *pool, uint32_t block);
void perfdata_pool_release(struct perfdata_pool *pool, uint32_t block);

void perfdata_feed_init(struct perfdata_feed *feed, struct perfdata_pool *pool);

/* Room behind what was appended, of *size bytes (at least 1); what is written
 * there is then told by perfdata_feed_wrote. */
uint8_t *perfdata_feed_room(struct perfdata_feed *feed, size_t *size);
void perfdata_feed_wrote(struct perfdata_feed *feed, size_t size);

/* Bytes appended and not yet taken, in one piece. */
const uint8_t *perfdata_feed_left(const struct perfdata_feed *feed,
				  size_t *size);

/* Takes size of the bytes left (at most those): *block is where they are. */
uint8_t *perfdata_feed_take(struct perfdata_feed *feed, size_t size,
			    uint32_t *block);

/* Appends a copy of size bytes, at most 65535, at a multiple of 8, and takes
 * it. Only where nothing else is left in the feed. */
uint8_t *perfdata_feed_copy(struct perfdata_feed *feed, const void *bytes,
			    size_t size, uint32_t *block);

#endif
