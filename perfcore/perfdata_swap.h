/*
 * Byte order: turns what a machine of the other byte order wrote into the
 * host's, in place. Bytes are borrowed; nothing is read or written past size.
 */
#ifndef PERFCORE_PERFDATA_SWAP_H
#define PERFCORE_PERFDATA_SWAP_H

#include <stddef.h>

#include "perfcore/record.h"

/*
 * Swaps a whole kernel record of header->size bytes, whose header is already
 * in the host's order. format must be that of the record's event. Returns 0
 * or -EBADMSG where a field or a count points past the record's end.
 */
int perfdata_swap_record(struct perf_event_header *header,
			 const struct record_format *format);

/* Swaps an attr of which only size bytes were stored; its bitfield too: a
 * big-endian compiler lays bits out from the other end. */
void perfdata_swap_attr(void *attr, size_t size);

#endif
