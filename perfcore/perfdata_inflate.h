/*
 * Compressed records: perf record -z cuts one zstd stream into COMPRESSED
 * records wherever a buffer was full, so a record may begin in one and end in
 * the next. Bytes are inflated only as they are asked for: a hostile stream
 * cannot fill memory.
 */
#ifndef PERFCORE_PERFDATA_INFLATE_H
#define PERFCORE_PERFDATA_INFLATE_H

#include <stdbool.h>

#include "perfcore/perfdata_blocks.h"

struct perfdata_inflate {
	struct ZSTD_DCtx_s *stream; /* NULL until the first input */
	const uint8_t *input;	    /* borrowed; not yet inflated */
	size_t input_size;
	bool has_failed; /* the stream is broken: nothing more comes of it */
	struct perfdata_feed feed;
};

/* Inflated bytes go to blocks of pool, which is borrowed. */
void perfdata_inflate_init(struct perfdata_inflate *inflate,
			   struct perfdata_pool *pool);
void perfdata_inflate_destroy(struct perfdata_inflate *inflate);

/* Goes on with the stream: only after a peek has failed. bytes are borrowed
 * until a peek fails again. */
void perfdata_inflate_feed(struct perfdata_inflate *inflate, const void *bytes,
			   size_t size);

/* The next size (at most 65535) inflated bytes in one piece, or NULL where
 * more input is needed first. */
const uint8_t *perfdata_inflate_peek(struct perfdata_inflate *inflate,
				     size_t size);

/* Takes bytes that were peeked; those in *block can be held there. */
const uint8_t *perfdata_inflate_take(struct perfdata_inflate *inflate,
				     size_t size, uint32_t *block);

/* What comes out makes no sense: nothing more is inflated. */
void perfdata_inflate_stop(struct perfdata_inflate *inflate);

/* At the end of the input: whether a part of the stream could not be used. */
bool perfdata_inflate_is_broken(const struct perfdata_inflate *inflate);

#endif
