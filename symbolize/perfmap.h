/*
 * Code that a JIT compiler told of in /tmp/perf-PID.map: lines of hexadecimal
 * start and size, and a name that runs to the end of the line. The file grows
 * while it is used; what was appended is read with the next look-up. Names
 * stay in the file.
 *
 * The map has no times: where ranges overlap the last line wins, and that
 * code was reused is counted (case C28). Lines that make no sense are skipped
 * and counted (case C29).
 */
#ifndef SYMBOLIZE_PERFMAP_H
#define SYMBOLIZE_PERFMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcore/strings.h"

struct perfmap;

struct perfmap_symbol {
	uint64_t start, end;
	const char *name; /* interned */
};

/* fd is borrowed until perfmap_free. */
struct perfmap *perfmap_new(int fd, struct strings *strings);
void perfmap_free(struct perfmap *perfmap);

/* Finds the code at an absolute address; false where there is none. */
bool perfmap_find(struct perfmap *perfmap, uint64_t address,
		  struct perfmap_symbol *symbol);

uint64_t perfmap_bad_lines(const struct perfmap *perfmap);

/* Lines whose code was overlapped later by code of another name. */
uint64_t perfmap_reused(struct perfmap *perfmap);

#endif
