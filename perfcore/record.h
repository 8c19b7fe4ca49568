/*
 * Records: the bytes that the kernel (or a perf.data file, already swapped
 * to the host's order) holds, read into a typed event.
 * Layout: man perf_event_open(2) and include/uapi/linux/perf_event.h.
 */
#ifndef PERFCORE_RECORD_H
#define PERFCORE_RECORD_H

#include <linux/perf_event.h>

#include "perfcore/event.h"

/* What is needed of one event's attr to read its records. */
struct record_format {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t user_regs_mask;
	uint64_t intr_regs_mask;
	uint64_t period; /* of samples that do not tell theirs; 0: 1 */
	bool sample_id_all;
	bool asks_build_ids; /* attr.build_id */
	uint32_t event;	     /* index handed on into struct event */
};

struct record_format record_format_of(const struct perf_event_attr *attr,
				      uint32_t event);

/*
 * Reads one whole record of header->size bytes at header. Returns 0, or
 * -EBADMSG where a field or a count points past the record's end; the event
 * is then undefined. A record of a type unknown here is EVENT_OTHER.
 * Pointers in the event point into the record.
 */
int record_decode(const struct perf_event_header *header,
		  const struct record_format *format, struct event *event);

/*
 * Whether an MMAP2 record holds a build-id where others hold device and inode.
 * Its flag (1 << 14) alone does not tell: once one session on a host asks for
 * build-ids, the kernel leaves the flag on in the records of all sessions
 * (6.18; perf 6.1 dies of it).
 */
bool record_has_build_id(const struct perf_event_header *header,
			 const struct record_format *format);

/* Only the time of a record (0 where it has none or is too short): what
 * ordering needs before the record's turn has come. */
uint64_t record_time(const struct perf_event_header *header,
		     const struct record_format *format);

/* The sample's or trailer's id, by which a file with several events tells
 * whose record it is. Returns false where the format has none. */
bool record_id(const struct perf_event_header *header,
	       const struct record_format *format, uint64_t *id);

#endif
