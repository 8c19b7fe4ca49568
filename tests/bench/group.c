/*
 * What a report of a long recording costs: a million rows of 200,000 stacks,
 * 20 to 39 frames deep, of 12,000 functions. Prints CPU seconds.
 */
#include "cli/profile/group.h"
#include "cli/profile/merge.h"
#include "cli/profile/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "perfcore/mem.h"

#define N_FRAMES 20000
#define N_NAMES	 12000
#define N_STACKS 200000
#define N_ROWS	 1000000

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void report(const char *what, double since, double count)
{
	double spent = now() - since;

	printf("%-36s %6.3f s", what, spent);
	if (count > 0)
		printf("   %6.1f ns each", spent / count * 1e9);
	putchar('\n');
}

static void frames_add(struct profile *profile)
{
	for (uint32_t i = 0; i < N_FRAMES; i++) {
		char name[48];
		struct profile_line line = { 0, i };
		struct profile_frame frame = { .address = i };

		snprintf(name, sizeof(name), "function_%u(int)", i % N_NAMES);
		line.function = profile_function(
			profile, &(struct profile_function){ .name = name });
		profile_frame_get(profile, &frame, &line, 1);
	}
}

/* Roots are shared by some thousand stacks, leaves are not. */
static uint32_t *stacks_add(struct profile *profile)
{
	uint32_t *stacks = mem_alloc(N_STACKS * sizeof(*stacks));

	for (uint32_t i = 0; i < N_STACKS; i++) {
		uint32_t depth = 20 + (uint32_t)random() % 20, node = 0;

		for (uint32_t j = 0; j < depth; j++) {
			uint32_t frame = j < depth - 6 ? i / 2000 * 31 + j * 7
						       : (uint32_t)random();

			node = profile_node(profile, node, frame % N_FRAMES);
		}
		stacks[i] = node;
	}
	return stacks;
}

static void rows_add(struct profile *profile, const uint32_t *stacks)
{
	for (uint32_t i = 0; i < N_ROWS; i++)
		profile_add(profile,
			    &(struct profile_row){
				    .stack = stacks[random() % N_STACKS],
				    .thread = (uint32_t)random() % 200,
				    .container = PROFILE_NONE,
				    .cpu = (uint32_t)random() % 64,
				    .slice = i / 170,
				    .count = 1,
				    .values = { 10000000 } });
}

static struct profile *profile_make(void)
{
	struct profile *profile = profile_new();
	uint32_t *stacks;
	double start;

	srandom(1);
	profile->n_value_types = 1;
	profile->value_types[0] =
		(struct profile_value_type){ "cpu", "nanoseconds" };
	profile->slice_ns = 100000000;
	profile->duration_ns = 590ull * 1000000000;
	for (uint32_t i = 0; i < 200; i++)
		profile_thread(profile, profile_process(profile, i % 50, 1), i,
			       "x");
	frames_add(profile);
	start = now();
	stacks = stacks_add(profile);
	report("stacks into the trie", start, N_STACKS * 29.5);
	start = now();
	rows_add(profile, stacks);
	report("rows", start, N_ROWS);
	free(stacks);
	return profile;
}

static void group_by(const struct profile *profile, const char *keys)
{
	struct group_request request = { .top = 20 };
	struct grouping grouping;
	struct window window;
	double start = now();

	group_keys_parse(&request, keys, NULL);
	window_of(&window, profile, 0);
	group_profile(&grouping, profile, &window, &request);
	grouping_destroy(&grouping);
	report(keys, start, 0);
}

int main(void)
{
	struct profile *profile = profile_make();
	struct profile *merged = profile_merge_new();
	struct window window;
	struct tree tree;
	double start;

	group_by(profile, "process");
	group_by(profile, "function");
	group_by(profile, "process,function");
	start = now();
	window_of(&window, profile, 0);
	tree_init(&tree, profile, &window, NULL);
	tree_destroy(&tree);
	report("tree", start, 0);
	start = now();
	profile_merge(merged, profile);
	report("merge", start, 0);
	profile_free(merged);
	profile_free(profile);
	return 0;
}
