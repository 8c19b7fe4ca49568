/*
 * pprof ROWS [FILE]: writes (to FILE, where given) and reads a made-up profile
 * of a busy host: 200 processes, 4,000 functions, stacks 5 to 40 deep that
 * share their callers, one row for each stack, thread, CPU and second.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/formats/pprof_reader.h"
#include "cli/formats/pprof_writer.h"

#define PROCESSES 200
#define FUNCTIONS 4000
#define FRAMES	  20000

static uint64_t seed = 1;

static uint32_t below(uint32_t limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((seed >> 32) * limit >> 32);
}

/* Small numbers are more likely, as hot functions are. */
static uint32_t skewed(uint32_t limit)
{
	return below(below(limit) + 1);
}

static void add_code(struct profile *profile)
{
	for (uint32_t i = 0; i < FRAMES; i++) {
		char name[64], path[64];
		uint32_t function = i % FUNCTIONS;
		struct profile_line line = { 0, 10 + i % 500 };
		uint32_t frame;

		snprintf(path, sizeof(path), "/usr/lib/library%u.so.1",
			 function % 40);
		snprintf(name, sizeof(name), "space%u::Class%u::method%u(int)",
			 function % 7, function % 97, function);
		line.function = profile_function(
			profile, &(struct profile_function){
					 name, name, "/src/file.cc", true });
		frame = profile_frame_add(
			profile,
			&(struct profile_frame){
				.mapping = profile_mapping(
					profile,
					&(struct profile_mapping){
						path, "0123456789abcdef0123",
						0x1000, 0x200000, 0x1000,
						false }),
				.flags = PROFILE_FRAME_USER,
				.address = 0x1000 + 97ull * i + below(90) });
		profile_frame_set_lines(profile, frame, &line, 1);
	}
}

static void add_row(struct profile *profile, uint32_t i)
{
	uint32_t number = skewed(PROCESSES), node = 0;
	uint32_t process = profile_process(profile, 1000 + number, number);
	char comm[16];
	uint32_t depth = 5 + skewed(35);

	snprintf(comm, sizeof(comm), "worker%u", number);
	for (uint32_t j = 0; j < depth; j++)
		node = profile_node(profile, node,
				    number * 40 % (FRAMES - 400) +
					    skewed(j < 6 ? 4 : 30) + j * 10);
	profile_add(profile,
		    &(struct profile_row){
			    .stack = node,
			    .thread = profile_thread(profile, process,
						     1000 + number + below(4),
						     comm),
			    .container = profile_container(
				    profile,
				    &(struct profile_container){
					    comm, "", "systemd",
					    "/system.slice/x.service" }),
			    .cpu = below(8),
			    .slice = i / 800,
			    .count = 1,
			    .values = { 10101010 } });
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double peak_mb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

int main(int argc, char **argv)
{
	uint32_t rows = argc > 1 ? (uint32_t)atoi(argv[1]) : 100000;
	struct profile *profile = profile_new(), *back = NULL;
	struct error error = { "" };
	FILE *file = argc > 2 ? fopen(argv[2], "w+") : tmpfile();
	double start, middle, end, before;
	long size;

	profile_state(profile, "user");
	profile->slice_ns = 1000000000;
	profile->value_types[profile->n_value_types++] =
		(struct profile_value_type){ "cpu", "nanoseconds" };
	add_code(profile);
	for (uint32_t i = 0; i < rows; i++)
		add_row(profile, i);
	before = peak_mb();
	start = seconds();
	if (pprof_write(profile, fileno(file), &error))
		fprintf(stderr, "%s\n", error.text);
	middle = seconds();
	size = lseek(fileno(file), 0, SEEK_END);
	printf("%zu rows, %zu stack nodes: written in %.3f s CPU, %ld bytes, "
	       "%.1f a row, peak memory %+.0f MB\n",
	       profile->n_rows, profile->n_nodes, middle - start, size,
	       (double)size / (double)profile->n_rows, peak_mb() - before);
	profile_free(profile);
	rewind(file);
	middle = seconds();
	if (pprof_read(&back, fileno(file), "bench", &error))
		fprintf(stderr, "%s\n", error.text);
	end = seconds();
	if (back)
		printf("read in %.3f s CPU, %zu rows, peak memory %.0f MB\n",
		       end - middle, back->n_rows, peak_mb());
	profile_free(back);
	fclose(file);
	return *error.text != '\0';
}
