#include "cli/formats/pprof_writer.h"

#include <stdlib.h>
#include <string.h>

#include "cli/formats/pprof_code.h"
#include "cli/formats/pprof_format.h"
#include "cli/formats/pprof_stream.h"
#include "perfcore/mem.h"

#define BASE_NAME_MAX                                                          \
	200 /* of a module, in the name of an unknown function                 \
	     */

struct writer {
	const struct profile *profile;
	struct pprof_stream stream;
	struct pprof_code code;
	uint32_t *container_ids; /* by container; 0: not reached */
	uint32_t n_containers;
	struct idmap by_pid;  /* (pid, 0) -> how many processes */
	struct idmap by_name; /* (container's name, 0) -> how many */
	uint64_t *stack;      /* scratch: location ids */
	size_t stack_room;
};

static void emit_value_type(struct writer *writer, uint32_t field,
			    const char *type, const char *unit)
{
	protobuf_number(&writer->stream.message, PPROF_VALUE_TYPE,
			pprof_texts_copy(&writer->stream.texts, type));
	protobuf_number(&writer->stream.message, PPROF_VALUE_UNIT,
			pprof_texts_copy(&writer->stream.texts, unit));
	pprof_stream_emit(&writer->stream, field);
}

static bool is_count(const struct profile_value_type *type)
{
	return strcmp(type->type, PPROF_COUNT_TYPE) == 0 &&
	       strcmp(type->unit, PPROF_COUNT_UNIT) == 0;
}

static void emit_sample_types(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	uint32_t id = 1;

	emit_value_type(writer, PPROF_SAMPLE_TYPE, PPROF_COUNT_TYPE,
			PPROF_COUNT_UNIT);
	for (uint32_t i = 0; i < profile->n_value_types; i++) {
		const struct profile_value_type *type =
			&profile->value_types[i];
		struct pprof_type_note note = { ++id, type->type };
		char *name;

		if (is_count(type)) {
			id--;
			continue;
		}
		name = pprof_type_name(type->type);
		emit_value_type(writer, PPROF_SAMPLE_TYPE, name, type->unit);
		if (strcmp(name, type->type) != 0)
			pprof_comments_type(&note,
					    &writer->stream.table_output);
		free(name);
	}
}

/* Between two samples: nanoseconds by frequency, or the event's own unit. */
static uint64_t emit_period_type(struct writer *writer)
{
	const struct profile_event *event = &writer->profile->event;
	bool is_time = event->freq_hz > 0 || event->period == 0 ||
		       strstr(event->name, "-clock");
	char *name = pprof_type_name(is_time ? "cpu" : event->name);

	emit_value_type(writer, PPROF_PERIOD_TYPE, name,
			is_time ? "nanoseconds" : "count");
	free(name);
	if (event->freq_hz > 0)
		return (uint64_t)(1e9 / event->freq_hz + 0.5) ?: 1;
	return event->period ? event->period : 1;
}

static void emit_header(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	struct protobuf *top = &writer->stream.message;
	uint64_t period = emit_period_type(writer);
	const char *shown =
		profile->default_value < profile->n_value_types
			? profile->value_types[profile->default_value].type
			: PPROF_COUNT_TYPE;
	char *name = pprof_type_name(shown);

	protobuf_number(top, PPROF_TIME_NANOS, profile->start_ns);
	protobuf_number(top, PPROF_DURATION_NANOS, profile->duration_ns);
	protobuf_number(top, PPROF_PERIOD, period);
	protobuf_number(top, PPROF_DEFAULT_SAMPLE_TYPE,
			pprof_texts_copy(&writer->stream.texts, name));
	pprof_stream_emit_fields(&writer->stream);
	free(name);
}

static void add_label(struct writer *writer, const char *key, uint32_t text)
{
	if (text == 0)
		return;
	protobuf_number(&writer->stream.child, PPROF_LABEL_KEY,
			pprof_texts_stable(&writer->stream.texts, key));
	protobuf_number(&writer->stream.child, PPROF_LABEL_TEXT, text);
	pprof_stream_add_child(&writer->stream, PPROF_SAMPLE_LABEL);
}

static void add_number_label(struct writer *writer, const char *key,
			     uint64_t number, const char *unit)
{
	protobuf_number(&writer->stream.child, PPROF_LABEL_KEY,
			pprof_texts_stable(&writer->stream.texts, key));
	protobuf_number(&writer->stream.child, PPROF_LABEL_NUMBER, number);
	protobuf_number(&writer->stream.child, PPROF_LABEL_UNIT,
			pprof_texts_stable(&writer->stream.texts, unit));
	pprof_stream_add_child(&writer->stream, PPROF_SAMPLE_LABEL);
}

static void add_thread_labels(struct writer *writer, uint32_t index)
{
	const struct profile_thread *thread = &writer->profile->threads[index];
	const struct profile_process *process =
		&writer->profile->processes[thread->process];
	struct pprof_texts *texts = &writer->stream.texts;

	add_label(writer, PPROF_LABEL_COMM,
		  pprof_texts_stable(texts, thread->comm));
	add_label(writer, PPROF_LABEL_PID,
		  pprof_texts_number(texts, process->pid));
	add_label(writer, PPROF_LABEL_TID,
		  pprof_texts_number(texts, thread->tid));
	add_label(writer, PPROF_LABEL_USER,
		  pprof_texts_stable(texts, process->user));
	if (idmap_get(&writer->by_pid, process->pid, 0) > 1)
		add_number_label(writer, PPROF_LABEL_PROCESS_LINE,
				 thread->process + 1, "id");
}

static uint32_t container_id(struct writer *writer, uint32_t container)
{
	if (container == PROFILE_NONE)
		return 0;
	if (!writer->container_ids[container])
		writer->container_ids[container] = ++writer->n_containers;
	return writer->container_ids[container];
}

static void add_container_label(struct writer *writer, uint32_t index)
{
	const char *name = writer->profile->containers[index].name;
	uint32_t id = container_id(writer, index);

	add_label(writer, PPROF_LABEL_CONTAINER,
		  pprof_texts_stable(&writer->stream.texts, name));
	if (!*name || idmap_get(&writer->by_name, (uintptr_t)name, 0) > 1)
		add_number_label(writer, PPROF_LABEL_CONTAINER_LINE, id, "id");
}

/* The slice's beginning within the window, in the largest unit that tells it
 * exactly; without slices there is none. */
static void add_slice_label(struct writer *writer, uint32_t slice)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {
		{ 1000000000, "seconds" },
		{ 1000000, "milliseconds" },
		{ 1, "nanoseconds" },
	};
	uint64_t length = writer->profile->slice_ns;
	size_t unit = 0;

	if (length == 0)
		return;
	while (length % units[unit].ns)
		unit++;
	add_number_label(writer, PPROF_LABEL_SLICE,
			 slice * (length / units[unit].ns), units[unit].name);
}

static void add_stack(struct writer *writer, uint32_t leaf)
{
	const struct profile_node *nodes = writer->profile->nodes;
	size_t depth = 0;

	for (uint32_t node = leaf; node != 0; node = nodes[node].parent) {
		writer->stack =
			mem_grow(writer->stack, depth, &writer->stack_room,
				 sizeof(*writer->stack));
		writer->stack[depth++] =
			pprof_code_location(&writer->code, nodes[node].frame);
	}
	if (depth == 0) {
		writer->stack = mem_grow(writer->stack, 0, &writer->stack_room,
					 sizeof(*writer->stack));
		writer->stack[depth++] = pprof_code_no_stack(&writer->code);
	}
	protobuf_numbers(&writer->stream.message, PPROF_SAMPLE_LOCATION,
			 writer->stack, depth);
}

static void emit_sample(struct writer *writer, const struct profile_row *row)
{
	const struct profile *profile = writer->profile;
	uint64_t values[1 + PROFILE_VALUES_MAX];
	size_t n_values = 0;

	values[n_values++] = row->count;
	for (uint32_t i = 0; i < profile->n_value_types; i++)
		if (!is_count(&profile->value_types[i]))
			values[n_values++] = row->values[i];
	add_stack(writer, row->stack);
	protobuf_numbers(&writer->stream.message, PPROF_SAMPLE_VALUE, values,
			 n_values);
	if (row->thread != PROFILE_NONE)
		add_thread_labels(writer, row->thread);
	if (row->container != PROFILE_NONE)
		add_container_label(writer, row->container);
	if (row->cpu != PROFILE_NONE)
		add_label(writer, PPROF_LABEL_CPU,
			  pprof_texts_number(&writer->stream.texts, row->cpu));
	if (row->state < profile->n_states)
		add_label(writer, PPROF_LABEL_STATE,
			  pprof_texts_stable(&writer->stream.texts,
					     profile->states[row->state]));
	add_slice_label(writer, row->slice);
	pprof_stream_emit(&writer->stream, PPROF_SAMPLE);
}

/*
 * The place of each stack when the tree of stacks is walked depth first, so
 * that stacks of one caller are neighbours. Parents come before children.
 */
static uint32_t *stack_places(const struct profile *profile)
{
	size_t n_nodes = profile->n_nodes;
	uint32_t *sizes = mem_calloc(n_nodes + 1, sizeof(*sizes));
	uint32_t *places = mem_calloc(n_nodes + 1, sizeof(*places));
	uint32_t *next = mem_calloc(n_nodes + 1, sizeof(*next));

	for (size_t i = n_nodes; i-- > 1;)
		sizes[profile->nodes[i].parent] += ++sizes[i];
	next[0] = 1;
	for (size_t i = 1; i < n_nodes; i++) {
		uint32_t parent = profile->nodes[i].parent;

		places[i] = next[parent];
		next[parent] += sizes[i];
		next[i] = places[i] + 1;
	}
	free(sizes);
	free(next);
	return places;
}

struct row_order {
	const struct profile_row *rows;
	const uint32_t *places; /* of stacks */
};

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct row_order *order = context;
	const struct profile_row *a = &order->rows[*(const uint32_t *)left];
	const struct profile_row *b = &order->rows[*(const uint32_t *)right];

	if (a->stack != b->stack)
		return order->places[a->stack] < order->places[b->stack] ? -1
									 : 1;
	return memcmp(a, b, offsetof(struct profile_row, count));
}

/* Stacks that are alike stand together: gzip then makes 6 % less of them. */
static void emit_samples(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	uint32_t *rows = mem_calloc(profile->n_rows + 1, sizeof(*rows));
	uint32_t *places = stack_places(profile);
	struct row_order order = { profile->rows, places };

	for (size_t i = 0; i < profile->n_rows; i++)
		rows[i] = (uint32_t)i;
	qsort_r(rows, profile->n_rows, sizeof(*rows), compare_rows, &order);
	for (size_t i = 0; i < profile->n_rows; i++)
		emit_sample(writer, &profile->rows[rows[i]]);
	free(places);
	free(rows);
}

/* Containers before the processes that name them, each only when reached. */
static void add_system(struct writer *writer, const bool *is_sampled)
{
	const struct pprof_comments_output *output =
		&writer->stream.table_output;
	const struct profile *profile = writer->profile;

	for (size_t i = 0; i < profile->n_processes; i++)
		if (is_sampled[i] || profile->processes[i].has_accounting)
			container_id(writer, profile->processes[i].container);
	for (size_t i = 0; i < profile->n_containers; i++)
		if (writer->container_ids[i])
			pprof_comments_container(&profile->containers[i],
						 writer->container_ids[i],
						 output);
	for (size_t i = 0; i < profile->n_processes; i++) {
		const struct profile_process *process = &profile->processes[i];

		if (is_sampled[i] || process->has_accounting)
			pprof_comments_process(
				process, (uint32_t)i + 1,
				container_id(writer, process->container),
				output);
	}
}

static void count_key(struct idmap *map, uint64_t key)
{
	uint32_t *count = idmap_at(map, key, 0);

	*count = *count == IDMAP_NONE ? 1 : *count + 1;
}

static void writer_init(struct writer *writer, const struct profile *profile,
			int fd)
{
	*writer = (struct writer){ .profile = profile };
	pprof_stream_init(&writer->stream, fd);
	pprof_code_init(&writer->code, profile, &writer->stream);
	idmap_init(&writer->by_pid);
	idmap_init(&writer->by_name);
	writer->container_ids = mem_calloc(profile->n_containers + 1,
					   sizeof(*writer->container_ids));
	for (size_t i = 0; i < profile->n_processes; i++)
		count_key(&writer->by_pid, profile->processes[i].pid);
	for (size_t i = 0; i < profile->n_containers; i++)
		count_key(&writer->by_name,
			  (uintptr_t)profile->containers[i].name);
}

static void writer_destroy(struct writer *writer)
{
	pprof_code_destroy(&writer->code);
	idmap_destroy(&writer->by_pid);
	idmap_destroy(&writer->by_name);
	free(writer->container_ids);
	free(writer->stack);
}

static bool *sampled_processes(const struct profile *profile)
{
	bool *is_sampled = mem_calloc(profile->n_processes + 1, sizeof(bool));

	for (size_t i = 0; i < profile->n_rows; i++)
		if (profile->rows[i].thread != PROFILE_NONE)
			is_sampled[profile->threads[profile->rows[i].thread]
					   .process] = true;
	return is_sampled;
}

int pprof_write(const struct profile *profile, int fd, struct error *error)
{
	struct writer writer;
	bool *is_sampled = sampled_processes(profile);
	int result;

	writer_init(&writer, profile, fd);
	pprof_comments_write(profile, &writer.stream.comment_output);
	emit_sample_types(&writer);
	emit_header(&writer);
	emit_samples(&writer);
	pprof_code_emit(&writer.code);
	add_system(&writer, is_sampled);
	result = pprof_stream_finish(&writer.stream, error);
	writer_destroy(&writer);
	free(is_sampled);
	return result;
}
