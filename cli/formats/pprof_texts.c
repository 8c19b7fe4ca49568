#include "cli/formats/pprof_texts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/formats/printable.h"
#include "perfcore/mem.h"

void pprof_texts_init(struct pprof_texts *texts)
{
	*texts = (struct pprof_texts){ .strings = strings_new() };
	idmap_init(&texts->by_pointer);
	pprof_texts_copy(texts, "");
}

void pprof_texts_destroy(struct pprof_texts *texts)
{
	strings_free(texts->strings);
	idmap_destroy(&texts->by_pointer);
	free(texts->table);
}

static const char *intern_clean(struct pprof_texts *texts, const char *text)
{
	const char *interned;
	char *clean;

	if (printable_is(text, ""))
		return strings_intern(texts->strings, text);
	clean = printable_new(text, "");
	interned = strings_intern(texts->strings, clean);
	free(clean);
	return interned;
}

uint32_t pprof_texts_copy(struct pprof_texts *texts, const char *text)
{
	const char *clean = intern_clean(texts, text);
	uint32_t *index = idmap_at(&texts->by_pointer, (uintptr_t)clean, 0);

	if (*index != IDMAP_NONE)
		return *index;
	texts->table = mem_grow(texts->table, texts->count, &texts->table_room,
				sizeof(*texts->table));
	texts->table[texts->count] = clean;
	*index = (uint32_t)texts->count++;
	return *index;
}

uint32_t pprof_texts_stable(struct pprof_texts *texts, const char *text)
{
	uint32_t index = idmap_get(&texts->by_pointer, (uintptr_t)text, 0);

	if (index == IDMAP_NONE) {
		index = pprof_texts_copy(texts, text);
		*idmap_at(&texts->by_pointer, (uintptr_t)text, 0) = index;
	}
	return index;
}

uint32_t pprof_texts_number(struct pprof_texts *texts, uint64_t number)
{
	uint32_t index = idmap_get(&texts->by_pointer, number, 1);
	char digits[24];

	if (index == IDMAP_NONE) {
		snprintf(digits, sizeof(digits), "%" PRIu64, number);
		index = pprof_texts_copy(texts, digits);
		*idmap_at(&texts->by_pointer, number, 1) = index;
	}
	return index;
}
