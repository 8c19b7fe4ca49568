#include "perfcore/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

void notes_init(struct notes *notes)
{
	*notes = (struct notes){ 0 };
}

void notes_destroy(struct notes *notes)
{
	if (!notes)
		return;
	for (size_t i = 0; i < notes->count; i++)
		free(notes->items[i].text);
	free(notes->items);
	notes_init(notes);
}

void notes_add(struct notes *notes, const char *format, ...)
{
	char text[1024];
	va_list args;

	if (!notes)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (size_t i = 0; i < notes->count; i++) {
		if (strcmp(notes->items[i].text, text) == 0) {
			notes->items[i].count++;
			return;
		}
	}
	if (notes->count == NOTES_MAX) {
		notes->dropped++;
		return;
	}
	notes->items = mem_grow(notes->items, notes->count, &notes->capacity,
				sizeof(*notes->items));
	notes->items[notes->count++] = (struct note){ mem_strdup(text), 1 };
}
