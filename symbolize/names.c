#include "symbolize/names.h"

#include <stdlib.h>

#include "perfcore/mem.h"

void names_init(struct names *names)
{
	*names = (struct names){ 0 };
	idmap_init(&names->known);
}

void names_destroy(struct names *names)
{
	if (!names)
		return;
	idmap_destroy(&names->known);
	free(names->items);
	names_init(names);
}

struct name *names_at(struct names *names, uint64_t a, uint64_t b, bool *is_new)
{
	uint32_t *known = idmap_at(&names->known, a, b);

	*is_new = *known == IDMAP_NONE;
	if (*is_new) {
		*known = (uint32_t)names->count;
		names->items =
			mem_grow(names->items, names->count, &names->capacity,
				 sizeof(*names->items));
		names->items[names->count++] = (struct name){ NULL, NULL };
	}
	return &names->items[*known];
}
