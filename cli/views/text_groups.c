#include "cli/views/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/profile/usage.h"
#include "cli/views/number.h"
#include "cli/views/table.h"

#define TITLE_MAX   160
#define COLUMN_NONE SIZE_MAX

/* Columns of the table; COLUMN_NONE where it has no such column. */
struct columns {
	size_t name, id, weight, share, self, total, spread, module, cores,
		runqueue, blocked, threads;
	char name_title[TITLE_MAX], weight_title[TITLE_MAX];
};

struct groups_view {
	const struct profile *profile;
	const struct grouping *grouping;
	const struct window *window;
	const struct group_request *request;
	struct usages usages;
	struct columns columns;
	struct table table;
	bool is_cpu_time; /* the weight is CPU time in nanoseconds */
};

static bool has_key(const struct group_request *request, enum label_key key)
{
	for (uint32_t i = 0; i < request->n_keys; i++)
		if (request->keys[i] == key)
			return true;
	return false;
}

static bool has_stack_key(const struct group_request *request)
{
	for (uint32_t i = 0; i < request->n_keys; i++)
		if (label_key_is_of_stack(request->keys[i]))
			return true;
	return false;
}

/* "CONTAINER > FUNCTION" */
static void name_title(char *title, const struct group_request *request)
{
	size_t length = 0;

	for (uint32_t i = 0; i < request->n_keys; i++) {
		length += (size_t)snprintf(title + length, TITLE_MAX - length,
					   "%s%s", i ? " > " : "",
					   label_key_names[request->keys[i]]);
		if (length >= TITLE_MAX)
			break;
	}
	for (; *title; title++)
		*title = (char)toupper((unsigned char)*title);
}

/* "CPU s", "wait s", "page-faults" */
static void weight_title(char *title, const struct groups_view *view)
{
	const struct profile_value_type *type =
		&view->profile->value_types[view->window->value];

	if (view->window->value == PROFILE_NONE)
		snprintf(title, TITLE_MAX, "samples");
	else if (view->is_cpu_time)
		snprintf(title, TITLE_MAX, "CPU s");
	else if (strcmp(type->unit, "nanoseconds") == 0)
		snprintf(title, TITLE_MAX, "%s s", type->type);
	else
		snprintf(title, TITLE_MAX, "%s", type->type);
}

static bool is_time(const struct groups_view *view)
{
	return view->window->value != PROFILE_NONE &&
	       strcmp(view->profile->value_types[view->window->value].unit,
		      "nanoseconds") == 0;
}

static struct number weight_text(const struct groups_view *view,
				 uint64_t weight)
{
	return is_time(view) ? number_seconds((double)weight / 1e9, 0)
			     : number_count((double)weight);
}

static size_t column(struct groups_view *view, const char *title, bool is_left,
		     bool is_flexible)
{
	return table_column_add(
		&view->table,
		(struct table_column){ title, is_left, is_flexible });
}

/* How the share differs between the profiles that were merged. */
static void spread_column(struct groups_view *view)
{
	if (view->window->n_window_batches > 1)
		view->columns.spread =
			column(view, "between windows", true, false);
}

static void columns_choose(struct groups_view *view)
{
	const struct group_request *request = view->request;
	bool is_process = has_key(request, LABEL_PROCESS);
	struct columns *columns = &view->columns;

	memset(columns, 0xff, sizeof(*columns));
	name_title(columns->name_title, request);
	weight_title(columns->weight_title, view);
	columns->name = column(view, columns->name_title, true, true);
	if (is_process)
		columns->id = column(view, "PID", false, false);
	else if (has_key(request, LABEL_THREAD))
		columns->id = column(view, "TID", false, false);
	if (has_stack_key(request)) {
		columns->self = column(view, "self", true, false);
		columns->total = column(view, "total", true, false);
		spread_column(view);
		if (request->keys[request->n_keys - 1] != LABEL_MODULE)
			columns->module = column(view, "module", true, true);
		return;
	}
	columns->weight = column(view, columns->weight_title, false, false);
	columns->share = column(view, "share", true, false);
	spread_column(view);
	if (!is_process && !has_key(request, LABEL_CONTAINER))
		return;
	columns->cores = column(view, "cores", false, false);
	columns->runqueue = column(view, "runq s", false, false);
	if (is_process) {
		columns->blocked = column(view, "blocked s", false, false);
		columns->threads = column(view, "threads", false, false);
	}
}

static void cell(struct groups_view *view, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void cell(struct groups_view *view, size_t at, const char *format, ...)
{
	char text[4096];
	va_list args;

	if (at == COLUMN_NONE)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	table_cell(&view->table, at, "%s", text);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void name_cell(struct groups_view *view, const struct group *group,
		      const struct label *label)
{
	int indent = 2 * (int)group->level;
	size_t at = view->columns.name;

	switch (label->key) {
	case LABEL_CPU:
		if (label->index == PROFILE_NONE)
			cell(view, at, "%*s%s", indent, "", label->name);
		else
			cell(view, at, "%*sCPU %u", indent, "", label->index);
		break;
	case LABEL_SLICE:
		cell(view, at, "%*s%.3f s", indent, "",
		     (double)label->index * (double)view->profile->slice_ns /
			     1e9);
		break;
	case LABEL_LINE:
		if (*label->file)
			cell(view, at, "%*s%s (%s:%u)", indent, "", label->name,
			     base_name(label->file), label->line);
		else
			cell(view, at, "%*s%s", indent, "", label->name);
		break;
	default:
		cell(view, at, "%*s%s", indent, "", label->name);
	}
}

static void id_cell(struct groups_view *view, const struct label *label)
{
	const struct profile *profile = view->profile;

	if (label->index == PROFILE_NONE)
		return;
	if (label->key == LABEL_PROCESS)
		cell(view, view->columns.id, "%u",
		     profile->processes[label->index].pid);
	else if (label->key == LABEL_THREAD)
		cell(view, view->columns.id, "%u",
		     profile->threads[label->index].tid);
}

/* How far the interval reaches from the share, in points of a percent. */
static double reach(double share, const struct interval *interval)
{
	return fmax(interval->high - share, share - interval->low) * 100;
}

static bool is_doubtful(double share, const struct interval *interval)
{
	return share > 0 && reach(share, interval) > share * 100;
}

static void share_cell(struct groups_view *view, size_t at, uint64_t weight,
		       const struct interval *interval)
{
	double share = window_share(view->window, weight);

	cell(view, at, "%6s ±%.1f%s", number_percent(share).text,
	     reach(share, interval), is_doubtful(share, interval) ? "?" : "");
}

/* Of the column that rows are ordered by. */
static void spread_cell(struct groups_view *view, const struct group *group)
{
	const struct spread *spread = view->request->sort == GROUP_SORT_TOTAL
					      ? &group->total_spread
					      : &group->self_spread;

	if (spread->n)
		cell(view, view->columns.spread, "%.1f to %.1f %%, median %.1f",
		     spread->least * 100, spread->most * 100,
		     spread->median * 100);
}

static void seconds_cell(struct groups_view *view, size_t at, double seconds)
{
	if (seconds >= 0)
		cell(view, at, "%.2f", seconds);
}

static void usage_cells(struct groups_view *view, const struct group *group,
			const struct label *label)
{
	const struct usage *usage = usages_of(&view->usages, label);
	double wall_s = (double)view->profile->duration_ns / 1e9;

	if (!usage || usage->cpu_s < 0 || !view->is_cpu_time)
		cell(view, view->columns.weight, "%s",
		     weight_text(view, group->self).text);
	else
		cell(view, view->columns.weight, "%s",
		     number_seconds(usage->cpu_s, usage->is_estimate).text);
	if (!usage)
		return;
	if (wall_s > 0 && usage->cpu_s >= 0)
		cell(view, view->columns.cores, "%s",
		     number_seconds(usage->cpu_s / wall_s, usage->is_estimate)
			     .text);
	seconds_cell(view, view->columns.runqueue, usage->runqueue_s);
	seconds_cell(view, view->columns.blocked, usage->blocked_s);
	if (usage->threads)
		cell(view, view->columns.threads, "%u", usage->threads);
}

static void group_row(struct groups_view *view, const struct group *group)
{
	const struct label *label = grouping_label(view->grouping, group);
	double share = window_share(view->window, group->total);

	table_row_add(&view->table, is_doubtful(share, &group->total_share));
	name_cell(view, group, label);
	id_cell(view, label);
	usage_cells(view, group, label);
	share_cell(view, view->columns.share, group->self, &group->self_share);
	share_cell(view, view->columns.self, group->self, &group->self_share);
	share_cell(view, view->columns.total, group->total,
		   &group->total_share);
	spread_cell(view, group);
	if (label_key_is_of_stack(label->key))
		cell(view, view->columns.module, "%s",
		     base_name(label->module));
}

static void hidden_row(struct groups_view *view, uint32_t count, uint32_t level)
{
	if (!count)
		return;
	table_row_add(&view->table, true);
	cell(view, view->columns.name, "%*s… %s more", 2 * (int)level, "",
	     number_count(count).text);
}

/* Where groups end after the row, says what each of them hides. */
static void hidden_rows(struct groups_view *view, size_t at)
{
	const struct grouping *grouping = view->grouping;
	const struct group *group = &grouping->groups[at];
	uint32_t next = at + 1 < grouping->n_groups ? group[1].level : 0;

	while (group->level >= next) {
		hidden_row(view, group->n_hidden, group->level + 1);
		if (group->level == 0)
			return;
		group = &grouping->groups[group->parent];
	}
}

void text_groups(FILE *out, const struct grouping *grouping,
		 const struct window *window,
		 const struct group_request *request,
		 const struct terminal *terminal)
{
	struct groups_view view = { grouping->labels.profile, grouping, window,
				    request };

	view.is_cpu_time = is_time(&view) &&
			   strcmp(view.profile->value_types[window->value].type,
				  "cpu") == 0;
	table_init(&view.table);
	usages_init(&view.usages, view.profile);
	columns_choose(&view);
	for (size_t i = 0; i < grouping->n_groups; i++) {
		group_row(&view, &grouping->groups[i]);
		hidden_rows(&view, i);
	}
	hidden_row(&view, grouping->n_hidden, 0);
	table_print(&view.table, out, terminal);
	usages_destroy(&view.usages);
	table_destroy(&view.table);
}

void text_summary(FILE *out, const struct profile *profile,
		  const struct window *window, uint64_t top,
		  const struct terminal *terminal)
{
	static const enum label_key keys[] = { LABEL_CONTAINER, LABEL_PROCESS,
					       LABEL_FUNCTION };

	text_header(out, profile, window);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		struct group_request request = {
			{ keys[i] }, 1, GROUP_SORT_DEFAULT, top
		};
		struct grouping grouping;

		group_profile(&grouping, profile, window, &request);
		if (grouping.n_groups) {
			fputc('\n', out);
			text_groups(out, &grouping, window, &request, terminal);
		}
		grouping_destroy(&grouping);
	}
}
