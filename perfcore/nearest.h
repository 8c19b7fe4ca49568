/*
 * The nearest known name to one that was mistyped: for options, commands,
 * events and keys, so that a refusal says what was probably meant.
 */
#ifndef PERFCORE_NEAREST_H
#define PERFCORE_NEAREST_H

#include <stddef.h>

/*
 * Number of edits (insert, delete, replace, or swap two neighbours; a change
 * of case is none) that turn one text into the other: the optimal string
 * alignment distance. Texts beyond 63 bytes are compared by their first 63.
 */
unsigned int nearest_distance(const char *a, const char *b);

/*
 * Keeps the best names while a list is walked; names are borrowed. Those too
 * far off to be meant (more edits than a third of the word, at least 2) are
 * not kept. items are nearest first, ties in order of arrival.
 */
#define NEAREST_MAX 3

struct nearest {
	const char *word; /* what was typed */
	const char *items[NEAREST_MAX];
	unsigned int distances[NEAREST_MAX];
	size_t count;
};

void nearest_offer(struct nearest *nearest, const char *name);

#endif
