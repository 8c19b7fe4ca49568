/*
 * Where a format writes its bytes: a file descriptor behind a buffer, as they
 * are or gzipped. Memory stays small however long the output is. The first
 * error sticks: a writer writes everything and asks once, in sink_finish.
 */
#ifndef CLI_FORMATS_SINK_H
#define CLI_FORMATS_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "perfcore/error.h"

struct z_stream_s;

struct sink {
	int fd;	  /* borrowed */
	int code; /* first -errno, or 0 */
	uint8_t *buffer;
	size_t used;
	uint64_t written;	 /* bytes handed to fd */
	struct z_stream_s *gzip; /* NULL: as they are */
};

void sink_init(struct sink *sink, int fd);

/* level as zlib's: 1 fast … 9 small. */
void sink_init_gzip(struct sink *sink, int fd, int level);

void sink_write(struct sink *sink, const void *bytes, size_t size);
void sink_text(struct sink *sink, const char *text);
void sink_char(struct sink *sink, char character);
void sink_number(struct sink *sink, uint64_t number); /* in decimal */

/*
 * Writes what is left and releases the sink's memory; fd stays open. Returns
 * 0, or the first -errno with error filled (the file's name is the caller's
 * to add: output_file_close does).
 */
int sink_finish(struct sink *sink, struct error *error);

#endif
