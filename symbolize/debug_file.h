/*
 * Where the rest of a stripped file's symbols are: a separate debug file,
 * found by build-id or by .gnu_debuglink, or the mini debug info in its
 * .gnu_debugdata section. A debug file is used only if it is proved to belong
 * to the file: by build-id, or by debuglink's CRC where there is none (case
 * C19).
 */
#ifndef SYMBOLIZE_DEBUG_FILE_H
#define SYMBOLIZE_DEBUG_FILE_H

#include "symbolize/image.h"
#include "symbolize/module.h"

/*
 * Opens the separate debug file of image through input's opener. Returns 0
 * or -ENOENT; candidates that belong to another file are noted. Places, as
 * GDB's manual lists them: DIR/.build-id/ab/cdef.debug, then debuglink's name
 * beside the file, in .debug/ beside it, and in DIR/ + the file's directory;
 * last, input's debuginfod servers.
 * *path is where it was found, interned.
 */
int debug_file_open(struct image *debug, const struct image *image,
		    const struct module_input *input, const char **path);

/* Unpacks .gnu_debugdata (case C22). Returns 0, -ENOENT where there is none,
 * or -EINVAL, noted, where it is corrupt or too large. */
int debug_file_mini(struct image *mini, const struct image *image,
		    const struct module_input *input);

/* Opens the file that dwz moved what several debug files share to, as
 * .gnu_debugaltlink of image at path tells. Returns 0 or -ENOENT. */
int debug_file_supplement(struct image *supplement, const struct image *image,
			  const char *path, const struct module_input *input);

#endif
