#include "cli/perfdata_profile.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/pipeline.h"
#include "cli/profile/names.h"
#include "perfcore/perfdata_reader.h"

#define KALLSYMS "/proc/kallsyms"

/* Slices are at least a tenth of a second, and at most so many. */
#define SLICE_NS_MIN 100000000ull
#define SLICES_MAX   100

/* Whether /proc/kallsyms has the symbol at the address: another boot of the
 * same kernel has it elsewhere (KASLR). */
static bool has_kernel_symbol(const char *symbol, uint64_t address)
{
	FILE *file = fopen(KALLSYMS, "re");
	char line[512], name[256];
	unsigned long long at;
	bool is_found = false;

	if (!file)
		return false;
	while (!is_found && fgets(line, sizeof(line), file))
		is_found = sscanf(line, "%llx %*c %255s", &at, name) == 2 &&
			   at == address && strcmp(name, symbol) == 0;
	fclose(file);
	return is_found;
}

/* Names of this host's kernel are right for the recorded one only if both are
 * one boot of one kernel. */
static bool is_own_kernel(const struct perfdata_facts *facts)
{
	struct utsname own;

	return facts->kernel && facts->kernel_symbol && facts->kernel_address &&
	       uname(&own) == 0 && strcmp(own.release, facts->kernel) == 0 &&
	       has_kernel_symbol(facts->kernel_symbol, facts->kernel_address);
}

static uint64_t slice_for(const struct perfdata_facts *facts)
{
	uint64_t duration = 0;

	if (facts->last_time > facts->first_time)
		duration = facts->last_time - facts->first_time;
	if (duration / SLICES_MAX > SLICE_NS_MIN)
		return duration / SLICES_MAX;
	return SLICE_NS_MIN;
}

static void fill_host(struct profile *profile, const struct source_info *info)
{
	struct strings *strings = profile->strings;

	profile->host.name =
		strings_intern(strings, info->host ? info->host : "");
	profile->host.kernel =
		strings_intern(strings, info->kernel ? info->kernel : "");
	profile->host.arch =
		strings_intern(strings, info->arch ? info->arch : "");
	profile->host.cpus = info->n_cpus;
}

static void fill_event(struct profile *profile, const struct source_info *info)
{
	for (uint32_t i = 0; i < info->n_events; i++) {
		const struct source_event *event = &info->events[i];
		const char *name =
			strings_intern(profile->strings, event->name);

		if (!event->is_sampling)
			continue;
		profile->event = (struct profile_event){
			.name = name,
			.requested = name,
			.fallback_reason = "",
		};
		if (event->attr.freq)
			profile->event.freq_hz =
				(double)event->attr.sample_freq;
		else
			profile->event.period = event->attr.sample_period;
		return;
	}
}

static double sampled_cpu_s(const struct profile *profile)
{
	double sum = 0;

	if (strcmp(profile->value_types[0].unit, "nanoseconds") != 0)
		return -1;
	for (size_t i = 0; i < profile->n_rows; i++)
		sum += (double)profile->rows[i].values[0];
	return sum / 1e9;
}

static void fill_health(struct profile *profile,
			const struct pipeline_counts *counts,
			const struct perfdata_counts *records)
{
	struct profile_health *health = &profile->health;

	health->samples = (double)counts->samples;
	health->lost = (double)counts->lost;
	health->throttled = (double)records->records[PERF_RECORD_THROTTLE];
	health->stacks_complete = (double)counts->stacks_complete;
	health->stacks_truncated = (double)counts->stacks_truncated;
	health->stacks_failed = (double)counts->stacks_failed;
	health->sampled_cpu_s = sampled_cpu_s(profile);
	names_count(profile);
}

/* The window is that of the records: a file tells no other. */
static void fill_window(struct profile *profile, const struct source_info *info,
			const struct pipeline_counts *counts)
{
	profile->start_ns = info->wall_start_ns;
	if (counts->last_sample_ns > info->clock_start_ns)
		profile->duration_ns =
			counts->last_sample_ns - info->clock_start_ns;
	profile->n_profiles = 1;
}

/* A profile has room for a few kinds of values only. */
static void note_events(struct profile *profile, const struct source_info *info,
			const char *name)
{
	uint32_t n_sampling = 0;

	for (uint32_t i = 0; i < info->n_events; i++)
		n_sampling += info->events[i].is_sampling;
	if (n_sampling > PROFILE_VALUES_MAX)
		notes_add(&profile->notes,
			  "%s: has %u events; the first %d of them are read",
			  name, n_sampling, PROFILE_VALUES_MAX);
}

static void describe(struct pipeline *pipeline, const struct source *source,
		     const struct notes *notes, const char *name)
{
	struct profile *profile = pipeline_profile(pipeline);
	const struct source_info *info = source_info(source);
	const struct pipeline_counts *counts = pipeline_counts(pipeline);

	fill_host(profile, info);
	fill_event(profile, info);
	fill_window(profile, info, counts);
	fill_health(profile, counts, perfdata_reader_counts(source));
	note_events(profile, info, name);
	notes_add(&profile->notes,
		  "%s: a perf.data does not tell how busy the host was by the "
		  "kernel's accounting, what waited for a CPU, or the "
		  "containers' names",
		  name);
	for (size_t i = 0; i < notes->count; i++)
		notes_add(&profile->notes, "%s", notes->items[i].text);
}

static void note_kernel(struct pipeline *pipeline, const char *name,
			const struct perfdata_facts *facts)
{
	notes_add(&pipeline_profile(pipeline)->notes,
		  "%s: was recorded on another kernel (%s) or before a reboot: "
		  "its functions have no names here",
		  name,
		  facts->kernel ? facts->kernel : "it does not say which");
}

static struct pipeline *pipeline_open(const struct source *source,
				      const char *name,
				      const struct perfdata_places *places,
				      uint64_t slice_ns)
{
	const struct perfdata_facts *facts = perfdata_reader_facts(source);
	bool is_own = is_own_kernel(facts);
	struct pipeline_config config = {
		.slice_ns = slice_ns,
		.kallsyms = is_own ? KALLSYMS : NULL,
		.has_own_vdso = is_own,
		.symfs = places->symfs,
		.debug_dirs = places->debug_dirs,
		.debuginfod_ms = places->debuginfod_ms,
		.want_inlines = true,
	};
	struct pipeline *pipeline = pipeline_new(&config, source_info(source));

	if (!is_own)
		note_kernel(pipeline, name, facts);
	return pipeline;
}

int perfdata_profile_read(struct profile **profile, int fd, const char *name,
			  const struct perfdata_places *places,
			  struct error *error)
{
	struct pipeline *pipeline;
	struct source *source;
	struct notes notes;
	uint64_t slice_ns;
	int code;

	notes_init(&notes);
	code = perfdata_reader_open(fd, name, &notes, &source, error);
	if (code) {
		notes_destroy(&notes);
		return code;
	}
	slice_ns = slice_for(perfdata_reader_facts(source));
	pipeline = pipeline_open(source, name, places, slice_ns);
	code = pipeline_drain(pipeline, source, error);
	if (!code) {
		pipeline_finish(pipeline);
		describe(pipeline, source, &notes, name);
		*profile = pipeline_take(pipeline);
		(*profile)->slice_ns = slice_ns;
	}
	pipeline_free(pipeline);
	source_free(source);
	notes_destroy(&notes);
	return code;
}
