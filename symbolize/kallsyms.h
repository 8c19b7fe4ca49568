/*
 * The kernel's own symbols, from the text of /proc/kallsyms: functions of the
 * kernel, its modules and BPF programs, by absolute address. About 4 MB for
 * 120,000 symbols; nothing but text symbols is kept.
 */
#ifndef SYMBOLIZE_KALLSYMS_H
#define SYMBOLIZE_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcore/error.h"

struct kallsyms;

struct kallsyms_symbol {
	uint64_t start;
	const char *name;   /* borrowed until kallsyms_free */
	const char *module; /* "[ext4]", "[bpf]"; NULL: the kernel itself */
};

/*
 * Reads all of fd, from its start. Lines that make no sense are skipped and
 * counted. Returns 0, or -errno with error filled where fd cannot be read.
 */
int kallsyms_new(struct kallsyms **kallsyms, int fd, struct error *error);
void kallsyms_free(struct kallsyms *kallsyms);

/* All addresses read as 0: the reader may not see them (case C51). */
bool kallsyms_is_hidden(const struct kallsyms *kallsyms);

uint32_t kallsyms_count(const struct kallsyms *kallsyms);
uint64_t kallsyms_bad_lines(const struct kallsyms *kallsyms);

/* Memory kept, in bytes. */
uint64_t kallsyms_bytes(const struct kallsyms *kallsyms);

/* The kernel's own text, from _stext to _etext; false where kallsyms does not
 * tell. */
bool kallsyms_text(const struct kallsyms *kallsyms, uint64_t *start,
		   uint64_t *end);

/* Finds the function at an absolute address; false where there is none. */
bool kallsyms_find(const struct kallsyms *kallsyms, uint64_t address,
		   struct kallsyms_symbol *symbol);

#endif
