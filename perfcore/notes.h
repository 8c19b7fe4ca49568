/*
 * Notes: things a reader of the results should know that are no errors, such
 * as a lowered frequency, a CPU that was away, or a debug file that did not
 * match. Each text stands once, in order of its first appearance; how often
 * it was said is counted. Every report prints them.
 */
#ifndef PERFCORE_NOTES_H
#define PERFCORE_NOTES_H

#include <stddef.h>
#include <stdint.h>

struct note {
	char *text;
	uint64_t count; /* times it was said */
};

struct notes {
	struct note *items;
	size_t count;
	size_t capacity;
	uint64_t dropped; /* different texts beyond NOTES_MAX */
};

#define NOTES_MAX 64

void notes_init(struct notes *notes);
void notes_destroy(struct notes *notes);

/* notes may be NULL: then nothing is kept. */
void notes_add(struct notes *notes, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
