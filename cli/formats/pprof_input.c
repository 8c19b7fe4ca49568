#include "cli/formats/pprof_input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "perfcore/mem.h"

#define CHUNK	  (64 * 1024)
#define GZIP_BITS (15 + 16)

struct input {
	int fd;
	const char *name;
	struct error *error;
	uint8_t *bytes; /* uncompressed */
	size_t size, room;
	uint64_t taken; /* bytes read from fd */
	uint8_t chunk[CHUNK];
};

/* Returns the bytes that are now in the chunk, 0 at the end, or -errno. */
static ssize_t next_chunk(struct input *input)
{
	ssize_t got;

	do
		got = read(input->fd, input->chunk, CHUNK);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return error_set(input->error, -errno, "%s: cannot be read: %s",
				 input->name, strerror(errno));
	input->taken += (uint64_t)got;
	return got;
}

static int make_room(struct input *input, size_t size)
{
	if (input->size + size > PPROF_BYTES_MAX)
		return error_set(input->error, -EFBIG,
				 "%s: more than %llu MiB uncompressed",
				 input->name, PPROF_BYTES_MAX >> 20);
	if (input->room - input->size >= size)
		return 0;
	input->room = 2 * input->room + size;
	input->bytes = mem_realloc(input->bytes, input->room);
	return 0;
}

static int append(struct input *input, const uint8_t *bytes, size_t size)
{
	int result = make_room(input, size);

	if (result)
		return result;
	if (size > 0)
		memcpy(input->bytes + input->size, bytes, size);
	input->size += size;
	return 0;
}

static int read_plain(struct input *input, size_t got)
{
	int result = append(input, input->chunk, got);

	while (result == 0) {
		ssize_t more = next_chunk(input);

		if (more <= 0)
			return (int)more;
		result = append(input, input->chunk, (size_t)more);
	}
	return result;
}

static int broken(struct input *input, const z_stream *gzip, const char *why)
{
	return error_set(input->error, -EINVAL,
			 "%s: the gzip data are %s at byte %llu", input->name,
			 why,
			 (unsigned long long)(input->taken - gzip->avail_in));
}

/* Inflates the chunk. *is_end: a gzip member has ended with it. */
static int inflate_chunk(struct input *input, z_stream *gzip, bool *is_end)
{
	while (gzip->avail_in > 0) {
		size_t before = gzip->avail_in;
		int result = make_room(input, CHUNK);
		int state;

		if (result)
			return result;
		if (*is_end && *gzip->next_in != 0x1f)
			return broken(input, gzip, "followed by other bytes");
		if (*is_end)
			inflateReset(gzip); /* members may be appended */
		gzip->next_out = input->bytes + input->size;
		gzip->avail_out = CHUNK;
		state = inflate(gzip, Z_NO_FLUSH);
		input->size += CHUNK - gzip->avail_out;
		*is_end = state == Z_STREAM_END;
		if (state != Z_OK && state != Z_STREAM_END &&
		    state != Z_BUF_ERROR)
			return broken(input, gzip, "broken");
		if (gzip->avail_in == before && gzip->avail_out == CHUNK)
			return broken(input, gzip, "broken");
		if (input->size > PPROF_BYTES_FREE &&
		    input->size / PPROF_RATIO_MAX > input->taken)
			return error_set(input->error, -EFBIG,
					 "%s: grows to more than %d times its "
					 "size when uncompressed",
					 input->name, PPROF_RATIO_MAX);
	}
	return 0;
}

static int read_gzip(struct input *input, size_t got)
{
	z_stream gzip = { .next_in = input->chunk, .avail_in = (uInt)got };
	bool is_end = false;
	int result = 0;

	if (inflateInit2(&gzip, GZIP_BITS) != Z_OK)
		return error_set(input->error, -ENOMEM, "%s: zlib failed",
				 input->name);
	while ((result = inflate_chunk(input, &gzip, &is_end)) == 0) {
		ssize_t more = next_chunk(input);

		if (more < 0)
			result = (int)more;
		else if (more == 0 && !is_end)
			result = broken(input, &gzip, "cut off");
		if (more <= 0)
			break;
		gzip.next_in = input->chunk;
		gzip.avail_in = (uInt)more;
	}
	inflateEnd(&gzip);
	return result;
}

static bool starts_with(const struct input *input, const void *bytes,
			size_t size)
{
	return input->size >= size && memcmp(input->bytes, bytes, size) == 0;
}

/*
 * What is often taken for a profile of ours. The binary one begins with five
 * words of the machine: 0, 3, version, period, 0.
 */
static const char *known_format(const struct input *input)
{
	static const struct {
		const char *start, *what;
	} texts[] = {
		{ "heap profile:", "legacy gperftools heap text" },
		{ "--- contentionz", "legacy gperftools contention text" },
		{ "--- mutex:", "legacy Go mutex text" },
		{ "--- contention:", "legacy Go contention text" },
		{ "--- threadz", "legacy gperftools thread text" },
		{ "--- heapz", "legacy heapz text" },
		{ "--- growthz", "legacy growthz text" },
		{ "--- profile", "legacy gperftools text" },
		{ "goroutine profile:", "legacy Go goroutine text" },
		{ "threadcreate profile:", "legacy Go thread text" },
		{ "--- Java", "legacy Java text" },
	};
	static const uint64_t words[2] = { 0, 3 };
	static const uint32_t half_words[2] = { 0, 3 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (starts_with(input, texts[i].start, strlen(texts[i].start)))
			return texts[i].what;
	if (starts_with(input, words, sizeof(words)) ||
	    starts_with(input, half_words, sizeof(half_words)))
		return "legacy gperftools binary";
	return NULL;
}

static int check_format(struct input *input)
{
	const char *known = known_format(input);

	if (input->size == 0)
		return error_set(input->error, -EINVAL, "%s: is empty",
				 input->name);
	if (starts_with(input, "PERFILE2", 8) ||
	    starts_with(input, "2ELIFREP", 8))
		return error_set(input->error, -EINVAL,
				 "%s: is a perf.data file, not a pprof profile",
				 input->name);
	if (known)
		return error_set(input->error, -EINVAL,
				 "%s: is %s, not a pprof profile; convert it "
				 "with: go tool pprof -proto -output OUT.pb.gz "
				 "FILE",
				 input->name, known);
	return 0;
}

int pprof_input_read(int fd, const char *name, uint8_t **bytes, size_t *size,
		     struct error *error)
{
	struct input *input = mem_alloc(sizeof(*input));
	ssize_t got;
	int result;

	*input = (struct input){ .fd = fd, .name = name, .error = error };
	got = next_chunk(input);
	if (got < 0)
		result = (int)got;
	else if (got >= 2 && input->chunk[0] == 0x1f && input->chunk[1] == 0x8b)
		result = read_gzip(input, (size_t)got);
	else
		result = read_plain(input, (size_t)got);
	if (result == 0)
		result = check_format(input);
	if (result)
		free(input->bytes);
	*bytes = result ? NULL : input->bytes;
	*size = result ? 0 : input->size;
	free(input);
	return result;
}
