/*
 * A flat hash table from a pair of 64-bit keys to a 32-bit number: the table
 * of the hot path (frames by module and address, stacks by parent and frame,
 * processes by pid). Entries are never moved out; the table grows by doubling.
 */
#ifndef PERFCORE_IDMAP_H
#define PERFCORE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

#define IDMAP_NONE UINT32_MAX

struct idmap_slot {
	uint64_t a, b;
	uint32_t value; /* IDMAP_NONE = free slot */
};

struct idmap {
	struct idmap_slot *slots;
	size_t n_slots, count, n_deleted;
};

void idmap_init(struct idmap *map);
void idmap_destroy(struct idmap *map);

/* Returns the number under (a, b), or IDMAP_NONE. */
uint32_t idmap_get(const struct idmap *map, uint64_t a, uint64_t b);

/*
 * Returns a pointer to the number under (a, b), adding it with the value
 * IDMAP_NONE where it is new: the caller then sets it. Valid until the next
 * call that adds.
 */
uint32_t *idmap_at(struct idmap *map, uint64_t a, uint64_t b);

/* Removes (a, b) if it is there. */
void idmap_remove(struct idmap *map, uint64_t a, uint64_t b);

#endif
