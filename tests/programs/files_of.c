/*
 * files_of: what the model of the running system finds behind the mappings
 * of processes. Reads commands from standard input, one a line:
 *
 *   see PID    as if PID had been sampled: its maps, its mount namespace
 *   end PID    as if its EXIT record had come
 *   open PID   opens what it maps, and prints for each binary
 *              "PATH open RUNG BUILD-ID" or "PATH absent REASON", with
 *              " deleted" behind it where the file has no name any more
 *   forget 0   everything: copies of one file, which have its build-id, are
 *              one binary to a model that has seen them all
 *
 * and answers each with a last line "done COMM EXE".
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "perfcore/binary_file.h"
#include "perfcore/process.h"

struct model {
	struct strings *strings;
	struct notes notes;
	struct binary_table *binaries;
	struct process_table *processes;
	struct binary_files *files;
};

static const char *const rungs[RUNGS] = { "map_files", "exe",	"root",
					  "namespace", "symfs", "host" };

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct thread *thread_of(struct model *model, uint32_t pid)
{
	return process_table_thread(model->processes, pid, pid, 0, now_ns());
}

static void see(struct model *model, uint32_t pid)
{
	struct process *process = thread_of(model, pid)->process;

	process_table_find(model->processes, process, 0);
	binary_files_pin(model->files, process);
}

static void end(struct model *model, uint32_t pid)
{
	struct event event = {
		.kind = EVENT_EXIT, .time = now_ns(), .pid = pid, .tid = pid
	};

	process_table_event(model->processes, &event);
}

static void print_binary(const struct binary *binary, const char *rung)
{
	uint8_t id[BUILD_ID_MAX];
	int size;

	if (binary->state != BINARY_OPEN) {
		printf("%s absent %s", binary->id.path,
		       strerrorname_np(binary->open_errno));
	} else {
		size = build_id_read(binary->fd, id);
		printf("%s open %s ", binary->id.path, rung);
		for (int i = 0; i < size; i++)
			printf("%02x", id[i]);
	}
	printf("%s\n", binary->is_deleted ? " deleted" : "");
}

/* The rung whose counter has moved. */
static const char *rung_since(const struct binary_files_counts *before,
			      const struct binary_files_counts *after)
{
	for (int i = 0; i < RUNGS; i++) {
		if (after->opened[i] > before->opened[i])
			return rungs[i];
	}
	return "before";
}

static void open_all(struct model *model, uint32_t pid)
{
	struct process *process = thread_of(model, pid)->process;

	for (size_t i = 0; i < maps_count(process->maps); i++) {
		const struct mapping *mapping = maps_at(process->maps, i);
		struct binary_files_counts before =
			*binary_files_counts(model->files);
		struct binary *binary =
			binary_files_open(model->files, process, mapping);

		if (binary->id.kind == BINARY_FILE ||
		    binary->id.kind == BINARY_MEMORY)
			print_binary(binary, rung_since(&before,
							binary_files_counts(
								model->files)));
	}
}

static void model_init(struct model *model)
{
	struct process_table_config config = { .root = "" };

	model->strings = strings_new();
	notes_init(&model->notes);
	model->binaries = binary_table_new(model->strings);
	config.strings = model->strings;
	config.notes = &model->notes;
	config.binaries = model->binaries;
	model->processes = process_table_new(&config);
	model->files = binary_files_new("", model->binaries);
}

static void model_destroy(struct model *model)
{
	binary_files_free(model->files);
	process_table_free(model->processes);
	binary_table_free(model->binaries);
	notes_destroy(&model->notes);
	strings_free(model->strings);
}

static void obey(struct model *model, const char *command, uint32_t pid)
{
	const struct process *process;

	if (strcmp(command, "forget") == 0) {
		model_destroy(model);
		model_init(model);
	} else if (strcmp(command, "see") == 0) {
		see(model, pid);
	} else if (strcmp(command, "end") == 0) {
		end(model, pid);
	} else {
		open_all(model, pid);
	}
	process = thread_of(model, pid)->process;
	printf("done %s %s\n", process->comm, process->exe);
	fflush(stdout);
}

int main(void)
{
	char line[256], command[16];
	struct model model;
	unsigned pid;

	model_init(&model);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%15s %u", command, &pid) == 2)
			obey(&model, command, pid);
	}
	model_destroy(&model);
	return 0;
}
