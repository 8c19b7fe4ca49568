#include "cli/formats/csv_report.h"

#include <math.h>
#include <stdio.h>

#include "cli/views/number.h"

struct csv {
	struct sink *sink;
	bool has_fields; /* in this line */
};

static void put_text(struct csv *csv, const char *text)
{
	bool is_quoted = text[strcspn(text, ",\"\r\n")] != '\0';

	if (csv->has_fields)
		sink_char(csv->sink, ',');
	csv->has_fields = true;
	if (!is_quoted) {
		sink_text(csv->sink, text);
		return;
	}
	sink_char(csv->sink, '"');
	for (; *text; text++) {
		if (*text == '"')
			sink_char(csv->sink, '"');
		sink_char(csv->sink, *text);
	}
	sink_char(csv->sink, '"');
}

static void put_count(struct csv *csv, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	put_text(csv, text);
}

/* Negative: not known. */
static void put_known(struct csv *csv, double number)
{
	char text[32] = "";

	if (isfinite(number) && number >= 0)
		snprintf(text, sizeof(text), "%.9g", number);
	put_text(csv, text);
}

static void put_index(struct csv *csv, uint32_t number)
{
	if (number == PROFILE_NONE)
		put_text(csv, "");
	else
		put_count(csv, number);
}

static void end_line(struct csv *csv)
{
	sink_text(csv->sink, "\r\n");
	csv->has_fields = false;
}

static void title_key(struct csv *csv, enum label_key key)
{
	static const char *const process[] = { "pid", "comm", "exe", "start" };

	switch (key) {
	case LABEL_PROCESS:
		for (size_t i = 0; i < 4; i++)
			put_text(csv, process[i]);
		break;
	case LABEL_THREAD:
		put_text(csv, "tid");
		put_text(csv, "thread");
		break;
	case LABEL_FUNCTION:
		put_text(csv, "function");
		put_text(csv, "function_module");
		break;
	case LABEL_LINE:
		put_text(csv, "line_function");
		put_text(csv, "file");
		put_text(csv, "line");
		break;
	default:
		put_text(csv, label_key_names[key]);
	}
}

static void put_process(struct csv *csv, const struct profile *profile,
			uint32_t index)
{
	const struct profile_process *process = &profile->processes[index];

	put_count(csv, process->pid);
	put_text(csv, process->comm);
	put_text(csv, process->exe);
	put_text(csv,
		 process->start_ns ? number_time(process->start_ns).text : "");
}

static void put_key(struct csv *csv, const struct profile *profile,
		    const struct label *label)
{
	bool is_known = label->index != PROFILE_NONE;

	switch (label->key) {
	case LABEL_PROCESS:
		if (is_known)
			put_process(csv, profile, label->index);
		for (size_t i = 0; !is_known && i < 4; i++)
			put_text(csv, "");
		break;
	case LABEL_THREAD:
		put_index(csv, is_known ? profile->threads[label->index].tid
					: PROFILE_NONE);
		put_text(csv, is_known ? label->name : "");
		break;
	case LABEL_CPU:
	case LABEL_SLICE:
		put_index(csv, label->index);
		break;
	case LABEL_CONTAINER:
	case LABEL_STATE:
		put_text(csv, is_known ? label->name : "");
		break;
	case LABEL_FUNCTION:
		put_text(csv, label->name);
		put_text(csv, label->module);
		break;
	case LABEL_LINE:
		put_text(csv, label->name);
		put_text(csv, label->file);
		put_index(csv, label->line ? label->line : PROFILE_NONE);
		break;
	default:
		put_text(csv, label->name);
	}
}

static bool has_usage(const struct report_view *view)
{
	enum label_key last = view->request->keys[view->request->n_keys - 1];

	return last == LABEL_PROCESS || last == LABEL_CONTAINER;
}

static void put_titles(struct csv *csv, const struct report_view *view)
{
	static const char *const values[] = {
		"samples",	   "total_samples",    "share",
		"share_low",	   "share_high",       "total_share",
		"total_share_low", "total_share_high",
	};
	static const char *const usage[] = { "cpu_s", "cores", "runqueue_s",
					     "blocked_s", "threads" };
	bool is_time = report_view_is_time(view);

	for (uint32_t i = 0; i < view->request->n_keys; i++)
		title_key(csv, view->request->keys[i]);
	put_text(csv, is_time ? "self_ns" : "self");
	put_text(csv, is_time ? "total_ns" : "total");
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		put_text(csv, values[i]);
	for (size_t i = 0; has_usage(view) && i < 5; i++)
		put_text(csv, usage[i]);
	end_line(csv);
}

static void put_usage(struct csv *csv, const struct report_view *view,
		      const struct label *label)
{
	const struct usage *usage = usages_of(view->usages, label);
	double wall_s = (double)view->profile->duration_ns / 1e9;
	double cpu_s = usage ? usage->cpu_s : -1;

	put_known(csv, cpu_s);
	put_known(csv, wall_s > 0 ? cpu_s / wall_s : -1);
	put_known(csv, usage ? usage->runqueue_s : -1);
	put_known(csv, usage ? usage->blocked_s : -1);
	put_known(csv, usage && usage->threads ? (double)usage->threads : -1);
}

static void put_row(struct csv *csv, const struct report_view *view,
		    const struct group *group)
{
	const struct grouping *grouping = view->grouping;

	for (uint32_t i = 0; i < view->request->n_keys; i++)
		put_key(csv, view->profile,
			grouping_label(grouping,
				       grouping_outer(grouping, group, i)));
	put_count(csv, group->self);
	put_count(csv, group->total);
	put_count(csv, group->samples);
	put_count(csv, group->total_samples);
	put_known(csv, window_share(view->window, group->self));
	put_known(csv, group->self_share.low);
	put_known(csv, group->self_share.high);
	put_known(csv, window_share(view->window, group->total));
	put_known(csv, group->total_share.low);
	put_known(csv, group->total_share.high);
	if (has_usage(view))
		put_usage(csv, view, grouping_label(grouping, group));
	end_line(csv);
}

void csv_report_write(struct sink *sink, const struct report_view *view)
{
	struct csv csv = { sink, false };

	put_titles(&csv, view);
	for (size_t i = 0; i < view->grouping->n_groups; i++)
		if (report_view_is_row(view, &view->grouping->groups[i]))
			put_row(&csv, view, &view->grouping->groups[i]);
}
