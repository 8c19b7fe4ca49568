#include "cli/formats/csv_report.h"

#include "cli/formats/csv.h"
#include "cli/views/number.h"

static void put_index(struct csv *csv, uint32_t number)
{
	if (number == PROFILE_NONE)
		csv_put_text(csv, "");
	else
		csv_put_count(csv, number);
}

static void title_key(struct csv *csv, enum label_key key)
{
	static const char *const process[] = { "pid", "comm", "exe", "start" };

	switch (key) {
	case LABEL_PROCESS:
		for (size_t i = 0; i < 4; i++)
			csv_put_text(csv, process[i]);
		break;
	case LABEL_THREAD:
		csv_put_text(csv, "tid");
		csv_put_text(csv, "thread");
		break;
	case LABEL_FUNCTION:
		csv_put_text(csv, "function");
		csv_put_text(csv, "function_module");
		break;
	case LABEL_LINE:
		csv_put_text(csv, "line_function");
		csv_put_text(csv, "file");
		csv_put_text(csv, "line");
		break;
	default:
		csv_put_text(csv, label_key_names[key]);
	}
}

static void put_process(struct csv *csv, const struct profile *profile,
			uint32_t index)
{
	const struct profile_process *process = &profile->processes[index];

	csv_put_count(csv, process->pid);
	csv_put_text(csv, process->comm);
	csv_put_text(csv, process->exe);
	csv_put_text(csv, process->start_ns
				  ? number_time(process->start_ns).text
				  : "");
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
			csv_put_text(csv, "");
		break;
	case LABEL_THREAD:
		put_index(csv, is_known ? profile->threads[label->index].tid
					: PROFILE_NONE);
		csv_put_text(csv, is_known ? label->name : "");
		break;
	case LABEL_CPU:
	case LABEL_SLICE:
		put_index(csv, label->index);
		break;
	case LABEL_CONTAINER:
	case LABEL_STATE:
		csv_put_text(csv, is_known ? label->name : "");
		break;
	case LABEL_FUNCTION:
		csv_put_text(csv, label->name);
		csv_put_text(csv, label->module);
		break;
	case LABEL_LINE:
		csv_put_text(csv, label->name);
		csv_put_text(csv, label->file);
		put_index(csv, label->line ? label->line : PROFILE_NONE);
		break;
	default:
		csv_put_text(csv, label->name);
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
	csv_put_text(csv, is_time ? "self_ns" : "self");
	csv_put_text(csv, is_time ? "total_ns" : "total");
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		csv_put_text(csv, values[i]);
	for (size_t i = 0; has_usage(view) && i < 5; i++)
		csv_put_text(csv, usage[i]);
	csv_end_line(csv);
}

static void put_usage(struct csv *csv, const struct report_view *view,
		      const struct label *label)
{
	const struct usage *usage = usages_of(view->usages, label);
	double wall_s = (double)view->profile->duration_ns / 1e9;
	double cpu_s = usage ? usage->cpu_s : -1;

	csv_put_known(csv, cpu_s);
	csv_put_known(csv, wall_s > 0 ? cpu_s / wall_s : -1);
	csv_put_known(csv, usage ? usage->runqueue_s : -1);
	csv_put_known(csv, usage ? usage->blocked_s : -1);
	csv_put_known(csv,
		      usage && usage->threads ? (double)usage->threads : -1);
}

static void put_row(struct csv *csv, const struct report_view *view,
		    const struct group *group)
{
	const struct grouping *grouping = view->grouping;

	for (uint32_t i = 0; i < view->request->n_keys; i++)
		put_key(csv, view->profile,
			grouping_label(grouping,
				       grouping_outer(grouping, group, i)));
	csv_put_count(csv, group->self);
	csv_put_count(csv, group->total);
	csv_put_count(csv, group->samples);
	csv_put_count(csv, group->total_samples);
	csv_put_known(csv, window_share(view->window, group->self));
	csv_put_known(csv, group->self_share.low);
	csv_put_known(csv, group->self_share.high);
	csv_put_known(csv, window_share(view->window, group->total));
	csv_put_known(csv, group->total_share.low);
	csv_put_known(csv, group->total_share.high);
	if (has_usage(view))
		put_usage(csv, view, grouping_label(grouping, group));
	csv_end_line(csv);
}

void csv_report_write(struct sink *sink, const struct report_view *view)
{
	struct csv csv = { sink, false };

	put_titles(&csv, view);
	for (size_t i = 0; i < view->grouping->n_groups; i++)
		if (report_view_is_row(view, &view->grouping->groups[i]))
			put_row(&csv, view, &view->grouping->groups[i]);
}
