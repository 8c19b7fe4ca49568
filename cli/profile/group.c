#include "cli/profile/group.h"

#include <stdlib.h>
#include <string.h>

#include "cli/profile/bundle.h"
#include "perfcore/mem.h"

/* A group while it is summed up. */
struct sum {
	uint32_t parent, label, level;
	uint32_t first_child, next_sibling;
	uint32_t shown; /* its place among the groups shown */
	uint64_t self, total, samples, total_samples;
};

/* Greater than the number of any walk. */
#define NEVER_VISITED UINT32_MAX

struct memo { /* the group of an element inside parent */
	uint32_t parent, sum;
};

struct grouper {
	const struct profile *profile;
	const struct window *window;
	const struct group_request *request;
	struct labels *labels;
	uint32_t first_of_stack; /* levels before it are not of the stack */

	struct idmap children; /* (parent + 1, label) -> sum */
	struct sum *sums;
	uint32_t *seen; /* for each sum the last walk that passed through */
	size_t n_sums, sum_room, seen_room;

	uint32_t *elements[GROUP_LEVELS_MAX]; /* labels, by level */
	struct memo *memos[GROUP_LEVELS_MAX];

	struct bundles bundles;
	uint32_t walk; /* number of the present walk */
};

static uint32_t child_of(struct grouper *grouper, uint32_t parent,
			 uint32_t level, uint32_t label)
{
	uint32_t *at =
		idmap_at(&grouper->children, (uint64_t)parent + 1, label);
	struct sum *sum;

	if (*at != IDMAP_NONE)
		return *at;
	grouper->sums = mem_grow(grouper->sums, grouper->n_sums,
				 &grouper->sum_room, sizeof(*sum));
	grouper->seen = mem_grow(grouper->seen, grouper->n_sums,
				 &grouper->seen_room, sizeof(*grouper->seen));
	*at = (uint32_t)grouper->n_sums++;
	grouper->seen[*at] = 0;
	sum = &grouper->sums[*at];
	*sum = (struct sum){ .parent = parent,
			     .label = label,
			     .level = level,
			     .first_child = GROUP_NONE,
			     .next_sibling = GROUP_NONE,
			     .shown = GROUP_NONE };
	return *at;
}

/* What a walk does at each group, once for each stack; is_leaf where the
 * stack's leaf is in it. */
struct visitor {
	void (*visit)(struct visitor *visitor, struct sum *sum, bool is_leaf);
	const struct bundle *bundle;
};

static void visit_once(struct grouper *grouper, struct visitor *visitor,
		       uint32_t number, bool is_leaf)
{
	if (grouper->seen[number] >= grouper->walk)
		return;
	grouper->seen[number] = grouper->walk;
	visitor->visit(visitor, &grouper->sums[number], is_leaf);
}

/* Descends from parent through the levels that are left, for one element of
 * the stack. */
static void walk_element(struct grouper *grouper, struct visitor *visitor,
			 uint32_t parent, uint32_t element, bool is_leaf)
{
	const uint32_t *labels =
		bundle_labels(&grouper->bundles, visitor->bundle);

	for (uint32_t level = grouper->first_of_stack;
	     level < grouper->request->n_keys; level++) {
		struct memo *memo = NULL;
		uint32_t label = labels[level];

		if (grouper->elements[level]) {
			memo = &grouper->memos[level][element];
			label = grouper->elements[level][element];
		}
		if (memo && memo->sum != GROUP_NONE && memo->parent == parent) {
			parent = memo->sum;
		} else {
			uint32_t sum = child_of(grouper, parent, level, label);

			if (memo)
				*memo = (struct memo){ parent, sum };
			parent = sum;
		}
		visit_once(grouper, visitor, parent, is_leaf);
	}
}

static void walk_stack(struct grouper *grouper, struct visitor *visitor,
		       uint32_t parent)
{
	const struct profile *profile = grouper->profile;
	const uint32_t *first = grouper->labels->first_element;
	uint32_t node = visitor->bundle->stack;
	bool is_leaf = true;

	if (!node)
		walk_element(grouper, visitor, parent,
			     grouper->labels->n_elements, true);
	for (; node; node = profile->nodes[node].parent) {
		uint32_t frame = profile->nodes[node].frame;

		for (uint32_t i = first[frame]; i < first[frame + 1]; i++) {
			walk_element(grouper, visitor, parent, i, is_leaf);
			is_leaf = false;
		}
	}
}

static void walk_bundle(struct grouper *grouper, struct visitor *visitor)
{
	const uint32_t *labels =
		bundle_labels(&grouper->bundles, visitor->bundle);
	uint32_t parent = GROUP_NONE;

	grouper->walk++;
	for (uint32_t level = 0; level < grouper->first_of_stack; level++) {
		parent = child_of(grouper, parent, level, labels[level]);
		visit_once(grouper, visitor, parent, true);
	}
	if (grouper->first_of_stack < grouper->request->n_keys)
		walk_stack(grouper, visitor, parent);
}

static void visit_sum(struct visitor *visitor, struct sum *sum, bool is_leaf)
{
	const struct bundle *bundle = visitor->bundle;

	sum->total += bundle->weight;
	sum->total_samples += bundle->samples;
	if (is_leaf) {
		sum->self += bundle->weight;
		sum->samples += bundle->samples;
	}
}

static void grouper_init(struct grouper *grouper)
{
	const struct group_request *request = grouper->request;
	size_t n_elements = grouper->labels->n_elements + 1;

	idmap_init(&grouper->children);
	grouper->first_of_stack = request->n_keys;
	for (uint32_t i = 0; i < request->n_keys; i++) {
		if (!label_key_is_of_stack(request->keys[i]))
			continue;
		if (grouper->first_of_stack == request->n_keys)
			grouper->first_of_stack = i;
		grouper->elements[i] =
			labels_of_elements(grouper->labels, request->keys[i]);
		grouper->memos[i] =
			mem_alloc(n_elements * sizeof(*grouper->memos[i]));
		memset(grouper->memos[i], 0xff,
		       n_elements * sizeof(*grouper->memos[i]));
	}
	bundles_init(&grouper->bundles, grouper->labels, grouper->window,
		     request);
}

static void grouper_destroy(struct grouper *grouper)
{
	for (uint32_t i = 0; i < GROUP_LEVELS_MAX; i++) {
		free(grouper->elements[i]);
		free(grouper->memos[i]);
	}
	idmap_destroy(&grouper->children);
	bundles_destroy(&grouper->bundles);
	free(grouper->sums);
	free(grouper->seen);
}

static int compare_down(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static enum group_sort sort_of(const struct grouper *grouper, uint32_t level)
{
	enum label_key key = grouper->request->keys[level];

	if (grouper->request->sort != GROUP_SORT_DEFAULT)
		return grouper->request->sort;
	return key == LABEL_CPU || key == LABEL_SLICE ? GROUP_SORT_NAME
						      : GROUP_SORT_SELF;
}

/* Siblings in the order they are shown in; never equal, so that the same
 * profile is always shown in the same way. */
static int compare_sums(const void *left, const void *right, void *context)
{
	const struct grouper *grouper = context;
	const struct sum *a = &grouper->sums[*(const uint32_t *)left];
	const struct sum *b = &grouper->sums[*(const uint32_t *)right];
	enum group_sort sort = sort_of(grouper, a->level);
	int order = 0;

	if (sort == GROUP_SORT_SELF)
		order = compare_down(a->self, b->self);
	if (!order && sort != GROUP_SORT_NAME)
		order = compare_down(a->total, b->total);
	if (!order)
		order = label_compare(grouper->profile,
				      &grouper->labels->items[a->label],
				      &grouper->labels->items[b->label]);
	return order ? order : compare_down(b->label, a->label);
}

static void link_children(struct grouper *grouper, uint32_t *first)
{
	*first = GROUP_NONE;
	for (size_t i = grouper->n_sums; i-- > 0;) {
		struct sum *sum = &grouper->sums[i];
		uint32_t *list =
			sum->parent == GROUP_NONE
				? first
				: &grouper->sums[sum->parent].first_child;

		sum->next_sibling = *list;
		*list = (uint32_t)i;
	}
}

/* Adds the children in that list, and what is inside them, to the groups
 * shown; returns how many of the children were left out. Recursion is no
 * deeper than there are keys. */
static uint32_t show_children(struct grouper *grouper,
			      struct grouping *grouping, uint32_t first,
			      uint32_t parent)
{
	uint64_t top = grouper->request->top;
	uint32_t *order;
	size_t count = 0, shown;

	for (uint32_t i = first; i != GROUP_NONE;
	     i = grouper->sums[i].next_sibling)
		count++;
	order = mem_alloc(count * sizeof(*order));
	count = 0;
	for (uint32_t i = first; i != GROUP_NONE;
	     i = grouper->sums[i].next_sibling)
		order[count++] = i;
	qsort_r(order, count, sizeof(*order), compare_sums, grouper);
	shown = top && top < count ? (size_t)top : count;
	for (size_t i = 0; i < shown; i++) {
		struct sum *sum = &grouper->sums[order[i]];
		uint32_t place = (uint32_t)grouping->n_groups++;

		sum->shown = place;
		grouping->groups[place] = (struct group){
			.parent = parent,
			.level = sum->level,
			.label = sum->label,
			.self = sum->self,
			.total = sum->total,
			.samples = sum->samples,
			.total_samples = sum->total_samples,
		};
		grouping->groups[place].n_hidden = show_children(
			grouper, grouping, sum->first_child, place);
	}
	free(order);
	return (uint32_t)(count - shown);
}

struct batch_visitor {
	struct visitor visitor;
	struct group_batches *batches;	/* by place */
	double weights[WINDOW_BATCHES]; /* of the present bundle */
	size_t n_batches;		/* of weights that are in use */
};

static void visit_batches(struct visitor *visitor, struct sum *sum,
			  bool is_leaf)
{
	struct batch_visitor *own = (struct batch_visitor *)visitor;
	struct group_batches *batches;

	batches = &own->batches[sum->shown];
	for (size_t i = 0; i < own->n_batches; i++) {
		batches->total[i] += own->weights[i];
		if (is_leaf)
			batches->self[i] += own->weights[i];
	}
}

static void find_intervals(struct grouper *grouper, struct grouping *grouping)
{
	const struct window *window = grouper->window;
	const struct bundles *bundles = &grouper->bundles;
	struct batch_visitor own = { .visitor.visit = visit_batches,
				     .n_batches = window->n_window_batches
							  ? WINDOW_BATCHES
							  : window->n_batches };

	own.batches = mem_calloc(grouping->n_groups, sizeof(*own.batches));
	for (size_t i = 0; i < grouper->n_sums; i++)
		if (grouper->sums[i].shown == GROUP_NONE)
			grouper->seen[i] = NEVER_VISITED;
	for (size_t i = 0; i < bundles->count; i++) {
		own.visitor.bundle = &bundles->items[bundles->order[i]];
		memset(own.weights, 0, sizeof(own.weights));
		for (uint32_t j = own.visitor.bundle->first_row;
		     j != PROFILE_NONE; j = bundles->next_row[j])
			window_add(window, own.weights,
				   &grouper->profile->rows[j]);
		walk_bundle(grouper, &own.visitor);
	}
	for (size_t i = 0; i < grouping->n_groups; i++) {
		struct group *group = &grouping->groups[i];

		group->self_share =
			window_interval(window, own.batches[i].self);
		group->total_share =
			window_interval(window, own.batches[i].total);
		group->self_spread = spread_of(window, own.batches[i].self);
		group->total_spread = spread_of(window, own.batches[i].total);
	}
	if (grouper->request->keeps_batches)
		grouping->batches = own.batches;
	else
		free(own.batches);
}

void group_profile(struct grouping *grouping, const struct profile *profile,
		   const struct window *window,
		   const struct group_request *request)
{
	struct grouper grouper = { .profile = profile,
				   .window = window,
				   .request = request,
				   .labels = &grouping->labels };
	struct visitor summing = { .visit = visit_sum };
	uint32_t first;

	*grouping = (struct grouping){ 0 };
	labels_init(&grouping->labels, profile);
	grouper_init(&grouper);
	for (size_t i = 0; i < grouper.bundles.count; i++) {
		uint32_t next = grouper.bundles.order[i];

		summing.bundle = &grouper.bundles.items[next];
		walk_bundle(&grouper, &summing);
	}
	link_children(&grouper, &first);
	grouping->groups =
		mem_calloc(grouper.n_sums, sizeof(*grouping->groups));
	grouping->n_hidden =
		show_children(&grouper, grouping, first, GROUP_NONE);
	find_intervals(&grouper, grouping);
	grouper_destroy(&grouper);
}

void grouping_destroy(struct grouping *grouping)
{
	if (!grouping)
		return;
	labels_destroy(&grouping->labels);
	free(grouping->groups);
	free(grouping->batches);
}

const struct label *grouping_label(const struct grouping *grouping,
				   const struct group *group)
{
	return &grouping->labels.items[group->label];
}

const struct group *grouping_outer(const struct grouping *grouping,
				   const struct group *group, uint32_t level)
{
	while (group->level > level)
		group = &grouping->groups[group->parent];
	return group;
}
