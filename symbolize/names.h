/*
 * Names already made, by what identifies them in their file: a function is
 * demangled once, however many of its addresses are asked for.
 */
#ifndef SYMBOLIZE_NAMES_H
#define SYMBOLIZE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/idmap.h"

struct name { /* interned by whoever adds it; NULL: not known */
	const char *shown, *system;
};

struct names {
	struct idmap known; /* to the number of the name */
	struct name *items;
	size_t count, capacity;
};

void names_init(struct names *names);
void names_destroy(struct names *names);

/* The name of (a, b), valid until the next call. Where it is new, *is_new is
 * set and the caller fills it. */
struct name *names_at(struct names *names, uint64_t a, uint64_t b,
		      bool *is_new);

#endif
