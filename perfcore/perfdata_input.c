#include "perfcore/perfdata_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perfcore/perfdata_format.h"

enum perfdata_kind perfdata_kind_of(const void *bytes, bool *is_swapped)
{
	struct cursor cursor = cursor_at(bytes, PERFDATA_PIPE_HEADER);
	const void *magic = cursor_bytes(&cursor, 8);

	*is_swapped = memcmp(magic, PERFDATA_MAGIC_SWAPPED, 8) == 0;
	if (!*is_swapped && memcmp(magic, PERFDATA_MAGIC, 8) != 0)
		return PERFDATA_NONE;
	cursor.is_swapped = *is_swapped;
	return cursor_u64(&cursor) == PERFDATA_PIPE_HEADER ? PERFDATA_STREAM
							   : PERFDATA_FILE;
}

static int input_map(struct perfdata_input *input, int fd, const char *name,
		     struct error *error)
{
	struct stat status;
	void *map;

	if (fstat(fd, &status) < 0)
		return error_set(error, -errno, "%s: %s", name,
				 strerror(errno));
	if (S_ISDIR(status.st_mode))
		return error_set(error, -EISDIR,
				 "%s: is a directory (of perf record "
				 "--threads), not a perf.data file",
				 name);
	if (!S_ISREG(status.st_mode))
		return 0;
	if (status.st_size == 0)
		return error_set(error, -EBADMSG, "%s: is empty", name);
	map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return error_set(error, -errno, "%s: cannot be mapped: %s",
				 name, strerror(errno));
	input->map = map;
	input->map_size = input->end = (uint64_t)status.st_size;
	return 0;
}

static int temporary_file(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC,
		      0600);

	if (fd < 0) /* a file system without O_TMPFILE */
		fd = memfd_create("perf.data", MFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int write_all(int fd, const uint8_t *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			bytes += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static bool input_fill(struct perfdata_input *input)
{
	size_t room;
	uint8_t *bytes = perfdata_feed_room(&input->feed, &room);
	ssize_t n;

	do
		n = read(input->fd, bytes, room);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		input->read_errno = errno;
	if (n <= 0)
		return false;
	perfdata_feed_wrote(&input->feed, (size_t)n);
	return true;
}

/* Copies what comes through the pipe, and maps the copy. */
static int input_spool(struct perfdata_input *input, const char *name,
		       struct error *error)
{
	int err, fd = temporary_file();

	if (fd < 0)
		return error_set(error, fd, "%s: no temporary file: %s", name,
				 strerror(-fd));
	do {
		size_t size;
		const uint8_t *bytes = perfdata_feed_left(&input->feed, &size);
		uint32_t block;

		err = write_all(fd, bytes, size);
		perfdata_feed_take(&input->feed, size, &block);
	} while (!err && input_fill(input));
	if (err)
		error_set(error, err,
			  "%s: cannot be copied to a temporary file: %s", name,
			  strerror(-err));
	else
		err = input_map(input, fd, name, error);
	close(fd);
	return err;
}

int perfdata_input_open(struct perfdata_input *input, int fd, const char *name,
			struct perfdata_pool *pool, struct error *error)
{
	const uint8_t *start;
	bool is_swapped;
	int err;

	*input = (struct perfdata_input){ .fd = fd, .end = UINT64_MAX };
	perfdata_feed_init(&input->feed, pool);
	err = input_map(input, fd, name, error);
	if (err || input->map)
		return err;
	start = perfdata_input_peek(input, PERFDATA_PIPE_HEADER);
	if (!start || perfdata_kind_of(start, &is_swapped) != PERFDATA_FILE)
		return 0;
	return input_spool(input, name, error);
}

void perfdata_input_close(struct perfdata_input *input)
{
	if (input->map)
		munmap((void *)(uintptr_t)input->map, input->map_size);
	input->map = NULL;
}

const uint8_t *perfdata_input_peek_pipe(struct perfdata_input *input,
					size_t size)
{
	const uint8_t *bytes;
	size_t left;

	do {
		bytes = perfdata_feed_left(&input->feed, &left);
		if (left >= size)
			return bytes;
	} while (input_fill(input));
	return NULL;
}

const uint8_t *perfdata_input_take_pipe(struct perfdata_input *input,
					size_t size, uint32_t *block)
{
	input->at += size;
	return perfdata_feed_take(&input->feed, size, block);
}

bool perfdata_input_skip(struct perfdata_input *input, uint64_t size)
{
	if (size > input->end - input->at)
		return false;
	if (input->map) {
		input->at += size;
		return true;
	}
	while (size) {
		size_t step = size < UINT16_MAX ? (size_t)size : UINT16_MAX;
		uint32_t block;

		if (!perfdata_input_peek(input, step))
			return false;
		perfdata_input_take(input, step, &block);
		size -= step;
	}
	return true;
}

struct cursor perfdata_input_part(const struct perfdata_input *input,
				  uint64_t offset, uint64_t size)
{
	struct cursor cursor = cursor_at("", 0);

	if (!input->map || offset > input->map_size ||
	    size > input->map_size - offset) {
		cursor.has_failed = true;
		return cursor;
	}
	return cursor_at(input->map + offset, size);
}

void perfdata_input_forget(struct perfdata_input *input, uint64_t offset)
{
	uint64_t page_mask = (uint64_t)sysconf(_SC_PAGESIZE) - 1;

	offset &= ~page_mask;
	if (!input->map || offset <= input->forgotten)
		return;
	madvise((void *)(uintptr_t)(input->map + input->forgotten),
		offset - input->forgotten, MADV_DONTNEED);
	input->forgotten = offset;
}
