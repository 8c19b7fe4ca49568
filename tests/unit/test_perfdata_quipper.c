/* perf.data files against what google/perf_data_converter's quipper read in
 * them: every record, field by field, as protobuf text. */
#include "perfcore/perfdata_reader.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

#include "perfcore/mem.h"

#define CORPUS "../shared/corpus/quipper/"

static const char *const names[] = {
	"perf.data.ctx_switch_namespaces-4.14",
	"perf.data.lost_samples-4.4",
	"perf.data.hybrid_topology",
	"perf.data.singleprocess-3.8",
	"perf.data.remmap-3.2",
	"perf.data.proc.map.timeout-3.18",
	"perf.data.callgraph-3.4",
	"perf.data.piped.lost_samples-4.4",
	"perf.data.piped.header_features-4.16",
};

/* One event as both sides tell it. What a kind has not stays 0. */
struct told {
	uint64_t order; /* in the file */
	uint64_t type, misc, time;
	uint64_t pid, tid, ip, period, cpu;
	uint64_t start, length, page_offset, major, minor, inode, generation;
	uint64_t protection;
	uint64_t parent_pid, parent_tid, fork_time;
	uint64_t lost, is_out;
	uint64_t n_namespaces;
	uint64_t namespaces[NAMESPACE_KINDS];
	uint64_t *callchain;
	size_t n_callchain, callchain_capacity;
	char *text; /* comm or path */
	bool has_cpu, has_period;
};

struct told_list {
	struct told *items;
	size_t count, capacity;
	char *host, *kernel, *arch;
};

static struct told *list_add(struct told_list *list)
{
	list->items = mem_grow(list->items, list->count, &list->capacity,
			       sizeof(*list->items));
	list->items[list->count] = (struct told){ .order = list->count };
	return &list->items[list->count++];
}

static void list_free(struct told_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].callchain);
		free(list->items[i].text);
	}
	free(list->items);
	free(list->host);
	free(list->kernel);
	free(list->arch);
}

static void told_frame(struct told *told, uint64_t address)
{
	told->callchain = mem_grow(told->callchain, told->n_callchain,
				   &told->callchain_capacity, 8);
	told->callchain[told->n_callchain++] = address;
}

/* "a\"b\123" without its quotes, in place. */
static char *unquoted(char *text)
{
	char *from = text + 1, *to = text;

	while (*from && *from != '"') {
		if (*from == '\\' && from[1] >= '0' && from[1] <= '7') {
			*to++ = (char)strtoul(
				(char[]){ from[1], from[2], from[3], 0 }, NULL,
				8);
			from += 4;
			continue;
		}
		if (*from == '\\')
			from++;
		*to++ = *from++;
	}
	*to = '\0';
	return text;
}

/* Fields that are a number of struct told, by the block they stand in. */
static const struct {
	const char *block, *key;
	size_t offset;
} numbers[] = {
	{ "header", "type", offsetof(struct told, type) },
	{ "header", "misc", offsetof(struct told, misc) },
	{ "events", "timestamp", offsetof(struct told, time) },
	{ "sample_event", "ip", offsetof(struct told, ip) },
	{ "sample_event", "pid", offsetof(struct told, pid) },
	{ "sample_event", "tid", offsetof(struct told, tid) },
	{ "sample_event", "period", offsetof(struct told, period) },
	{ "sample_event", "cpu", offsetof(struct told, cpu) },
	{ "mmap_event", "pid", offsetof(struct told, pid) },
	{ "mmap_event", "tid", offsetof(struct told, tid) },
	{ "mmap_event", "start", offsetof(struct told, start) },
	{ "mmap_event", "len", offsetof(struct told, length) },
	{ "mmap_event", "pgoff", offsetof(struct told, page_offset) },
	{ "mmap_event", "maj", offsetof(struct told, major) },
	{ "mmap_event", "min", offsetof(struct told, minor) },
	{ "mmap_event", "ino", offsetof(struct told, inode) },
	{ "mmap_event", "ino_generation", offsetof(struct told, generation) },
	{ "mmap_event", "prot", offsetof(struct told, protection) },
	{ "comm_event", "pid", offsetof(struct told, pid) },
	{ "comm_event", "tid", offsetof(struct told, tid) },
	{ "fork_event", "pid", offsetof(struct told, pid) },
	{ "fork_event", "tid", offsetof(struct told, tid) },
	{ "fork_event", "ppid", offsetof(struct told, parent_pid) },
	{ "fork_event", "ptid", offsetof(struct told, parent_tid) },
	{ "fork_event", "fork_time_ns", offsetof(struct told, fork_time) },
	{ "exit_event", "pid", offsetof(struct told, pid) },
	{ "exit_event", "tid", offsetof(struct told, tid) },
	{ "exit_event", "ppid", offsetof(struct told, parent_pid) },
	{ "exit_event", "ptid", offsetof(struct told, parent_tid) },
	{ "exit_event", "fork_time_ns", offsetof(struct told, fork_time) },
	{ "lost_samples_event", "num_lost", offsetof(struct told, lost) },
	{ "namespaces_event", "pid", offsetof(struct told, pid) },
	{ "namespaces_event", "tid", offsetof(struct told, tid) },
};

static void told_take(struct told *told, const char *block, const char *key,
		      char *value)
{
	uint64_t number = strtoull(value, NULL, 10);

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(block, numbers[i].block) == 0 &&
		    strcmp(key, numbers[i].key) == 0)
			*(uint64_t *)((char *)told + numbers[i].offset) =
				number;
	}
	if (strcmp(key, "callchain") == 0)
		told_frame(told, number);
	if (strcmp(key, "comm") == 0 || strcmp(key, "filename") == 0)
		told->text = mem_strdup(unquoted(value));
	if (strcmp(key, "is_out") == 0)
		told->is_out = value[0] == 't';
	if (strcmp(block, "link_info") == 0 && strcmp(key, "ino") == 0)
		told->namespaces[told->n_namespaces++] = number;
	if (strcmp(block, "sample_event") == 0) {
		told->has_cpu |= strcmp(key, "cpu") == 0;
		told->has_period |= strcmp(key, "period") == 0;
	}
}

static void take_fact(struct told_list *list, const char *block, char *value)
{
	if (strcmp(block, "hostname") == 0)
		list->host = mem_strdup(unquoted(value));
	if (strcmp(block, "kernel_version") == 0)
		list->kernel = mem_strdup(unquoted(value));
	if (strcmp(block, "architecture") == 0)
		list->arch = mem_strdup(unquoted(value));
}

/* Lines are "name {", "}" and "key: value". */
static void list_parse(struct told_list *list, gzFile file)
{
	static char line[1 << 16];
	char blocks[8][64];
	int depth = 0;

	while (gzgets(file, line, sizeof(line))) {
		char *at = line + strspn(line, " "), *colon;

		at[strcspn(at, "\n")] = '\0';
		colon = strstr(at, ": ");
		if (*at == '}') {
			depth--;
		} else if (!colon) {
			assert_true(depth < 8);
			at[strcspn(at, " ")] = '\0';
			snprintf(blocks[depth++], 64, "%s", at);
			if (depth == 1 && strcmp(at, "events") == 0)
				list_add(list);
		} else if (depth > 0 && strcmp(blocks[0], "events") == 0) {
			*colon = '\0';
			told_take(&list->items[list->count - 1],
				  blocks[depth - 1], at, colon + 2);
		} else if (depth == 2) {
			*colon = '\0';
			if (strcmp(at, "value") == 0)
				take_fact(list, blocks[1], colon + 2);
		}
	}
}

static void list_drop_user_records(struct told_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].type < 64)
			list->items[kept++] = list->items[i];
		else
			free(list->items[i].text);
	}
	list->count = kept;
}

static void told_read(struct told *told, const struct event *event)
{
	const struct event_mmap *mmap = &event->mmap;

	told->type = event->type;
	told->misc = event->misc;
	told->time = event->time;
	told->pid = event->pid;
	told->tid = event->tid;
	switch (event->kind) {
	case EVENT_SAMPLE:
		told->ip = event->sample.ip;
		told->period = event->sample.period;
		told->cpu = event->cpu;
		for (uint64_t i = 0; i < event->sample.n_callchain; i++)
			told_frame(told, event->sample.callchain[i]);
		break;
	case EVENT_MMAP:
		told->start = mmap->start;
		told->length = mmap->length;
		told->page_offset = mmap->page_offset;
		told->major = mmap->major;
		told->minor = mmap->minor;
		told->inode = mmap->inode;
		told->generation = mmap->inode_generation;
		told->protection =
			event->type == PERF_RECORD_MMAP2 ? mmap->protection : 0;
		told->text = mem_strdup(mmap->path);
		break;
	case EVENT_COMM:
		told->text = mem_strdup(event->comm.comm);
		break;
	case EVENT_FORK:
	case EVENT_EXIT:
		told->parent_pid = event->fork.parent_pid;
		told->parent_tid = event->fork.parent_tid;
		told->fork_time = event->time;
		break;
	case EVENT_LOST_SAMPLES:
		told->lost = event->lost.count;
		break;
	case EVENT_SWITCH:
		told->is_out = event->switched.is_out;
		break;
	case EVENT_NAMESPACES:
		memcpy(told->namespaces, event->namespaces.inode,
		       sizeof(told->namespaces));
		break;
	default:
		break;
	}
}

static int by_time(const void *left, const void *right)
{
	const struct told *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void list_sort(struct told_list *list)
{
	qsort(list->items, list->count, sizeof(*list->items), by_time);
}

#define SAME(field)                                                            \
	do {                                                                   \
		if (ours->field != theirs->field)                              \
			fail_msg("%s: event %zu, " #field ": %llu, not %llu",  \
				 name, i, (unsigned long long)ours->field,     \
				 (unsigned long long)theirs->field);           \
	} while (0)

static void compare(const char *name, size_t i, const struct told *ours,
		    const struct told *theirs)
{
	SAME(type);
	SAME(misc);
	SAME(time);
	SAME(ip);
	SAME(start);
	SAME(length);
	SAME(page_offset);
	SAME(major);
	SAME(minor);
	SAME(inode);
	SAME(generation);
	SAME(protection);
	SAME(parent_pid);
	SAME(parent_tid);
	SAME(lost);
	SAME(is_out);
	SAME(n_callchain);
	/* quipper marks addresses that it could not map in the top bit. */
	for (size_t j = 0; j < ours->n_callchain; j++)
		if ((ours->callchain[j] | 1ull << 63) != theirs->callchain[j])
			SAME(callchain[j]);
	for (size_t j = 0; j < theirs->n_namespaces; j++)
		SAME(namespaces[j]);
	if (theirs->fork_time && !theirs->time)
		SAME(fork_time);
	if (theirs->has_cpu)
		SAME(cpu);
	if (theirs->has_period)
		SAME(period);
	if (theirs->pid || theirs->tid) {
		SAME(pid);
		SAME(tid);
	}
	if (theirs->text && (!ours->text || strcmp(ours->text, theirs->text)))
		fail_msg("%s: event %zu: '%s', not '%s'", name, i, ours->text,
			 theirs->text);
}

static void list_read(struct told_list *list, const char *name)
{
	const struct source_info *about;
	struct source *source;
	struct error error;
	struct event event;
	char path[256];
	int fd;

	snprintf(path, sizeof(path), CORPUS "%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (perfdata_reader_open(fd, name, NULL, &source, &error) < 0)
		fail_msg("%s", error.text);
	while (source_next(source, &event, &error) == 1)
		told_read(list_add(list), &event);
	about = source_info(source);
	list->host = about->host ? mem_strdup(about->host) : NULL;
	list->kernel = about->kernel ? mem_strdup(about->kernel) : NULL;
	list->arch = about->arch ? mem_strdup(about->arch) : NULL;
	source_free(source);
	close(fd);
}

static void same_text(const char *name, const char *ours, const char *theirs)
{
	if (theirs && (!ours || strcmp(ours, theirs)))
		fail_msg("%s: '%s', not '%s'", name, ours, theirs);
}

/* quipper takes memory without a file that continues a mapping of a file for
 * a part of that, where both came at time 0 (huge pages of text). */
static void list_fold_anonymous(struct told_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct told *told = &list->items[i];
		struct told *last = kept ? &list->items[kept - 1] : NULL;

		if (last && told->type == PERF_RECORD_MMAP && told->text &&
		    last->type == PERF_RECORD_MMAP &&
		    strcmp(told->text, "//anon") == 0 &&
		    strncmp(last->text, "/opt/google/", 12) == 0 &&
		    told->start == last->start + last->length) {
			last->length += told->length;
			free(told->text);
			continue;
		}
		list->items[kept++] = *told;
	}
	list->count = kept;
}

static void check_file(const char *name)
{
	struct told_list ours = { 0 }, theirs = { 0 };
	char path[256];
	gzFile file;

	snprintf(path, sizeof(path), CORPUS "expected/%s%s.pb_text.gz", name,
		 strstr(name, "piped") ? ".pr.out" : "");
	file = gzopen(path, "r");
	if (!file)
		fail_msg("%s", path);
	list_parse(&theirs, file);
	gzclose(file);
	list_drop_user_records(&theirs);
	list_read(&ours, name);
	if (strcmp(name, "perf.data.callgraph-3.4") == 0)
		list_fold_anonymous(&ours);
	if (ours.count != theirs.count || !ours.count)
		fail_msg("%s: %zu events, not %zu", name, ours.count,
			 theirs.count);
	list_sort(&ours);
	list_sort(&theirs);
	for (size_t i = 0; i < ours.count; i++)
		compare(name, i, &ours.items[i], &theirs.items[i]);
	same_text(name, ours.host, theirs.host);
	same_text(name, ours.kernel, theirs.kernel);
	same_text(name, ours.arch, theirs.arch);
	list_free(&ours);
	list_free(&theirs);
}

static void records_equal_quippers(void **state)
{
	(void)state;
	if (access(CORPUS, R_OK) != 0) {
		printf("skip %s: no " CORPUS "\n", __func__);
		skip();
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_file(names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_equal_quippers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
