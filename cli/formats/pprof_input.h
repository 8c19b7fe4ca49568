/*
 * The bytes of a profile file, gunzipped where needed. The whole file is held
 * in memory, since pprof's messages refer to each other in any order.
 */
#ifndef CLI_FORMATS_PPROF_INPUT_H
#define CLI_FORMATS_PPROF_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "perfcore/error.h"

/*
 * Against gzip bombs: a file may have this many bytes uncompressed, and once
 * beyond the free part at most so many times its compressed size (real
 * profiles: 3 to 20).
 */
#define PPROF_BYTES_MAX	 (512ull << 20)
#define PPROF_BYTES_FREE (32ull << 20)
#define PPROF_RATIO_MAX	 200

/*
 * Reads fd to its end. Returns 0 with bytes to be released by free(), or
 * -errno with error filled: not readable, broken or cut gzip, too large, or
 * a format that is known and is not pprof (-EINVAL).
 */
int pprof_input_read(int fd, const char *name, uint8_t **bytes, size_t *size,
		     struct error *error);

#endif
