#include "perfcore/container_process.h"

#include <stdlib.h>
#include <string.h>

#include "perfcore/cgroup.h"
#include "perfcore/container_path.h"
#include "perfcore/procfs.h"
#include "perfcore/rootfs.h"

/* Lines are ID:CONTROLLERS:PATH, for v2 0::/libpod_parent/libpod-c16b… */
static const char *telling_path(struct strings *strings, char *text)
{
	const char *best = NULL;
	char *line;
	int best_rank = -1;

	while ((line = strsep(&text, "\n"))) {
		char *first = strchr(line, ':');
		char *second = first ? strchr(first + 1, ':') : NULL;
		const char *path;
		int rank;

		if (!second || second[1] != '/')
			continue;
		path = cgroup_path_plain(strings, second + 1);
		rank = container_path_rank(path);
		if (rank < best_rank ||
		    (rank == best_rank && strncmp(line, "0::", 3) != 0))
			continue;
		best = path;
		best_rank = rank;
	}
	return best;
}

const char *container_process_path(const char *root, struct strings *strings,
				   uint32_t pid)
{
	char *text = rootfs_read_at(root, NULL, "/proc/%u/cgroup", pid);
	const char *path = text ? telling_path(strings, text) : NULL;

	free(text);
	return path;
}

uint32_t container_process_parent(const char *root, uint32_t pid)
{
	struct procfs_stat stat;

	return procfs_stat(root, pid, pid, &stat) == 0 ? stat.parent_pid : 0;
}
