#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/formats/pprof_reader.h"
#include "cli/perfdata_profile.h"
#include "cli/profile/merge.h"
#include "perfcore/mem.h"
#include "perfcore/perfdata_reader.h"

/* How long debuginfod servers may take for all files together. */
#define DEBUGINFOD_MS 60000

/* The first bytes of a file or pipe, which stay there to be read. */
static size_t first_bytes(int fd, void *bytes, size_t size)
{
	ssize_t n = pread(fd, bytes, size, 0);
	int ends[2];

	if (n < 0 && errno == ESPIPE && pipe2(ends, O_CLOEXEC) == 0) {
		n = tee(fd, ends[1], size, 0);
		if (n > 0)
			n = read(ends[0], bytes, size);
		close(ends[0]);
		close(ends[1]);
	}
	return n > 0 ? (size_t)n : 0;
}

static int read_perfdata(struct profile **profile, int fd, const char *name,
			 const struct select_options *options,
			 struct error *error)
{
	size_t count = options->debug_dirs.count;
	const char **dirs = mem_calloc(count + 2, sizeof(*dirs));
	struct perfdata_places places = {
		.symfs = options->symfs,
		.debug_dirs = dirs,
		.debuginfod_ms = options->has_debuginfod ? DEBUGINFOD_MS : 0,
	};
	int code;

	for (size_t i = 0; i < count; i++)
		dirs[i] = options->debug_dirs.items[i];
	dirs[count] = "/usr/lib/debug";
	code = perfdata_profile_read(profile, fd, name, &places, error);
	free(dirs);
	return code;
}

static int input_read(struct profile **profile, const char *path,
		      const struct select_options *options, struct error *error)
{
	bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? "standard input" : path;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	uint8_t start[16];
	int code;

	if (fd < 0)
		return error_set(error, -errno, "%s: %m", path);
	if (perfdata_is_magic(start, first_bytes(fd, start, sizeof(start))))
		code = read_perfdata(profile, fd, name, options, error);
	else
		code = pprof_read(profile, fd, name, error);
	if (!is_stdin)
		close(fd);
	return code;
}

static int read_part(struct profile **profile, const char *path,
		     const struct select_options *options, struct error *error)
{
	struct error reason;
	int code = input_read(profile, path, options, error);

	if (code)
		return code;
	code = select_time(*profile, options, &reason);
	if (!code)
		return 0;
	profile_free(*profile);
	return error_set(error, code, "%s: %s", path, reason.text);
}

int input_merge(struct profile **profile, char *const *paths, int count,
		const struct select_options *options, struct error *error)
{
	struct profile *merged;

	if (count == 1)
		return read_part(profile, paths[0], options, error);
	merged = profile_merge_new();
	for (int i = 0; i < count; i++) {
		struct profile *part;
		int code = read_part(&part, paths[i], options, error);

		if (code) {
			profile_free(merged);
			return code;
		}
		/* --from and --to may leave nothing of a file */
		if (part->duration_ns || part->n_rows)
			profile_merge(merged, part);
		profile_free(part);
	}
	*profile = merged;
	return 0;
}
