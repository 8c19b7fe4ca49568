/*
 * A module: everything that symbolize knows of one binary: its segments,
 * symbols, line table and unwind rows. Made from an open file (or an image in
 * memory); it opens no path by itself, but asks the opener it was given, so
 * that hostile files stay behind one door. Nothing here is global: modules
 * may be used from one thread at a time each.
 */
#ifndef SYMBOLIZE_MODULE_H
#define SYMBOLIZE_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcore/error.h"
#include "perfcore/event.h"
#include "perfcore/notes.h"
#include "perfcore/strings.h"

struct module;
struct symbol_server;

/* Opens files that a module names: separate debug files, .dwo, sources. */
struct module_opener {
	/* Returns a read-only fd that the caller closes, or -errno. path is
	 * absolute, and already looked up under the debug directories. */
	int (*open)(void *context, const char *path);
	void *context;
	const char *const *debug_dirs; /* NULL-ended; "/usr/lib/debug" … */
};

struct module_input {
	int fd;		   /* ELF file, borrowed until module_free; or -1 */
	const void *image; /* ELF image in memory (the vDSO), borrowed */
	uint64_t image_size;
	const char *path; /* for messages and as the fallback's name */
	uint8_t build_id[BUILD_ID_MAX]; /* expected; size 0: unknown */
	uint8_t build_id_size;
	struct strings *strings;	    /* names are interned here */
	struct notes *notes;		    /* may be NULL */
	const struct module_opener *opener; /* may be NULL: no other files */
	struct symbol_server *server;	    /* debuginfod; NULL: not asked */
	bool want_inlines; /* inlined functions and source lines, of DWARF */
};

/* Segment of the file as the program headers tell it. */
struct module_segment {
	uint64_t vaddr, file_offset, file_size, memory_size;
	bool is_executable;
};

/* One function at an address: the innermost inlined one first. */
struct module_line {
	const char *name;	 /* demangled; interned */
	const char *system_name; /* as in the file; interned */
	const char *file;	 /* NULL: unknown; interned */
	uint32_t line;		 /* 0: unknown */
	bool is_inlined;
};

#define MODULE_LINES_MAX 64

struct module_lookup {
	uint64_t symbol_start; /* vaddr of the function's first byte */
	uint32_t n_lines;      /* 0: no name is known for the address */
	struct module_line lines[MODULE_LINES_MAX];
};

/*
 * Returns 0, or -errno with error filled when the input is no ELF file that
 * can be read. Corrupt parts of a file are notes, not failures.
 */
int module_new(struct module **module, const struct module_input *input,
	       struct error *error);
void module_free(struct module *module);

/* The file's own build-id (GNU note, else Go's); size 0 where it has none. */
const uint8_t *module_build_id(const struct module *module, uint8_t *size);

/* The file itself, for what else is read from it; lives with the module. */
struct image;
const struct image *module_image(const struct module *module);

const struct module_segment *module_segments(const struct module *module,
					     uint32_t *count);

/*
 * Turns an offset into the file (mapping's page offset + ip - start) into the
 * ELF virtual address, by the PT_LOAD that contains it (cases C08, C09).
 * Returns false where no segment holds it.
 */
bool module_vaddr(const struct module *module, uint64_t file_offset,
		  uint64_t *vaddr);

/* Names the function(s) at an ELF virtual address. The caller has already
 * subtracted 1 from return addresses. */
void module_symbolize(struct module *module, uint64_t vaddr,
		      struct module_lookup *lookup);

#endif
