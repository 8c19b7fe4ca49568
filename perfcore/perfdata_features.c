#include "perfcore/perfdata_features.h"

#include "perfcore/perfdata_format.h"

/* perf_header_string: a u32 size, then the text with zeros up to it. */
static const char *read_text(struct cursor *cursor)
{
	uint32_t size = cursor_u32(cursor);
	const char *text = cursor_bytes(cursor, size);

	return text && memchr(text, '\0', size) ? text : NULL;
}

static void read_fact(const char **fact, struct cursor *cursor,
		      struct strings *strings)
{
	const char *text = read_text(cursor);

	if (text && *text)
		*fact = strings_intern(strings, text);
}

static void read_command(struct perfdata_facts *facts, struct cursor *cursor,
			 struct strings *strings)
{
	uint32_t count = cursor_u32(cursor);
	char joined[4096];
	size_t length = 0;

	for (uint32_t i = 0; i < count; i++) {
		const char *word = read_text(cursor);
		size_t size = word ? strlen(word) : 0;

		if (!word || length + size + 2 > sizeof(joined))
			break;
		if (length)
			joined[length++] = ' ';
		memcpy(joined + length, word, size);
		length += size;
	}
	if (length)
		facts->command = strings_intern_n(strings, joined, length);
}

/* perf record -k: the clock of the events, and the wall's, read together. */
static void read_clock_data(struct perfdata_facts *facts, struct cursor *cursor)
{
	uint32_t version = cursor_u32(cursor);
	uint32_t clock_id = cursor_u32(cursor);
	uint64_t wall, clock;

	wall = cursor_u64(cursor);
	clock = cursor_u64(cursor);
	if (version != 1 || cursor->has_failed)
		return;
	facts->has_clock = true;
	facts->wall_ns = wall;
	facts->clock_ns = clock;
	facts->clock_id = clock_id;
}

static void read_sample_time(struct perfdata_facts *facts,
			     struct cursor *cursor)
{
	uint64_t first = cursor_u64(cursor), last = cursor_u64(cursor);

	if (cursor->has_failed)
		return;
	facts->first_time = first;
	facts->last_time = last;
}

/* The fact that a feature of one text is, or NULL. */
static const char **text_fact(struct perfdata_facts *facts, uint32_t feature)
{
	switch (feature) {
	case FEATURE_HOSTNAME:
		return &facts->host;
	case FEATURE_OSRELEASE:
		return &facts->kernel;
	case FEATURE_VERSION:
		return &facts->perf_version;
	case FEATURE_ARCH:
		return &facts->arch;
	case FEATURE_CPUDESC:
		return &facts->cpu_model;
	case FEATURE_CPUID:
		return &facts->cpu_id;
	default:
		return NULL;
	}
}

void perfdata_feature_read(struct perfdata_facts *facts, uint32_t feature,
			   struct cursor *cursor, struct strings *strings)
{
	const char **text = text_fact(facts, feature);

	if (text)
		read_fact(text, cursor, strings);
	switch (feature) {
	case FEATURE_NRCPUS:
		facts->n_cpus_present = cursor_u32(cursor);
		facts->n_cpus = cursor_u32(cursor);
		break;
	case FEATURE_TOTAL_MEM:
		facts->memory = cursor_u64(cursor) << 10; /* stored in KiB */
		break;
	case FEATURE_CMDLINE:
		read_command(facts, cursor, strings);
		break;
	case FEATURE_SAMPLE_TIME:
		read_sample_time(facts, cursor);
		break;
	case FEATURE_CLOCK_DATA:
		read_clock_data(facts, cursor);
		break;
	}
}

struct perfdata_facts perfdata_facts_copy(const struct perfdata_facts *facts,
					  struct strings *strings)
{
	struct perfdata_facts copy = *facts;

	for (uint32_t feature = 0; feature < FEATURES_MAX; feature++) {
		const char **text = text_fact(&copy, feature);

		if (text && *text)
			*text = strings_intern(strings, *text);
	}
	if (copy.command)
		copy.command = strings_intern(strings, copy.command);
	return copy;
}

bool perfdata_feature_is_known(const struct perfdata_facts *facts,
			       uint32_t feature)
{
	struct perfdata_facts copy = *facts;
	const char **text = text_fact(&copy, feature);

	switch (feature) {
	case FEATURE_NRCPUS:
		return facts->n_cpus;
	case FEATURE_TOTAL_MEM:
		return facts->memory;
	case FEATURE_CMDLINE:
		return facts->command;
	case FEATURE_SAMPLE_TIME:
		return facts->last_time;
	case FEATURE_CLOCKID:
	case FEATURE_CLOCK_DATA:
		return facts->has_clock;
	default:
		return text && *text;
	}
}

static void write_text(struct perfdata_output *output, const char *text)
{
	uint32_t size = ((uint32_t)strlen(text) + 64) & ~63u; /* as perf does */

	perfdata_output_u32(output, size);
	perfdata_output_text(output, text, size);
}

void perfdata_feature_write(const struct perfdata_facts *facts,
			    uint32_t feature, struct perfdata_output *output)
{
	struct perfdata_facts copy = *facts;
	const char **text = text_fact(&copy, feature);

	if (text && *text)
		write_text(output, *text);
	switch (feature) {
	case FEATURE_NRCPUS:
		perfdata_output_u32(output, facts->n_cpus_present);
		perfdata_output_u32(output, facts->n_cpus);
		break;
	case FEATURE_TOTAL_MEM:
		perfdata_output_u64(output, facts->memory >> 10);
		break;
	case FEATURE_CMDLINE:
		perfdata_output_u32(output, 1);
		write_text(output, facts->command);
		break;
	case FEATURE_SAMPLE_TIME:
		perfdata_output_u64(output, facts->first_time);
		perfdata_output_u64(output, facts->last_time);
		break;
	case FEATURE_CLOCKID:
		perfdata_output_u64(output, 1); /* resolution, ns */
		break;
	case FEATURE_CLOCK_DATA:
		perfdata_output_u32(output, 1); /* version */
		perfdata_output_u32(output, facts->clock_id);
		perfdata_output_u64(output, facts->wall_ns);
		perfdata_output_u64(output, facts->clock_ns);
		break;
	}
}
