/* Fuzz target: any order of records and samples of a few processes, eight
 * bytes each, with time running on and sometimes jumping far. What a look-up
 * gives must be what was asked for. */
#include "perfcore/process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct step {
	uint8_t kind, pid, tid, cpu, parent, start, length, time;
};

static const char *const names[] = { "a",	 "/bin/b",	 "//anon",
				     "/memfd:x", "/c (deleted)", "[vdso]",
				     "",	 "/dev/zero" };

/* The highest value stands for an id that the kernel has taken away. */
static uint32_t id_of(uint8_t value)
{
	return value % 16 == 15 ? UINT32_MAX : value % 16;
}

static void sample(struct process_table *table, const struct step *step,
		   uint64_t time)
{
	uint32_t pid = id_of(step->pid), tid = id_of(step->tid);
	struct thread *thread =
		process_table_thread(table, pid, tid, step->cpu % 4, time);
	const struct mapping *mapping;
	uint64_t address = step->start * 16ul;

	if ((pid != UINT32_MAX && thread->process->pid != pid) ||
	    !thread->comm || !thread->process->exe)
		abort();
	mapping = process_table_find(table, thread->process, address);
	if (mapping && (mapping->start > address || mapping->end <= address ||
			!mapping->binary || mapping->binary->alias))
		abort();
}

static void record(struct process_table *table, const struct step *step,
		   uint64_t time)
{
	struct event event = {
		.kind = (enum event_kind)(step->kind / 2 % EVENT_KINDS),
		.misc = step->kind & 1 ? 0x2000 : 0,
		.time = step->time == 7 ? 0 : time,
		.pid = id_of(step->pid),
		.tid = id_of(step->tid),
		.cpu = step->cpu % 4,
	};

	switch (event.kind) {
	case EVENT_FORK:
		event.fork.parent_pid = id_of(step->parent);
		event.fork.parent_tid = id_of(step->parent / 16);
		break;
	case EVENT_COMM:
		event.comm.comm = names[step->start % 8];
		event.comm.is_exec = step->parent & 1;
		break;
	case EVENT_MMAP:
		event.mmap.path = names[step->parent % 8];
		event.mmap.start = step->start * 16ul;
		event.mmap.length = step->length * 8ul;
		event.mmap.protection = PROT_READ | (step->parent & 8 ? 0 : 4);
		event.mmap.build_id_size = step->parent & 16 ? 20 : 0;
		event.mmap.build_id[0] = step->cpu;
		break;
	default:
		break;
	}
	process_table_event(table, &event);
}

static void run(struct process_table *table, const uint8_t *data, size_t size)
{
	struct process_table_counts counts;
	uint64_t time = 1;
	struct step step;

	for (; size >= sizeof(step);
	     data += sizeof(step), size -= sizeof(step)) {
		memcpy(&step, data, sizeof(step));
		time += step.time * (step.time > 250 ? 1000000000ull : 1000);
		if (step.kind >= 128)
			sample(table, &step, time);
		else
			record(table, &step, time);
	}
	process_table_counts(table, &counts);
	if (counts.threads > 16)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A root without /proc: processes that are always gone. */
	static const char *const roots[] = { NULL, "/nonexistent" };

	for (int i = 0; i < 2; i++) {
		struct process_table_config config = { .root = roots[i] };
		struct process_table *table;

		config.strings = strings_new();
		config.binaries = binary_table_new(config.strings);
		table = process_table_new(&config);
		run(table, data, size);
		process_table_free(table);
		binary_table_free(config.binaries);
		strings_free(config.strings);
	}
	return 0;
}
