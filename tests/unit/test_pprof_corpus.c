/*
 * Other tools' profiles, by the counts of the corpus' index. Lines look like:
 *
 *   | parca/a.pb.gz | 173 | from | what | 2 samples, 3 locations (0 without
 *   lines), 3 functions, 1 mappings, deepest 2; totals cpu/nanoseconds=36;
 *   period 0, duration 0 ns |
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/formats/pprof_reader.h"
#include "cli/formats/pprof_writer.h"
#include "profile_dump.h"

#define CORPUS "../shared/corpus/"

static int open_path(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), CORPUS "pprof/%s", name);
	return open(path, O_RDONLY);
}

static int read_path(const char *name, struct profile **profile,
		     struct error *error)
{
	int fd = open_path(name);
	int result = pprof_read(profile, fd, name, error);

	close(fd);
	return result;
}

static uint64_t total(const struct profile *profile, const char *type,
		      const char *unit)
{
	uint64_t sum = 0;
	uint32_t value;

	for (value = 0; value < profile->n_value_types; value++)
		if (strcmp(profile->value_types[value].type, type) == 0 &&
		    strcmp(profile->value_types[value].unit, unit) == 0)
			break;
	for (size_t i = 0; i < profile->n_rows; i++)
		sum += value < profile->n_value_types
			       ? profile->rows[i].values[value]
			       : profile->rows[i].count;
	return sum;
}

static void assert_totals(const struct profile *profile, const char *text)
{
	char type[64], unit[64];
	unsigned long long want;
	int used;

	while (sscanf(text, "%63[^/,;]/%63[^=]=%llu%n", type, unit, &want,
		      &used) == 3) {
		assert_true(total(profile, type, unit) == want);
		text += used;
		text += strspn(text, ", ");
	}
}

static uint32_t deepest(const struct profile *profile)
{
	uint32_t most = 0;

	for (size_t i = 0; i < profile->n_rows; i++) {
		uint32_t depth = 0, node = profile->rows[i].stack;

		for (; node; node = profile->nodes[node].parent)
			depth++;
		most = depth > most ? depth : most;
	}
	return most;
}

/* Read, written by us and read again, it is the same. */
static void assert_rewritten(const struct profile *profile)
{
	FILE *file = tmpfile();
	struct profile *back;

	assert_int_equal(pprof_write(profile, fileno(file), NULL), 0);
	rewind(file);
	assert_int_equal(pprof_read(&back, fileno(file), "x", NULL), 0);
	assert_int_equal(back->n_rows, profile->n_rows);
	for (uint32_t i = 0; i < profile->n_value_types; i++)
		assert_true(total(back, profile->value_types[i].type,
				  profile->value_types[i].unit) ==
			    total(profile, profile->value_types[i].type,
				  profile->value_types[i].unit));
	assert_int_equal(back->n_processes, profile->n_processes);
	profile_free(back);
	fclose(file);
}

static void check_counts(const char *name, const char *counts)
{
	unsigned samples, locations, bare, functions, mappings, depth;
	unsigned long long period, duration;
	const char *totals = strstr(counts, "totals ");
	struct profile *profile;
	struct error error;

	assert_int_equal(sscanf(counts,
				"%u samples, %u locations (%u without lines), "
				"%u functions, %u mappings, deepest %u",
				&samples, &locations, &bare, &functions,
				&mappings, &depth),
			 6);
	if (read_path(name, &profile, &error))
		fail_msg("%s", error.text);
	/* equal samples, functions and mappings are one in a profile */
	assert_in_range(profile->n_rows, 1, samples);
	assert_int_equal(profile->n_frames, locations);
	assert_in_range(profile->n_mappings - 1, 0, mappings);
	assert_true(profile->n_functions - 1 <= functions + bare);
	assert_int_equal(deepest(profile), depth);
	assert_non_null(totals);
	assert_totals(profile, totals + strlen("totals "));
	assert_int_equal(sscanf(strstr(totals, "; period"),
				"; period %llu, duration %llu ns", &period,
				&duration),
			 2);
	assert_true(profile->duration_ns == duration);
	assert_rewritten(profile);
	profile_free(profile);
}

static void check_legacy(const char *name)
{
	struct profile *profile;
	struct error error = { "" };

	assert_true(read_path(name, &profile, &error) < 0);
	if (!strstr(error.text, "legacy") || !strstr(error.text, "convert"))
		fail_msg("not by name: %s", error.text);
}

static void every_file_as_the_index_says(void **state)
{
	FILE *index = fopen(CORPUS "INDEX.md", "r");
	char line[4096], name[256];
	int n_read = 0, n_legacy = 0, is_pprof = 0, fd;

	(void)state;
	if (!index) {
		printf("skip every_file_as_the_index_says: no " CORPUS "\n");
		skip();
	}
	while (fgets(line, sizeof(line), index)) {
		char *counts = strstr(line, " samples, ");

		if (strncmp(line, "## ", 3) == 0)
			is_pprof = strcmp(line, "## pprof/\n") == 0;
		if (!is_pprof || sscanf(line, "| %255s |", name) != 1)
			continue;
		fd = open_path(name);
		if (fd < 0) /* in the index only */
			continue;
		close(fd);
		while (counts && counts > line && counts[-1] != ' ')
			counts--;
		if (counts && ++n_read)
			check_counts(name, counts);
		else if (strstr(line, "| not profile.proto:") && ++n_legacy)
			check_legacy(name);
	}
	fclose(index);
	assert_int_equal(n_read, 13);
	assert_int_equal(n_legacy, 13);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_file_as_the_index_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
