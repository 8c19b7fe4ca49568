/*
 * Procedure linkage tables: the stubs through which calls leave a module
 * have no symbols, so each is named by the relocation of the pointer that it
 * jumps through, "malloc@plt" (case C05). The stub is decoded rather than
 * counted, so it does not matter which linker laid it out: .plt with and
 * without a header, .plt.sec, .plt.got, or no section headers at all.
 *
 * Machines: x86-64, x86, AArch64.
 */
#ifndef SYMBOLIZE_PLT_H
#define SYMBOLIZE_PLT_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/image.h"

struct plt_slot {
	uint64_t start; /* ELF address of the stub's first byte */
	uint32_t size;

	/* Of the function: as in the file, which it lies in. NULL: see
	 * resolver; where that is 0 too, the slot is the header. */
	const char *name;
	uint64_t resolver; /* of an IFUNC: where its resolver is */
};

#define PLT_HEADER_NAME	 "PLT header"
#define PLT_SECTIONS_MAX 5

struct plt {
	const struct image *image;
	struct image_section sections[PLT_SECTIONS_MAX];
	uint32_t n_sections;
};

/* image is borrowed as long as plt is used; nothing is to be released. */
void plt_init(struct plt *plt, const struct image *image);

/* Finds the slot that an ELF address lies in; false where it is in none. */
bool plt_find(const struct plt *plt, uint64_t vaddr, struct plt_slot *slot);

#endif
