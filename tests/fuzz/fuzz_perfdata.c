/* libFuzzer target of the perf.data reader: whatever the bytes are, reading
 * ends, and all that an event points to can be read. */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfcore/perfdata_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static volatile uint64_t sink;

static void touch(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	uint64_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum += at[i];
	sink += sum;
}

static void touch_event(const struct event *event)
{
	const struct sample *sample = &event->sample;

	switch (event->kind) {
	case EVENT_SAMPLE:
		touch(sample->callchain, 8 * sample->n_callchain);
		touch(sample->branches,
		      sizeof(*sample->branches) * sample->n_branches);
		touch(sample->user_regs.values,
		      8 * (size_t)__builtin_popcountll(sample->user_regs.mask));
		touch(sample->stack, sample->stack_size);
		touch(sample->raw, sample->raw_size);
		break;
	case EVENT_MMAP:
		touch(event->mmap.path, strlen(event->mmap.path));
		touch(event->mmap.build_id, event->mmap.build_id_size);
		break;
	case EVENT_COMM:
		touch(event->comm.comm, strlen(event->comm.comm));
		break;
	case EVENT_CGROUP:
		touch(event->cgroup.path, strlen(event->cgroup.path));
		break;
	case EVENT_KSYMBOL:
		touch(event->ksymbol.name, strlen(event->ksymbol.name));
		break;
	default:
		break;
	}
}

/* As a file, or, where it fits into one, through a pipe. */
static int input_open(const uint8_t *bytes, size_t size)
{
	int ends[2], fd;

	if (size && size < 65536 && bytes[size - 1] & 1 && !pipe(ends)) {
		if (write(ends[1], bytes, size) < 0)
			sink++;
		close(ends[1]);
		return ends[0];
	}
	fd = memfd_create("fuzz", 0);
	if (write(fd, bytes, size) < 0)
		sink++;
	return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = input_open(bytes, size);
	struct source *source;
	struct error error;
	struct event event;
	struct notes notes;

	notes_init(&notes);
	if (!perfdata_reader_open(fd, "fuzz", &notes, &source, &error)) {
		while (source_next(source, &event, &error) == 1)
			touch_event(&event);
		source_free(source);
	}
	notes_destroy(&notes);
	close(fd);
	return 0;
}
