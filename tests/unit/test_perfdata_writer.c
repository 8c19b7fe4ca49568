/* What the writer writes, our reader reads back; perf, hotspot and autofdo
 * read it in tests/live/perfdata.sh. */
#include "perfcore/perfdata_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfcore/perfdata_reader.h"

static const uint64_t chain[] = {
	PERF_CONTEXT_KERNEL, 0xffffffff81000010, 0xffffffff81000020,
	PERF_CONTEXT_USER,   0x401010,		 0x401020,
};

static const struct event written[] = {
	{ .kind = EVENT_COMM,
	  .type = PERF_RECORD_COMM,
	  .pid = 7,
	  .tid = 8,
	  .comm = { .comm = "web server", .is_exec = true } },
	{ .kind = EVENT_MMAP,
	  .type = PERF_RECORD_MMAP2,
	  .pid = 7,
	  .tid = 7,
	  .mmap = { .start = 0x400000,
		    .length = 0x3000,
		    .page_offset = 0x1000,
		    .build_id = "0123456789abcdefghij",
		    .build_id_size = 20,
		    .protection = 5,
		    .path = "/usr/bin/web" } },
	{ .kind = EVENT_MMAP,
	  .type = PERF_RECORD_MMAP2,
	  .pid = 7,
	  .tid = 7,
	  .time = 5,
	  .mmap = { .start = 0x500000,
		    .length = 0x1000,
		    .major = 8,
		    .minor = 1,
		    .inode = 77,
		    .inode_generation = 3,
		    .protection = 5,
		    .is_shared = true,
		    .path = "/usr/lib/libx.so" } },
	{ .kind = EVENT_FORK,
	  .type = PERF_RECORD_FORK,
	  .pid = 9,
	  .tid = 9,
	  .time = 6,
	  .fork = { 7, 8 } },
	{ .kind = EVENT_SAMPLE,
	  .type = PERF_RECORD_SAMPLE,
	  .event = 1,
	  .pid = 9,
	  .tid = 9,
	  .cpu = 3,
	  .time = 10,
	  .sample = { .ip = 0xffffffff81000010,
		      .period = 1234567,
		      .cgroup = 99,
		      .mode = CPU_MODE_KERNEL,
		      .is_exact_ip = true,
		      .callchain = chain,
		      .n_callchain = 6 } },
	{ .kind = EVENT_CGROUP,
	  .type = PERF_RECORD_CGROUP,
	  .time = 11,
	  .cgroup = { .id = 99, .path = "/docker/web" } },
	{ .kind = EVENT_LOST,
	  .type = PERF_RECORD_LOST,
	  .time = 12,
	  .lost = { 17 } },
	{ .kind = EVENT_LOST_SAMPLES,
	  .type = PERF_RECORD_LOST_SAMPLES,
	  .time = 13,
	  .lost = { 18 } },
	{ .kind = EVENT_THROTTLE, .type = PERF_RECORD_THROTTLE, .time = 14 },
	{ .kind = EVENT_UNTHROTTLE,
	  .type = PERF_RECORD_UNTHROTTLE,
	  .time = 15 },
	{ .kind = EVENT_EXIT,
	  .type = PERF_RECORD_EXIT,
	  .pid = 9,
	  .tid = 9,
	  .time = 16,
	  .fork = { 9, 9 } },
};

#define N_WRITTEN (sizeof(written) / sizeof(written[0]))

static const struct source_event events[] = {
	{ .name = "cpu-clock",
	  .attr = { .type = PERF_TYPE_SOFTWARE,
		    .size = 136,
		    .config = PERF_COUNT_SW_CPU_CLOCK,
		    .sample_freq = 99,
		    .freq = 1,
		    .sample_type =
			    PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		    .sample_regs_user = 0xff0fff,
		    .sample_stack_user = 32768,
		    .exclude_callchain_user = 1 } },
	{ .name = "my event", .attr = { .sample_period = 1000 } },
};

static const struct perfdata_writer_info info = {
	.facts = { .host = "web1",
		   .kernel = "6.18.0",
		   .perf_version = "hostprof 1",
		   .arch = "x86_64",
		   .cpu_model = "Some CPU",
		   .cpu_id = "GenuineIntel,6,1,1",
		   .command = "hostprof record --raw",
		   .n_cpus = 4,
		   .n_cpus_present = 8,
		   .memory = 1ull << 34,
		   .has_clock = true,
		   .wall_ns = 1700000000000000000,
		   .clock_ns = 4,
		   .clock_id = 1 },
	.events = events,
	.n_events = 2,
	.has_cpus = true,
	.has_cgroups = true,
};

/* A memory file with all events in it. */
static int file_written(const struct perfdata_writer_info *how, bool finish)
{
	static const uint8_t kernel_id[20] = { 0xaa, 0xbb };
	int fd = memfd_create("test", MFD_CLOEXEC);
	struct perfdata_writer *writer;
	struct error error;

	assert_int_equal(perfdata_writer_open(fd, "out", how, &writer, &error),
			 0);
	perfdata_writer_kernel(writer, "_stext", 0xffffffff81000000,
			       0xffffffff82000000, kernel_id, 20);
	for (size_t i = 0; i < N_WRITTEN; i++)
		perfdata_writer_event(writer, &written[i]);
	if (finish)
		assert_int_equal(perfdata_writer_finish(writer, &error), 0);
	else
		assert_int_equal(perfdata_writer_flush(writer, &error), 0);
	perfdata_writer_free(writer);
	return fd;
}

static void same_mmap(const struct event_mmap *a, const struct event_mmap *b)
{
	assert_int_equal(a->start, b->start);
	assert_int_equal(a->length, b->length);
	assert_int_equal(a->page_offset, b->page_offset);
	assert_int_equal(a->major, b->major);
	assert_int_equal(a->minor, b->minor);
	assert_int_equal(a->inode, b->inode);
	assert_int_equal(a->inode_generation, b->inode_generation);
	assert_int_equal(a->protection, b->protection);
	assert_int_equal(a->is_shared, b->is_shared);
	assert_int_equal(a->build_id_size, b->build_id_size);
	assert_memory_equal(a->build_id, b->build_id, b->build_id_size);
	assert_string_equal(a->path, b->path);
}

static void same_sample(const struct sample *a, const struct sample *b)
{
	assert_int_equal(a->ip, b->ip);
	assert_int_equal(a->period, b->period);
	assert_int_equal(a->cgroup, b->cgroup);
	assert_int_equal(a->mode, b->mode);
	assert_int_equal(a->is_exact_ip, b->is_exact_ip);
	assert_int_equal(a->n_callchain, b->n_callchain);
	assert_memory_equal(a->callchain, b->callchain, 8 * b->n_callchain);
	assert_false(a->has_stack);
	assert_int_equal(a->user_regs.abi, 0);
}

static void same_event(const struct event *a, const struct event *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->event, b->event);
	assert_int_equal(a->time, b->time);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->cpu, b->cpu);
	switch (b->kind) {
	case EVENT_SAMPLE:
		same_sample(&a->sample, &b->sample);
		break;
	case EVENT_MMAP:
		same_mmap(&a->mmap, &b->mmap);
		break;
	case EVENT_COMM:
		assert_string_equal(a->comm.comm, b->comm.comm);
		assert_int_equal(a->comm.is_exec, b->comm.is_exec);
		break;
	case EVENT_FORK:
	case EVENT_EXIT:
		assert_int_equal(a->fork.parent_pid, b->fork.parent_pid);
		assert_int_equal(a->fork.parent_tid, b->fork.parent_tid);
		break;
	case EVENT_LOST:
	case EVENT_LOST_SAMPLES:
		assert_int_equal(a->lost.count, b->lost.count);
		break;
	case EVENT_CGROUP:
		assert_int_equal(a->cgroup.id, b->cgroup.id);
		assert_string_equal(a->cgroup.path, b->cgroup.path);
		break;
	default:
		break;
	}
}

static void check_kernel(struct source *source)
{
	struct error error;
	struct event event;

	assert_int_equal(source_next(source, &event, &error), 1);
	assert_int_equal(event.kind, EVENT_MMAP);
	assert_int_equal(event.type, PERF_RECORD_MMAP);
	assert_true(event.mmap.is_kernel);
	assert_int_equal(event.pid, UINT32_MAX);
	assert_string_equal(event.mmap.path, "[kernel.kallsyms]_stext");
	assert_int_equal(event.mmap.start, 0xffffffff81000000);
	assert_int_equal(event.mmap.length, 0x1000000);
	assert_int_equal(event.mmap.page_offset, 0xffffffff81000000);
}

static void events_come_back(void **state)
{
	int fd = file_written(&info, true);
	struct source *source;
	struct error error;
	struct event event;
	struct notes notes;

	(void)state;
	notes_init(&notes);
	assert_int_equal(
		perfdata_reader_open(fd, "in", &notes, &source, &error), 0);
	check_kernel(source);
	for (size_t i = 0; i < N_WRITTEN; i++) {
		assert_int_equal(source_next(source, &event, &error), 1);
		same_event(&event, &written[i]);
	}
	assert_int_equal(source_next(source, &event, &error), 0);
	assert_int_equal(notes.count, 0);
	source_free(source);
	notes_destroy(&notes);
	close(fd);
}

static void facts_come_back(void **state)
{
	int fd = file_written(&info, true);
	const struct perfdata_facts *facts;
	const struct source_info *about;
	struct source *source;
	struct error error;

	(void)state;
	assert_int_equal(perfdata_reader_open(fd, "in", NULL, &source, &error),
			 0);
	facts = perfdata_reader_facts(source);
	assert_string_equal(facts->host, "web1");
	assert_string_equal(facts->kernel, "6.18.0");
	assert_string_equal(facts->perf_version, "hostprof 1");
	assert_string_equal(facts->arch, "x86_64");
	assert_string_equal(facts->cpu_model, "Some CPU");
	assert_string_equal(facts->cpu_id, "GenuineIntel,6,1,1");
	assert_string_equal(facts->command, "hostprof record --raw");
	assert_int_equal(facts->n_cpus, 4);
	assert_int_equal(facts->n_cpus_present, 8);
	assert_int_equal(facts->memory, 1ull << 34);
	assert_int_equal(facts->first_time, 10);
	assert_int_equal(facts->last_time, 10);
	about = source_info(source);
	assert_int_equal(about->wall_start_ns, 1700000000000000006);
	assert_int_equal(about->n_events, 2);
	assert_string_equal(about->events[0].name, "cpu-clock");
	assert_true(about->events[0].is_clock);
	assert_string_equal(about->events[1].name, "my event");
	assert_int_equal(about->events[0].attr.size, 112);
	assert_int_equal(about->events[0].attr.sample_stack_user, 0);
	assert_int_equal(about->events[0].attr.exclude_callchain_user, 0);
	assert_int_equal(about->events[0].attr.sample_freq, 99);
	source_free(source);
	close(fd);
}

/* What autofdo stops at is not in the file unless it was asked for. */
static void cgroups_and_cpus_can_be_left_out(void **state)
{
	struct perfdata_writer_info how = info;
	const struct perfdata_counts *counts;
	struct source *source;
	struct error error;
	struct event event;
	int fd;

	(void)state;
	how.has_cgroups = false;
	how.has_cpus = false;
	fd = file_written(&how, true);
	assert_int_equal(perfdata_reader_open(fd, "in", NULL, &source, &error),
			 0);
	assert_int_equal(source_info(source)->events[0].attr.sample_type &
				 PERF_SAMPLE_CGROUP,
			 0);
	while (source_next(source, &event, &error) == 1) {
		assert_int_equal(event.cpu, EVENT_NO_CPU);
		if (event.kind == EVENT_SAMPLE)
			assert_int_equal(event.sample.cgroup, 0);
	}
	counts = perfdata_reader_counts(source);
	assert_int_equal(counts->records[PERF_RECORD_CGROUP], 0);
	assert_int_equal(counts->records[PERF_RECORD_SAMPLE], 1);
	assert_int_equal(counts->unread, 0);
	source_free(source);
	close(fd);
}

/* As a kill -9 leaves it. */
static void unfinished_file_can_be_read(void **state)
{
	int fd = file_written(&info, false);
	struct source *source;
	struct error error;
	struct event event;
	struct notes notes;
	size_t count = 0;

	(void)state;
	notes_init(&notes);
	assert_int_equal(
		perfdata_reader_open(fd, "in", &notes, &source, &error), 0);
	while (source_next(source, &event, &error) == 1)
		count++;
	assert_int_equal(count, N_WRITTEN + 1);
	assert_int_equal(notes.count, 1);
	assert_non_null(strstr(notes.items[0].text, "not finished"));
	source_free(source);
	notes_destroy(&notes);
	close(fd);
}

/* Newer perfs refuse records that are not a multiple of 8 long. */
static void records_are_aligned(void **state)
{
	int fd = file_written(&info, true);
	uint64_t data[2], at;

	(void)state;
	assert_int_equal(pread(fd, data, sizeof(data), 40), sizeof(data));
	for (at = data[0]; at < data[0] + data[1];) {
		struct perf_event_header header;

		assert_int_equal(pread(fd, &header, 8, (off_t)at), 8);
		assert_true(header.size >= 8);
		assert_int_equal(header.size % 8, 0);
		at += header.size;
	}
	assert_int_equal(at, data[0] + data[1]);
	close(fd);
}

static void full_disk_is_told(void **state)
{
	int fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	struct perfdata_writer *writer = NULL;
	struct error error = { "" };

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(
		perfdata_writer_open(fd, "x.data", &info, &writer, &error),
		-ENOSPC);
	assert_string_equal(error.text,
			    "x.data: cannot be written: No space left on "
			    "device");
	close(fd);
}

static void deep_callchain_is_cut_at_its_root(void **state)
{
	static uint64_t deep[9000];
	int fd = memfd_create("test", MFD_CLOEXEC);
	struct event event = written[4];
	struct perfdata_writer *writer;
	struct source *source;
	struct error error;

	(void)state;
	deep[0] = PERF_CONTEXT_USER;
	for (uint64_t i = 1; i < 9000; i++)
		deep[i] = i;
	event.sample.callchain = deep;
	event.sample.n_callchain = 9000;
	assert_int_equal(
		perfdata_writer_open(fd, "out", &info, &writer, &error), 0);
	perfdata_writer_event(writer, &event);
	assert_int_equal(perfdata_writer_finish(writer, &error), 0);
	perfdata_writer_free(writer);
	assert_int_equal(perfdata_reader_open(fd, "in", NULL, &source, &error),
			 0);
	assert_int_equal(source_next(source, &event, &error), 1);
	assert_int_equal(event.sample.n_callchain, 8000);
	assert_int_equal(event.sample.callchain[7999], 7999);
	source_free(source);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_come_back),
		cmocka_unit_test(facts_come_back),
		cmocka_unit_test(cgroups_and_cpus_can_be_left_out),
		cmocka_unit_test(unfinished_file_can_be_read),
		cmocka_unit_test(records_are_aligned),
		cmocka_unit_test(full_disk_is_told),
		cmocka_unit_test(deep_callchain_is_cut_at_its_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
