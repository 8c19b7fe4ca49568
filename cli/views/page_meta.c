#include "cli/views/page_meta.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "cli/formats/printable.h"
#include "cli/profile/window.h"
#include "cli/version.h"

static json_t *text(const char *value)
{
	char *printable = printable_new(value, "");
	json_t *json = json_string(printable);

	free(printable);
	return json;
}

/* Negative: not known. */
static json_t *known(double value)
{
	return value >= 0 && isfinite(value) ? json_real(value) : json_null();
}

static json_t *event_json(const struct profile_event *event)
{
	return json_pack("{s:o, s:o, s:f, s:f, s:o}", "name", text(event->name),
			 "requested", text(event->requested), "freq_hz",
			 event->freq_hz, "period", (double)event->period,
			 "fallback_reason", text(event->fallback_reason));
}

static json_t *health_json(const struct profile_health *health)
{
	const struct {
		const char *name;
		double value;
	} items[] = {
		{ "samples", health->samples },
		{ "expected", health->expected },
		{ "lost", health->lost },
		{ "throttled", health->throttled },
		{ "throttled_s", health->throttled_s },
		{ "stacks_complete", health->stacks_complete },
		{ "stacks_truncated", health->stacks_truncated },
		{ "stacks_failed", health->stacks_failed },
		{ "frames_named", health->frames_named },
		{ "frames_unnamed", health->frames_unnamed },
		{ "kernel_cpu_s", health->kernel_cpu_s },
		{ "sampled_cpu_s", health->sampled_cpu_s },
		{ "own_cpu_s", health->own_cpu_s },
		{ "own_peak_bytes", health->own_peak_bytes },
	};
	json_t *json = json_object();

	for (size_t i = 0; i < sizeof(items) / sizeof(*items); i++)
		json_object_set_new(json, items[i].name, known(items[i].value));
	return json;
}

static json_t *notes_json(const struct notes *notes)
{
	json_t *json = json_array();

	for (size_t i = 0; i < notes->count; i++)
		json_array_append_new(
			json, json_pack("{s:o, s:f}", "text",
					text(notes->items[i].text), "count",
					(double)notes->items[i].count));
	return json;
}

static json_t *side_json(const struct profile *profile)
{
	const struct profile_host *host = &profile->host;
	struct window window;

	window_of(&window, profile, PROFILE_NONE);
	return json_pack(
		"{s:o, s:o, s:o, s:i, s:f, s:f, s:i, s:f, s:i, s:o,"
		" s:{s:o, s:o, s:o, s:o}, s:o, s:o, s:f}",
		"host", text(host->name), "kernel", text(host->kernel), "arch",
		text(host->arch), "cpus", (int)host->cpus, "start_ms",
		(double)(profile->start_ns / 1000000), "duration_s",
		(double)profile->duration_ns / 1e9, "profiles",
		(int)profile->n_profiles, "slice_s",
		(double)profile->slice_ns / 1e9, "slices", (int)window.n_slices,
		"event", event_json(&profile->event), "cpu", "capacity_s",
		known(host->capacity_s), "busy_s", known(host->busy_s),
		"runqueue_s", known(host->runqueue_s), "steal_s",
		known(host->steal_s), "health", health_json(&profile->health),
		"notes", notes_json(&profile->notes), "notes_dropped",
		(double)profile->notes.dropped);
}

char *page_meta_new(const struct page_tables *tables)
{
	json_t *sides = json_array(), *types = json_array(), *json;
	char *line;

	for (uint32_t i = 0; i < tables->n_sides; i++)
		json_array_append_new(sides, side_json(tables->sides[i]));
	for (uint32_t i = 0; i < tables->n_value_types; i++)
		json_array_append_new(
			types,
			json_pack("{s:o, s:o}", "type",
				  text(tables->value_types[i].type), "unit",
				  text(tables->value_types[i].unit)));
	json = json_pack("{s:s, s:o, s:o, s:i}", "version", HOSTPROF_VERSION,
			 "sides", sides, "value_types", types, "default_value",
			 (int)tables->default_value);
	line = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(12));
	json_decref(json);
	return line;
}
