#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/formats/pprof_reader.h"
#include "cli/profile/merge.h"

int input_read(struct profile **profile, const char *path, struct error *error)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int code;

	if (fd < 0)
		return error_set(error, -errno, "%s: %m", path);
	code = pprof_read(profile, fd, is_stdin ? "standard input" : path,
			  error);
	if (!is_stdin)
		close(fd);
	return code;
}

static int read_part(struct profile **profile, const char *path,
		     const struct select_options *options, struct error *error)
{
	struct error reason;
	int code = input_read(profile, path, error);

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
