#include "cli/formats/pprof_reader.h"

#include <errno.h>
#include <stdlib.h>

#include "cli/formats/pprof_format.h"
#include "cli/formats/pprof_input.h"
#include "cli/formats/pprof_samples.h"
#include "cli/formats/pprof_tables.h"

#define COMMENTS_MAX (1u << 20)

/* The profile's own fields, by string index. */
struct header {
	uint64_t start_ns, duration_ns, period, default_type;
	uint64_t period_type, period_unit;
	uint32_t n_comments;
};

static int read_value_type(struct pprof_tables *tables, struct cursor message,
			   uint64_t *type, uint64_t *unit)
{
	struct protobuf_field field;

	while (protobuf_next(&message, &field)) {
		if (field.number == PPROF_VALUE_TYPE)
			*type = field.value;
		else if (field.number == PPROF_VALUE_UNIT)
			*unit = field.value;
	}
	if (message.has_failed || !pprof_tables_text(tables, *type) ||
	    !pprof_tables_text(tables, *unit))
		return pprof_tables_refuse(tables, &message,
					   "a broken sample type");
	return 0;
}

static int read_sample_type(struct pprof_tables *tables, struct cursor message,
			    struct pprof_values *values)
{
	uint64_t type = 0, unit = 0;
	int result = read_value_type(tables, message, &type, &unit);

	if (result)
		return result;
	if (values->n_types == PPROF_TYPES_MAX)
		return pprof_tables_refuse(tables, &message,
					   "more than %d sample types",
					   PPROF_TYPES_MAX);
	values->types[values->n_types++] = (struct profile_value_type){
		pprof_tables_text(tables, type),
		pprof_tables_text(tables, unit),
	};
	return 0;
}

static int read_comments(struct pprof_tables *tables,
			 struct protobuf_field *field, struct header *header)
{
	uint64_t index;

	while (protobuf_next_number(field, &index)) {
		const char *text = pprof_tables_text(tables, index);

		if (!text || ++header->n_comments > COMMENTS_MAX)
			return pprof_tables_refuse(tables, &field->bytes,
						   text ? "too many comments"
							: "a broken comment");
		pprof_comments_read(&tables->comments, tables->profile, text);
	}
	if (field->bytes.has_failed)
		return pprof_tables_refuse(tables, &field->bytes,
					   "a broken comment");
	return 0;
}

/*
 * After the comments, which tell where they are. Tools that rewrite a profile
 * keep its comments and drop strings that nothing refers to.
 */
static void read_table_lines(struct pprof_tables *tables)
{
	const struct pprof_tables_note *note = &tables->comments.tables;
	uint64_t end = (uint64_t)note->first + note->count;

	if (end > tables->n_texts) {
		notes_add(&tables->profile->notes,
			  "%s was rewritten by another tool, which dropped the "
			  "tables of processes and containers",
			  tables->name);
		return;
	}
	for (uint64_t i = note->first; i < end; i++)
		pprof_comments_read_table(&tables->comments, tables->profile,
					  pprof_tables_text(tables, i));
}

static int read_header(struct pprof_tables *tables, struct header *header,
		       struct pprof_values *values)
{
	struct cursor cursor = tables->file;
	struct protobuf_field field;
	int result = 0;

	while (result == 0 && protobuf_next(&cursor, &field)) {
		if (field.number == PPROF_SAMPLE_TYPE)
			result = read_sample_type(tables, field.bytes, values);
		else if (field.number == PPROF_PERIOD_TYPE)
			result = read_value_type(tables, field.bytes,
						 &header->period_type,
						 &header->period_unit);
		else if (field.number == PPROF_TIME_NANOS)
			header->start_ns = field.value;
		else if (field.number == PPROF_DURATION_NANOS)
			header->duration_ns = field.value;
		else if (field.number == PPROF_PERIOD)
			header->period = field.value;
		else if (field.number == PPROF_DEFAULT_SAMPLE_TYPE)
			header->default_type = field.value;
		else if (field.number == PPROF_COMMENT)
			result = read_comments(tables, &field, header);
	}
	return result;
}

static bool is(const char *text, const char *want)
{
	return strcmp(text, want) == 0;
}

/* Names that the writer had to change get back their own. */
static void restore_types(const struct pprof_comments *comments,
			  struct pprof_values *values)
{
	for (size_t i = 0; i < comments->n_types; i++)
		if (comments->types[i].id - 1 < values->n_types)
			values->types[comments->types[i].id - 1].type =
				comments->types[i].type;
}

static void add_value_type(struct profile *profile, struct pprof_values *values,
			   const struct profile_value_type *type,
			   uint32_t place, uint64_t factor)
{
	if (profile->n_value_types == PROFILE_VALUES_MAX) {
		notes_add(&profile->notes,
			  "the profile's values \"%.80s\" are not kept",
			  type->type);
		return;
	}
	values->places[profile->n_value_types] = place;
	values->factors[profile->n_value_types] = factor;
	profile->value_types[profile->n_value_types++] = *type;
}

/* A profile that only counts samples: what each stands for, where it says
 * so, else the count itself. */
static void add_counted_type(struct pprof_tables *tables,
			     const struct header *header,
			     struct pprof_values *values)
{
	struct profile_value_type period = {
		pprof_tables_text(tables, header->period_type),
		pprof_tables_text(tables, header->period_unit),
	};

	if (header->period > 0 && is(period.unit, "nanoseconds"))
		add_value_type(tables->profile, values, &period, values->count,
			       header->period);
	else
		add_value_type(tables->profile, values,
			       &values->types[values->count], values->count, 1);
}

/* pprof's rule: without a default, the last sample type is meant. */
static void choose_default(struct pprof_tables *tables,
			   const struct header *header,
			   const struct pprof_values *values)
{
	struct profile *profile = tables->profile;
	const char *wanted = pprof_tables_text(tables, header->default_type);

	profile->default_value = profile->n_value_types - 1;
	for (uint32_t i = 0; wanted && *wanted && i < profile->n_value_types;
	     i++) {
		char *name =
			pprof_type_name(values->types[values->places[i]].type);

		if (is(name, wanted) ||
		    is(profile->value_types[i].type, wanted))
			profile->default_value = i;
		free(name);
	}
}

static int set_value_types(struct pprof_tables *tables,
			   const struct header *header,
			   struct pprof_values *values)
{
	struct profile *profile = tables->profile;

	if (values->n_types == 0)
		return pprof_tables_refuse(tables, &tables->file,
					   "no sample types");
	restore_types(&tables->comments, values);
	values->count = PROFILE_NONE;
	for (uint32_t i = 0; i < values->n_types; i++) {
		const struct profile_value_type *type = &values->types[i];

		if (values->count == PROFILE_NONE &&
		    is(type->type, PPROF_COUNT_TYPE) &&
		    is(type->unit, PPROF_COUNT_UNIT))
			values->count = i;
		else
			add_value_type(profile, values, type, i, 1);
	}
	if (profile->n_value_types == 0)
		add_counted_type(tables, header, values);
	choose_default(tables, header, values);
	return 0;
}

static uint64_t not_negative(uint64_t number)
{
	return number <= INT64_MAX ? number : 0;
}

static void set_window(struct pprof_tables *tables, const struct header *header)
{
	struct profile *profile = tables->profile;
	const char *type = pprof_tables_text(tables, header->period_type);
	const char *unit = pprof_tables_text(tables, header->period_unit);

	profile->start_ns = not_negative(header->start_ns);
	profile->duration_ns = not_negative(header->duration_ns);
	if (tables->comments.n_windows > 1)
		notes_add(&profile->notes,
			  "%s was merged by another tool: host, event and "
			  "trust are those of its last window",
			  tables->name);
	if (tables->comments.is_ours || header->period == 0)
		return;
	profile->event.name = type;
	profile->event.requested = type;
	if (is(unit, "nanoseconds"))
		profile->event.freq_hz = 1e9 / (double)header->period;
	else
		profile->event.period = not_negative(header->period);
}

/* What can be said of a file that has no trust block of ours. */
static void set_health(struct profile *profile)
{
	const struct profile_value_type *type =
		&profile->value_types[profile->default_value];
	double samples = 0, value = 0;

	for (size_t i = 0; i < profile->n_rows; i++) {
		samples += (double)profile->rows[i].count;
		value +=
			(double)profile->rows[i].values[profile->default_value];
	}
	profile->health.samples = samples;
	if (is(type->type, "cpu") && is(type->unit, "nanoseconds"))
		profile->health.sampled_cpu_s = value / 1e9;
}

static int read_tables(struct pprof_tables *tables)
{
	struct header header = { 0 };
	struct pprof_values values = { 0 };
	int result = pprof_tables_read_texts(tables);

	if (result == 0)
		result = read_header(tables, &header, &values);
	if (result == 0)
		read_table_lines(tables);
	if (result == 0)
		result = pprof_tables_check(tables, &tables->file);
	if (result == 0)
		result = set_value_types(tables, &header, &values);
	if (result == 0)
		result = pprof_tables_read_code(tables);
	if (result)
		return result;
	set_window(tables, &header);
	result = pprof_samples_read(tables, &values);
	if (result == 0 && !tables->comments.is_ours)
		set_health(tables->profile);
	return result;
}

int pprof_read(struct profile **out, int fd, const char *name,
	       struct error *error)
{
	struct pprof_tables tables;
	struct profile *profile;
	uint8_t *bytes;
	size_t size;
	int result = pprof_input_read(fd, name, &bytes, &size, error);

	*out = NULL;
	if (result)
		return result;
	profile = profile_new();
	profile_state(profile, "user"); /* by enum profile_state */
	profile_state(profile, "kernel");
	pprof_tables_init(&tables, profile, bytes, size, name, error);
	result = read_tables(&tables);
	pprof_tables_destroy(&tables);
	free(bytes);
	if (result)
		profile_free(profile);
	else
		*out = profile;
	return result;
}
