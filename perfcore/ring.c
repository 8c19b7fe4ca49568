#include "perfcore/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfcore/mem.h"
#include "perfcore/sys.h"

#define RECORD_MAX 65536 /* header.size is 16 bits */

int ring_open(struct ring *ring, int fd, uint32_t pages)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	int failure = 0;

	*ring = (struct ring){ .map_size = (pages + 1) * page_size };
	ring->page = sys_map(fd, ring->map_size, &failure);
	if (!ring->page)
		return failure;
	ring->data = (const uint8_t *)ring->page + page_size;
	ring->size = pages * page_size;
	return 0;
}

void ring_close(struct ring *ring)
{
	if (ring->page)
		sys_unmap(ring->page, ring->map_size);
	free(ring->wrapped);
	*ring = (struct ring){ 0 };
}

void ring_refresh(struct ring *ring)
{
	/* Pairs with the kernel's barrier before it stores data_head: what
	 * lies below the head is written. */
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

static const struct perf_event_header *record_at(struct ring *ring, uint64_t at)
{
	uint64_t offset = at & (ring->size - 1);
	uint64_t to_end = ring->size - offset;
	struct perf_event_header header;

	if (ring->head - at < sizeof(header))
		return NULL;
	/* Records are 8-byte aligned, so a header never wraps. */
	memcpy(&header, ring->data + offset, sizeof(header));
	if (header.size < sizeof(header) || header.size > ring->head - at)
		return NULL;
	if (header.size <= to_end)
		return (const void *)(ring->data + offset);
	if (!ring->wrapped)
		ring->wrapped = mem_alloc(RECORD_MAX);
	memcpy(ring->wrapped, ring->data + offset, to_end);
	memcpy(ring->wrapped + to_end, ring->data, header.size - to_end);
	return (const void *)ring->wrapped;
}

const struct perf_event_header *ring_peek(struct ring *ring)
{
	const struct perf_event_header *record;

	if (ring->at == ring->head)
		return NULL;
	record = record_at(ring, ring->at);
	if (!record) {
		ring->broken++;
		ring->at = ring->head;
		ring_release(ring);
	}
	return record;
}

void ring_consume(struct ring *ring, const struct perf_event_header *record)
{
	ring->at += record->size;
	if (ring->at - ring->given >= ring->size / 8)
		ring_release(ring);
}

void ring_release(struct ring *ring)
{
	/* Pairs with the kernel's control dependency on data_tail: our reads
	 * of the records are done before it may write over them. */
	__atomic_store_n(&ring->page->data_tail, ring->at, __ATOMIC_RELEASE);
	ring->given = ring->at;
}

const struct perf_event_header *ring_scan(struct ring *ring)
{
	const struct perf_event_header *record;

	if (ring->scanned < ring->at)
		ring->scanned = ring->at;
	if (ring->scanned == ring->head)
		return NULL;
	record = record_at(ring, ring->scanned);
	ring->scanned = record ? ring->scanned + record->size : ring->head;
	return record;
}
