#include "cli/formats/firefox.h"

#include <stdlib.h>
#include <string.h>

#include "cli/formats/firefox_tables.h"
#include "cli/formats/stack_tree.h"
#include "cli/version.h"
#include "perfcore/mem.h"

struct firefox {
	const struct profile *profile;
	uint32_t value;
	bool is_time; /* the value is in nanoseconds */
	struct sink sink;
	struct json json; /* into the sink */
	struct labels labels;
	struct stack_tree tree;
	struct stack_sums sums;
	struct firefox_tables tables;
	uint32_t *instances; /* of processes: how many before had the pid */
};

/* A thread's group is its first name's number; without a thread, one past
 * the last. */
static uint32_t *thread_groups(const struct profile *profile)
{
	uint32_t *groups = mem_calloc(profile->n_rows + 1, sizeof(*groups));
	uint32_t *firsts = mem_calloc(profile->n_threads + 1, sizeof(*firsts));
	struct idmap known;

	idmap_init(&known);
	for (uint32_t i = 0; i < profile->n_threads; i++) {
		const struct profile_thread *thread = &profile->threads[i];
		uint32_t *slot = idmap_at(&known, thread->process, thread->tid);

		if (*slot == IDMAP_NONE)
			*slot = i;
		firsts[i] = *slot;
	}
	firsts[profile->n_threads] = (uint32_t)profile->n_threads;
	for (size_t i = 0; i < profile->n_rows; i++) {
		uint32_t thread = profile->rows[i].thread;

		groups[i] = thread == PROFILE_NONE
				    ? (uint32_t)profile->n_threads
				    : firsts[thread];
	}
	idmap_destroy(&known);
	free(firsts);
	return groups;
}

static uint32_t *process_instances(const struct profile *profile)
{
	uint32_t *instances =
		mem_calloc(profile->n_processes + 1, sizeof(*instances));
	struct idmap known;

	idmap_init(&known);
	for (size_t i = 0; i < profile->n_processes; i++) {
		uint32_t *seen = idmap_at(&known, profile->processes[i].pid, 0);

		*seen = *seen == IDMAP_NONE ? 0 : *seen + 1;
		instances[i] = *seen;
	}
	idmap_destroy(&known);
	return instances;
}

static void write_category(struct json *json, const char *name,
			   const char *color)
{
	json_open_object(json, NULL);
	json_put_text(json, "name", name);
	json_put_text(json, "color", color);
	json_open_list(json, "subcategories");
	json_put_text(json, NULL, "Other");
	json_close_list(json);
	json_close_object(json);
}

static void write_units(struct json *json)
{
	json_open_object(json, "sampleUnits");
	json_put_text(json, "time", "ms");
	json_put_text(json, "eventDelay", "ms");
	json_put_text(json, "threadCPUDelta", "ns");
	json_close_object(json);
	json_open_list(json, "markerSchema");
	json_close_list(json);
	json_open_list(json, "categories"); /* by enum category */
	write_category(json, "Other", "grey");
	write_category(json, "User", "yellow");
	write_category(json, "Kernel", "orange");
	json_close_list(json);
}

static void write_meta(struct firefox *firefox)
{
	const struct profile *profile = firefox->profile;
	struct json *json = &firefox->json;
	double freq = profile->event.freq_hz;
	char *product = mem_printf("hostprof %s %s", HOSTPROF_VERSION,
				   profile->host.name);

	json_open_object(json, "meta");
	json_put_count(json, "version", 27);
	json_put_count(json, "preprocessedProfileVersion", 55);
	json_put_number(json, "interval", freq > 0 ? 1e3 / freq : 10);
	json_put_count(json, "startTime", profile->start_ns / 1000000);
	json_put_text(json, "product", product);
	json_put_text(json, "importedFrom", "hostprof");
	json_put_text(json, "oscpu", profile->host.kernel);
	json_put_count(json, "logicalCPUs", profile->host.cpus);
	json_put_count(json, "processType", 0);
	json_put_count(json, "stackwalk", 1);
	json_put_bool(json, "debug", false);
	json_put_bool(json, "symbolicated", true);
	json_put_bool(json, "usesOnlyOneStackType", true);
	json_put_bool(json, "sourceCodeIsNotOnSearchfox", true);
	write_units(json);
	json_close_object(json);
	free(product);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* One library for each mapping but "none". */
static void write_libs(struct firefox *firefox)
{
	const struct profile *profile = firefox->profile;
	struct json *json = &firefox->json;

	json_open_list(json, "libs");
	for (size_t i = 1; i < profile->n_mappings; i++) {
		const struct profile_mapping *mapping = &profile->mappings[i];
		const char *name = base_name(mapping->path);

		json_open_object(json, NULL);
		json_put_text(json, "arch", profile->host.arch);
		json_put_text(json, "name", name);
		json_put_text(json, "path", mapping->path);
		json_put_text(json, "debugName", name);
		json_put_text(json, "debugPath", mapping->path);
		json_put_text(json, "breakpadId", "");
		json_put_text(json, "codeId", mapping->build_id);
		json_close_object(json);
	}
	json_close_list(json);
}

/* pids are texts there, so a second process of one pid can be told apart. */
static void write_pid(struct firefox *firefox, uint32_t process)
{
	uint32_t pid = firefox->profile->processes[process].pid;
	uint32_t instance = firefox->instances[process];
	char *text = instance ? mem_printf("%u.%u", pid, instance)
			      : mem_printf("%u", pid);

	json_put_text(&firefox->json, "pid", text);
	free(text);
}

static void write_thread_head(struct firefox *firefox, uint32_t group)
{
	const struct profile *profile = firefox->profile;
	struct json *json = &firefox->json;
	bool is_known = group < profile->n_threads;
	const struct profile_thread *thread =
		is_known ? &profile->threads[group] : NULL;
	const struct profile_process *process =
		is_known ? &profile->processes[thread->process] : NULL;

	json_put_text(json, "name", is_known ? thread->comm : "[unknown]");
	json_put_text(json, "processName",
		      is_known ? process->comm : "[unknown]");
	json_put_bool(json, "isMainThread",
		      is_known && process->pid == thread->tid);
	if (is_known)
		write_pid(firefox, thread->process);
	else
		json_put_text(json, "pid", "0");
	json_put_count(json, "tid", is_known ? thread->tid : 0);
	json_put_text(json, "processType", "default");
	json_put_count(json, "processStartupTime", 0);
	json_put_null(json, "processShutdownTime");
	json_put_count(json, "registerTime", 0);
	json_put_null(json, "unregisterTime");
	json_open_list(json, "pausedRanges");
	json_close_list(json);
}

static uint64_t slice_length(const struct profile *profile)
{
	return profile->slice_ns ? profile->slice_ns : profile->duration_ns;
}

/*
 * The first sample has no stack and stands where the first slice begins: what
 * a sample says of the CPU counts from the one before it.
 *
 * Milliseconds from the start. Within its slice a sample ends where the
 * weights up to it end, as if the thread had run evenly.
 */
static void write_times(struct firefox *firefox, size_t first, size_t end)
{
	const struct stack_sum *items = firefox->sums.items;
	double length_ms = (double)slice_length(firefox->profile) / 1e6;

	json_open_list(&firefox->json, "time");
	json_put_number(&firefox->json, NULL, length_ms * items[first].slice);
	for (size_t i = first; i < end;) {
		size_t next = i;
		double sum = 0, total = 0;

		while (next < end && items[next].slice == items[i].slice)
			total += (double)items[next++].weight;
		for (; i < next; i++) {
			sum += (double)items[i].weight;
			json_put_number(&firefox->json, NULL,
					length_ms *
						(items[i].slice + sum / total));
		}
	}
	json_close_list(&firefox->json);
}

static void write_samples(struct firefox *firefox, size_t first, size_t end)
{
	const struct stack_sum *items = firefox->sums.items;
	struct json *json = &firefox->json;
	double unit = firefox->is_time ? 1e6 : 1;

	json_open_object(json, "samples");
	json_open_list(json, "stack");
	json_put_null(json, NULL);
	for (size_t i = first; i < end; i++)
		json_put_count(
			json, NULL,
			firefox_tables_stack(&firefox->tables, items[i].node));
	json_close_list(json);
	write_times(firefox, first, end);
	json_put_text(json, "weightType",
		      firefox->is_time ? "tracing-ms" : "samples");
	json_open_list(json, "weight");
	json_put_count(json, NULL, 0);
	for (size_t i = first; i < end; i++)
		json_put_number(json, NULL, (double)items[i].weight / unit);
	json_close_list(json);
	if (firefox->is_time) {
		json_open_list(json, "threadCPUDelta");
		json_put_count(json, NULL, 0);
		for (size_t i = first; i < end; i++)
			json_put_count(json, NULL, items[i].weight);
		json_close_list(json);
	}
	json_put_count(json, "length", 1 + end - first);
	json_close_object(json);
}

static void write_no_markers(struct json *json)
{
	static const char *const columns[] = { "data",	  "name",  "startTime",
					       "endTime", "phase", "category" };

	json_open_object(json, "markers");
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		json_open_list(json, columns[i]);
		json_close_list(json);
	}
	json_put_count(json, "length", 0);
	json_close_object(json);
}

static void write_thread(struct firefox *firefox, size_t first, size_t end)
{
	const struct stack_sum *items = firefox->sums.items;
	struct json *json = &firefox->json;

	firefox_tables_clear(&firefox->tables);
	for (size_t i = first; i < end; i++)
		firefox_tables_add(&firefox->tables, items[i].node);
	firefox_tables_number(&firefox->tables);
	json_open_object(json, NULL);
	write_thread_head(firefox, items[first].group);
	write_samples(firefox, first, end);
	write_no_markers(json);
	firefox_tables_write(&firefox->tables, json);
	json_close_object(json);
}

static void write_threads(struct firefox *firefox)
{
	const struct stack_sums *sums = &firefox->sums;
	size_t end;

	json_open_list(&firefox->json, "threads");
	for (size_t first = 0; first < sums->count; first = end) {
		end = first;
		while (end < sums->count &&
		       sums->items[end].group == sums->items[first].group)
			end++;
		write_thread(firefox, first, end);
	}
	json_close_list(&firefox->json);
}

int firefox_write(const struct profile *profile, uint32_t value, int fd,
		  struct error *error)
{
	struct firefox firefox = { .profile = profile, .value = value };
	uint32_t *groups = thread_groups(profile), *functions;
	int result;

	firefox.is_time =
		value != PROFILE_NONE &&
		strcmp(profile->value_types[value].unit, "nanoseconds") == 0;
	firefox.instances = process_instances(profile);
	sink_init(&firefox.sink, fd);
	labels_init(&firefox.labels, profile);
	functions = labels_of_elements(&firefox.labels, LABEL_FUNCTION);
	stack_tree_init(&firefox.tree, profile, &firefox.labels, NULL);
	stack_sums_init(&firefox.sums, &firefox.tree, value, groups, true);
	firefox_tables_init(&firefox.tables, &firefox.tree, functions);
	json_init(&firefox.json, &firefox.sink);
	json_open_object(&firefox.json, NULL);
	write_meta(&firefox);
	write_libs(&firefox);
	write_threads(&firefox);
	json_close_object(&firefox.json);
	result = sink_finish(&firefox.sink, error);
	firefox_tables_destroy(&firefox.tables);
	stack_sums_destroy(&firefox.sums);
	stack_tree_destroy(&firefox.tree);
	labels_destroy(&firefox.labels);
	free(firefox.instances);
	free(functions);
	free(groups);
	return result;
}
