#include "cli/views/page_verdicts.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "perfcore/idmap.h"

#define SAME 0.05 /* changes that count as none: the default of diff */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Functions by name and the last part of their module, and by name alone. */
static void functions_index(struct idmap *map, const struct page_tables *tables)
{
	idmap_init(map);
	for (uint32_t i = 0; i < tables->n_functions; i++) {
		const struct page_function *function = &tables->functions[i];
		const char *name = tables->texts[function->name];
		const char *module = strings_intern(
			tables->strings,
			base_name(tables->texts[function->module]));
		uint32_t *whole =
			idmap_at(map, (uintptr_t)name, (uintptr_t)module);

		if (*whole == IDMAP_NONE)
			*whole = i;
		*idmap_at(map, (uintptr_t)name, 0) = i;
	}
}

static uint32_t function_find(const struct idmap *map,
			      const struct page_tables *tables,
			      const struct compare_row *row)
{
	const char *name = strings_intern(tables->strings, row->name);
	const char *module =
		strings_intern(tables->strings, base_name(row->module));
	uint32_t found = idmap_get(map, (uintptr_t)name, (uintptr_t)module);

	return found != IDMAP_NONE ? found : idmap_get(map, (uintptr_t)name, 0);
}

static json_t *part_json(double part)
{
	return isfinite(part) ? json_real(part) : json_null();
}

static json_t *row_json(uint32_t function, const struct compare_row *row)
{
	static const char *const verdicts[] = {
		[COMPARE_MORE] = "more",
		[COMPARE_LESS] = "less",
		[COMPARE_SAME] = "same",
		[COMPARE_UNCLEAR] = "unclear",
	};

	return json_pack("[i, o, o, o, o, s]", (int)function,
			 part_json(row->change), part_json(row->low),
			 part_json(row->high), part_json(row->q),
			 verdicts[row->verdict]);
}

char *page_verdicts_new(const struct page_tables *tables,
			const struct compare_side sides[2])
{
	const struct compare_options options = { COMPARE_PER_SECOND, false,
						 SAME };
	struct comparison comparison;
	json_t *rows = json_array();
	struct idmap map;
	char *line;

	compare_sides(&comparison, sides, &options);
	functions_index(&map, tables);
	for (size_t i = 0; i < comparison.n_rows; i++) {
		const struct compare_row *row = &comparison.rows[i];
		uint32_t function;

		if (row->kind != LABEL_FUNCTION)
			continue;
		function = function_find(&map, tables, row);
		if (function != IDMAP_NONE)
			json_array_append_new(rows, row_json(function, row));
	}
	idmap_destroy(&map);
	comparison_destroy(&comparison);
	line = json_dumps(rows, JSON_COMPACT | JSON_REAL_PRECISION(5));
	json_decref(rows);
	return line;
}
