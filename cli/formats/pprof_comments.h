/*
 * What profile.proto has no field for, in lines of text: a kind followed by
 * fields, texts in quotes (with \" and \\):
 *
 *   hostprof version=1
 *   host name="web1" kernel="6.18.0" arch="x86_64" cpus=2 capacity_s=20 …
 *   process id=3 pid=812 start_ns=1764530585000000000 comm="nginx" …
 *
 * The few lines about the whole profile are the file's comments, which every
 * reader shows; the many lines of tables (container, process, mapping, type)
 * are the last strings of the string table, which nothing else refers to. (A
 * field of our own breaks npm's pprof-format, which knows 15 at most.) Only a
 * profile with the first comment is read that way; unknown kinds and fields
 * are passed over, missing ones stay unknown, so both sides may be older or
 * newer. docs/pprof.md lists them all.
 */
#ifndef CLI_FORMATS_PPROF_COMMENTS_H
#define CLI_FORMATS_PPROF_COMMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/profile/profile.h"

/* Fields of the pprof's tables beyond profile.proto; ids are those of its
 * Mapping messages and sample types (from 1). */
struct pprof_mapping_note {
	uint32_t id;
	uint32_t flags; /* enum profile_frame_flag of the frames in it */
	bool is_deleted;
};

struct pprof_type_note { /* a sample type whose name was changed */
	uint32_t id;
	const char *type;
};

/* Where the lines of tables stand. */
struct pprof_tables_note {
	uint32_t first; /* index in the string table */
	uint32_t count;
};

/* Called for each line; the text is valid until it returns. */
struct pprof_comments_output {
	void (*line)(void *context, const char *text);
	void *context;
};

/* Version, host, event, health, window, notes. */
void pprof_comments_write(const struct profile *profile,
			  const struct pprof_comments_output *output);

void pprof_comments_process(const struct profile_process *process, uint32_t id,
			    uint32_t container_id,
			    const struct pprof_comments_output *output);
void pprof_comments_container(const struct profile_container *container,
			      uint32_t id,
			      const struct pprof_comments_output *output);
void pprof_comments_mapping(const struct pprof_mapping_note *note,
			    const struct pprof_comments_output *output);
void pprof_comments_type(const struct pprof_type_note *note,
			 const struct pprof_comments_output *output);

void pprof_comments_tables(const struct pprof_tables_note *note,
			   const struct pprof_comments_output *output);

/* What was read, beside what went into the profile. */
struct pprof_comments {
	bool is_ours; /* the version line was there */
	struct pprof_tables_note tables;
	uint32_t n_windows; /* health lines: more than 1, others merged it */
	struct idmap processes, containers; /* (id, 0) -> index in profile */
	struct idmap mapping_ids;	    /* (id, 0) -> index in mappings */
	struct pprof_mapping_note *mappings;
	struct pprof_type_note *types;
	size_t n_mappings, n_types, mapping_room, type_room;
};

void pprof_comments_init(struct pprof_comments *comments);
void pprof_comments_destroy(struct pprof_comments *comments);

/*
 * Reads one comment into the profile and comments. Lines that make no sense
 * are passed over; those of a profile that is not ours become notes.
 */
void pprof_comments_read(struct pprof_comments *comments,
			 struct profile *profile, const char *text);

/* Reads one line of a table. Containers come before the processes that name
 * them. Lines without an id are passed over. */
void pprof_comments_read_table(struct pprof_comments *comments,
			       struct profile *profile, const char *text);

#endif
