/*
 * The events (attrs) of a perf.data: how their records are laid out, what
 * they are called, and which ids in records are theirs.
 */
#ifndef PERFCORE_PERFDATA_EVENTS_H
#define PERFCORE_PERFDATA_EVENTS_H

#include "perfcore/cursor.h"
#include "perfcore/idmap.h"
#include "perfcore/record.h"
#include "perfcore/source.h"
#include "perfcore/strings.h"

struct perfdata_events {
	struct strings *strings; /* borrowed: names are interned there */
	struct source_event *items;
	struct record_format *formats; /* one for each item */
	size_t count, capacity, formats_capacity;
	struct idmap by_id;
	uint64_t
		last_id; /* of by_id, and its event: rings are read one after */
	uint32_t last_event; /* the other, so ids repeat */
	size_t n_ids;
};

#define PERFDATA_NO_EVENT UINT32_MAX

void perfdata_events_init(struct perfdata_events *events,
			  struct strings *strings);
void perfdata_events_destroy(struct perfdata_events *events);

/*
 * Adds the event whose attr is at cursor, attr_size bytes long: a longer attr
 * than this host knows loses its tail (case C55), a shorter one is zero from
 * there on. Returns its index, or -EBADMSG (too short, or too many).
 */
int perfdata_events_add(struct perfdata_events *events, struct cursor *cursor,
			size_t attr_size);

/* Adds all u64 ids that are left in the cursor to that event. */
void perfdata_events_add_ids(struct perfdata_events *events, uint32_t event,
			     struct cursor *ids);

/* Which event a record belongs to, or PERFDATA_NO_EVENT where its id is
 * none's. With one event it is always that. */
uint32_t perfdata_events_of(struct perfdata_events *events,
			    const struct perf_event_header *header);

/* The same for a record whose numbers are of the other byte order (but for
 * its header). */
uint32_t perfdata_events_of_swapped(struct perfdata_events *events,
				    const struct perf_event_header *header);

/* Names and ids of the feature EVENT_DESC. */
void perfdata_events_describe(struct perfdata_events *events,
			      struct cursor *cursor);

/* A name of the record EVENT_UPDATE; cursor behind its header. */
void perfdata_events_update(struct perfdata_events *events,
			    struct cursor *cursor);

#endif
