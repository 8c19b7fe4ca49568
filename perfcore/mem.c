#include "perfcore/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void out_of_memory(void)
{
	static const char message[] = "hostprof: out of memory\n";

	if (write(STDERR_FILENO, message, sizeof(message) - 1) < 0)
		_exit(1);
	abort();
}

void *mem_alloc(size_t size)
{
	void *memory = malloc(size ? size : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

void *mem_calloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size ? size : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

void *mem_realloc(void *old, size_t size)
{
	void *memory = realloc(old, size ? size : 1);

	if (!memory)
		out_of_memory();
	return memory;
}

void *mem_dup(const void *bytes, size_t size)
{
	void *copy = mem_alloc(size);

	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

char *mem_strndup(const char *text, size_t length)
{
	char *copy = mem_alloc(length + 1);

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *mem_strdup(const char *text)
{
	return mem_strndup(text, strlen(text));
}

char *mem_printf(const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		out_of_memory();
	return text;
}

void *mem_grow(void *array, size_t count, size_t *capacity, size_t size)
{
	size_t wanted;

	if (count < *capacity)
		return array;
	wanted = *capacity < 16 ? 16 : *capacity + *capacity / 2;
	if (wanted > SIZE_MAX / size)
		out_of_memory();
	array = mem_realloc(array, wanted * size);
	*capacity = wanted;
	return array;
}
