#include "cli/views/page_bytes.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "perfcore/mem.h"

#define GZIP_BITS   (15 + 16) /* zlib: the largest window, gzip's header */
#define VARINT_MAX  10
#define BASE64_PART (3 * 4096) /* bytes deflated at a time: whole groups */

void page_bytes_destroy(struct page_bytes *bytes)
{
	if (bytes)
		free(bytes->bytes);
}

static uint8_t *room(struct page_bytes *bytes, size_t size)
{
	if (bytes->capacity - bytes->size < size) {
		bytes->capacity = (bytes->capacity + size) * 3 / 2;
		bytes->bytes = mem_realloc(bytes->bytes, bytes->capacity);
	}
	return bytes->bytes + bytes->size;
}

void page_bytes_number(struct page_bytes *bytes, uint64_t number)
{
	uint8_t *to = room(bytes, VARINT_MAX), *at = to;

	while (number >= 0x80) {
		*at++ = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	*at++ = (uint8_t)number;
	bytes->size += (size_t)(at - to);
}

void page_bytes_text(struct page_bytes *bytes, const char *text)
{
	size_t length = strlen(text);

	memcpy(room(bytes, length + 1), text, length);
	bytes->size += length;
}

void page_bytes_append(struct page_bytes *bytes, const struct page_bytes *more)
{
	if (more->size)
		memcpy(room(bytes, more->size), more->bytes, more->size);
	bytes->size += more->size;
}

void page_bytes_column(struct page_bytes *bytes, const uint32_t *first,
		       size_t stride, size_t count, uint32_t offset)
{
	const uint8_t *at = (const uint8_t *)first;

	page_bytes_number(bytes, count);
	for (size_t i = 0; i < count; i++) {
		uint32_t number = *(const uint32_t *)(at + i * stride);

		page_bytes_number(bytes, number + offset);
	}
}

void page_bytes_column64(struct page_bytes *bytes, const uint64_t *first,
			 size_t stride, size_t count)
{
	const uint8_t *at = (const uint8_t *)first;

	page_bytes_number(bytes, count);
	for (size_t i = 0; i < count; i++)
		page_bytes_number(bytes, *(const uint64_t *)(at + i * stride));
}

static void write_base64(struct sink *sink, const uint8_t *from, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		uint32_t bits = (uint32_t)from[i] << 16;
		char text[4];

		bits |= left > 1 ? (uint32_t)from[i + 1] << 8 : 0;
		bits |= left > 2 ? from[i + 2] : 0;
		for (int d = 0; d < 4; d++)
			text[d] = digits[bits >> (18 - 6 * d) & 63];
		if (left < 3)
			memset(text + 1 + left, '=', 3 - left);
		sink_write(sink, text, sizeof(text));
	}
}

void page_bytes_write(const struct page_bytes *bytes, struct sink *sink)
{
	uint8_t out[BASE64_PART];
	z_stream stream = { .next_in = bytes->bytes };
	size_t left = bytes->size;
	int status;

	if (deflateInit2(&stream, 6, Z_DEFLATED, GZIP_BITS, 9,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		abort(); /* only memory can be missing: as in mem_alloc */
	do { /* out is filled whole but for the last time: no inner padding */
		stream.next_out = out;
		stream.avail_out = sizeof(out);
		do {
			if (stream.avail_in == 0) {
				stream.avail_in =
					(uInt)(left < 1 << 30 ? left : 1 << 30);
				left -= stream.avail_in;
			}
			status = deflate(&stream, left ? Z_NO_FLUSH : Z_FINISH);
		} while (status == Z_OK && stream.avail_out > 0);
		write_base64(sink, out, sizeof(out) - stream.avail_out);
	} while (status != Z_STREAM_END && status != Z_STREAM_ERROR);
	deflateEnd(&stream);
}
