/*
 * The file that a perf.data is written to: buffered, in the host's byte
 * order. The first error (a full disk) is kept, everything after it does
 * nothing, so that a caller asks once.
 */
#ifndef PERFCORE_PERFDATA_OUTPUT_H
#define PERFCORE_PERFDATA_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

struct perfdata_output {
	int fd;	 /* borrowed */
	int err; /* 0 or the first -errno */
	uint8_t *buffer;
	size_t used;
	uint64_t offset; /* of the next byte in the file */
};

/* Writes from the file's beginning. */
void perfdata_output_init(struct perfdata_output *output, int fd);
void perfdata_output_destroy(struct perfdata_output *output);

void perfdata_output_bytes(struct perfdata_output *output, const void *bytes,
			   size_t size);
void perfdata_output_u32(struct perfdata_output *output, uint32_t value);
void perfdata_output_u64(struct perfdata_output *output, uint64_t value);

/* text, its NUL and zeros up to size bytes in all; longer text is cut. */
void perfdata_output_text(struct perfdata_output *output, const char *text,
			  size_t size);

/* Hands everything to the kernel. Returns err. */
int perfdata_output_flush(struct perfdata_output *output);

/* Writes over bytes at an earlier offset. */
void perfdata_output_patch(struct perfdata_output *output, uint64_t offset,
			   const void *bytes, size_t size);

#endif
