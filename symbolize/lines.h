/*
 * The lines of a file that may be of any size and content, one at a time:
 * reading goes on at a file offset, so a growing file can be read again from
 * where it ended.
 */
#ifndef SYMBOLIZE_LINES_H
#define SYMBOLIZE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINES_LENGTH_MAX 65536

struct lines {
	int fd;		 /* borrowed */
	uint64_t offset; /* in the file: where the next line begins */
	char *buffer;
	size_t begin, end; /* of what is in the buffer and not yet handed out */
	uint64_t too_long; /* lines skipped as longer than LINES_LENGTH_MAX */
	bool is_skipping;  /* within such a line */
	bool is_partial;   /* the line handed out had no newline */
};

void lines_init(struct lines *lines, int fd, uint64_t offset);
void lines_destroy(struct lines *lines);

/* Returns 1 and a line without its newline, not ended by NUL, valid until
 * the next call; 0 at the end of the file; or -errno. */
int lines_next(struct lines *lines, const char **line, size_t *length);

#endif
