/*
 * An index from addresses to 32-bit values, 8 bytes an entry: how symbols are
 * found. It covers a window of 4 GB from base; addresses outside of it are
 * counted, not kept. Filled, sorted once, then only asked.
 */
#ifndef SYMBOLIZE_ADDRESS_INDEX_H
#define SYMBOLIZE_ADDRESS_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define ADDRESS_INDEX_NONE UINT32_MAX

struct address_entry {
	uint32_t offset; /* address - base */
	uint32_t value;
};

struct address_index {
	uint64_t base;
	struct address_entry *entries; /* by address, equal ones as added */
	size_t count, capacity;
	uint64_t refused; /* outside of the window */
};

void address_index_init(struct address_index *index, uint64_t base);
void address_index_destroy(struct address_index *index);

void address_index_add(struct address_index *index, uint64_t address,
		       uint32_t value);

/* Once, after the last addition; also gives spare memory back. */
void address_index_sort(struct address_index *index);

/* The number of the last entry at or below address, or ADDRESS_INDEX_NONE. */
uint32_t address_index_find(const struct address_index *index,
			    uint64_t address);

static inline uint64_t address_index_address(const struct address_index *index,
					     uint32_t number)
{
	return index->base + index->entries[number].offset;
}

#endif
