/*
 * Unwinds the samples of a perf.data file and prints each on a line, for
 * comparison with what perf script says of the same file:
 *
 *   tid time end ip ip ip …       user frames, hexadecimal, leaf first
 *
 * usage: unwind_file FILE
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/stack_walker.h"
#include "perfcore/perfdata_reader.h"
#include "perfcore/vdso.h"

static const char *const end_names[UNWIND_ENDS] = {
	"complete", "truncated", "no_info", "bad_data", "too_deep",
};

static void print_sample(struct stack_walker *walker,
			 struct process_table *processes,
			 const struct event *event)
{
	struct thread *thread = process_table_thread(
		processes, event->pid, event->tid, event->cpu, event->time);
	struct walked_stack walked;

	if (event->pid == 0 || !stack_walker_walk(walker, thread->process,
						  &event->sample, &walked))
		return;
	printf("%u %" PRIu64 " %s", event->tid, event->time,
	       end_names[walked.end]);
	for (size_t i = 0; i < walked.count; i++)
		printf(" %" PRIx64 "%s", walked.frames[i].ip,
		       walked.frames[i].is_return_address ? "" : "!");
	putchar('\n');
}

static int print_all(struct source *source, struct error *error)
{
	struct notes notes;
	struct strings *strings = strings_new();
	struct binary_table *binaries = binary_table_new(strings);
	struct process_table *processes = process_table_new(
		&(struct process_table_config){ .root = "",
						.strings = strings,
						.notes = &notes,
						.binaries = binaries });
	struct binary_files *files = binary_files_new("", binaries);
	struct stack_walker_config config = {
		.processes = processes,
		.files = files,
		.machine = stack_walker_machine(source_info(source)->arch),
	};
	struct stack_walker *walker;
	struct event event;
	size_t size;
	int status;

	notes_init(&notes);
	config.vdso = vdso_image(&size);
	config.vdso_size = size;
	walker = stack_walker_new(&config);
	while ((status = source_next(source, &event, error)) == 1) {
		if (event.kind == EVENT_SAMPLE)
			print_sample(walker, processes, &event);
		else
			process_table_event(processes, &event);
	}
	stack_walker_free(walker);
	binary_files_free(files);
	process_table_free(processes);
	binary_table_free(binaries);
	strings_free(strings);
	notes_destroy(&notes);
	return status;
}

int main(int argc, char **argv)
{
	struct source *source;
	struct error error;
	int fd, status;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE\n", argv[0]);
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	status = perfdata_reader_open(fd, argv[1], NULL, &source, &error);
	if (!status) {
		status = print_all(source, &error);
		source_free(source);
	}
	if (status)
		fprintf(stderr, "%s\n", error.text);
	return status ? 1 : 0;
}
