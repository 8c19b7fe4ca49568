/*
 * make bench-scale: how many unwound samples one core takes. The samples of a
 * perf.data with stack copies are put into the rings of 64 CPUs that a fake
 * kernel has, round by round, and read through session and pipeline to
 * aggregated stacks, records consumed where they lie. Only reading is timed.
 * usage: scale FILE SAMPLES
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/pipeline.h"
#include "fake_sys.h"
#include "perfcore/mem.h"
#include "perfcore/perfdata_reader.h"
#include "perfcore/session.h"

#define CPUS	   64
#define ROUND	   (CPUS * 8) /* samples put before the rings are read */
#define STACK_SIZE 16384
#define RECORD_MAX 65528
#define MS	   1000000ull
#define MISC_USER  2
#define MISC_BUILD (1 << 14)
#define KEPT_MAX   20000

struct kept { /* the body of one record */
	uint8_t *bytes;
	size_t size;
	uint32_t type;
	uint16_t misc;
	size_t time_at; /* where its time stands */
};

struct kepts {
	struct kept *items;
	size_t count, capacity;
};

struct body {
	uint8_t bytes[RECORD_MAX];
	size_t size;
};

static void put(struct body *body, const void *bytes, size_t size)
{
	if (size > sizeof(body->bytes) - body->size)
		size = sizeof(body->bytes) - body->size;
	memcpy(body->bytes + body->size, bytes, size);
	body->size += size;
}

static void put_u64(struct body *body, uint64_t value)
{
	put(body, &value, sizeof(value));
}

static void keep(struct kepts *kepts, const struct body *body, uint32_t type,
		 uint16_t misc, size_t time_at)
{
	kepts->items = mem_grow(kepts->items, kepts->count, &kepts->capacity,
				sizeof(*kepts->items));
	kepts->items[kepts->count++] =
		(struct kept){ mem_dup(body->bytes, body->size), body->size,
			       type, misc, time_at };
}

/* IDENTIFIER, IP, TID, TIME, CPU, PERIOD, CALLCHAIN, REGS_USER, STACK_USER,
 * CGROUP: what a session asks for. */
static void keep_sample(struct kepts *kepts, const struct event *event)
{
	const struct sample *sample = &event->sample;
	uint64_t size = sample->stack_size < STACK_SIZE ? sample->stack_size
							: STACK_SIZE;
	static struct body body;

	if (sample->user_regs.mask != (0x1ffull | 0xffull << 16) &&
	    sample->user_regs.mask != 0xff0fff)
		return;
	body.size = 0;
	put_u64(&body, 1);
	put_u64(&body, sample->ip);
	put_u64(&body, event->pid | (uint64_t)event->tid << 32);
	put_u64(&body, 0);
	put_u64(&body, 0);
	put_u64(&body, sample->period);
	put_u64(&body, 0); /* frames of the callchain */
	put_u64(&body, sample->user_regs.abi);
	for (unsigned i = 0, at = 0; i < 24; i++) {
		if (!(sample->user_regs.mask >> i & 1))
			continue;
		if ((0x1ffull | 0xffull << 16) >> i & 1)
			put_u64(&body, sample->user_regs.values[at]);
		at++;
	}
	put_u64(&body, size);
	put(&body, sample->stack, size);
	put_u64(&body, size);
	put_u64(&body, 1);
	keep(kepts, &body, PERF_RECORD_SAMPLE, MISC_USER, 24);
}

/* The trailer of what is no sample: TID, TIME, CPU, IDENTIFIER. */
static size_t put_trailer(struct body *body, const struct event *event)
{
	size_t time_at;

	while (body->size % 8)
		put(body, "", 1);
	put_u64(body, event->pid | (uint64_t)event->tid << 32);
	time_at = body->size;
	put_u64(body, 0);
	put_u64(body, 0);
	put_u64(body, 1);
	return time_at;
}

static void keep_mmap(struct kepts *kepts, const struct event *event)
{
	const struct event_mmap *mmap = &event->mmap;
	static struct body body;
	uint32_t protection[2] = { mmap->protection, 2 };
	uint8_t build_id[24] = { mmap->build_id_size };
	size_t time_at;

	if (mmap->is_kernel)
		return;
	body.size = 0;
	put_u64(&body, event->pid | (uint64_t)event->tid << 32);
	put_u64(&body, mmap->start);
	put_u64(&body, mmap->length);
	put_u64(&body, mmap->page_offset);
	if (mmap->build_id_size) {
		memcpy(build_id + 4, mmap->build_id, BUILD_ID_MAX);
		put(&body, build_id, sizeof(build_id));
	} else {
		put_u64(&body, mmap->major | (uint64_t)mmap->minor << 32);
		put_u64(&body, mmap->inode);
		put_u64(&body, mmap->inode_generation);
	}
	put(&body, protection, sizeof(protection));
	put(&body, mmap->path, strlen(mmap->path) + 1);
	time_at = put_trailer(&body, event);
	keep(kepts, &body, PERF_RECORD_MMAP2,
	     MISC_USER | (mmap->build_id_size ? MISC_BUILD : 0), time_at);
}

/* A process is known by its birth. */
static void keep_fork(struct kepts *kepts, const struct event *event)
{
	static struct body body;
	size_t time_at;

	body.size = 0;
	put_u64(&body, event->pid | (uint64_t)event->fork.parent_pid << 32);
	put_u64(&body, event->tid | (uint64_t)event->fork.parent_tid << 32);
	put_u64(&body, 0);
	time_at = put_trailer(&body, event);
	keep(kepts, &body, PERF_RECORD_FORK, MISC_USER, time_at);
}

/* The command itself was born before the file begins. */
static void first_process(struct kepts *kepts, const struct event *event)
{
	struct event birth = *event;

	birth.fork = (struct event_fork){ getpid(), getpid() };
	keep_fork(kepts, &birth);
}

static void file_read(const char *path, struct kepts *samples,
		      struct kepts *mappings)
{
	struct source *source;
	struct event event;
	struct error error;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (perfdata_reader_open(fd, path, NULL, &source, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	while (source_next(source, &event, &error) == 1) {
		if (event.kind == EVENT_SAMPLE &&
		    event.sample.mode == CPU_MODE_USER &&
		    samples->count < KEPT_MAX)
			keep_sample(samples, &event);
		else if (event.kind == EVENT_MMAP)
			keep_mmap(mappings, &event);
		else if (event.kind == EVENT_FORK)
			keep_fork(mappings, &event);
		else if (event.kind == EVENT_COMM && event.comm.is_exec)
			first_process(mappings, &event);
	}
	source_free(source);
	close(fd);
}

static void ring_fill(const struct kept *kept, int cpu, uint64_t time)
{
	memcpy(kept->bytes + kept->time_at, &time, sizeof(time));
	if (!fake_sys_record(cpu, kept->type != PERF_RECORD_SAMPLE, kept->type,
			     kept->misc, kept->bytes, kept->size)) {
		fprintf(stderr, "a ring is full\n");
		exit(1);
	}
}

static double cpu_seconds(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double drain(struct session *session, struct pipeline *pipeline)
{
	double start = cpu_seconds();
	struct error error;

	session_refresh(session);
	if (pipeline_drain(pipeline, session_source(session), &error) < 0) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	return cpu_seconds() - start;
}

static void replay(const struct kepts *samples, const struct kepts *mappings,
		   uint64_t wanted)
{
	struct session_options options = { .event = "cpu-clock",
					   .freq_hz = 99,
					   .stacks = SESSION_STACKS_COPY,
					   .stack_size = STACK_SIZE };
	struct pipeline_config config = { .root = "", .slice_ns = 100 * MS };
	const struct pipeline_counts *counts;
	struct pipeline *pipeline;
	struct session *session;
	struct error error;
	double seconds = 0;

	fake_sys_reset("0-63");
	if (session_open(&session, &options, NULL, &error) ||
	    session_start(session, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	pipeline = pipeline_new(&config, source_info(session_source(session)));
	for (size_t i = 0; i < mappings->count; i++) {
		fake_sys.clock_ns += 1000;
		ring_fill(&mappings->items[i], (int)(i % CPUS),
			  fake_sys.clock_ns);
	}
	for (uint64_t done = 0; done < wanted; done += ROUND) {
		for (uint64_t i = done; i < done + ROUND; i++) {
			fake_sys.clock_ns += 1000;
			ring_fill(&samples->items[i % samples->count],
				  (int)(i % CPUS), fake_sys.clock_ns);
		}
		fake_sys.clock_ns += 20 * MS; /* nothing is too young */
		seconds += drain(session, pipeline);
	}
	counts = pipeline_counts(pipeline);
	printf("%" PRIu64
	       " samples from %d rings in %.2f s of CPU time: %.0f a "
	       "second (goal: 150,000)\n",
	       counts->samples, CPUS, seconds,
	       (double)counts->samples / seconds);
	printf("%" PRIu64 " complete, %" PRIu64 " truncated, %" PRIu64
	       " failed; %zu rows, %zu nodes\n",
	       counts->stacks_complete, counts->stacks_truncated,
	       counts->stacks_failed, pipeline_profile(pipeline)->n_rows,
	       pipeline_profile(pipeline)->n_nodes);
	pipeline_free(pipeline);
	session_free(session);
}

int main(int argc, char **argv)
{
	struct kepts samples = { 0 }, mappings = { 0 };

	if (argc != 3) {
		fprintf(stderr, "usage: %s FILE SAMPLES\n", argv[0]);
		return 2;
	}
	file_read(argv[1], &samples, &mappings);
	printf("%zu samples and %zu mappings of %s\n", samples.count,
	       mappings.count, argv[1]);
	if (samples.count == 0)
		return 1;
	replay(&samples, &mappings, strtoull(argv[2], NULL, 10));
	return 0;
}
