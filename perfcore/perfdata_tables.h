/*
 * Everything in a perf.data that is not a record of what happened: events,
 * build-ids, and facts of the machine. A file has it before and behind its
 * data, a pipe's stream among its records.
 */
#ifndef PERFCORE_PERFDATA_TABLES_H
#define PERFCORE_PERFDATA_TABLES_H

#include "perfcore/notes.h"
#include "perfcore/perfdata_buildids.h"
#include "perfcore/perfdata_events.h"
#include "perfcore/perfdata_features.h"
#include "perfcore/perfdata_input.h"

struct perfdata_tables {
	struct strings *strings; /* owned */
	struct perfdata_events events;
	struct perfdata_buildids buildids;
	struct perfdata_facts facts;
};

void perfdata_tables_init(struct perfdata_tables *tables);
void perfdata_tables_destroy(struct perfdata_tables *tables);

/*
 * Reads the header of a mapped file and the tables it points to, and sets the
 * input to the data. Returns 0 or -EBADMSG: without its events nothing in a
 * file can be read. A missing end is a note.
 */
int perfdata_tables_read(struct perfdata_tables *tables,
			 struct perfdata_input *input, bool is_swapped,
			 const char *name, struct notes *notes,
			 struct error *error);

/* Takes what a record of a stream tells; body is behind its header. Other
 * records change nothing. */
void perfdata_tables_take(struct perfdata_tables *tables,
			  const struct perf_event_header *header,
			  struct cursor *body);

/* Writes what the tables know into info. */
void perfdata_tables_inform(const struct perfdata_tables *tables,
			    struct source_info *info);

#endif
