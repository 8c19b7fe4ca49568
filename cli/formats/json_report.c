#include "cli/formats/json_report.h"

#include <stdio.h>

#include "cli/profile/sanity.h"
#include "cli/views/number.h"

static void put_event(struct json *json, const struct profile_event *event)
{
	json_open_object(json, "event");
	json_put_text(json, "name", event->name);
	json_put_text(json, "requested", event->requested);
	json_put_known(json, "freq_hz",
		       event->freq_hz > 0 ? event->freq_hz : -1);
	if (event->period)
		json_put_count(json, "period", event->period);
	json_put_text(json, "fallback_reason", event->fallback_reason);
	json_close_object(json);
}

static void put_cpu(struct json *json, const struct profile_host *host)
{
	json_open_object(json, "cpu");
	json_put_known(json, "capacity_s", host->capacity_s);
	json_put_known(json, "busy_s", host->busy_s);
	json_put_known(json, "runqueue_s", host->runqueue_s);
	json_put_known(json, "steal_s", host->steal_s);
	json_close_object(json);
}

void json_report_health(struct json *json, const char *key,
			const struct profile_health *health)
{
	json_open_object(json, key);
	json_put_known(json, "samples", health->samples);
	json_put_known(json, "expected", health->expected);
	json_put_known(json, "lost", health->lost);
	json_put_known(json, "throttled", health->throttled);
	json_put_known(json, "throttled_s", health->throttled_s);
	json_put_known(json, "stacks_complete", health->stacks_complete);
	json_put_known(json, "stacks_truncated", health->stacks_truncated);
	json_put_known(json, "stacks_failed", health->stacks_failed);
	json_put_known(json, "frames_named", health->frames_named);
	json_put_known(json, "frames_unnamed", health->frames_unnamed);
	json_put_known(json, "kernel_cpu_s", health->kernel_cpu_s);
	json_put_known(json, "sampled_cpu_s", health->sampled_cpu_s);
	json_put_known(json, "own_cpu_s", health->own_cpu_s);
	json_put_known(json, "own_peak_bytes", health->own_peak_bytes);
	json_close_object(json);
}

static void put_note_items(struct json *json, const struct notes *notes)
{
	for (size_t i = 0; i < notes->count; i++) {
		json_open_object(json, NULL);
		json_put_text(json, "text", notes->items[i].text);
		json_put_count(json, "count", notes->items[i].count);
		json_close_object(json);
	}
}

static void put_notes(struct json *json, const struct report_view *view)
{
	struct notes doubts = { 0 };

	sanity_check(view->profile, view->window, &doubts);
	json_open_list(json, "notes");
	put_note_items(json, &doubts);
	put_note_items(json, &view->profile->notes);
	json_close_list(json);
	notes_destroy(&doubts);
}

static void put_time(struct json *json, const char *key, uint64_t unix_ns)
{
	if (unix_ns)
		json_put_text(json, key, number_time(unix_ns).text);
	else
		json_put_null(json, key);
}

static void put_process(struct json *json, const struct profile *profile,
			const struct label *label)
{
	const struct profile_process *process;

	if (label->index == PROFILE_NONE) {
		json_put_null(json, "process");
		return;
	}
	process = &profile->processes[label->index];
	json_open_object(json, "process");
	json_put_count(json, "pid", process->pid);
	json_put_text(json, "comm", process->comm);
	json_put_text(json, "exe", process->exe);
	put_time(json, "start", process->start_ns);
	json_close_object(json);
}

static void put_thread(struct json *json, const struct profile *profile,
		       const struct label *label)
{
	if (label->index == PROFILE_NONE) {
		json_put_null(json, "thread");
		return;
	}
	json_open_object(json, "thread");
	json_put_count(json, "tid", profile->threads[label->index].tid);
	json_put_text(json, "comm", label->name);
	json_close_object(json);
}

static void put_number(struct json *json, const char *key, uint32_t number)
{
	if (number == PROFILE_NONE)
		json_put_null(json, key);
	else
		json_put_count(json, key, number);
}

static void put_key(struct json *json, const struct profile *profile,
		    const struct label *label, bool has_module)
{
	const char *name = label_key_names[label->key];

	switch (label->key) {
	case LABEL_PROCESS:
		put_process(json, profile, label);
		return;
	case LABEL_THREAD:
		put_thread(json, profile, label);
		return;
	case LABEL_CPU:
	case LABEL_SLICE:
		put_number(json, name, label->index);
		return;
	case LABEL_CONTAINER:
	case LABEL_STATE:
		if (label->index == PROFILE_NONE)
			json_put_null(json, name);
		else
			json_put_text(json, name, label->name);
		return;
	case LABEL_LINE:
		json_put_text(json, "file", label->file);
		put_number(json, name,
			   label->line ? label->line : PROFILE_NONE);
		break;
	default:
		json_put_text(json, name, label->name);
		break;
	}
	if (has_module && label->key >= LABEL_FUNCTION)
		json_put_text(json, "module", label->module);
}

/* Every key once: a line names its function and both name their module,
 * unless these are keys themselves. */
static void put_keys(struct json *json, const struct report_view *view,
		     const struct group *group)
{
	const struct group_request *request = view->request;
	bool has_module = false, has_function = false;

	for (uint32_t i = 0; i < request->n_keys; i++) {
		has_module |= request->keys[i] == LABEL_MODULE;
		has_function |= request->keys[i] == LABEL_FUNCTION;
	}
	for (uint32_t i = 0; i < request->n_keys; i++) {
		const struct group *outer =
			grouping_outer(view->grouping, group, i);
		const struct label *label =
			grouping_label(view->grouping, outer);

		if (label->key == LABEL_LINE && !has_function) {
			json_put_text(json, "function", label->name);
			has_function = true;
		}
		put_key(json, view->profile, label, !has_module);
		has_module |= label->key >= LABEL_FUNCTION;
	}
}

static void put_usage(struct json *json, const struct report_view *view,
		      const struct label *label)
{
	const struct usage *usage = usages_of(view->usages, label);
	double wall_s = (double)view->profile->duration_ns / 1e9;

	if (label->key != LABEL_PROCESS && label->key != LABEL_CONTAINER)
		return;
	json_put_known(json, "cpu_s", usage ? usage->cpu_s : -1);
	json_put_bool(json, "is_estimate", usage && usage->is_estimate);
	json_put_known(json, "cores",
		       usage && usage->cpu_s >= 0 && wall_s > 0
			       ? usage->cpu_s / wall_s
			       : -1);
	json_put_known(json, "runqueue_s", usage ? usage->runqueue_s : -1);
	json_put_known(json, "blocked_s", usage ? usage->blocked_s : -1);
	json_put_known(json, "threads",
		       usage && usage->threads ? (double)usage->threads : -1);
}

/* Only of merged profiles. */
static void put_spread(struct json *json, const char *key,
		       const struct spread *spread)
{
	if (spread->n == 0)
		return;
	json_open_object(json, key);
	json_put_count(json, "n", spread->n);
	json_put_number(json, "mean", spread->mean);
	json_put_number(json, "median", spread->median);
	json_put_number(json, "least", spread->least);
	json_put_number(json, "most", spread->most);
	json_close_object(json);
}

static void put_row(struct json *json, const struct report_view *view,
		    const struct group *group)
{
	bool is_time = report_view_is_time(view);

	json_open_object(json, NULL);
	put_keys(json, view, group);
	json_put_count(json, is_time ? "self_ns" : "self", group->self);
	json_put_count(json, is_time ? "total_ns" : "total", group->total);
	json_put_count(json, "samples", group->samples);
	json_put_count(json, "total_samples", group->total_samples);
	json_put_number(json, "share", window_share(view->window, group->self));
	json_put_number(json, "share_low", group->self_share.low);
	json_put_number(json, "share_high", group->self_share.high);
	json_put_number(json, "total_share",
			window_share(view->window, group->total));
	json_put_number(json, "total_share_low", group->total_share.low);
	json_put_number(json, "total_share_high", group->total_share.high);
	put_spread(json, "spread", &group->self_spread);
	put_spread(json, "total_spread", &group->total_spread);
	put_usage(json, view, grouping_label(view->grouping, group));
	json_close_object(json);
}

static void put_rows(struct json *json, const char *key,
		     const struct report_view *view)
{
	json_open_list(json, key);
	for (size_t i = 0; i < view->grouping->n_groups; i++)
		if (report_view_is_row(view, &view->grouping->groups[i]))
			put_row(json, view, &view->grouping->groups[i]);
	json_close_list(json);
}

static void put_metric(struct json *json, const struct report_view *view)
{
	uint32_t value = view->window->value;

	json_open_object(json, "metric");
	json_put_text(json, "type",
		      value == PROFILE_NONE
			      ? "samples"
			      : view->profile->value_types[value].type);
	json_put_text(json, "unit",
		      value == PROFILE_NONE
			      ? "count"
			      : view->profile->value_types[value].unit);
	json_put_count(json, "total", view->window->total);
	json_put_count(json, "selected",
		       window_selected(view->window, view->profile));
	json_close_object(json);
}

static void put_header(struct json *json, const struct report_view *view)
{
	const struct profile *profile = view->profile;

	json_put_count(json, "schema", 1);
	json_put_text(json, "host", profile->host.name);
	json_put_text(json, "kernel", profile->host.kernel);
	put_time(json, "start", profile->start_ns);
	json_put_number(json, "duration_s", (double)profile->duration_ns / 1e9);
	json_put_count(json, "profiles", profile->n_profiles);
	json_put_known(json, "cpus",
		       profile->host.cpus ? (double)profile->host.cpus : -1);
	put_event(json, &profile->event);
	put_cpu(json, &profile->host);
	json_report_health(json, "health", &profile->health);
	put_notes(json, view);
	put_metric(json, view);
}

void json_report_write(struct sink *sink, const struct report_view *view,
		       const struct report_view *extra, size_t n_extra)
{
	struct json json;
	char name[32];

	json_init(&json, sink);
	json_open_object(&json, NULL);
	put_header(&json, view);
	json_open_list(&json, "by");
	for (uint32_t i = 0; i < view->request->n_keys; i++)
		json_put_text(&json, NULL,
			      label_key_names[view->request->keys[i]]);
	json_close_list(&json);
	put_rows(&json, "rows", view);
	for (size_t i = 0; i < n_extra; i++) {
		const char *key = label_key_names[extra[i].request->keys[0]];

		snprintf(name, sizeof(name), "%s%s", key,
			 key[strlen(key) - 1] == 's' ? "es" : "s");
		put_rows(&json, name, &extra[i]);
	}
	json_close_object(&json);
}
