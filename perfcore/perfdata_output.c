#include "perfcore/perfdata_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfcore/mem.h"

#define BUFFER_SIZE (128u << 10)

void perfdata_output_init(struct perfdata_output *output, int fd)
{
	*output = (struct perfdata_output){
		.fd = fd,
		.buffer = mem_alloc(BUFFER_SIZE),
	};
}

void perfdata_output_destroy(struct perfdata_output *output)
{
	if (!output)
		return;
	free(output->buffer);
	output->buffer = NULL;
}

static void write_at(struct perfdata_output *output, const uint8_t *bytes,
		     size_t size, uint64_t offset)
{
	while (size && !output->err) {
		ssize_t n = pwrite(output->fd, bytes, size, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			output->err = n < 0 ? -errno : -ENOSPC;
			return;
		}
		bytes += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
}

int perfdata_output_flush(struct perfdata_output *output)
{
	write_at(output, output->buffer, output->used,
		 output->offset - output->used);
	output->used = 0;
	return output->err;
}

void perfdata_output_bytes(struct perfdata_output *output, const void *bytes,
			   size_t size)
{
	const uint8_t *from = bytes;

	while (size && !output->err) {
		size_t step = BUFFER_SIZE - output->used;

		if (step > size)
			step = size;
		memcpy(output->buffer + output->used, from, step);
		output->used += step;
		output->offset += step;
		from += step;
		size -= step;
		if (output->used == BUFFER_SIZE)
			perfdata_output_flush(output);
	}
}

void perfdata_output_u32(struct perfdata_output *output, uint32_t value)
{
	perfdata_output_bytes(output, &value, sizeof(value));
}

void perfdata_output_u64(struct perfdata_output *output, uint64_t value)
{
	perfdata_output_bytes(output, &value, sizeof(value));
}

void perfdata_output_text(struct perfdata_output *output, const char *text,
			  size_t size)
{
	static const char zeros[64];
	size_t length = strnlen(text, size - 1);

	perfdata_output_bytes(output, text, length);
	while (length < size) {
		size_t step = size - length;

		if (step > sizeof(zeros))
			step = sizeof(zeros);
		perfdata_output_bytes(output, zeros, step);
		length += step;
	}
}

void perfdata_output_patch(struct perfdata_output *output, uint64_t offset,
			   const void *bytes, size_t size)
{
	perfdata_output_flush(output);
	write_at(output, bytes, size, offset);
}
