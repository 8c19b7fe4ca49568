/*
 * perfdata_copy [--cgroups] IN OUT: reads a perf.data with our reader and
 * writes it with our writer, for tests that show the result to other readers.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perfcore/perfdata_reader.h"
#include "perfcore/perfdata_writer.h"

static int copy(struct source *source, struct perfdata_writer *writer,
		struct error *error)
{
	struct event event;
	int got;

	while ((got = source_next(source, &event, error)) == 1)
		perfdata_writer_event(writer, &event);
	return got < 0 ? got : perfdata_writer_finish(writer, error);
}

int main(int argc, char **argv)
{
	bool has_cgroups = argc > 1 && !strcmp(argv[1], "--cgroups");
	const char *from = argc > 2 ? argv[argc - 2] : "";
	const char *to = argc > 2 ? argv[argc - 1] : "";
	int in = open(from, O_RDONLY | O_CLOEXEC), err;
	int out = open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct perfdata_writer_info info = { .has_cgroups = has_cgroups };
	struct perfdata_writer *writer = NULL;
	struct source *source = NULL;
	struct error error = { "usage: perfdata_copy [--cgroups] IN OUT" };

	err = in < 0 || out < 0 ? -1 : 0;
	if (!err)
		err = perfdata_reader_open(in, from, NULL, &source, &error);
	if (!err) {
		info.facts = *perfdata_reader_facts(source);
		info.events = source_info(source)->events;
		info.n_events = source_info(source)->n_events;
		info.has_cpus =
			info.events[0].attr.sample_type & PERF_SAMPLE_CPU;
		err = perfdata_writer_open(out, to, &info, &writer, &error);
	}
	if (!err)
		err = copy(source, writer, &error);
	perfdata_writer_free(writer);
	source_free(source);
	if (err)
		fprintf(stderr, "perfdata_copy: %s\n", error.text);
	return err ? 1 : 0;
}
