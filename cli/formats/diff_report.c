#include "cli/formats/diff_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/formats/csv.h"
#include "cli/formats/json.h"
#include "cli/formats/json_report.h"
#include "cli/views/number.h"

static const char *const unit_names[] = { "cpu_s_per_s", "cpu_s_per_op",
					  "share" };
static const char *const verdict_names[] = { "more", "less", "same",
					     "unclear" };

static void put_side(struct json *json, const char *key,
		     const struct compare_side *side)
{
	const struct profile *profile = side->profile;

	json_open_object(json, key);
	if (profile->start_ns)
		json_put_text(json, "start",
			      number_time(profile->start_ns).text);
	else
		json_put_null(json, "start");
	json_put_number(json, "duration_s", (double)profile->duration_ns / 1e9);
	json_put_count(json, "profiles", profile->n_profiles);
	json_put_known(json, "ops", side->ops > 0 ? side->ops : -1);
	json_report_health(json, "health", &profile->health);
	json_close_object(json);
}

static void put_row(struct json *json, const struct compare_row *row,
		    enum compare_unit unit)
{
	const char *kind = label_key_names[row->kind];

	json_open_object(json, NULL);
	json_put_text(json, "kind", kind);
	json_put_text(json, kind, row->name);
	if (row->kind == LABEL_FUNCTION)
		json_put_text(json, "module", row->module);
	json_put_number(json, "self_before", row->self[0]);
	json_put_number(json, "self_after", row->self[1]);
	json_put_number(json, "total_before", row->total[0]);
	json_put_number(json, "total_after", row->total[1]);
	if (unit != COMPARE_PER_SECOND) {
		json_put_number(json, "cpu_s_per_s_before", row->rate[0]);
		json_put_number(json, "cpu_s_per_s_after", row->rate[1]);
	}
	json_put_number(json, "change", row->change);
	json_put_number(json, "change_low", row->low);
	json_put_number(json, "change_high", row->high);
	json_put_number(json, "q", row->q);
	json_put_text(json, "verdict", verdict_names[row->verdict]);
	json_close_object(json);
}

void diff_report_json(struct sink *sink, const struct comparison *comparison,
		      const struct compare_side sides[2],
		      const struct compare_options *options, uint64_t top)
{
	struct json json;

	json_init(&json, sink);
	json_open_object(&json, NULL);
	json_put_count(&json, "schema", 1);
	put_side(&json, "before", &sides[0]);
	put_side(&json, "after", &sides[1]);
	json_put_text(&json, "unit", unit_names[options->unit]);
	json_put_text(&json, "judged", options->by_total ? "total" : "self");
	json_put_number(&json, "same", options->same);
	json_open_list(&json, "rows");
	for (size_t i = 0; i < comparison->n_rows; i++)
		if (comparison_is_shown(comparison, i, top))
			put_row(&json, &comparison->rows[i], options->unit);
	json_close_list(&json);
	json_close_object(&json);
}

void diff_report_csv(struct sink *sink, const struct comparison *comparison,
		     uint64_t top)
{
	static const char *const titles[] = {
		"kind",	      "name",	      "module",	     "self_before",
		"self_after", "total_before", "total_after", "change",
		"change_low", "change_high",  "q",	     "verdict",
	};
	struct csv csv = { sink, false };

	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
		csv_put_text(&csv, titles[i]);
	csv_end_line(&csv);
	for (size_t i = 0; i < comparison->n_rows; i++) {
		const struct compare_row *row = &comparison->rows[i];

		if (!comparison_is_shown(comparison, i, top))
			continue;
		csv_put_text(&csv, label_key_names[row->kind]);
		csv_put_text(&csv, row->name);
		csv_put_text(&csv, row->module);
		csv_put_number(&csv, row->self[0]);
		csv_put_number(&csv, row->self[1]);
		csv_put_number(&csv, row->total[0]);
		csv_put_number(&csv, row->total[1]);
		csv_put_number(&csv, row->change);
		csv_put_number(&csv, row->low);
		csv_put_number(&csv, row->high);
		csv_put_number(&csv, row->q);
		csv_put_text(&csv, verdict_names[row->verdict]);
		csv_end_line(&csv);
	}
}
