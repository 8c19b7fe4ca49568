/*
 * Interned strings: equal texts share one pointer, so they are compared by
 * pointer and cost their bytes once. A pointer is valid until the table is
 * freed. Not thread-safe; each owner has its own table.
 */
#ifndef PERFCORE_STRINGS_H
#define PERFCORE_STRINGS_H

#include <stddef.h>

struct strings;

struct strings *strings_new(void);
void strings_free(struct strings *strings);

/* text may contain any byte but NUL. */
const char *strings_intern(struct strings *strings, const char *text);
const char *strings_intern_n(struct strings *strings, const char *text,
			     size_t length);

/* Number of different strings and the bytes they take, for memory reports. */
size_t strings_count(const struct strings *strings);
size_t strings_bytes(const struct strings *strings);

#endif
