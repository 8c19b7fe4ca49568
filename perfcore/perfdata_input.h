/*
 * The bytes of a perf.data. A regular file is mapped and its bytes are read
 * in place; a pipe's go through blocks. A whole file that comes through a
 * pipe is first copied to a temporary one: its tables stand at its end.
 */
#ifndef PERFCORE_PERFDATA_INPUT_H
#define PERFCORE_PERFDATA_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcore/cursor.h"
#include "perfcore/error.h"
#include "perfcore/perfdata_blocks.h"

enum perfdata_kind {
	PERFDATA_NONE,	 /* not a perf.data */
	PERFDATA_FILE,	 /* with tables before and behind its data */
	PERFDATA_STREAM, /* as written to a pipe, records only */
};

/* What the first 16 bytes begin, and whether in the other byte order. */
enum perfdata_kind perfdata_kind_of(const void *bytes, bool *is_swapped);

struct perfdata_input {
	int fd;
	const uint8_t *map; /* NULL for a pipe */
	uint64_t map_size;
	uint64_t at, end; /* offsets of the next byte and behind the last */
	uint64_t forgotten;
	int read_errno; /* why reading a pipe stopped early; 0: it ended */
	struct perfdata_feed feed;
};

/* fd is borrowed and read from its beginning (a pipe: from where it is).
 * name is for messages; a pipe's bytes go to blocks of pool, borrowed.
 * Returns 0 or -errno. */
int perfdata_input_open(struct perfdata_input *input, int fd, const char *name,
			struct perfdata_pool *pool, struct error *error);
void perfdata_input_close(struct perfdata_input *input);

/* The two below for a pipe. */
const uint8_t *perfdata_input_peek_pipe(struct perfdata_input *input,
					size_t size);
const uint8_t *perfdata_input_take_pipe(struct perfdata_input *input,
					size_t size, uint32_t *block);

/* The next size (at most 65535) bytes in one piece, or NULL where fewer are
 * left; valid until the next call. */
static inline const uint8_t *perfdata_input_peek(struct perfdata_input *input,
						 size_t size)
{
	if (!input->map)
		return perfdata_input_peek_pipe(input, size);
	if (size > input->end - input->at)
		return NULL;
	return input->map + input->at;
}

/* Takes bytes that were peeked; those in a *block can be held there. */
static inline const uint8_t *perfdata_input_take(struct perfdata_input *input,
						 size_t size, uint32_t *block)
{
	if (!input->map)
		return perfdata_input_take_pipe(input, size, block);
	*block = PERFDATA_NO_BLOCK;
	input->at += size;
	return input->map + input->at - size;
}

/* Goes over size bytes; false where the input ends before. */
bool perfdata_input_skip(struct perfdata_input *input, uint64_t size);

/* A part of a mapped file; a cursor that has failed where it is outside. */
struct cursor perfdata_input_part(const struct perfdata_input *input,
				  uint64_t offset, uint64_t size);

/* A mapped file's bytes before offset are not needed soon: they may leave
 * memory. They stay readable. */
void perfdata_input_forget(struct perfdata_input *input, uint64_t offset);

#endif
