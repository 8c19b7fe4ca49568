/*
 * Memory that is always there: allocation that aborts with a message when
 * the machine is out of memory, so that no caller writes a path it can
 * never test. Sizes that come from input are bounded before they get here.
 */
#ifndef PERFCORE_MEM_H
#define PERFCORE_MEM_H

#include <stddef.h>

/* All of these return memory to be released with free(). */
void *mem_alloc(size_t size);
void *mem_calloc(size_t count, size_t size);
void *mem_realloc(void *old, size_t size);
char *mem_strdup(const char *text);
char *mem_strndup(const char *text, size_t length);
void *mem_dup(const void *bytes, size_t size);
char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Makes room for one more element in a growing array: returns array, moved
 * when count has reached *capacity (which then grows by half, from 16).
 */
void *mem_grow(void *array, size_t count, size_t *capacity, size_t size);

#endif
