/*
 * Code that a JIT compiler wrote to a jit-PID.dump file: with names, times
 * and source lines. The file grows while it is used and is read on with the
 * next look-up; names and lines stay in the file.
 *
 * Source: Linux, tools/perf/Documentation/jitdump-specification.txt.
 */
#ifndef SYMBOLIZE_JITDUMP_H
#define SYMBOLIZE_JITDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcore/strings.h"

struct jitdump;

struct jitdump_symbol {
	uint64_t start, end;
	const char *name; /* interned */
	const char *file; /* interned; NULL: no line is known */
	uint32_t line;
};

#define JITDUMP_ANY_TIME UINT64_MAX

/* fd is borrowed until jitdump_free. */
struct jitdump *jitdump_new(int fd, struct strings *strings);
void jitdump_free(struct jitdump *jitdump);

/*
 * Finds the code at an absolute address at a time (ns of the clock that the
 * samples have, which should be the writer's: CLOCK_MONOTONIC): of several
 * pieces the one loaded last before it, else the first one loaded, since a
 * record may be written when its code already runs. Where no load of the
 * whole file is as early as that time, the writer used another clock: then
 * times are ignored, and the last record wins (case C31).
 */
bool jitdump_find(struct jitdump *jitdump, uint64_t address, uint64_t time,
		  struct jitdump_symbol *symbol);

uint32_t jitdump_count(const struct jitdump *jitdump);

/* The file is no jitdump, or makes no sense from some record on. */
bool jitdump_is_broken(const struct jitdump *jitdump);

/* Times were ignored in some look-up. */
bool jitdump_is_timeless(const struct jitdump *jitdump);

#endif
