/* Every perf.data of ../shared/corpus against its row in INDEX.md, which an
 * independent reader of records counted. */
#include "perfcore/perfdata_reader.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "perfcore/idmap.h"
#include "perfcore/strings.h"

#define CORPUS "../shared/corpus/"

struct row {
	const char *file;
	uint64_t samples;
	const char *events;  /* samples of each event */
	const char *comms;   /* samples by comm, the most frequent ones */
	const char *records; /* other records, all of them */
	const char *note;    /* part of the only note, NULL: none */
};

/* Case C55 (newer attrs), C57 (compressed), C58 (broken). */
static const struct row rows[] = {
	{ "linux-perf-data/sleep.data", 7, "0=7", "sleep=7",
	  "COMM=2 MMAP2=4 EXIT=1", NULL },
	{ "linux-perf-data/sleep.compressed.data", 8, "0=8",
	  "perf-exec=5 sleep=3",
	  "MMAP=45 KSYMBOL=15 BPF_EVENT=14 COMM=2 COMPRESSED=1 MMAP2=4 EXIT=1",
	  NULL },
	{ "linux-perf-data/sleep.compressed.pipe.data", 8, "0=8",
	  "perf-exec=5 sleep=3",
	  "MMAP=45 KSYMBOL=15 BPF_EVENT=14 COMM=2 COMPRESSED=1 MMAP2=4 EXIT=1",
	  NULL },
	{ "linux-perf-data/sleep.compressed2.data", 7, "0=7", "sleep=7",
	  "COMM=2 COMPRESSED2=1 MMAP2=4 EXIT=1", NULL },
	{ "linux-perf-data/sleep.compressed2.pipe.data", 7, "0=7",
	  "perf-exec=5 sleep=2", "MMAP=165 COMM=2 COMPRESSED2=1 MMAP2=4 EXIT=1",
	  "read up to byte 31808: there a record is cut off" },
	{ "linux-perf-data/fibo.compressed2.pipe.data", 547, "0=547 1=0",
	  "fib_example=547",
	  "MMAP=165 KSYMBOL=21 BPF_EVENT=21 COMM=23 COMPRESSED2=146 EXIT=17 "
	  "MMAP2=814 FORK=19",
	  NULL },
	{ "quipper/perf.data.singleprocess-3.8", 13, "0=13", "perf=7 echo=6",
	  "MMAP=100 COMM=2 EXIT=4", NULL },
	{ "quipper/perf.data.i686-3.4", 703,
	  "0=147 1=155 2=116 3=89 4=95 5=101", "perf=419 swapper=255 powerd=7",
	  "MMAP=1584 COMM=204 FORK=2 EXIT=6", NULL },
	{ "quipper/perf.data.ctx_switch_namespaces-4.14", 2, "0=2",
	  "perf=1 sleep=1",
	  "MMAP=21 COMM=3 NAMESPACES=1 MMAP2=10 SWITCH=2 EXIT=1", NULL },
	{ "quipper/perf.data.hybrid_topology", 7, "0=7 1=0 2=0",
	  "perf-exec=5 sleep=2", "MMAP=100 COMM=3 MMAP2=7 EXIT=1", NULL },
	{ "quipper/perf.data.lost_samples-4.4", 191, "0=97 1=80 2=14",
	  "echo=191", "MMAP=39 COMM=3 MMAP2=6 LOST_SAMPLES=2 EXIT=1", NULL },
	{ "quipper/perf.data.piped.corrupted.zero_size_sample-3.2", 0, "0=0",
	  "", "MMAP=468 COMM=100",
	  "read up to byte 49104: there a record has no size" },
	{ "quipper/perf.data.piped.header_features-4.16", 2, "0=2", "echo=2",
	  "MMAP=28 COMM=2 MMAP2=4 EXIT=1", NULL },
	{ "quipper/perf.data.piped.lost_samples-4.4", 191, "0=98 1=79 2=14",
	  "echo=191", "MMAP=39 COMM=3 MMAP2=6 LOST_SAMPLES=2 EXIT=1", NULL },
	{ "quipper/perf.data.proc.map.timeout-3.18", 8, "0=8",
	  "Compositor=6 chrome=2", "MMAP=49 COMM=13 MMAP2=624", NULL },
	{ "quipper/perf.data.remmap-3.2", 198, "0=198",
	  "mmap_perf_test=187 perf=11", "MMAP=138 COMM=2 EXIT=4 FORK=1", NULL },
	{ "quipper/perf.data.callgraph-3.4", 1548, "0=1548",
	  "chrome=350 kworker/1:2=316 Compositor=241",
	  "MMAP=2061 COMM=249 EXIT=126 FORK=62", NULL },
	{ "quipper/perf.data.systemwide.1-3.8", 755, "0=755",
	  "chrome=402 Compositor=174 swapper=152",
	  "MMAP=1793 COMM=230 EXIT=4 FORK=1", NULL },
	{ "llvm-lnt/fib-aarch64.perf_data", 871, "0=871", "fib=865",
	  "MMAP=15 COMM=1 MMAP2=4 EXIT=1", NULL },
	{ "llvm-lnt/segments-exec.perf_data", 485, "0=485", "segments-exec=485",
	  "COMM=2 MMAP2=2 EXIT=1", NULL },
};

static const char *const record_names[PERFDATA_TYPES] = {
	[1] = "MMAP",	    [2] = "LOST",	  [3] = "COMM",
	[4] = "EXIT",	    [5] = "THROTTLE",	  [6] = "UNTHROTTLE",
	[7] = "FORK",	    [8] = "READ",	  [10] = "MMAP2",
	[11] = "AUX",	    [12] = "ITRACE",	  [13] = "LOST_SAMPLES",
	[14] = "SWITCH",    [15] = "SWITCH_WIDE", [16] = "NAMESPACES",
	[17] = "KSYMBOL",   [18] = "BPF_EVENT",	  [19] = "CGROUP",
	[20] = "TEXT_POKE", [81] = "COMPRESSED",  [83] = "COMPRESSED2",
};

#define EVENTS_MAX 16
#define COMMS_MAX  512

/* What one file was found to hold. */
struct tally {
	uint64_t samples, by_event[EVENTS_MAX];
	uint64_t decoded[PERFDATA_TYPES]; /* delivered, by number */
	const char *comms[COMMS_MAX];
	uint64_t by_comm[COMMS_MAX];
	size_t n_comms;
	struct strings *strings;
	struct idmap comm_of; /* tid -> index in comms */
	uint64_t last_time, n_backwards;
};

static uint32_t comm_index(struct tally *tally, const char *comm)
{
	const char *interned = strings_intern(tally->strings, comm);

	for (size_t i = 0; i < tally->n_comms; i++) {
		if (tally->comms[i] == interned)
			return (uint32_t)i;
	}
	assert_true(tally->n_comms < COMMS_MAX);
	tally->comms[tally->n_comms] = interned;
	return (uint32_t)tally->n_comms++;
}

static void tally_event(struct tally *tally, const struct event *event)
{
	uint32_t comm;

	tally->decoded[event->type]++;
	if (event->time && event->time < tally->last_time)
		tally->n_backwards++;
	if (event->time)
		tally->last_time = event->time;
	switch (event->kind) {
	case EVENT_COMM:
		*idmap_at(&tally->comm_of, event->tid, 0) =
			comm_index(tally, event->comm.comm);
		break;
	case EVENT_FORK:
		comm = idmap_get(&tally->comm_of, event->fork.parent_tid, 0);
		if (comm != IDMAP_NONE)
			*idmap_at(&tally->comm_of, event->tid, 0) = comm;
		break;
	case EVENT_SAMPLE:
		tally->samples++;
		assert_true(event->event < EVENTS_MAX);
		tally->by_event[event->event]++;
		comm = idmap_get(&tally->comm_of, event->tid, 0);
		if (!event->tid)
			comm = comm_index(tally, "swapper");
		if (comm == IDMAP_NONE)
			comm = comm_index(tally, "?");
		tally->by_comm[comm]++;
		break;
	default:
		break;
	}
}

/* The number under key in "key=1 other=2". */
static bool count_in(const char *text, const char *key, uint64_t *count)
{
	char wanted[64];
	const char *at;

	snprintf(wanted, sizeof(wanted), "%s=", key);
	for (at = text; (at = strstr(at, wanted)); at++) {
		if (at == text || at[-1] == ' ') {
			*count = strtoull(at + strlen(wanted), NULL, 10);
			return true;
		}
	}
	return false;
}

static void check_comms(const struct row *row, const struct tally *tally)
{
	size_t n_found = 0, n_wanted = 0;

	for (const char *at = row->comms; (at = strchr(at, '=')); at++)
		n_wanted++;
	for (size_t i = 0; i < tally->n_comms; i++) {
		uint64_t wanted;

		if (!count_in(row->comms, tally->comms[i], &wanted))
			continue;
		n_found++;
		if (tally->by_comm[i] != wanted)
			fail_msg("%s: %s has %llu samples", row->file,
				 tally->comms[i],
				 (unsigned long long)tally->by_comm[i]);
	}
	if (n_found != n_wanted)
		fail_msg("%s: %zu of %zu comms", row->file, n_found, n_wanted);
}

static void check_records(const struct row *row, const struct tally *tally,
			  const struct perfdata_counts *counts)
{
	for (size_t i = 0; i < PERFDATA_TYPES; i++) {
		uint64_t wanted = 0;

		if (!record_names[i])
			continue;
		count_in(row->records, record_names[i], &wanted);
		if (counts->records[i] != wanted)
			fail_msg("%s: %llu %s", row->file,
				 (unsigned long long)counts->records[i],
				 record_names[i]);
		if (i < 64 && tally->decoded[i] != wanted)
			fail_msg("%s: %llu %s delivered", row->file,
				 (unsigned long long)tally->decoded[i],
				 record_names[i]);
	}
	assert_int_equal(counts->unread, 0);
	assert_int_equal(counts->unknown_id, 0);
	assert_int_equal(counts->late, 0);
}

static void check_row(const struct row *row, const struct tally *tally,
		      const struct source *source, const struct notes *notes)
{
	if (tally->samples != row->samples)
		fail_msg("%s: %llu samples", row->file,
			 (unsigned long long)tally->samples);
	for (uint32_t i = 0; i < source_info(source)->n_events; i++) {
		char key[16];
		uint64_t wanted = UINT64_MAX;

		snprintf(key, sizeof(key), "%u", i);
		count_in(row->events, key, &wanted);
		if (tally->by_event[i] != wanted)
			fail_msg("%s: event %u: %llu samples", row->file, i,
				 (unsigned long long)tally->by_event[i]);
	}
	check_comms(row, tally);
	check_records(row, tally, perfdata_reader_counts(source));
	if (tally->n_backwards)
		fail_msg("%s: %llu events back in time", row->file,
			 (unsigned long long)tally->n_backwards);
	assert_int_equal(notes->count, row->note ? 1 : 0);
	if (row->note && !strstr(notes->items[0].text, row->note))
		fail_msg("%s: %s", row->file, notes->items[0].text);
}

/* Reads the file, or what `cat` gives of it through a pipe. */
static void walk(const struct row *row, int fd)
{
	struct tally tally = { .strings = strings_new() };
	struct source *source;
	struct error error = { "" };
	struct event event;
	struct notes notes;
	int got;

	notes_init(&notes);
	if (perfdata_reader_open(fd, row->file, &notes, &source, &error) < 0)
		fail_msg("%s", error.text);
	while ((got = source_next(source, &event, &error)) == 1)
		tally_event(&tally, &event);
	assert_int_equal(got, 0);
	check_row(row, &tally, source, &notes);
	source_free(source);
	notes_destroy(&notes);
	idmap_destroy(&tally.comm_of);
	strings_free(tally.strings);
}

static int corpus_open(const struct row *row)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), CORPUS "%s", row->file);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		fail_msg("%s", path);
	return fd;
}

static bool corpus_is_absent(const char *test)
{
	if (access(CORPUS, R_OK) == 0)
		return false;
	printf("skip %s: no " CORPUS "\n", test);
	return true;
}

static void corpus_files_equal_their_rows(void **state)
{
	(void)state;
	if (corpus_is_absent(__func__))
		skip();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int fd = corpus_open(&rows[i]);

		walk(&rows[i], fd);
		close(fd);
	}
}

static void corpus_pipes_equal_their_rows(void **state)
{
	(void)state;
	if (corpus_is_absent(__func__))
		skip();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char command[256];
		FILE *pipe;

		snprintf(command, sizeof(command), "cat " CORPUS "%s",
			 rows[i].file);
		pipe = popen(command, "r");
		assert_non_null(pipe);
		walk(&rows[i], fileno(pipe));
		pclose(pipe);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corpus_files_equal_their_rows),
		cmocka_unit_test(corpus_pipes_equal_their_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
