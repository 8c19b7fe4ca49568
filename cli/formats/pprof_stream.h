/*
 * A pprof file on its way out: messages go through the scratch buffers to
 * the sink as they are made; texts and comments are kept until the end.
 */
#ifndef CLI_FORMATS_PPROF_STREAM_H
#define CLI_FORMATS_PPROF_STREAM_H

#include "cli/formats/pprof_comments.h"
#include "cli/formats/pprof_texts.h"
#include "cli/formats/protobuf.h"
#include "cli/formats/sink.h"

struct pprof_stream {
	struct sink sink;
	struct pprof_texts texts;
	struct protobuf message; /* field of the profile under construction */
	struct protobuf child;	 /* field of that message */
	struct protobuf top;	 /* scratch of emit */
	struct protobuf lines;	 /* of table_output, as they are written */
	uint32_t n_lines;
	struct pprof_comments_output comment_output; /* for people too */
	struct pprof_comments_output table_output;   /* only for us */
	uint64_t *comments;			     /* string indexes */
	size_t n_comments, comment_room;
};

/* The stream must not move: its outputs point to it. */
void pprof_stream_init(struct pprof_stream *stream, int fd);

/* Writes comments and string table, and releases everything. Returns 0 or
 * -errno with error filled. */
int pprof_stream_finish(struct pprof_stream *stream, struct error *error);

/* Writes the message as a field of the profile, and empties it. */
void pprof_stream_emit(struct pprof_stream *stream, uint32_t field);

/* Writes the message's fields as the profile's own, and empties it. */
void pprof_stream_emit_fields(struct pprof_stream *stream);

/* Adds the child to the message, and empties it. */
void pprof_stream_add_child(struct pprof_stream *stream, uint32_t field);

#endif
