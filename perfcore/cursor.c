#include "perfcore/cursor.h"

const char *cursor_text(struct cursor *cursor)
{
	const uint8_t *nul = memchr(cursor->at, '\0', cursor_left(cursor));

	if (!nul) {
		cursor->has_failed = true;
		cursor->at = cursor->end;
		return NULL;
	}
	return cursor_bytes(cursor, (size_t)(nul - cursor->at) + 1);
}

uint64_t cursor_uleb(struct cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte = cursor_u8(cursor);

		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	cursor->has_failed = true;
	return 0;
}

int64_t cursor_sleb(struct cursor *cursor)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte = cursor_u8(cursor);

		if (shift == 63 && byte != 0 && byte != 0x7f)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if ((byte & 0x40) && shift + 7 < 64)
			value |= UINT64_MAX << (shift + 7);
		return (int64_t)value;
	}
	cursor->has_failed = true;
	return 0;
}
