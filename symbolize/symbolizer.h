/*
 * The one door from addresses to names. Modules are made when a binary is
 * first asked for and kept; an address is resolved each time it is asked, in
 * about a microsecond: callers keep what they got by (binary, address).
 *
 * What an address means depends on the kind of its binary:
 *   BINARY_FILE, BINARY_VDSO      offset into the file: mapping's page offset
 *                                 + ip - mapping's start
 *   BINARY_KERNEL, BINARY_MEMORY,
 *   BINARY_KSYMBOL                the absolute address
 * Callers subtract 1 from return addresses before they ask (case C01).
 */
#ifndef SYMBOLIZE_SYMBOLIZER_H
#define SYMBOLIZE_SYMBOLIZER_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcore/binary.h"
#include "perfcore/notes.h"
#include "perfcore/strings.h"
#include "symbolize/module.h"

struct symbolizer;

struct symbolizer_config {
	struct strings *strings; /* names are interned here */
	struct notes *notes;	 /* may be NULL */

	/* /proc/kallsyms, or a copy of it, borrowed; -1: the kernel has no
	 * names. Read at the first kernel address. */
	int kallsyms_fd;

	/* The vDSO's image in memory, borrowed; NULL where there is none. */
	const void *vdso;
	uint64_t vdso_size;

	/*
	 * Opens path, read-only, as the processes see it that binary is
	 * mapped in (separate debug files). Returns an fd that the symbolizer
	 * closes, or -errno. May be NULL.
	 */
	int (*open)(void *context, const struct binary *binary,
		    const char *path);
	void *context;
	const char *const *debug_dirs; /* NULL-ended; NULL: /usr/lib/debug */

	bool want_inlines; /* inlined functions and source lines too */

	/* How long debuginfod servers may take for all debug files together,
	 * in ms; 0: they are not asked. */
	uint64_t debuginfod_ms;
};

struct symbol {
	uint64_t address; /* ELF virtual address; absolute where no file is */

	/* The segment that holds it, as pprof's mapping tells it; all 0 where
	 * there is none. */
	uint64_t segment_start, segment_limit, segment_offset;

	const char *path;     /* the module's name to show; interned */
	const char *build_id; /* hex; "" where unknown; interned */

	bool has_name;
	bool varies; /* the code at the address may have had another name at
		      * another time: not to be kept beyond this one */
	uint64_t symbol_start; /* first byte of the function, as address */

	/* Innermost first; none without a name. Valid until the next call;
	 * the strings in them are interned. */
	uint32_t n_lines;
	const struct module_line *lines;
};

/* config is copied; what it points to is borrowed until symbolizer_free. */
struct symbolizer *symbolizer_new(const struct symbolizer_config *config);
void symbolizer_free(struct symbolizer *symbolizer);

/* Never fails: what is not known is left out of symbol. */
void symbolizer_resolve(struct symbolizer *symbolizer,
			const struct binary *binary, uint64_t address,
			struct symbol *symbol);

/*
 * Tells of a jitdump (jit-PID.dump, which its process maps once, executable)
 * that names code in memory, a BINARY_MEMORY. fd is borrowed until
 * symbolizer_free. A process may have several; the last one told is asked
 * first, and all before the perf map.
 */
void symbolizer_add_jitdump(struct symbolizer *symbolizer,
			    const struct binary *memory, int fd);

/* The time of the samples that are resolved from now on, in ns of their
 * clock; 0, or before the first call: code has the last name it was given. */
void symbolizer_set_time(struct symbolizer *symbolizer, uint64_t time);

/* Adds to the notes what was counted on the way: lines of maps that made no
 * sense, JIT code that was replaced, clocks that do not fit. Once, after the
 * last address. */
void symbolizer_report(struct symbolizer *symbolizer);

/*
 * The module of a BINARY_FILE or BINARY_VDSO, made if need be; NULL where the
 * binary is not open or not ELF, and for the other kinds. It lives until
 * symbolizer_free.
 */
struct module *symbolizer_module(struct symbolizer *symbolizer,
				 const struct binary *binary);

#endif
