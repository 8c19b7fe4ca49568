/*
 * container_of [--watch SECONDS] PID…: prints "PID KIND RUNTIME NAME ID" for
 * each process, by the id of its cgroup (the inode of its v2 directory) where
 * it has one, else by what /proc says. With --watch it resolves at once and
 * prints after that many seconds, when the containers may be gone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfcore/cgroup.h"
#include "perfcore/container.h"

#define PIDS_MAX 64

static const char *const kinds[] = { "unknown", "root", "slice",
				     "group",	"unit", "container" };

/* The id of the cgroup on the line "0::PATH" of /proc/PID/cgroup. */
static uint64_t id_of_pid(const struct cgroups *cgroups, uint32_t pid)
{
	char path[64], line[4096];
	uint64_t id = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/cgroup", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::", 3) == 0)
			id = cgroups_id(cgroups, line + 3);
	}
	if (file)
		fclose(file);
	return id;
}

int main(int argc, char **argv)
{
	struct strings *strings = strings_new();
	struct cgroups *cgroups = cgroups_new("", strings, NULL);
	struct containers *containers = containers_new("", strings, NULL);
	const struct container *found[PIDS_MAX];
	unsigned int seconds = 0;
	int first = 1;

	if (argc > 2 && strcmp(argv[1], "--watch") == 0) {
		seconds = (unsigned int)atoi(argv[2]);
		first = 3;
	}
	for (int i = first; i < argc && i - first < PIDS_MAX; i++) {
		uint32_t pid = (uint32_t)atoi(argv[i]);

		found[i - first] = containers_of(
			containers, id_of_pid(cgroups, pid), pid, "?");
	}
	sleep(seconds);
	for (int i = first; i < argc && i - first < PIDS_MAX; i++) {
		const struct container *container = found[i - first];

		printf("%s %s %s %s %s\n", argv[i], kinds[container->kind],
		       *container->runtime ? container->runtime : "-",
		       container->name, *container->id ? container->id : "-");
	}
	containers_free(containers);
	cgroups_free(cgroups);
	strings_free(strings);
	return 0;
}
