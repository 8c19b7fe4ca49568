#include "cli/profile/fail_if.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

/* total(std::map<int, int>::at(int))>+5% */
int fail_if_parse(struct fail_if *condition, const char *text,
		  struct error *error)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	size_t head = open ? (size_t)(open - text) : 0;
	char *end;

	if (!close || close <= open + 1 ||
	    (strncmp(text, "self(", head + 1) != 0 &&
	     strncmp(text, "total(", head + 1) != 0) ||
	    (close[1] != '<' && close[1] != '>'))
		return error_set(error, -EINVAL,
				 "'%s' is not like total(FUNCTION)>+5%%", text);
	condition->by_total = text[0] == 't';
	condition->is_more = close[1] == '>';
	condition->limit = strtod(close + 2, &end) / 100;
	if (end == close + 2 || strcmp(end, *end == '%' ? "%" : "") != 0 ||
	    !isfinite(condition->limit))
		return error_set(error, -EINVAL, "'%s' is no percentage",
				 close + 2);
	condition->function = mem_strndup(open + 1, (size_t)(close - open - 1));
	return 0;
}

void fail_if_destroy(struct fail_if *condition)
{
	free(condition->function);
}

static bool holds(const struct fail_if *condition,
		  const struct compare_row *row)
{
	const double *values = condition->by_total ? row->total : row->self;

	/* without a change in numbers: it is new, or gone */
	if (isnan(row->change))
		return row->verdict == COMPARE_MORE
			       ? condition->is_more
			       : row->verdict == COMPARE_LESS &&
					 !condition->is_more && values[1] <= 0;
	return condition->is_more ? row->low > condition->limit
				  : row->high < condition->limit;
}

int fail_if_check(const struct fail_if *condition,
		  const struct comparison *comparison, struct error *error)
{
	int found = 0;

	for (size_t i = 0; i < comparison->n_rows; i++) {
		const struct compare_row *row = &comparison->rows[i];

		if (row->kind != LABEL_FUNCTION ||
		    !label_name_is(row->name, condition->function))
			continue;
		found = 1;
		if (!holds(condition, row))
			continue;
		error_set(error, 0,
			  "%s of %s changed by %+.1f %% (%+.1f to "
			  "%+.1f)",
			  condition->by_total ? "total" : "self", row->name,
			  row->change * 100, row->low * 100, row->high * 100);
		return 1;
	}
	return found ? 0
		     : error_set(error, -ENOENT,
				 "neither side has a function '%s'",
				 condition->function);
}
