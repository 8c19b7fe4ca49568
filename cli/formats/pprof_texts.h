/*
 * The string table of a pprof file under construction: each different text
 * once, numbered from 0 (""), valid UTF-8 without control characters.
 */
#ifndef CLI_FORMATS_PPROF_TEXTS_H
#define CLI_FORMATS_PPROF_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "perfcore/idmap.h"
#include "perfcore/strings.h"

struct pprof_texts {
	struct strings *strings;
	struct idmap by_pointer;  /* (text, 0) or (number, 1) -> index */
	const char **table;	  /* in strings */
	size_t count, table_room; /* texts in the table */
};

void pprof_texts_init(struct pprof_texts *texts);
void pprof_texts_destroy(struct pprof_texts *texts);

/* text is found by its address: it must neither move nor change until
 * pprof_texts_destroy (interned, or a literal). */
uint32_t pprof_texts_stable(struct pprof_texts *texts, const char *text);

/* The same for a text that may go away. */
uint32_t pprof_texts_copy(struct pprof_texts *texts, const char *text);

/* The number in decimal. */
uint32_t pprof_texts_number(struct pprof_texts *texts, uint64_t number);

#endif
