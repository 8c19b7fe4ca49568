/*
 * The GNU build-id of an ELF file, read from its PT_NOTE segments: what
 * proves that an opened file is the one that was mapped.
 */
#ifndef PERFCORE_BUILD_ID_H
#define PERFCORE_BUILD_ID_H

#include <stdint.h>

#include "perfcore/event.h"

/*
 * Reads the build-id of the ELF file behind fd (32 or 64 bit, either byte
 * order; its position is not moved). Returns the id's size (1 to
 * BUILD_ID_MAX; a longer id is cut), 0 where the file has none or only
 * zeros, -ENOEXEC where it is no ELF file, or -errno.
 */
int build_id_read(int fd, uint8_t build_id[BUILD_ID_MAX]);

/*
 * Reads the running kernel's build-id from fd, /sys/kernel/notes (notes of
 * this machine's byte order, aligned to 4). Returns its size, or 0.
 */
int build_id_of_kernel(int fd, uint8_t build_id[BUILD_ID_MAX]);

#endif
