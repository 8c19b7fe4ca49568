/*
 * The bytes of the page's data while they are gathered: numbers as LEB128
 * varints, in columns, which is what compresses best and what the page
 * decodes fastest. Start with zeroes.
 */
#ifndef CLI_VIEWS_PAGE_BYTES_H
#define CLI_VIEWS_PAGE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#include "cli/formats/sink.h"

struct page_bytes {
	uint8_t *bytes;
	size_t size, capacity;
};

void page_bytes_destroy(struct page_bytes *bytes);

void page_bytes_number(struct page_bytes *bytes, uint64_t number);
void page_bytes_text(struct page_bytes *bytes, const char *text); /* no NUL */

void page_bytes_append(struct page_bytes *bytes, const struct page_bytes *more);

/*
 * Writes count and then one field of count structs: first points at the field
 * in the first of them, stride is their size. offset is added to each number
 * modulo 2^32: 1 turns PROFILE_NONE into 0.
 */
void page_bytes_column(struct page_bytes *bytes, const uint32_t *first,
		       size_t stride, size_t count, uint32_t offset);
void page_bytes_column64(struct page_bytes *bytes, const uint64_t *first,
			 size_t stride, size_t count);

/* Gzips the bytes and writes them to sink in base64. */
void page_bytes_write(const struct page_bytes *bytes, struct sink *sink);

#endif
