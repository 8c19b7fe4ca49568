#include "symbolize/debug_file.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "perfcore/cursor.h"
#include "perfcore/mem.h"
#include "symbolize/symbol_server.h"

/* Mini debug info is a symbol table; the largest seen take a few MB. */
#define MINI_MAX    (64u << 20)
#define XZ_MEMORY   (128u << 20)
#define CRC_UNKNOWN UINT64_MAX

/* A sparse file of a terabyte costs its owner nothing, but hours to sum. */
#define CRC_SIZE_MAX (2ull << 30)

/* Content of .gnu_debuglink: a file name, padded to 4 bytes, and a CRC32. */
struct debuglink {
	const char *name;
	uint32_t crc;
};

static bool debuglink_read(const struct image *image, struct debuglink *link)
{
	struct image_section section;
	struct cursor cursor;
	const uint8_t *bytes;
	size_t size;

	if (!image_section(image, ".gnu_debuglink", &section) ||
	    !(bytes = image_section_bytes(image, &section, &size)))
		return false;
	cursor = cursor_at(bytes, size);
	link->name = cursor_text(&cursor);
	cursor_skip(&cursor, -cursor_offset(&cursor) & 3);
	link->crc = cursor_u32(&cursor);
	return !cursor.has_failed && link->name[0] && !strchr(link->name, '/');
}

static bool is_same_build(const struct image *a, const struct image *b)
{
	return a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0;
}

/* crc: what debuglink wants, or CRC_UNKNOWN. */
static bool is_proved(const struct image *debug, const struct image *image,
		      uint64_t crc)
{
	if (image->is_gnu_build_id && debug->is_gnu_build_id)
		return is_same_build(debug, image);
	return crc != CRC_UNKNOWN && debug->size <= CRC_SIZE_MAX &&
	       crc32_z(0, debug->bytes, debug->size) == crc;
}

/* Takes fd, which may be a -errno. */
static int candidate_take(struct image *debug, const struct image *image,
			  const struct module_input *input, int fd,
			  const char *path, uint64_t crc, const char **found)
{
	int ret;

	if (fd < 0)
		return fd;
	ret = image_open(debug, fd, path, NULL);
	close(fd);
	if (ret)
		return ret;
	if (is_proved(debug, image, crc)) {
		*found = strings_intern(input->strings, path);
		return 0;
	}
	image_destroy(debug);
	notes_add(input->notes,
		  "%s is not the debug file of %s: their builds differ", path,
		  input->path);
	return -ESTALE;
}

static int candidate_open(struct image *debug, const struct image *image,
			  const struct module_input *input, const char *path,
			  uint64_t crc, const char **found)
{
	const struct module_opener *opener = input->opener;

	return candidate_take(debug, image, input,
			      opener->open(opener->context, path), path, crc,
			      found);
}

static int by_server(struct image *debug, const struct image *image,
		     const struct module_input *input, const char **found)
{
	if (!input->server || !image->is_gnu_build_id)
		return -ENOENT;
	return candidate_take(debug, image, input,
			      symbol_server_find(input->server, image->build_id,
						 image->build_id_size),
			      "[debuginfod]", CRC_UNKNOWN, found);
}

static int by_build_id(struct image *debug, const struct image *image,
		       const struct module_input *input, const char *dir,
		       const char **found)
{
	char path[PATH_MAX], id[2 * BUILD_ID_MAX + 1];

	for (size_t i = 0; i < image->build_id_size; i++)
		snprintf(id + 2 * i, 3, "%02x", image->build_id[i]);
	if (snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s.debug", dir, id,
		     id + 2) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return candidate_open(debug, image, input, path, CRC_UNKNOWN, found);
}

static int by_debuglink(struct image *debug, const struct image *image,
			const struct module_input *input,
			const struct debuglink *link, const char *prefix,
			const char *dir, const char *infix, const char **found)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s%s%s/%s", prefix, dir, infix,
		     link->name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	/* A file may link to itself by name: that is no debug file. */
	if (strcmp(path, input->path) == 0)
		return -ENOENT;
	return candidate_open(debug, image, input, path, link->crc, found);
}

static int by_debuglinks(struct image *debug, const struct image *image,
			 const struct module_input *input, const char **found)
{
	const char *const *dirs = input->opener->debug_dirs;
	char *path = mem_strdup(input->path);
	const char *dir = dirname(path);
	struct debuglink link;
	int ret = -ENOENT;

	if (dir[0] == '/' && debuglink_read(image, &link)) {
		ret = by_debuglink(debug, image, input, &link, "", dir, "",
				   found);
		if (ret)
			ret = by_debuglink(debug, image, input, &link, "", dir,
					   "/.debug", found);
		for (; ret && dirs && *dirs; dirs++)
			ret = by_debuglink(debug, image, input, &link, *dirs,
					   dir, "", found);
	}
	free(path);
	return ret;
}

int debug_file_open(struct image *debug, const struct image *image,
		    const struct module_input *input, const char **path)
{
	const char *const *dirs =
		input->opener ? input->opener->debug_dirs : NULL;

	for (; dirs && *dirs; dirs++)
		if (image->is_gnu_build_id && image->build_id_size > 1 &&
		    by_build_id(debug, image, input, *dirs, path) == 0)
			return 0;
	if (input->opener && by_debuglinks(debug, image, input, path) == 0)
		return 0;
	return by_server(debug, image, input, path) ? -ENOENT : 0;
}

/* Unpacks into memory that grows with the output, up to MINI_MAX. */
static int unpack(lzma_stream *stream, uint8_t **unpacked, size_t *size)
{
	size_t capacity = 65536 / 2;
	lzma_ret ret;

	do {
		capacity *= 2;
		*unpacked = mem_realloc(*unpacked, capacity);
		stream->next_out = *unpacked + stream->total_out;
		stream->avail_out = capacity - stream->total_out;
		ret = lzma_code(stream, LZMA_FINISH);
	} while (ret == LZMA_OK && capacity < MINI_MAX);
	*size = stream->total_out;
	return ret == LZMA_STREAM_END ? 0 : -EINVAL;
}

int debug_file_mini(struct image *mini, const struct image *image,
		    const struct module_input *input)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	struct image_section section;
	uint8_t *unpacked = NULL;
	int ret = -EINVAL;
	size_t size;

	if (!image_section(image, ".gnu_debugdata", &section))
		return -ENOENT;
	stream.next_in = image_section_bytes(image, &section, &stream.avail_in);
	if (stream.next_in &&
	    lzma_stream_decoder(&stream, XZ_MEMORY, 0) == LZMA_OK) {
		ret = unpack(&stream, &unpacked, &size);
		lzma_end(&stream);
	}
	if (ret)
		free(unpacked);
	else
		ret = image_adopt(mini, unpacked, size, input->path, NULL);
	if (ret)
		notes_add(input->notes, "%s: its .gnu_debugdata is corrupt",
			  input->path);
	return ret ? -EINVAL : 0;
}

/* Content of .gnu_debugaltlink: a path and a build-id. */
static int supplement_candidate(struct image *supplement,
				const struct module_input *input,
				const char *path, const uint8_t *build_id,
				size_t size)
{
	int fd = input->opener->open(input->opener->context, path);
	int ret;

	if (fd < 0)
		return fd;
	ret = image_open(supplement, fd, path, NULL);
	close(fd);
	if (ret)
		return ret;
	if (size == supplement->build_id_size &&
	    memcmp(build_id, supplement->build_id, size) == 0)
		return 0;
	image_destroy(supplement);
	notes_add(input->notes,
		  "%s is not the supplementary file of %s: their builds differ",
		  path, input->path);
	return -ESTALE;
}

int debug_file_supplement(struct image *supplement, const struct image *image,
			  const char *path, const struct module_input *input)
{
	struct image_section section;
	struct cursor cursor;
	const uint8_t *bytes;
	const char *name;
	char *copy, *full;
	size_t size;
	int ret;

	if (!input->opener ||
	    !image_section(image, ".gnu_debugaltlink", &section) ||
	    !(bytes = image_section_bytes(image, &section, &size)))
		return -ENOENT;
	cursor = cursor_at(bytes, size);
	name = cursor_text(&cursor);
	if (!name)
		return -ENOENT;
	copy = mem_strdup(path);
	full = name[0] == '/' ? mem_strdup(name)
			      : mem_printf("%s/%s", dirname(copy), name);
	ret = supplement_candidate(supplement, input, full, cursor.at,
				   cursor_left(&cursor));
	free(full);
	free(copy);
	return ret ? -ENOENT : 0;
}
