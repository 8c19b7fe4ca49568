/*
 * Split DWARF: the unit that a skeleton stands for, from a .dwo file or from
 * a .dwp package of them (case C24). Source: DWARF 5, sections 7.3.2 and
 * 7.3.5; GCC wiki, DebugFissionDWP.
 */
#ifndef SYMBOLIZE_DEBUG_SPLIT_H
#define SYMBOLIZE_DEBUG_SPLIT_H

#include "symbolize/debug_unit.h"
#include "symbolize/image.h"
#include "symbolize/module.h"

/* A package, opened once for a module. */
struct debug_package {
	struct image image;
	struct debug_sections sections;
};

struct debug_split {
	struct image image; /* of a .dwo file; elf NULL: from a package */
	struct debug_file file;
	struct debug_unit *unit;
};

/* Opens path.dwp. Returns 0 or -errno. */
int debug_package_open(struct debug_package *package, const char *path,
		       const struct module_input *input);
void debug_package_close(struct debug_package *package);

/*
 * Finds the unit of skeleton: in package, if that is not NULL, else in the
 * file that the skeleton names. Returns NULL where it is not found, or is of
 * another build. The result's addresses are read through the skeleton.
 */
struct debug_split *debug_split_new(const struct debug_unit *skeleton,
				    const struct debug_package *package,
				    const struct module_input *input);
void debug_split_free(struct debug_split *split);

#endif
