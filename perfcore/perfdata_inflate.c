#include "perfcore/perfdata_inflate.h"

#include <zstd.h>

void perfdata_inflate_init(struct perfdata_inflate *inflate,
			   struct perfdata_pool *pool)
{
	*inflate = (struct perfdata_inflate){ 0 };
	perfdata_feed_init(&inflate->feed, pool);
}

void perfdata_inflate_destroy(struct perfdata_inflate *inflate)
{
	if (!inflate)
		return;
	ZSTD_freeDCtx(inflate->stream);
	inflate->stream = NULL;
}

void perfdata_inflate_feed(struct perfdata_inflate *inflate, const void *bytes,
			   size_t size)
{
	if (!inflate->stream)
		inflate->stream = ZSTD_createDCtx();
	if (!inflate->stream)
		inflate->has_failed = true;
	inflate->input = bytes;
	inflate->input_size = size;
}

/* Inflates as much as there is room for; false where nothing came of it. */
static bool inflate_more(struct perfdata_inflate *inflate)
{
	ZSTD_outBuffer out = { 0 };
	ZSTD_inBuffer in = { inflate->input, inflate->input_size, 0 };
	size_t result;

	if (inflate->has_failed || !inflate->stream)
		return false;
	out.dst = perfdata_feed_room(&inflate->feed, &out.size);
	result = ZSTD_decompressStream(inflate->stream, &out, &in);
	if (ZSTD_isError(result)) {
		inflate->has_failed = true;
		return false;
	}
	inflate->input += in.pos;
	inflate->input_size -= in.pos;
	perfdata_feed_wrote(&inflate->feed, out.pos);
	return in.pos || out.pos;
}

const uint8_t *perfdata_inflate_peek(struct perfdata_inflate *inflate,
				     size_t size)
{
	const uint8_t *bytes;
	size_t left;

	do {
		bytes = perfdata_feed_left(&inflate->feed, &left);
		if (left >= size)
			return bytes;
	} while (inflate_more(inflate));
	return NULL;
}

const uint8_t *perfdata_inflate_take(struct perfdata_inflate *inflate,
				     size_t size, uint32_t *block)
{
	return perfdata_feed_take(&inflate->feed, size, block);
}

void perfdata_inflate_stop(struct perfdata_inflate *inflate)
{
	inflate->has_failed = true;
	inflate->feed.begin = inflate->feed.end;
}

bool perfdata_inflate_is_broken(const struct perfdata_inflate *inflate)
{
	return inflate->has_failed || inflate->feed.begin != inflate->feed.end;
}
