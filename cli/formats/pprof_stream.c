#include "cli/formats/pprof_stream.h"

#include <stdlib.h>
#include <string.h>

#include "cli/formats/pprof_format.h"
#include "perfcore/mem.h"

#define GZIP_LEVEL 6

static void comment_line(void *context, const char *text)
{
	struct pprof_stream *stream = context;

	stream->comments =
		mem_grow(stream->comments, stream->n_comments,
			 &stream->comment_room, sizeof(*stream->comments));
	stream->comments[stream->n_comments++] =
		pprof_texts_copy(&stream->texts, text);
}

static void table_line(void *context, const char *text)
{
	struct pprof_stream *stream = context;

	protobuf_bytes(&stream->lines, PPROF_STRING_TABLE, text, strlen(text));
	stream->n_lines++;
}

void pprof_stream_init(struct pprof_stream *stream, int fd)
{
	*stream = (struct pprof_stream){
		.comment_output = { comment_line, stream },
		.table_output = { table_line, stream },
	};
	sink_init_gzip(&stream->sink, fd, GZIP_LEVEL);
	pprof_texts_init(&stream->texts);
}

void pprof_stream_emit_fields(struct pprof_stream *stream)
{
	sink_write(&stream->sink, stream->message.bytes, stream->message.size);
	stream->message.size = 0;
}

void pprof_stream_emit(struct pprof_stream *stream, uint32_t field)
{
	stream->top.size = 0;
	protobuf_message(&stream->top, field, &stream->message);
	sink_write(&stream->sink, stream->top.bytes, stream->top.size);
	stream->message.size = 0;
}

void pprof_stream_add_child(struct pprof_stream *stream, uint32_t field)
{
	protobuf_message(&stream->message, field, &stream->child);
	stream->child.size = 0;
}

int pprof_stream_finish(struct pprof_stream *stream, struct error *error)
{
	struct pprof_tables_note tables = { 0, stream->n_lines };
	int result;

	/* This comment is the last text, and the lines come behind it. */
	tables.first = (uint32_t)stream->texts.count + 1;
	pprof_comments_tables(&tables, &stream->comment_output);
	protobuf_numbers(&stream->message, PPROF_COMMENT, stream->comments,
			 stream->n_comments);
	pprof_stream_emit_fields(stream);
	for (size_t i = 0; i < stream->texts.count; i++) {
		const char *text = stream->texts.table[i];

		protobuf_bytes(&stream->message, PPROF_STRING_TABLE, text,
			       strlen(text));
		pprof_stream_emit_fields(stream);
	}
	sink_write(&stream->sink, stream->lines.bytes, stream->lines.size);
	result = sink_finish(&stream->sink, error);
	pprof_texts_destroy(&stream->texts);
	protobuf_destroy(&stream->top);
	protobuf_destroy(&stream->lines);
	protobuf_destroy(&stream->message);
	protobuf_destroy(&stream->child);
	free(stream->comments);
	return result;
}
