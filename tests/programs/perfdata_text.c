/*
 * perfdata_text FILE|-: prints the samples of a perf.data as
 *     COMM PID/TID [CPU] SECONDS.NANOSECONDS: PERIOD EVENT:
 * as perf script -F comm,pid,tid,cpu,time,period,event --ns does but for its
 * columns, and a line with each address of the callchain. Notes go to
 * standard error.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perfcore/idmap.h"
#include "perfcore/perfdata_reader.h"
#include "perfcore/strings.h"

struct text {
	struct strings *strings;
	struct idmap comm_of; /* tid -> index in comms */
	const char *comms[65536];
	uint32_t n_comms;
};

static void set_comm(struct text *text, uint32_t tid, const char *comm)
{
	if (text->n_comms == sizeof(text->comms) / sizeof(text->comms[0]))
		return;
	text->comms[text->n_comms] = strings_intern(text->strings, comm);
	*idmap_at(&text->comm_of, tid, 0) = text->n_comms++;
}

static void inherit_comm(struct text *text, const struct event *event)
{
	uint32_t comm = idmap_get(&text->comm_of, event->fork.parent_tid, 0);

	if (comm != IDMAP_NONE)
		*idmap_at(&text->comm_of, event->tid, 0) = comm;
}

static void print_comm(const struct text *text, uint32_t tid)
{
	uint32_t comm = idmap_get(&text->comm_of, tid, 0);

	if (comm != IDMAP_NONE)
		printf("%s ", text->comms[comm]);
	else if (!tid)
		printf("swapper ");
	else
		printf(":%d ", (int)tid);
}

static void print_sample(const struct text *text, const struct event *event,
			 const char *name)
{
	const struct sample *sample = &event->sample;

	print_comm(text, event->tid);
	printf("%d/%d ", (int)event->pid, (int)event->tid);
	if (event->cpu != EVENT_NO_CPU)
		printf("[%03u] ", event->cpu);
	printf("%" PRIu64 ".%09" PRIu64 ": %" PRIu64 " %s:\n",
	       event->time / 1000000000, event->time % 1000000000,
	       sample->period, name);
	for (uint64_t i = 0; i < sample->n_callchain; i++) {
		uint64_t address = sample->callchain[i];

		if (address < (uint64_t)PERF_CONTEXT_MAX)
			printf("%" PRIx64 "\n", address);
	}
}

static void print_event(struct text *text, const struct source *source,
			const struct event *event)
{
	switch (event->kind) {
	case EVENT_COMM:
		set_comm(text, event->tid, event->comm.comm);
		break;
	case EVENT_FORK:
		inherit_comm(text, event);
		break;
	case EVENT_SAMPLE:
		print_sample(text, event,
			     source_info(source)->events[event->event].name);
		break;
	default:
		break;
	}
}

int main(int argc, char **argv)
{
	static struct text text;
	const char *name = argc > 1 ? argv[argc - 1] : "-";
	int fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC) : 0;
	struct source *source;
	struct error error;
	struct event event;
	struct notes notes;

	text.strings = strings_new();
	notes_init(&notes);
	if (perfdata_reader_open(fd, name, &notes, &source, &error) < 0) {
		fprintf(stderr, "perfdata_text: %s\n", error.text);
		return 1;
	}
	while (source_next(source, &event, &error) == 1)
		print_event(&text, source, &event);
	for (size_t i = 0; i < notes.count; i++)
		fprintf(stderr, "perfdata_text: %s\n", notes.items[i].text);
	source_free(source);
	notes_destroy(&notes);
	idmap_destroy(&text.comm_of);
	strings_free(text.strings);
	return 0;
}
