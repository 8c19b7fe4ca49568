/*
 * make bench-containers: what it costs to know whose a sample is. Start-up
 * with 2,000 cgroups (real ones below CGROUP2 where that is given and may be
 * written, else a tree of directories), then look-ups.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "perfcore/cgroup.h"
#include "perfcore/container.h"

#define SLICES	  40
#define SCOPES	  50
#define ROUNDS	  7
#define LOOKUPS	  2000000
#define MOUNTINFO "41 31 0:38 / /tree rw - cgroup2 cgroup2 rw\n"
#define ID_PREFIX "b43d92bf1e5c6f78bb9b7bc6f40721280299855ba692092716e3a1b6c0b8"

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Makes or removes DIR/hostprof-bench.slice/… */
static void tree_each(const char *top, int (*one)(const char *path))
{
	char path[512];

	for (int i = 0; i < SLICES; i++)
		for (int j = 0; j < SCOPES; j++) {
			snprintf(path, sizeof(path),
				 "%s/s%d.slice/docker-" ID_PREFIX "%04x.scope",
				 top, i, i * SCOPES + j);
			one(path);
		}
}

static int make_one(const char *path)
{
	char *copy = strdup(path), *last = strrchr(copy, '/');

	*last = '\0';
	mkdir(copy, 0755);
	free(copy);
	return mkdir(path, 0755);
}

static int remove_one(const char *path)
{
	char *copy = strdup(path), *last = strrchr(copy, '/');
	int err = rmdir(path);

	*last = '\0';
	rmdir(copy); /* succeeds with its last child gone */
	free(copy);
	return err;
}

static void bench_walk(const char *root)
{
	double best = 1e9;
	uint64_t ids = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct strings *strings = strings_new();
		double start = now_ms(), took;
		struct cgroups *cgroups = cgroups_new(root, strings, NULL);

		took = now_ms() - start;
		best = took < best ? took : best;
		ids = cgroups_counts(cgroups).ids;
		cgroups_free(cgroups);
		strings_free(strings);
	}
	printf("start-up: %.2f ms for %llu cgroups (best of %d; at most 20)\n",
	       best, (unsigned long long)ids, ROUNDS);
}

static void bench_lookups(const char *root)
{
	struct strings *strings = strings_new();
	struct containers *containers = containers_new(root, strings, NULL);
	double start = now_ms();

	for (uint32_t i = 0; i < SLICES * SCOPES; i++) {
		char path[256];
		struct event_cgroup event = { (1u << 30) + i, path };

		snprintf(path, sizeof(path), "/docker/" ID_PREFIX "%04x", i);
		containers_event_cgroup(containers, &event, false);
		containers_of(containers, event.id, 0, "bench");
	}
	printf("first look at a container: %.1f us\n",
	       (now_ms() - start) * 1e3 / (SLICES * SCOPES));
	containers_event_cgroup(
		containers,
		&(struct event_cgroup){ 9, "/system.slice/web.service" },
		false);
	start = now_ms();
	for (int i = 0; i < LOOKUPS; i++)
		containers_of(containers, 9, (uint32_t)getpid(), "bench");
	printf("each sample of it: %.0f ns\n",
	       (now_ms() - start) * 1e6 / LOOKUPS);
	containers_free(containers);
	strings_free(strings);
}

int main(int argc, char **argv)
{
	char root[64], path[256];
	const char *top = argc > 1 ? argv[1] : "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/hostprof-bench.slice", top);
	if (argc > 1 && mkdir(path, 0755) == 0) {
		tree_each(path, make_one);
		bench_walk("");
		tree_each(path, remove_one);
		rmdir(path);
		bench_lookups("");
		return 0;
	}
	snprintf(root, sizeof(root), "/tmp/hostprof-bench-%d", (int)getpid());
	if (mkdir(root, 0700) != 0)
		return 1;
	snprintf(path, sizeof(path), "mkdir -p %s/proc/self %s/tree", root,
		 root);
	if (system(path) != 0)
		return 1;
	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	file = fopen(path, "w");
	if (!file)
		return 1;
	fputs(MOUNTINFO, file);
	fclose(file);
	snprintf(path, sizeof(path), "%s/tree", root);
	tree_each(path, make_one);
	bench_walk(root);
	bench_lookups(root);
	snprintf(path, sizeof(path), "rm -rf %s", root);
	return system(path) != 0;
}
