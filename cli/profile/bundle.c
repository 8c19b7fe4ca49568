#include "cli/profile/bundle.h"

#include <stdlib.h>
#include <string.h>

#include "perfcore/mem.h"

struct bundler {
	struct bundles *bundles;
	struct labels *labels;
	const struct window *window;
	const struct group_request *request;
	bool has_stack;		   /* a key is of the stack */
	struct idmap combinations; /* (combination, label) -> combination */
	struct idmap index;	   /* (combination, stack) -> bundle */
};

static void combination_add(struct bundles *bundles, const uint32_t *labels)
{
	for (uint32_t i = 0; i < bundles->n_keys; i++) {
		bundles->labels = mem_grow(
			bundles->labels,
			bundles->n_combinations * bundles->n_keys + i,
			&bundles->label_capacity, sizeof(*bundles->labels));
		bundles->labels[bundles->n_combinations * bundles->n_keys + i] =
			labels[i];
	}
	bundles->n_combinations++;
}

/* Combination 0 has no labels; each key of the row leads to the next. */
static uint32_t combination_of(struct bundler *bundler,
			       const struct profile_row *row)
{
	uint32_t labels[GROUP_LEVELS_MAX] = { 0 };
	uint32_t combination = 0;

	for (uint32_t i = 0; i < bundler->request->n_keys; i++) {
		enum label_key key = bundler->request->keys[i];
		uint32_t *at;

		if (label_key_is_of_stack(key))
			continue;
		labels[i] = labels_of_row(bundler->labels, key, row);
		at = idmap_at(&bundler->combinations, combination, labels[i]);
		if (*at == IDMAP_NONE) {
			*at = (uint32_t)bundler->bundles->n_combinations;
			combination_add(bundler->bundles, labels);
		}
		combination = *at;
	}
	return combination;
}

static void bundle_row(struct bundler *bundler, uint32_t number)
{
	const struct profile_row *row = &bundler->labels->profile->rows[number];
	struct bundles *bundles = bundler->bundles;
	uint32_t combination = combination_of(bundler, row);
	uint32_t stack = bundler->has_stack ? row->stack : 0;
	uint32_t *at = idmap_at(&bundler->index, combination, stack);
	struct bundle *bundle;

	if (*at == IDMAP_NONE) {
		*at = (uint32_t)bundles->count;
		bundles->items =
			mem_grow(bundles->items, bundles->count,
				 &bundles->capacity, sizeof(*bundles->items));
		bundles->items[bundles->count++] =
			(struct bundle){ combination, stack, PROFILE_NONE, 0,
					 0 };
	}
	bundle = &bundles->items[*at];
	bundle->weight += window_weight(bundler->window, row);
	bundle->samples += row->count;
	bundles->next_row[number] = bundle->first_row;
	bundle->first_row = number;
}

/* By counting: neighbours then pass through the same groups. */
static void bundles_sort(struct bundles *bundles)
{
	uint32_t *starts =
		mem_calloc(bundles->n_combinations + 1, sizeof(*starts));

	bundles->order = mem_alloc(bundles->count * sizeof(*bundles->order));
	for (size_t i = 0; i < bundles->count; i++)
		starts[bundles->items[i].combination + 1]++;
	for (size_t i = 0; i < bundles->n_combinations; i++)
		starts[i + 1] += starts[i];
	for (size_t i = 0; i < bundles->count; i++)
		bundles->order[starts[bundles->items[i].combination]++] =
			(uint32_t)i;
	free(starts);
}

void bundles_init(struct bundles *bundles, struct labels *labels,
		  const struct window *window,
		  const struct group_request *request)
{
	static const uint32_t no_labels[GROUP_LEVELS_MAX];
	struct bundler bundler = { bundles, labels, window, request };
	size_t n_rows = labels->profile->n_rows;

	*bundles = (struct bundles){ .n_keys = request->n_keys };
	idmap_init(&bundler.combinations);
	idmap_init(&bundler.index);
	for (uint32_t i = 0; i < request->n_keys; i++)
		bundler.has_stack |= label_key_is_of_stack(request->keys[i]);
	bundles->next_row = mem_alloc(n_rows * sizeof(*bundles->next_row));
	combination_add(bundles, no_labels);
	for (size_t i = 0; i < n_rows; i++)
		if (window_weight(window, &labels->profile->rows[i]))
			bundle_row(&bundler, (uint32_t)i);
	bundles_sort(bundles);
	idmap_destroy(&bundler.combinations);
	idmap_destroy(&bundler.index);
}

void bundles_destroy(struct bundles *bundles)
{
	free(bundles->items);
	free(bundles->order);
	free(bundles->next_row);
	free(bundles->labels);
}
