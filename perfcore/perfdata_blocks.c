#include "perfcore/perfdata_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

/* Big beside the longest record (64 KB), so that few are moved to the next
 * block; small beside what a reader may use. */
#define BLOCK_SIZE (1u << 20)

void perfdata_pool_destroy(struct perfdata_pool *pool)
{
	if (!pool)
		return;
	for (size_t i = 0; i < pool->count; i++)
		free(pool->items[i].bytes);
	free(pool->items);
	*pool = (struct perfdata_pool){ 0 };
}

void perfdata_pool_hold(struct perfdata_pool *pool, uint32_t block)
{
	if (block != PERFDATA_NO_BLOCK)
		pool->items[block].held++;
}

void perfdata_pool_release(struct perfdata_pool *pool, uint32_t block)
{
	if (block != PERFDATA_NO_BLOCK)
		pool->items[block].held--;
}

static uint32_t pool_get(struct perfdata_pool *pool)
{
	for (size_t i = 0; i < pool->count; i++) {
		if (!pool->items[i].held && !pool->items[i].is_open)
			return (uint32_t)i;
	}
	pool->items = mem_grow(pool->items, pool->count, &pool->capacity,
			       sizeof(*pool->items));
	pool->items[pool->count] =
		(struct perfdata_block){ .bytes = mem_alloc(BLOCK_SIZE) };
	return (uint32_t)pool->count++;
}

void perfdata_feed_init(struct perfdata_feed *feed, struct perfdata_pool *pool)
{
	*feed = (struct perfdata_feed){ pool, PERFDATA_NO_BLOCK, 0, 0 };
}

static uint8_t *feed_bytes(const struct perfdata_feed *feed)
{
	return feed->pool->items[feed->newest].bytes;
}

/* Goes on in another block, or at the start of the same one where nobody
 * holds it, and takes the bytes left along. */
static void feed_turn(struct perfdata_feed *feed)
{
	struct perfdata_pool *pool = feed->pool;
	size_t left = feed->end - feed->begin;
	uint32_t old = feed->newest;

	if (old == PERFDATA_NO_BLOCK || pool->items[old].held)
		feed->newest = pool_get(pool);
	if (left)
		memmove(feed_bytes(feed), pool->items[old].bytes + feed->begin,
			left);
	if (old != PERFDATA_NO_BLOCK)
		pool->items[old].is_open = false;
	pool->items[feed->newest].is_open = true;
	feed->begin = 0;
	feed->end = left;
}

uint8_t *perfdata_feed_room(struct perfdata_feed *feed, size_t *size)
{
	if (feed->newest == PERFDATA_NO_BLOCK || feed->end == BLOCK_SIZE)
		feed_turn(feed);
	*size = BLOCK_SIZE - feed->end;
	return feed_bytes(feed) + feed->end;
}

void perfdata_feed_wrote(struct perfdata_feed *feed, size_t size)
{
	feed->end += size;
}

const uint8_t *perfdata_feed_left(const struct perfdata_feed *feed,
				  size_t *size)
{
	*size = feed->end - feed->begin;
	return *size ? feed_bytes(feed) + feed->begin : NULL;
}

uint8_t *perfdata_feed_take(struct perfdata_feed *feed, size_t size,
			    uint32_t *block)
{
	uint8_t *bytes = feed_bytes(feed) + feed->begin;

	*block = feed->newest;
	feed->begin += size;
	return bytes;
}

uint8_t *perfdata_feed_copy(struct perfdata_feed *feed, const void *bytes,
			    size_t size, uint32_t *block)
{
	size_t start = (feed->end + 7) & ~(size_t)7;

	if (feed->newest == PERFDATA_NO_BLOCK || start > BLOCK_SIZE - size) {
		feed_turn(feed);
		start = 0;
	}
	memcpy(feed_bytes(feed) + start, bytes, size);
	feed->begin = start;
	feed->end = start + size;
	return perfdata_feed_take(feed, size, block);
}
