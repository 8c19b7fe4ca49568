/*
 * The code side of a pprof file that is read: its strings, mappings,
 * functions and locations, by their ids, as entries of a profile.
 */
#ifndef CLI_FORMATS_PPROF_TABLES_H
#define CLI_FORMATS_PPROF_TABLES_H

#include "cli/formats/pprof_comments.h"
#include "cli/formats/protobuf.h"
#include "cli/profile/profile.h"
#include "perfcore/error.h"
#include "perfcore/idmap.h"

/* A hostile file may fill no table beyond this: memory stays near 1 GB. */
#define PPROF_ENTRIES_MAX (16u << 20)

/* Nor may it refer to more bytes of strings than this, each time counted: a
 * long one in every sample costs time, not memory. */
#define PPROF_TEXT_BYTES_MAX (4ull << 30)

struct pprof_text;
struct pprof_mapped;

struct pprof_tables {
	struct profile *profile;	/* borrowed; entries are added */
	struct pprof_comments comments; /* read before the code */
	struct cursor file;		/* the whole message */
	const char *name;		/* of the file, for messages */
	struct error *error;
	struct pprof_text *texts;
	struct pprof_mapped *mappings;
	struct idmap mapping_ids, function_ids; /* id -> index */
	struct idmap location_ids;		/* id -> frame */
	size_t n_texts, n_mappings, text_room, mapping_room;
	uint64_t text_bytes; /* referred to so far */
};

void pprof_tables_init(struct pprof_tables *tables, struct profile *profile,
		       const void *bytes, size_t size, const char *name,
		       struct error *error);
void pprof_tables_destroy(struct pprof_tables *tables);

/* Fills the error with the reason and where's offset; returns -EINVAL. */
int pprof_tables_refuse(struct pprof_tables *tables, const struct cursor *where,
			const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Reads the string table. Returns 0 or -errno, as all below. */
int pprof_tables_read_texts(struct pprof_tables *tables);

/* Reads mappings, functions and locations; the comments must be there. */
int pprof_tables_read_code(struct pprof_tables *tables);

/* A string by its index, interned; NULL where there is none. Where strings were
 * referred to too often (pprof_tables_check) it is "". */
const char *pprof_tables_text(struct pprof_tables *tables, uint64_t index);

/* Refuses the file when it has referred to too many bytes of strings. */
int pprof_tables_check(struct pprof_tables *tables, const struct cursor *where);

/* Name of the first mapping's file, which pprof takes for the main binary;
 * "" where there is none. */
const char *pprof_tables_main(const struct pprof_tables *tables);

#endif
