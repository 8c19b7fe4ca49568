/*
 * The DWARF of one module: from an address to the function and those inlined
 * into it, with files and lines. The units are found once; each is read when
 * an address in it is first asked for, and kept.
 */
#ifndef SYMBOLIZE_DEBUG_INFO_H
#define SYMBOLIZE_DEBUG_INFO_H

#include "symbolize/image.h"
#include "symbolize/module.h"

struct debug_info;

/*
 * image holds the DWARF, and is borrowed until debug_info_free, as is input,
 * whose opener finds .dwo, .dwp and supplementary files. path is image's own
 * (a separate debug file has another than the module). Returns NULL where
 * there is none, or it is corrupt, which is noted.
 */
struct debug_info *debug_info_new(const struct image *image, const char *path,
				  const struct module_input *input);
void debug_info_free(struct debug_info *info);

/*
 * Fills lines, innermost function first, and returns how many; 0 where
 * nothing is known. A single line whose name is NULL: only the source line is
 * known. Beyond max, the outermost ones are left out.
 */
uint32_t debug_info_find(struct debug_info *info, uint64_t vaddr,
			 struct module_line *lines, uint32_t max);

#endif
