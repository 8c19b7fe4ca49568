/*
 * The code side of a pprof file: which frames, functions and mappings the
 * samples reach, numbered from 1 without gaps, and their messages.
 */
#ifndef CLI_FORMATS_PPROF_CODE_H
#define CLI_FORMATS_PPROF_CODE_H

#include "cli/formats/pprof_stream.h"
#include "cli/profile/profile.h"

struct pprof_function_entry;
struct pprof_mapping_entry;

struct pprof_code {
	const struct profile *profile; /* borrowed, as is the stream */
	struct pprof_stream *stream;
	uint32_t *location_ids; /* by frame, then "no stack"; 0: not reached */
	uint32_t *function_ids; /* by function */
	uint32_t *located;	/* frames, in order of their ids */
	struct pprof_function_entry *functions;
	struct pprof_mapping_entry *mappings;
	struct idmap mapping_ids; /* (mapping, flags) -> id - 1 */
	size_t n_located, n_functions, n_mappings;
	size_t located_room, function_room, mapping_room;
};

void pprof_code_init(struct pprof_code *code, const struct profile *profile,
		     struct pprof_stream *stream);
void pprof_code_destroy(struct pprof_code *code);

/* The id of the frame's Location message. */
uint32_t pprof_code_location(struct pprof_code *code, uint32_t frame);

/* The id of the one location of samples without a stack. */
uint32_t pprof_code_no_stack(struct pprof_code *code);

/* Writes the messages of all frames that were asked for. */
void pprof_code_emit(struct pprof_code *code);

#endif
