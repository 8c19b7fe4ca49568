/*
 * Go's own table of functions, .gopclntab: the runtime needs it, so it is
 * there in stripped programs too (case C41). Nothing of it is copied.
 *
 * Versions: Go 1.2, 1.16, 1.18 and 1.20. Source: Go, src/debug/gosym/pclntab.go
 * and src/internal/abi/symtab.go.
 */
#ifndef SYMBOLIZE_PCLNTAB_H
#define SYMBOLIZE_PCLNTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcore/cursor.h"
#include "symbolize/image.h"

struct pclntab {
	struct cursor table; /* at its begin; bytes NULL: there is none */
	uint8_t version;     /* minor number of the Go release */
	uint8_t pointer;     /* size of an address: 4 or 8 */
	uint8_t entry;	     /* size of the numbers in the function table */
	uint64_t count;	     /* of functions */
	uint64_t text;	     /* what addresses in the table are added to */
	uint64_t functions, names; /* offsets in the table */
};

struct pclntab_symbol {
	uint64_t start, end;
	const char *name; /* lies in the file */
};

/* Finds the table of image, which is borrowed as long as pclntab is used. */
void pclntab_init(struct pclntab *pclntab, const struct image *image);

/* Finds the function of an ELF address; false where the table has none. */
bool pclntab_find(const struct pclntab *pclntab, uint64_t vaddr,
		  struct pclntab_symbol *symbol);

#endif
