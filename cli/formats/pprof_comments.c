#include "cli/formats/pprof_comments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/formats/printable.h"
#include "perfcore/mem.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define VERSION		1

/* A field of a line and where its value stands in a structure. Both the
 * writer and the reader go by these tables. */
enum value_kind {
	TEXT,	/* const char *; "" is left out */
	REAL,	/* double; negative (unknown) is left out */
	NUMBER, /* uint32_t; 0 is left out */
	BIG,	/* uint64_t; 0 is left out */
	FLAG,	/* bool; false is left out */
};

struct field {
	const char *key;
	enum value_kind kind;
	size_t offset;
};

struct process_line {
	uint32_t id, container;
	struct profile_process process;
};

struct container_line {
	uint32_t id;
	struct profile_container container;
};

struct note_line {
	uint64_t count;
	const char *text;
};

struct version_line {
	uint32_t version;
};

#define AT(structure, key, kind, member)                                       \
	{                                                                      \
		key, kind, offsetof(struct structure, member)                  \
	}

static const struct field version_fields[] = {
	AT(version_line, "version", NUMBER, version),
};

static const struct field host_fields[] = {
	AT(profile_host, "name", TEXT, name),
	AT(profile_host, "kernel", TEXT, kernel),
	AT(profile_host, "arch", TEXT, arch),
	AT(profile_host, "cpus", NUMBER, cpus),
	AT(profile_host, "capacity_s", REAL, capacity_s),
	AT(profile_host, "busy_s", REAL, busy_s),
	AT(profile_host, "runqueue_s", REAL, runqueue_s),
	AT(profile_host, "steal_s", REAL, steal_s),
};

static const struct field event_fields[] = {
	AT(profile_event, "name", TEXT, name),
	AT(profile_event, "requested", TEXT, requested),
	AT(profile_event, "freq_hz", REAL, freq_hz),
	AT(profile_event, "period", BIG, period),
	AT(profile_event, "fallback_reason", TEXT, fallback_reason),
};

static const struct field health_fields[] = {
	AT(profile_health, "samples", REAL, samples),
	AT(profile_health, "expected", REAL, expected),
	AT(profile_health, "lost", REAL, lost),
	AT(profile_health, "throttled", REAL, throttled),
	AT(profile_health, "throttled_s", REAL, throttled_s),
	AT(profile_health, "stacks_complete", REAL, stacks_complete),
	AT(profile_health, "stacks_truncated", REAL, stacks_truncated),
	AT(profile_health, "stacks_failed", REAL, stacks_failed),
	AT(profile_health, "frames_named", REAL, frames_named),
	AT(profile_health, "frames_unnamed", REAL, frames_unnamed),
	AT(profile_health, "kernel_cpu_s", REAL, kernel_cpu_s),
	AT(profile_health, "sampled_cpu_s", REAL, sampled_cpu_s),
	AT(profile_health, "own_cpu_s", REAL, own_cpu_s),
	AT(profile_health, "own_peak_bytes", REAL, own_peak_bytes),
};

static const struct field window_fields[] = {
	AT(profile, "slice_ns", BIG, slice_ns),
	AT(profile, "profiles", NUMBER, n_profiles),
	AT(profile, "notes_dropped", BIG, notes.dropped),
};

static const struct field note_fields[] = {
	AT(note_line, "count", BIG, count),
	AT(note_line, "text", TEXT, text),
};

static const struct field process_fields[] = {
	AT(process_line, "id", NUMBER, id),
	AT(process_line, "pid", NUMBER, process.pid),
	AT(process_line, "start_ns", BIG, process.start_ns),
	AT(process_line, "comm", TEXT, process.comm),
	AT(process_line, "exe", TEXT, process.exe),
	AT(process_line, "user", TEXT, process.user),
	AT(process_line, "container", NUMBER, container),
	AT(process_line, "accounted", FLAG, process.has_accounting),
	AT(process_line, "cpu_ns", BIG, process.cpu_ns),
	AT(process_line, "runqueue_ns", BIG, process.runqueue_ns),
	AT(process_line, "blocked_ns", BIG, process.blocked_ns),
	AT(process_line, "threads", NUMBER, process.n_threads),
};

static const struct field container_fields[] = {
	AT(container_line, "id", NUMBER, id),
	AT(container_line, "name", TEXT, container.name),
	AT(container_line, "container", TEXT, container.id),
	AT(container_line, "runtime", TEXT, container.runtime),
	AT(container_line, "path", TEXT, container.path),
};

static const struct field mapping_fields[] = {
	AT(pprof_mapping_note, "id", NUMBER, id),
	AT(pprof_mapping_note, "flags", NUMBER, flags),
	AT(pprof_mapping_note, "deleted", FLAG, is_deleted),
};

static const struct field type_fields[] = {
	AT(pprof_type_note, "id", NUMBER, id),
	AT(pprof_type_note, "type", TEXT, type),
};

static const struct field tables_fields[] = {
	AT(pprof_tables_note, "first", NUMBER, first),
	AT(pprof_tables_note, "count", NUMBER, count),
};

/* A line under construction. */
struct line {
	char *text;
	size_t size, room;
};

static void add_char(struct line *line, char character)
{
	line->text = mem_grow(line->text, line->size, &line->room, 1);
	line->text[line->size++] = character;
}

static void add(struct line *line, const char *text)
{
	while (*text)
		add_char(line, *text++);
}

static void add_quoted(struct line *line, const char *text)
{
	char *clean = printable_new(text, "");

	add_char(line, '"');
	for (const char *at = clean; *at; at++) {
		if (*at == '"' || *at == '\\')
			add_char(line, '\\');
		add_char(line, *at);
	}
	add_char(line, '"');
	free(clean);
}

/* The shortest of the two forms that reads back as the same number. */
static void add_real(struct line *line, double number)
{
	char digits[32];

	snprintf(digits, sizeof(digits), "%.15g", number);
	if (strtod(digits, NULL) != number)
		snprintf(digits, sizeof(digits), "%.17g", number);
	add(line, digits);
}

static bool is_left_out(const struct field *field, const void *value)
{
	switch (field->kind) {
	case TEXT:
		return !**(const char *const *)value;
	case REAL:
		return !(*(const double *)value >= 0);
	case NUMBER:
		return *(const uint32_t *)value == 0;
	case BIG:
		return *(const uint64_t *)value == 0;
	case FLAG:
		return !*(const bool *)value;
	}
	return true;
}

static void add_field(struct line *line, const struct field *field,
		      const void *value)
{
	char digits[24];

	if (is_left_out(field, value))
		return;
	add_char(line, ' ');
	add(line, field->key);
	add_char(line, '=');
	if (field->kind == TEXT) {
		add_quoted(line, *(const char *const *)value);
	} else if (field->kind == REAL) {
		add_real(line, *(const double *)value);
	} else {
		uint64_t number = field->kind == BIG ? *(const uint64_t *)value
				  : field->kind == NUMBER
					  ? *(const uint32_t *)value
					  : 1;

		snprintf(digits, sizeof(digits), "%" PRIu64, number);
		add(line, digits);
	}
}

static void write_line(const struct pprof_comments_output *output,
		       const char *kind, const struct field *fields,
		       size_t n_fields, const void *base)
{
	struct line line = { 0 };

	add(&line, kind);
	for (size_t i = 0; i < n_fields; i++)
		add_field(&line, &fields[i],
			  (const char *)base + fields[i].offset);
	add_char(&line, '\0');
	output->line(output->context, line.text);
	free(line.text);
}

void pprof_comments_write(const struct profile *profile,
			  const struct pprof_comments_output *output)
{
	const struct version_line version = { VERSION };

	write_line(output, "hostprof", version_fields, COUNT_OF(version_fields),
		   &version);
	write_line(output, "host", host_fields, COUNT_OF(host_fields),
		   &profile->host);
	write_line(output, "event", event_fields, COUNT_OF(event_fields),
		   &profile->event);
	write_line(output, "health", health_fields, COUNT_OF(health_fields),
		   &profile->health);
	write_line(output, "window", window_fields, COUNT_OF(window_fields),
		   profile);
	for (size_t i = 0; i < profile->notes.count; i++) {
		struct note_line note = { profile->notes.items[i].count,
					  profile->notes.items[i].text };

		write_line(output, "note", note_fields, COUNT_OF(note_fields),
			   &note);
	}
}

void pprof_comments_process(const struct profile_process *process, uint32_t id,
			    uint32_t container_id,
			    const struct pprof_comments_output *output)
{
	struct process_line line = { id, container_id, *process };

	write_line(output, "process", process_fields, COUNT_OF(process_fields),
		   &line);
}

void pprof_comments_container(const struct profile_container *container,
			      uint32_t id,
			      const struct pprof_comments_output *output)
{
	struct container_line line = { id, *container };

	write_line(output, "container", container_fields,
		   COUNT_OF(container_fields), &line);
}

void pprof_comments_mapping(const struct pprof_mapping_note *note,
			    const struct pprof_comments_output *output)
{
	write_line(output, "mapping", mapping_fields, COUNT_OF(mapping_fields),
		   note);
}

void pprof_comments_type(const struct pprof_type_note *note,
			 const struct pprof_comments_output *output)
{
	write_line(output, "type", type_fields, COUNT_OF(type_fields), note);
}

void pprof_comments_tables(const struct pprof_tables_note *note,
			   const struct pprof_comments_output *output)
{
	write_line(output, "tables", tables_fields, COUNT_OF(tables_fields),
		   note);
}

void pprof_comments_init(struct pprof_comments *comments)
{
	*comments = (struct pprof_comments){ 0 };
	idmap_init(&comments->processes);
	idmap_init(&comments->containers);
	idmap_init(&comments->mapping_ids);
}

void pprof_comments_destroy(struct pprof_comments *comments)
{
	if (!comments)
		return;
	idmap_destroy(&comments->processes);
	idmap_destroy(&comments->containers);
	idmap_destroy(&comments->mapping_ids);
	free(comments->mappings);
	free(comments->types);
}

/* Cuts a value at *at off in place, quotes undone; *at moves behind it. */
static char *take_value(char **at)
{
	char *value = *at, *to = *at, *from = *at;

	if (*from != '"') {
		from += strcspn(from, " ");
		*at = *from ? from + 1 : from;
		*from = '\0';
		return value;
	}
	for (from++; *from && *from != '"'; from++) {
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	*at = *from ? from + 1 : from;
	*to = '\0';
	return value;
}

static void set_value(const struct field *field, void *base, const char *text,
		      struct strings *strings)
{
	char *value = (char *)base + field->offset;
	uint64_t number = strtoull(text, NULL, 10);
	double real = strtod(text, NULL);

	switch (field->kind) {
	case TEXT:
		*(const char **)value = strings_intern(strings, text);
		break;
	case REAL:
		if (real >= 0 && real <= 1e300)
			*(double *)value = real;
		break;
	case NUMBER:
		if (number <= UINT32_MAX)
			*(uint32_t *)value = (uint32_t)number;
		break;
	case BIG:
		*(uint64_t *)value = number;
		break;
	case FLAG:
		*(bool *)value = number != 0;
	}
}

/* Reads the fields of one line into the structure at base. */
static void read_fields(char *at, const struct field *fields, size_t n_fields,
			void *base, struct strings *strings)
{
	while (*(at += strspn(at, " "))) {
		char *key = at;
		const char *value;

		at += strcspn(at, "= ");
		if (*at != '=')
			continue;
		*at++ = '\0';
		value = take_value(&at);
		for (size_t i = 0; i < n_fields; i++)
			if (strcmp(fields[i].key, key) == 0)
				set_value(&fields[i], base, value, strings);
	}
}

static void keep_process(struct pprof_comments *comments,
			 struct profile *profile,
			 const struct process_line *line)
{
	uint32_t index = profile_process(profile, line->process.pid,
					 line->process.start_ns);

	profile->processes[index] = line->process;
	profile->processes[index].container =
		idmap_get(&comments->containers, line->container, 0);
	*idmap_at(&comments->processes, line->id, 0) = index;
}

static void keep_note(struct profile *profile, const struct note_line *line)
{
	notes_add(&profile->notes, "%s", line->text);
	for (size_t i = 0; i < profile->notes.count; i++)
		if (strcmp(profile->notes.items[i].text, line->text) == 0)
			profile->notes.items[i].count =
				line->count ? line->count : 1;
}

static void keep_mapping(struct pprof_comments *comments,
			 const struct pprof_mapping_note *note)
{
	comments->mappings = mem_grow(comments->mappings, comments->n_mappings,
				      &comments->mapping_room, sizeof(*note));
	*idmap_at(&comments->mapping_ids, note->id, 0) =
		(uint32_t)comments->n_mappings;
	comments->mappings[comments->n_mappings++] = *note;
}

static void keep_type(struct pprof_comments *comments,
		      const struct pprof_type_note *note)
{
	comments->types = mem_grow(comments->types, comments->n_types,
				   &comments->type_room, sizeof(*note));
	comments->types[comments->n_types++] = *note;
}

static void read_note(struct profile *profile, char *at)
{
	struct note_line note = { 0, strings_intern(profile->strings, "") };

	read_fields(at, note_fields, COUNT_OF(note_fields), &note,
		    profile->strings);
	keep_note(profile, &note);
}

static void read_process(struct pprof_comments *comments,
			 struct profile *profile, char *at)
{
	const char *none = strings_intern(profile->strings, "");
	struct process_line line = {
		.process = { .comm = none, .exe = none, .user = none }
	};

	read_fields(at, process_fields, COUNT_OF(process_fields), &line,
		    profile->strings);
	if (line.id)
		keep_process(comments, profile, &line);
}

static void read_container(struct pprof_comments *comments,
			   struct profile *profile, char *at)
{
	const char *none = strings_intern(profile->strings, "");
	struct container_line line = { 0, { none, none, none, none } };

	read_fields(at, container_fields, COUNT_OF(container_fields), &line,
		    profile->strings);
	if (line.id)
		*idmap_at(&comments->containers, line.id, 0) =
			profile_container(profile, &line.container);
}

static void read_mapping(struct pprof_comments *comments,
			 struct profile *profile, char *at)
{
	struct pprof_mapping_note note = { 0 };

	read_fields(at, mapping_fields, COUNT_OF(mapping_fields), &note,
		    profile->strings);
	if (note.id)
		keep_mapping(comments, &note);
}

static void read_type(struct pprof_comments *comments, struct profile *profile,
		      char *at)
{
	struct pprof_type_note note = { 0, "" };

	read_fields(at, type_fields, COUNT_OF(type_fields), &note,
		    profile->strings);
	if (note.id)
		keep_type(comments, &note);
}

/* Cuts off the kind, the first word; *at is what follows. */
static char *take_kind(const char *text, char **at)
{
	char *line = mem_strdup(text);
	size_t length = strcspn(line, " ");

	*at = line + length + (line[length] == ' ');
	line[length] = '\0';
	return line;
}

/* Lines that fill one structure of the profile. Returns false for others. */
static bool read_single_line(struct pprof_comments *comments,
			     struct profile *profile, const char *kind,
			     char *at)
{
	const struct {
		const char *kind;
		const struct field *fields;
		size_t n_fields;
		void *base;
	} singles[] = {
		{ "host", host_fields, COUNT_OF(host_fields), &profile->host },
		{ "event", event_fields, COUNT_OF(event_fields),
		  &profile->event },
		{ "health", health_fields, COUNT_OF(health_fields),
		  &profile->health },
		{ "window", window_fields, COUNT_OF(window_fields), profile },
		{ "tables", tables_fields, COUNT_OF(tables_fields),
		  &comments->tables },
	};

	for (size_t i = 0; i < COUNT_OF(singles); i++) {
		if (strcmp(kind, singles[i].kind) != 0)
			continue;
		comments->n_windows += singles[i].base == &profile->health;
		read_fields(at, singles[i].fields, singles[i].n_fields,
			    singles[i].base, profile->strings);
		return true;
	}
	return false;
}

void pprof_comments_read(struct pprof_comments *comments,
			 struct profile *profile, const char *text)
{
	char *at, *kind = take_kind(text, &at);

	if (strcmp(kind, "hostprof") == 0)
		comments->is_ours = true;
	else if (!comments->is_ours)
		notes_add(&profile->notes, "comment in the profile: %.200s",
			  text);
	else if (!read_single_line(comments, profile, kind, at) &&
		 strcmp(kind, "note") == 0)
		read_note(profile, at);
	free(kind);
}

void pprof_comments_read_table(struct pprof_comments *comments,
			       struct profile *profile, const char *text)
{
	static const struct {
		const char *kind;
		void (*read)(struct pprof_comments *, struct profile *, char *);
	} tables[] = {
		{ "process", read_process },
		{ "container", read_container },
		{ "mapping", read_mapping },
		{ "type", read_type },
	};
	char *at, *kind = take_kind(text, &at);

	for (size_t i = 0; i < COUNT_OF(tables); i++)
		if (strcmp(kind, tables[i].kind) == 0)
			tables[i].read(comments, profile, at);
	free(kind);
}
