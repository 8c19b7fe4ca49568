#include "perfcore/strings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/hash.h"
#include "perfcore/mem.h"

#define CHUNK_SIZE 65536

struct chunk {
	struct chunk *next;
	size_t used, size;
	char bytes[];
};

struct slot {
	const char *text;
	uint32_t length;
	uint32_t hash;
};

struct strings {
	struct chunk *chunks;
	struct slot *slots; /* power-of-two open addressing, text NULL = free */
	size_t n_slots, count, bytes;
};

struct strings *strings_new(void)
{
	struct strings *strings = mem_calloc(1, sizeof(*strings));

	strings->n_slots = 256;
	strings->slots = mem_calloc(strings->n_slots, sizeof(struct slot));
	return strings;
}

void strings_free(struct strings *strings)
{
	struct chunk *chunk, *next;

	if (!strings)
		return;
	for (chunk = strings->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(strings->slots);
	free(strings);
}

static char *chunk_take(struct strings *strings, size_t size)
{
	struct chunk *chunk = strings->chunks;
	char *bytes;

	if (!chunk || chunk->size - chunk->used < size) {
		size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;

		chunk = mem_alloc(sizeof(*chunk) + room);
		chunk->used = 0;
		chunk->size = room;
		chunk->next = strings->chunks;
		strings->chunks = chunk;
		strings->bytes += room;
	}
	bytes = chunk->bytes + chunk->used;
	chunk->used += size;
	return bytes;
}

static struct slot *slot_find(struct slot *slots, size_t n_slots,
			      const char *text, size_t length, uint32_t hash)
{
	size_t mask = n_slots - 1;
	size_t i;

	for (i = hash & mask; slots[i].text; i = (i + 1) & mask)
		if (slots[i].hash == hash && slots[i].length == length &&
		    memcmp(slots[i].text, text, length) == 0)
			break;
	return &slots[i];
}

static void strings_rehash(struct strings *strings)
{
	size_t n_slots = strings->n_slots * 2;
	struct slot *slots = mem_calloc(n_slots, sizeof(*slots));

	for (size_t i = 0; i < strings->n_slots; i++) {
		struct slot *old = &strings->slots[i];

		if (old->text)
			*slot_find(slots, n_slots, old->text, old->length,
				   old->hash) = *old;
	}
	free(strings->slots);
	strings->slots = slots;
	strings->n_slots = n_slots;
}

const char *strings_intern_n(struct strings *strings, const char *text,
			     size_t length)
{
	uint32_t hash = (uint32_t)hash_bytes(text, length);
	struct slot *slot =
		slot_find(strings->slots, strings->n_slots, text, length, hash);
	char *copy;

	if (slot->text)
		return slot->text;
	copy = chunk_take(strings, length + 1);
	memcpy(copy, text, length);
	copy[length] = '\0';
	*slot = (struct slot){ copy, (uint32_t)length, hash };
	if (++strings->count * 4 > strings->n_slots * 3)
		strings_rehash(strings);
	return copy;
}

const char *strings_intern(struct strings *strings, const char *text)
{
	return strings_intern_n(strings, text, strlen(text));
}

size_t strings_count(const struct strings *strings)
{
	return strings->count;
}

size_t strings_bytes(const struct strings *strings)
{
	return strings->bytes + strings->n_slots * sizeof(struct slot);
}
