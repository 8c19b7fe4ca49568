/* Fuzz target: any bytes as a maps file, as a stat line, and as an ELF file
 * whose build-id is wanted. */
#include "perfcore/procfs.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfcore/build_id.h"
#include "perfcore/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_lines(const char *path)
{
	static struct procfs_lines lines;
	struct procfs_mapping mapping;
	char *line;

	if (procfs_lines_open(&lines, path))
		return;
	while (procfs_lines_next(&lines, &line) > 0) {
		if (procfs_parse_mapping(line, &mapping) &&
		    mapping.end <= mapping.start)
			abort();
	}
	procfs_lines_close(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char *text = mem_strndup((const char *)data, size), path[64];
	uint8_t build_id[BUILD_ID_MAX];
	struct procfs_stat stat;

	if (write(fd, data, size) == (ssize_t)size &&
	    procfs_path(path, sizeof(path), "", "/proc/self/fd/%d", fd))
		read_lines(path);
	if (build_id_read(fd, build_id) > BUILD_ID_MAX)
		abort();
	procfs_parse_stat(text, &stat);
	free(text);
	close(fd);
	return 0;
}
