/*
 * The executable mappings of one process: which binary lies at an address.
 * Sorted by start, never overlapping: a newer mapping cuts what it covers.
 * Shared after a fork until one side changes (reference-counted, copy on
 * write), so a fork costs no more than a counter.
 */
#ifndef PERFCORE_MAPS_H
#define PERFCORE_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "perfcore/binary.h"

struct mapping {
	uint64_t start, end;   /* [start, end) */
	uint64_t page_offset;  /* offset in the binary of start's byte */
	struct binary *binary; /* borrowed from the binary table */
};

struct maps;

struct maps *maps_new(void);
struct maps *maps_share(struct maps *maps); /* one more reference */
void maps_free(struct maps *maps);	    /* drops a reference; NULL ok */

/* Inserts a mapping; *maps is replaced by a private copy when it is shared.
 * A mapping with end <= start is ignored. */
void maps_insert(struct maps **maps, const struct mapping *mapping);

/* Forgets what is mapped in [start, end). */
void maps_remove(struct maps **maps, uint64_t start, uint64_t end);

/* The mapping that holds address, or NULL; valid until the next insert. */
const struct mapping *maps_find(const struct maps *maps, uint64_t address);

size_t maps_count(const struct maps *maps);
const struct mapping *maps_at(const struct maps *maps, size_t index);

/* Names another binary for one of its mappings, for all who share it: the
 * old one has turned out to be an alias. */
void maps_set_binary(struct maps *maps, const struct mapping *mapping,
		     struct binary *binary);

#endif
