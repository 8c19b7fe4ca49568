#include "cli/formats/sink.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "perfcore/mem.h"

#define BUFFER_SIZE (64 * 1024)
#define GZIP_BITS   (15 + 16) /* zlib: the largest window, gzip's header */

void sink_init(struct sink *sink, int fd)
{
	*sink = (struct sink){ .fd = fd, .buffer = mem_alloc(BUFFER_SIZE) };
}

void sink_init_gzip(struct sink *sink, int fd, int level)
{
	sink_init(sink, fd);
	sink->gzip = mem_calloc(1, sizeof(*sink->gzip));
	if (deflateInit2(sink->gzip, level, Z_DEFLATED, GZIP_BITS, 9,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		sink->code = -ENOMEM;
}

static void write_fd(struct sink *sink, const uint8_t *bytes, size_t size)
{
	while (size > 0 && !sink->code) {
		ssize_t done = write(sink->fd, bytes, size);

		if (done >= 0) {
			bytes += done;
			size -= (size_t)done;
			sink->written += (uint64_t)done;
		} else if (errno == EAGAIN) { /* somebody's non-blocking pipe */
			poll(&(struct pollfd){ sink->fd, POLLOUT, 0 }, 1, -1);
		} else if (errno != EINTR) {
			sink->code = -errno;
		}
	}
}

static void deflate_buffer(struct sink *sink, int flush)
{
	uint8_t out[32 * 1024];

	sink->gzip->next_in = sink->buffer;
	sink->gzip->avail_in = (uInt)sink->used;
	do {
		sink->gzip->next_out = out;
		sink->gzip->avail_out = sizeof(out);
		deflate(sink->gzip, flush);
		write_fd(sink, out, sizeof(out) - sink->gzip->avail_out);
	} while (sink->gzip->avail_out == 0 && !sink->code);
}

static void flush_buffer(struct sink *sink, bool is_last)
{
	if (!sink->code && sink->gzip)
		deflate_buffer(sink, is_last ? Z_FINISH : Z_NO_FLUSH);
	else if (!sink->code)
		write_fd(sink, sink->buffer, sink->used);
	sink->used = 0;
}

void sink_write(struct sink *sink, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	while (size > 0) {
		size_t room = BUFFER_SIZE - sink->used;
		size_t part = size < room ? size : room;

		memcpy(sink->buffer + sink->used, from, part);
		sink->used += part;
		from += part;
		size -= part;
		if (sink->used == BUFFER_SIZE)
			flush_buffer(sink, false);
	}
}

void sink_text(struct sink *sink, const char *text)
{
	sink_write(sink, text, strlen(text));
}

void sink_char(struct sink *sink, char character)
{
	sink_write(sink, &character, 1);
}

void sink_number(struct sink *sink, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	sink_write(sink, digits + at, sizeof(digits) - at);
}

int sink_finish(struct sink *sink, struct error *error)
{
	flush_buffer(sink, true);
	if (sink->gzip)
		deflateEnd(sink->gzip);
	free(sink->gzip);
	free(sink->buffer);
	sink->gzip = NULL;
	sink->buffer = NULL;
	if (sink->code)
		return error_set(error, sink->code, "cannot write: %s",
				 strerror(-sink->code));
	return 0;
}
