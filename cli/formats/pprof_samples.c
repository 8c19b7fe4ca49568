#include "cli/formats/pprof_samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cli/formats/pprof_format.h"
#include "perfcore/mem.h"

/* A time slice beyond this is no slice of a profile (194 days of seconds). */
#define SLICES_MAX (16u << 20)

#define STATES_MAX 64

/* What the labels of one sample say. */
struct labels {
	const char *comm, *container, *state, *user; /* NULL: no label */
	uint64_t pid, tid, cpu, slice_ns;
	uint64_t process_line, container_line; /* 0: none */
	bool has_pid, has_tid, has_cpu;
};

/* One Label message. */
struct label {
	const char *key, *text, *unit; /* text NULL: it is a number */
	uint64_t number;
};

struct samples {
	struct pprof_tables *tables;
	const struct pprof_values *values;
	struct profile *profile;
	struct idmap by_pid;  /* (pid, 0) -> first process */
	struct idmap by_name; /* (container's name, 0) -> first */
	struct idmap ignored; /* (label key, 0): it was said */
	uint32_t *stack;      /* scratch: frames, leaf first */
	size_t stack_room, depth;
	uint64_t numbers[PPROF_TYPES_MAX]; /* of this sample */
	uint32_t n_numbers;
};

static bool is_key(const char *key, const char *ours, const char *theirs)
{
	return strcmp(key, ours) == 0 || strcmp(key, theirs) == 0;
}

static bool get_number(const struct label *label, uint64_t max,
		       uint64_t *number)
{
	char *end;

	*number = label->number;
	if (label->text) {
		*number = strtoull(label->text, &end, 10);
		if (end == label->text || *end)
			return false;
	}
	return *number <= max;
}

static uint64_t unit_ns(const char *unit)
{
	if (strcmp(unit, "seconds") == 0)
		return 1000000000;
	return strcmp(unit, "milliseconds") == 0 ? 1000000 : 1;
}

/* Labels that only our own files have. Returns false for others. */
static bool use_own_label(const struct label *label, struct labels *labels)
{
	const char *key = label->key;
	uint64_t factor;

	if (strcmp(key, PPROF_LABEL_PROCESS_LINE) == 0) {
		labels->process_line = label->number;
	} else if (strcmp(key, PPROF_LABEL_CONTAINER_LINE) == 0) {
		labels->container_line = label->number;
	} else if (strcmp(key, PPROF_LABEL_SLICE) == 0) {
		factor = unit_ns(label->unit);
		if (label->number <= UINT64_MAX / factor)
			labels->slice_ns = label->number * factor;
	} else {
		return false;
	}
	return true;
}

/* Returns false for a label that nothing here understands. */
static bool use_label(const struct label *label, struct labels *labels)
{
	const char *key = label->key;

	if (label->text && is_key(key, PPROF_LABEL_COMM, "thread_name"))
		labels->comm = label->text;
	else if (label->text &&
		 is_key(key, PPROF_LABEL_CONTAINER, "container_name"))
		labels->container = label->text;
	else if (label->text && is_key(key, PPROF_LABEL_STATE, "state"))
		labels->state = label->text;
	else if (label->text && is_key(key, PPROF_LABEL_USER, "user"))
		labels->user = label->text;
	else if (is_key(key, PPROF_LABEL_PID, "process_id"))
		labels->has_pid = get_number(label, UINT32_MAX, &labels->pid);
	else if (is_key(key, PPROF_LABEL_TID, "thread_id"))
		labels->has_tid = get_number(label, UINT32_MAX, &labels->tid);
	else if (is_key(key, PPROF_LABEL_CPU, "cpu"))
		labels->has_cpu =
			get_number(label, PROFILE_NONE - 1, &labels->cpu);
	else
		return false;
	return true;
}

static void say_ignored(struct samples *samples, const char *key)
{
	uint32_t *said = idmap_at(&samples->ignored, (uintptr_t)key, 0);

	if (*said != IDMAP_NONE)
		return;
	*said = 1;
	notes_add(&samples->profile->notes,
		  "the profile's label \"%.80s\" is not kept", key);
}

static int read_label(struct samples *samples, struct cursor message,
		      struct labels *labels)
{
	struct pprof_tables *tables = samples->tables;
	struct label label = { 0 };
	struct protobuf_field field;
	uint64_t key = 0, text = 0, unit = 0;

	while (protobuf_next(&message, &field)) {
		if (field.number == PPROF_LABEL_KEY)
			key = field.value;
		else if (field.number == PPROF_LABEL_TEXT)
			text = field.value;
		else if (field.number == PPROF_LABEL_NUMBER)
			label.number = field.value;
		else if (field.number == PPROF_LABEL_UNIT)
			unit = field.value;
	}
	label.key = pprof_tables_text(tables, key);
	label.unit = pprof_tables_text(tables, unit);
	if (text)
		label.text = pprof_tables_text(tables, text);
	if (message.has_failed || !label.key || !label.unit ||
	    (text && !label.text))
		return pprof_tables_refuse(tables, &message, "a broken label");
	if (!(tables->comments.is_ours && use_own_label(&label, labels)) &&
	    !use_label(&label, labels))
		say_ignored(samples, label.key);
	return pprof_tables_check(tables, &message);
}

static int add_location(struct samples *samples, uint64_t id,
			const struct cursor *where)
{
	uint32_t frame = idmap_get(&samples->tables->location_ids, id, 0);

	if (frame == IDMAP_NONE)
		return pprof_tables_refuse(samples->tables, where,
					   "a sample at location %" PRIu64
					   ", which is missing",
					   id);
	samples->stack =
		mem_grow(samples->stack, samples->depth, &samples->stack_room,
			 sizeof(*samples->stack));
	samples->stack[samples->depth++] = frame;
	return 0;
}

static int add_number(struct samples *samples, uint64_t number,
		      const struct cursor *where)
{
	if (samples->n_numbers == samples->values->n_types)
		return pprof_tables_refuse(samples->tables, where,
					   "more than %u values in a sample",
					   samples->n_numbers);
	if (number > INT64_MAX)
		return pprof_tables_refuse(samples->tables, where,
					   "a negative value (the difference "
					   "of two profiles?)");
	samples->numbers[samples->n_numbers++] = number;
	return 0;
}

static int read_fields(struct samples *samples, struct cursor message,
		       struct labels *labels)
{
	struct protobuf_field field;
	uint64_t number;
	int result = 0;

	while (result == 0 && protobuf_next(&message, &field)) {
		if (field.number == PPROF_SAMPLE_LABEL) {
			result = read_label(samples, field.bytes, labels);
		} else if (field.number == PPROF_SAMPLE_LOCATION) {
			while (result == 0 &&
			       protobuf_next_number(&field, &number))
				result =
					add_location(samples, number, &message);
		} else if (field.number == PPROF_SAMPLE_VALUE) {
			while (result == 0 &&
			       protobuf_next_number(&field, &number))
				result = add_number(samples, number, &message);
		}
		if (result == 0 && field.bytes.has_failed)
			message.has_failed = true;
	}
	if (result == 0 && message.has_failed)
		result = pprof_tables_refuse(samples->tables, &message,
					     "a broken sample");
	if (result == 0 && samples->n_numbers != samples->values->n_types)
		result = pprof_tables_refuse(
			samples->tables, &message,
			"%u values in a sample of %u types", samples->n_numbers,
			samples->values->n_types);
	return result;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The process that the labels name; where there is no pid, the one that the
 * whole file is about. */
static uint32_t process_of(struct samples *samples, const struct labels *labels)
{
	struct profile *profile = samples->profile;
	uint32_t found = idmap_get(&samples->tables->comments.processes,
				   labels->process_line, 0);
	struct profile_process *process;
	uint32_t *slot;

	if (labels->process_line && found != IDMAP_NONE &&
	    profile->processes[found].pid == labels->pid)
		return found;
	slot = idmap_at(&samples->by_pid, labels->pid, 0);
	if (*slot != IDMAP_NONE)
		return *slot;
	*slot = profile_process(profile, (uint32_t)labels->pid, 0);
	process = &profile->processes[*slot];
	if (labels->comm && labels->has_pid)
		process->comm = labels->comm;
	if (!labels->has_pid)
		process->comm = strings_intern(
			profile->strings, pprof_tables_main(samples->tables));
	if (!*process->comm && !labels->has_pid)
		process->comm = strings_intern(
			profile->strings, base_name(samples->tables->name));
	if (labels->user)
		process->user = labels->user;
	return *slot;
}

static uint32_t thread_of(struct samples *samples, const struct labels *labels)
{
	struct profile *profile = samples->profile;
	const char *comm = labels->comm;
	uint32_t process;

	if (!labels->has_pid && samples->tables->comments.is_ours)
		return PROFILE_NONE;
	process = process_of(samples, labels);
	if (!comm)
		comm = samples->tables->comments.is_ours
			       ? ""
			       : profile->processes[process].comm;
	return profile_thread(
		profile, process,
		(uint32_t)(labels->has_tid ? labels->tid : labels->pid), comm);
}

static uint32_t container_of(struct samples *samples,
			     const struct labels *labels)
{
	struct profile *profile = samples->profile;
	const char *empty = strings_intern(profile->strings, "");
	const char *name = labels->container ? labels->container : empty;
	uint32_t found = idmap_get(&samples->tables->comments.containers,
				   labels->container_line, 0);
	uint32_t *slot;

	if (labels->container_line && found != IDMAP_NONE &&
	    profile->containers[found].name == name)
		return found;
	if (!labels->container)
		return PROFILE_NONE;
	slot = idmap_at(&samples->by_name, (uintptr_t)name, 0);
	if (*slot == IDMAP_NONE)
		*slot = profile_container(
			profile, &(struct profile_container){ name, empty,
							      empty, empty });
	return *slot;
}

static uint32_t state_of(struct samples *samples, const struct labels *labels)
{
	bool is_kernel = samples->depth > 0 &&
			 (samples->profile->frames[samples->stack[0]].flags &
			  PROFILE_FRAME_KERNEL);

	if (labels->state)
		return profile_state(samples->profile, labels->state);
	return is_kernel ? PROFILE_STATE_KERNEL : PROFILE_STATE_USER;
}

static uint32_t stack_of(struct samples *samples)
{
	uint32_t node = 0;

	for (size_t i = samples->depth; i > 0; i--)
		node = profile_node(samples->profile, node,
				    samples->stack[i - 1]);
	return node;
}

static void set_values(const struct samples *samples, struct profile_row *row)
{
	const struct pprof_values *values = samples->values;

	row->count = values->count == PROFILE_NONE
			     ? 1
			     : samples->numbers[values->count];
	for (uint32_t i = 0; i < samples->profile->n_value_types; i++)
		row->values[i] = samples->numbers[values->places[i]] *
				 values->factors[i];
}

static bool is_no_stack(const struct samples *samples)
{
	const struct profile *profile = samples->profile;
	const struct profile_frame *frame;

	if (samples->depth != 1)
		return false;
	frame = &profile->frames[samples->stack[0]];
	return frame->flags == PROFILE_FRAME_SPECIAL && frame->n_lines > 0 &&
	       strcmp(profile->functions[profile->lines[frame->first_line]
						 .function]
			      .name,
		      PPROF_NO_STACK) == 0;
}

static int read_sample(struct samples *samples, struct cursor message)
{
	struct profile *profile = samples->profile;
	struct labels labels = { 0 };
	struct profile_row row = { 0 };
	int result;

	samples->depth = 0;
	samples->n_numbers = 0;
	result = read_fields(samples, message, &labels);
	if (result)
		return result;
	row.thread = thread_of(samples, &labels);
	row.container = container_of(samples, &labels);
	row.cpu = labels.has_cpu ? (uint32_t)labels.cpu : PROFILE_NONE;
	row.state = state_of(samples, &labels);
	if (is_no_stack(samples))
		samples->depth = 0;
	row.stack = stack_of(samples);
	if (profile->slice_ns > 0 &&
	    labels.slice_ns / profile->slice_ns < SLICES_MAX)
		row.slice = (uint32_t)(labels.slice_ns / profile->slice_ns);
	set_values(samples, &row);
	profile_add(profile, &row);
	if (profile->n_rows > PPROF_ENTRIES_MAX ||
	    profile->n_nodes > PPROF_ENTRIES_MAX)
		return pprof_tables_refuse(samples->tables, &message,
					   "more than %u stacks or samples",
					   PPROF_ENTRIES_MAX);
	if (profile->n_states > STATES_MAX)
		return pprof_tables_refuse(samples->tables, &message,
					   "more than %d states", STATES_MAX);
	return 0;
}

static void samples_init(struct samples *samples, struct pprof_tables *tables,
			 const struct pprof_values *values)
{
	struct profile *profile = tables->profile;

	*samples = (struct samples){
		.tables = tables,
		.values = values,
		.profile = profile,
	};
	idmap_init(&samples->by_pid);
	idmap_init(&samples->by_name);
	idmap_init(&samples->ignored);
	for (size_t i = profile->n_processes; i-- > 0;)
		*idmap_at(&samples->by_pid, profile->processes[i].pid, 0) =
			(uint32_t)i;
	for (size_t i = profile->n_containers; i-- > 0;)
		*idmap_at(&samples->by_name,
			  (uintptr_t)profile->containers[i].name, 0) =
			(uint32_t)i;
}

int pprof_samples_read(struct pprof_tables *tables,
		       const struct pprof_values *values)
{
	struct samples samples;
	struct cursor cursor = tables->file;
	struct protobuf_field field;
	int result = 0;

	samples_init(&samples, tables, values);
	while (result == 0 && protobuf_next(&cursor, &field))
		if (field.number == PPROF_SAMPLE &&
		    field.wire == PROTOBUF_BYTES)
			result = read_sample(&samples, field.bytes);
	idmap_destroy(&samples.by_pid);
	idmap_destroy(&samples.by_name);
	idmap_destroy(&samples.ignored);
	free(samples.stack);
	return result;
}
