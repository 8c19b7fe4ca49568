/*
 * The symbols of one module that can be code: the union of its .symtab and
 * .dynsym (or what PT_DYNAMIC tells where there are no sections, case C21)
 * and those of its separate and mini debug files. Names stay in the files;
 * 8 bytes are kept for a symbol.
 *
 * Which symbol has an address: the innermost one whose size covers it; else
 * the nearest one before it, if that has no size and no other symbol or end
 * of section comes in between (case C12); else none, never the neighbour.
 *
 * Which of several names for the same code: functions before labels, then
 * the name with the fewest leading underscores, then global before weak
 * before local, then the shortest, then the first in the alphabet. So read,
 * not __read or __libc_read, with and without debug files.
 */
#ifndef SYMBOLIZE_SYMTAB_H
#define SYMBOLIZE_SYMTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolize/address_index.h"
#include "symbolize/image.h"

#define SYMTAB_SOURCES_MAX 4
#define SYMTAB_BLOCK	   64

struct symtab_source {
	const struct image *image;
	Elf_Data *symbols;
	const char *strings;
	size_t strings_size;
	uint32_t count;
	uint64_t bias; /* added to its addresses to make the module's */
};

struct symtab {
	const struct image *image; /* the module's own file */
	struct symtab_source sources[SYMTAB_SOURCES_MAX];
	uint32_t n_sources;
	struct address_index index; /* value: number of source, of symbol */
	uint64_t longest;	    /* size of the largest symbol */
	uint64_t *reaches; /* for each SYMTAB_BLOCK entries of the index: the
			    * furthest end of any symbol up to there */
};

struct symtab_symbol {
	uint32_t id;	     /* identifies the symbol within the table */
	uint64_t start, end; /* ELF addresses; end is behind the last byte */
	const char *name;    /* as in the file, which it lies in */
};

/* image is borrowed until symtab_destroy. */
void symtab_init(struct symtab *symtab, const struct image *image);
void symtab_destroy(struct symtab *symtab);

/* Adds all tables of a file: the module's own, or one of its debug files
 * (borrowed too), whose addresses become the module's by adding bias. */
void symtab_add(struct symtab *symtab, const struct image *image,
		uint64_t bias);

/* Once, after the last addition. */
void symtab_sort(struct symtab *symtab);

/* Finds the symbol of an address; false where none has it. */
bool symtab_find(const struct symtab *symtab, uint64_t vaddr,
		 struct symtab_symbol *symbol);

/* Reads symbol number (not 0) of a source. */
bool symtab_source_at(const struct symtab_source *source, uint32_t number,
		      GElf_Sym *symbol, const char **name);

/* Finds the dynamic symbols of a file, through sections or PT_DYNAMIC. */
bool symtab_source_dynamic(struct symtab_source *source,
			   const struct image *image);

#endif
