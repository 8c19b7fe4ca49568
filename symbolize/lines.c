#include "symbolize/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfcore/mem.h"

void lines_init(struct lines *lines, int fd, uint64_t offset)
{
	*lines = (struct lines){
		.fd = fd,
		.offset = offset,
		.buffer = mem_alloc(LINES_LENGTH_MAX),
	};
}

void lines_destroy(struct lines *lines)
{
	if (!lines)
		return;
	free(lines->buffer);
	lines->buffer = NULL;
}

/* Makes room and reads more. Returns bytes read, 0 at the end, or -errno. */
static ssize_t lines_fill(struct lines *lines)
{
	size_t left = lines->end - lines->begin;
	ssize_t got;

	if (left == LINES_LENGTH_MAX) {
		lines->too_long += !lines->is_skipping;
		lines->is_skipping = true;
		lines->offset += left;
		left = 0;
	} else if (left) {
		memmove(lines->buffer, lines->buffer + lines->begin, left);
	}
	lines->begin = 0;
	lines->end = left;
	got = pread(lines->fd, lines->buffer + left, LINES_LENGTH_MAX - left,
		    (off_t)(lines->offset + left));
	if (got > 0)
		lines->end += (size_t)got;
	return got < 0 ? -errno : got;
}

static void lines_take(struct lines *lines, size_t length, size_t newline,
		       const char **line)
{
	*line = lines->buffer + lines->begin;
	lines->begin += length + newline;
	lines->offset += length + newline;
	lines->is_partial = !newline;
}

int lines_next(struct lines *lines, const char **line, size_t *length)
{
	for (;;) {
		const char *begin = lines->buffer + lines->begin;
		size_t left = lines->end - lines->begin;
		const char *newline = memchr(begin, '\n', left);
		ssize_t got;

		if (newline) {
			*length = (size_t)(newline - begin);
			lines_take(lines, *length, 1, line);
			if (!lines->is_skipping)
				return 1;
			lines->is_skipping = false;
			continue;
		}
		got = lines_fill(lines);
		if (got < 0)
			return (int)got;
		if (got > 0)
			continue;
		*length = lines->end - lines->begin;
		if (!*length || lines->is_skipping)
			return 0;
		lines_take(lines, *length, 0, line);
		return 1;
	}
}
