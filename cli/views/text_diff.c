#include "cli/views/text_diff.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/formats/printable.h"
#include "cli/profile/sanity.h"
#include "cli/views/number.h"
#include "cli/views/table.h"

struct diff_view {
	FILE *out;
	const struct comparison *comparison;
	const struct compare_options *options;
	uint64_t top;
	const struct terminal *terminal;
};

static void print_side(FILE *out, const char *name,
		       const struct compare_side *side)
{
	const struct profile *profile = side->profile;
	struct notes doubts = { 0 };
	char *host = printable_new(profile->host.name, "");

	fprintf(out, "%-8s%s%s%.1f s in %u window%s", name, host,
		*host ? ", " : "", (double)profile->duration_ns / 1e9,
		profile->n_profiles, profile->n_profiles == 1 ? "" : "s");
	free(host);
	if (profile->start_ns)
		fprintf(out, " from %s", number_time(profile->start_ns).text);
	fprintf(out, ", %s samples",
		number_count((double)side->window.samples).text);
	if (side->ops > 0)
		fprintf(out, ", %s operations", number_count(side->ops).text);
	fputc('\n', out);
	sanity_check(profile, &side->window, &doubts);
	for (size_t i = 0; i < doubts.count; i++)
		fprintf(out, "%8s%s\n", "", doubts.items[i].text);
	notes_destroy(&doubts);
}

static void print_unit(FILE *out, const struct compare_options *options)
{
	static const char *const units[] = {
		"CPU seconds per second of window",
		"CPU seconds per operation",
		"parts of the on-CPU time",
	};

	fprintf(out,
		"unit    %s; false discoveries are held at 5 %%, changes "
		"within "
		"±%g %% count as none\n",
		units[options->unit], options->same * 100);
}

/* A value of the unit in 8 columns or so. */
static struct number value_text(double value, enum compare_unit unit)
{
	static const struct {
		double above, factor;
		const char *suffix;
	} scales[] = { { 1, 1, " s" },
		       { 1e-3, 1e3, " ms" },
		       { 1e-6, 1e6, " µs" },
		       { 0, 1e9, " ns" } };
	struct number number;
	size_t i = 0;

	if (unit == COMPARE_SHARE)
		return number_percent(value);
	if (unit == COMPARE_PER_SECOND) {
		snprintf(number.text, sizeof(number.text), "%.4f", value);
		return number;
	}
	while (value < scales[i].above)
		i++;
	snprintf(number.text, sizeof(number.text), "%.2f%s",
		 value * scales[i].factor, scales[i].suffix);
	return number;
}

static void change_cell(struct table *table, size_t column,
			const struct compare_row *row, const double *values)
{
	if (isnan(row->change))
		table_cell(table, column, "%s",
			   values[0] > 0   ? "gone"
			   : values[1] > 0 ? "new"
					   : "");
	else if (row->high > 10)
		table_cell(table, column, "%+.1f %%", row->change * 100);
	else
		table_cell(table, column, "%+.1f %% (%+.1f to %+.1f)",
			   row->change * 100, row->low * 100, row->high * 100);
}

static void verdict_cell(struct table *table, size_t column,
			 const struct compare_row *row,
			 const struct compare_options *options)
{
	switch (row->verdict) {
	case COMPARE_MORE:
		table_cell(table, column, "more");
		break;
	case COMPARE_LESS:
		table_cell(table, column, "less");
		break;
	case COMPARE_SAME:
		table_cell(table, column, "same within %g %%",
			   options->same * 100);
		break;
	case COMPARE_UNCLEAR:
		if (row->longer > 1 && row->longer < 1000)
			table_cell(table, column, "cannot tell (%.0fx longer)",
				   ceil(row->longer));
		else
			table_cell(table, column, "cannot tell");
		break;
	}
}

/* Columns that a table has beside those of every comparison. */
struct diff_columns {
	size_t before, after, change, verdict, rate, module;
};

static struct diff_columns columns_add(struct table *table, const char *title,
				       const struct compare_options *options,
				       bool has_module)
{
	struct diff_columns columns = { 0 };
	const char *judged = options->by_total ? "total before" : "self before";

	table_column_add(table, (struct table_column){ title, true, true });
	columns.before = table_column_add(
		table, (struct table_column){ judged, false, false });
	columns.after = table_column_add(
		table, (struct table_column){ "after", false, false });
	columns.change = table_column_add(
		table, (struct table_column){ "change", true, false });
	columns.verdict = table_column_add(
		table, (struct table_column){ "verdict", true, false });
	if (options->unit == COMPARE_PER_OP)
		columns.rate = table_column_add(
			table, (struct table_column){ "CPU s/s", true, false });
	if (has_module)
		columns.module = table_column_add(
			table, (struct table_column){ "module", true, true });
	return columns;
}

static void row_add(struct table *table, const struct diff_columns *columns,
		    const struct compare_row *row,
		    const struct compare_options *options)
{
	const double *values = options->by_total ? row->total : row->self;

	table_row_add(table, row->verdict == COMPARE_UNCLEAR);
	table_cell(table, 0, "%s", row->name);
	table_cell(table, columns->before, "%s",
		   value_text(values[0], options->unit).text);
	table_cell(table, columns->after, "%s",
		   value_text(values[1], options->unit).text);
	change_cell(table, columns->change, row, values);
	if (values[0] > 0 || values[1] > 0)
		verdict_cell(table, columns->verdict, row, options);
	if (columns->rate)
		table_cell(table, columns->rate, "%.4f > %.4f", row->rate[0],
			   row->rate[1]);
	if (columns->module)
		table_cell(table, columns->module, "%s", row->module);
}

/* The rows from first on that are of one kind; returns the first of the
 * next. */
static size_t print_kind(const struct diff_view *view, size_t first)
{
	const struct comparison *comparison = view->comparison;
	enum label_key kind = comparison->rows[first].kind;
	struct diff_columns columns;
	struct table table;
	size_t i, n_hidden = 0;
	char title[32];

	snprintf(title, sizeof(title), "%s", label_key_names[kind]);
	for (char *at = title; *at; at++)
		*at = (char)toupper((unsigned char)*at);
	table_init(&table);
	columns = columns_add(&table, title, view->options,
			      kind == LABEL_FUNCTION);
	for (i = first;
	     i < comparison->n_rows && comparison->rows[i].kind == kind; i++) {
		if (comparison_is_shown(comparison, i, view->top))
			row_add(&table, &columns, &comparison->rows[i],
				view->options);
		else
			n_hidden++;
	}
	if (n_hidden) {
		table_row_add(&table, true);
		table_cell(&table, 0, "… %s more",
			   number_count((double)n_hidden).text);
	}
	fputc('\n', view->out);
	table_print(&table, view->out, view->terminal);
	table_destroy(&table);
	return i;
}

void text_diff(FILE *out, const struct comparison *comparison,
	       const struct compare_side sides[2],
	       const struct compare_options *options, uint64_t top,
	       const struct terminal *terminal)
{
	struct diff_view view = { out, comparison, options, top, terminal };

	print_side(out, "before", &sides[0]);
	print_side(out, "after", &sides[1]);
	print_unit(out, options);
	for (size_t i = 0; i < comparison->n_rows;)
		i = print_kind(&view, i);
}
