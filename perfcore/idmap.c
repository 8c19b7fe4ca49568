#include "perfcore/idmap.h"

#include <stdlib.h>

#include "perfcore/hash.h"
#include "perfcore/mem.h"

/* A removed slot keeps later entries of its probe chain reachable. The key
 * pair (UINT64_MAX, UINT64_MAX) marks it; no caller uses that pair. */
static const struct idmap_slot tombstone = { UINT64_MAX, UINT64_MAX, 0 };

void idmap_init(struct idmap *map)
{
	*map = (struct idmap){ 0 };
}

void idmap_destroy(struct idmap *map)
{
	if (!map)
		return;
	free(map->slots);
	idmap_init(map);
}

static struct idmap_slot *slots_new(size_t n_slots)
{
	struct idmap_slot *slots = mem_alloc(n_slots * sizeof(*slots));

	for (size_t i = 0; i < n_slots; i++)
		slots[i].value = IDMAP_NONE;
	return slots;
}

static struct idmap_slot *slot_find(struct idmap_slot *slots, size_t n_slots,
				    uint64_t a, uint64_t b)
{
	size_t mask = n_slots - 1;
	size_t i = hash_pair(a, b) & mask;

	while (slots[i].value != IDMAP_NONE &&
	       (slots[i].a != a || slots[i].b != b))
		i = (i + 1) & mask;
	return &slots[i];
}

static void idmap_rehash(struct idmap *map)
{
	size_t live = map->count - map->n_deleted;
	size_t n_slots = 64;
	struct idmap_slot *slots;

	while (n_slots < live * 3)
		n_slots *= 2;
	slots = slots_new(n_slots);
	for (size_t i = 0; i < map->n_slots; i++) {
		struct idmap_slot *old = &map->slots[i];

		if (old->value == IDMAP_NONE ||
		    (old->a == tombstone.a && old->b == tombstone.b))
			continue;
		*slot_find(slots, n_slots, old->a, old->b) = *old;
	}
	free(map->slots);
	*map = (struct idmap){ slots, n_slots, live, 0 };
}

uint32_t idmap_get(const struct idmap *map, uint64_t a, uint64_t b)
{
	if (!map->n_slots)
		return IDMAP_NONE;
	return slot_find(map->slots, map->n_slots, a, b)->value;
}

uint32_t *idmap_at(struct idmap *map, uint64_t a, uint64_t b)
{
	struct idmap_slot *slot;

	if ((map->count + 1) * 3 > map->n_slots * 2)
		idmap_rehash(map);
	slot = slot_find(map->slots, map->n_slots, a, b);
	if (slot->value == IDMAP_NONE) {
		slot->a = a;
		slot->b = b;
		map->count++;
	}
	return &slot->value;
}

void idmap_remove(struct idmap *map, uint64_t a, uint64_t b)
{
	struct idmap_slot *slot;

	if (!map->n_slots)
		return;
	slot = slot_find(map->slots, map->n_slots, a, b);
	if (slot->value == IDMAP_NONE)
		return;
	*slot = tombstone;
	map->n_deleted++;
}
