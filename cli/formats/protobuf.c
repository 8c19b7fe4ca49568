#include "cli/formats/protobuf.h"

#include <stdlib.h>

#include "perfcore/mem.h"

#define VARINT_MAX 10 /* bytes of a 64-bit number */
#define FIELD_MAX  ((1u << 29) - 1)

void protobuf_destroy(struct protobuf *message)
{
	if (!message)
		return;
	free(message->bytes);
	*message = (struct protobuf){ 0 };
}

static void reserve(struct protobuf *message, size_t size)
{
	if (message->capacity - message->size >= size)
		return;
	message->capacity = 2 * message->capacity + size;
	message->bytes = mem_realloc(message->bytes, message->capacity);
}

static void put_varint(struct protobuf *message, uint64_t number)
{
	while (number >= 0x80) {
		message->bytes[message->size++] = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	message->bytes[message->size++] = (uint8_t)number;
}

static size_t varint_size(uint64_t number)
{
	return ((size_t)(63 - __builtin_clzll(number | 1)) + 7) / 7;
}

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t number)
{
	if (number == 0)
		return;
	reserve(message, 2 * VARINT_MAX);
	put_varint(message, field << 3 | PROTOBUF_VARINT);
	put_varint(message, number);
}

void protobuf_bytes(struct protobuf *message, uint32_t field, const void *bytes,
		    size_t size)
{
	reserve(message, 2 * VARINT_MAX + size);
	put_varint(message, field << 3 | PROTOBUF_BYTES);
	put_varint(message, size);
	if (size > 0)
		memcpy(message->bytes + message->size, bytes, size);
	message->size += size;
}

void protobuf_message(struct protobuf *message, uint32_t field,
		      const struct protobuf *child)
{
	protobuf_bytes(message, field, child->bytes, child->size);
}

void protobuf_numbers(struct protobuf *message, uint32_t field,
		      const uint64_t *numbers, size_t count)
{
	size_t size = 0;

	if (count == 0)
		return;
	for (size_t i = 0; i < count; i++)
		size += varint_size(numbers[i]);
	reserve(message, 2 * VARINT_MAX + size);
	put_varint(message, field << 3 | PROTOBUF_BYTES);
	put_varint(message, size);
	for (size_t i = 0; i < count; i++)
		put_varint(message, numbers[i]);
}

static struct cursor nested(struct cursor *cursor, uint64_t size)
{
	struct cursor inner = *cursor;

	if (size > cursor_left(cursor)) {
		cursor->has_failed = true;
		size = 0;
	}
	inner.end = inner.at + size;
	cursor->at += size;
	return inner;
}

bool protobuf_next(struct cursor *cursor, struct protobuf_field *field)
{
	const uint8_t *start = cursor->at;
	uint64_t tag;

	if (cursor->has_failed || cursor_left(cursor) == 0)
		return false;
	tag = cursor_uleb(cursor);
	if (tag >> 3 == 0 || tag >> 3 > FIELD_MAX)
		cursor->has_failed = true;
	*field = (struct protobuf_field){ .number = (uint32_t)(tag >> 3),
					  .wire = tag & 7 };
	switch (field->wire) {
	case PROTOBUF_VARINT:
		field->value = cursor_uleb(cursor);
		break;
	case PROTOBUF_FIXED64:
		field->value = cursor_u64(cursor);
		break;
	case PROTOBUF_FIXED32:
		field->value = cursor_u32(cursor);
		break;
	case PROTOBUF_BYTES:
		field->bytes = nested(cursor, cursor_uleb(cursor));
		break;
	default: /* groups: gone since proto2, and no profile has them */
		cursor->has_failed = true;
	}
	if (cursor->has_failed)
		cursor->at = start; /* the offset of the broken field */
	return !cursor->has_failed;
}

bool protobuf_next_number(struct protobuf_field *field, uint64_t *number)
{
	if (field->wire != PROTOBUF_BYTES) {
		*number = field->value;
		if (field->number == 0)
			return false;
		field->number = 0; /* it was the only one */
		return true;
	}
	if (field->bytes.has_failed || cursor_left(&field->bytes) == 0)
		return false;
	*number = cursor_uleb(&field->bytes);
	return !field->bytes.has_failed;
}
