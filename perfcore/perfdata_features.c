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
	uint64_t wall, clock;

	cursor_skip(cursor, 4); /* clockid */
	wall = cursor_u64(cursor);
	clock = cursor_u64(cursor);
	if (version != 1 || cursor->has_failed)
		return;
	facts->has_clock = true;
	facts->wall_ns = wall;
	facts->clock_ns = clock;
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

void perfdata_feature_read(struct perfdata_facts *facts, uint32_t feature,
			   struct cursor *cursor, struct strings *strings)
{
	switch (feature) {
	case FEATURE_HOSTNAME:
		read_fact(&facts->host, cursor, strings);
		break;
	case FEATURE_OSRELEASE:
		read_fact(&facts->kernel, cursor, strings);
		break;
	case FEATURE_VERSION:
		read_fact(&facts->perf_version, cursor, strings);
		break;
	case FEATURE_ARCH:
		read_fact(&facts->arch, cursor, strings);
		break;
	case FEATURE_CPUDESC:
		read_fact(&facts->cpu_model, cursor, strings);
		break;
	case FEATURE_CPUID:
		read_fact(&facts->cpu_id, cursor, strings);
		break;
	case FEATURE_NRCPUS:
		cursor_skip(cursor, 4); /* those that could be plugged in */
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
