/*
 * Protocol buffers' wire format: a message is a row of fields, each a tag
 * (number << 3 | wire type) and a value. The writer appends to a buffer of
 * one message; a nested message is built in a buffer of its own. The reader
 * walks the fields of hostile bytes.
 *
 *   08 96 01      field 1, varint, 150
 *   12 02 68 69   field 2, 2 bytes, "hi"
 *
 * Source: protobuf.dev/programming-guides/encoding.
 */
#ifndef CLI_FORMATS_PROTOBUF_H
#define CLI_FORMATS_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/cursor.h"

/* A message under construction. Start with zeroes; size = 0 starts anew. */
struct protobuf {
	uint8_t *bytes;
	size_t size, capacity;
};

void protobuf_destroy(struct protobuf *message);

/* A number that is 0 is left out: a reader takes a missing field for 0. */
void protobuf_number(struct protobuf *message, uint32_t field, uint64_t number);
void protobuf_bytes(struct protobuf *message, uint32_t field, const void *bytes,
		    size_t size);
void protobuf_message(struct protobuf *message, uint32_t field,
		      const struct protobuf *child);
/* A packed list; zeroes in it are kept. */
void protobuf_numbers(struct protobuf *message, uint32_t field,
		      const uint64_t *numbers, size_t count);

enum protobuf_wire {
	PROTOBUF_VARINT = 0,
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_BYTES = 2,
	PROTOBUF_FIXED32 = 5,
};

struct protobuf_field {
	uint32_t number;
	enum protobuf_wire wire;
	uint64_t value;	     /* of the three numeric wires */
	struct cursor bytes; /* of PROTOBUF_BYTES; its offsets count from the
			      * beginning of the outermost message */
};

/*
 * Reads the next field. Returns false at the end, and where the bytes make no
 * field: cursor->has_failed tells which, cursor_offset where.
 */
bool protobuf_next(struct cursor *cursor, struct protobuf_field *field);

/*
 * Reads the next number of a repeated field, packed or not: call it with the
 * same field until it returns false. Sets field->bytes.has_failed where the
 * packed numbers are broken.
 */
bool protobuf_next_number(struct protobuf_field *field, uint64_t *number);

#endif
