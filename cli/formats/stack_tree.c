#include "cli/formats/stack_tree.h"

#include <stdlib.h>

#include "perfcore/mem.h"

void stack_tree_init(struct stack_tree *tree, const struct profile *profile,
		     const struct labels *labels, const uint32_t *classes)
{
	*tree = (struct stack_tree){
		.profile = profile,
		.labels = labels,
		.classes = classes,
		.by_stack = mem_calloc(profile->n_nodes + 1, sizeof(uint32_t)),
	};
	idmap_init(&tree->children);
	tree->nodes = mem_grow(tree->nodes, 0, &tree->node_room,
			       sizeof(*tree->nodes));
	tree->nodes[tree->n_nodes++] = (struct stack_tree_node){ 0 };
}

void stack_tree_destroy(struct stack_tree *tree)
{
	if (!tree)
		return;
	idmap_destroy(&tree->children);
	free(tree->nodes);
	free(tree->by_stack);
	free(tree->path);
}

static uint32_t child_of(struct stack_tree *tree, uint32_t parent,
			 uint32_t element)
{
	uint32_t class = tree->classes ? tree->classes[element] : element;
	uint32_t *slot = idmap_at(&tree->children, parent, class);

	if (*slot != IDMAP_NONE)
		return *slot;
	*slot = (uint32_t)tree->n_nodes;
	tree->nodes = mem_grow(tree->nodes, tree->n_nodes, &tree->node_room,
			       sizeof(*tree->nodes));
	tree->nodes[tree->n_nodes++] =
		(struct stack_tree_node){ parent, class };
	return (uint32_t)tree->n_nodes - 1;
}

/* Elements stand innermost first, the tree wants the outermost first. */
static uint32_t add_frame(struct stack_tree *tree, uint32_t node,
			  uint32_t frame)
{
	uint32_t first = tree->labels->first_element[frame];
	uint32_t element = tree->labels->first_element[frame + 1];

	while (element-- > first)
		node = child_of(tree, node, element);
	return node;
}

uint32_t stack_tree_at(struct stack_tree *tree, uint32_t stack)
{
	const struct profile_node *nodes = tree->profile->nodes;
	size_t depth = 0;
	uint32_t node;

	if (stack == 0)
		return child_of(tree, 0, tree->labels->n_elements);
	for (; stack != 0 && tree->by_stack[stack] == 0;
	     stack = nodes[stack].parent) {
		tree->path = mem_grow(tree->path, depth, &tree->path_room,
				      sizeof(*tree->path));
		tree->path[depth++] = stack;
	}
	node = tree->by_stack[stack];
	while (depth-- > 0) {
		stack = tree->path[depth];
		node = add_frame(tree, node, nodes[stack].frame);
		tree->by_stack[stack] = node;
	}
	return node;
}

static int compare(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_sums(const void *left, const void *right)
{
	const struct stack_sum *a = left, *b = right;

	if (a->group != b->group)
		return compare(a->group, b->group);
	if (a->slice != b->slice)
		return compare(a->slice, b->slice);
	return compare(a->node, b->node);
}

void stack_sums_init(struct stack_sums *sums, struct stack_tree *tree,
		     uint32_t value, const uint32_t *groups, bool by_slice)
{
	const struct profile *profile = tree->profile;
	struct stack_sum *items =
		mem_calloc(profile->n_rows + 1, sizeof(*items));
	size_t n_items = 0, count = 0;

	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct profile_row *row = &profile->rows[i];
		uint64_t weight =
			value == PROFILE_NONE ? row->count : row->values[value];

		if (weight > 0)
			items[n_items++] = (struct stack_sum){
				groups[i], by_slice ? row->slice : 0,
				stack_tree_at(tree, row->stack), weight,
				row->count
			};
	}
	qsort(items, n_items, sizeof(*items), compare_sums);
	for (size_t i = 0; i < n_items; i++) {
		if (count > 0 && !compare_sums(&items[count - 1], &items[i])) {
			items[count - 1].weight += items[i].weight;
			items[count - 1].count += items[i].count;
		} else {
			items[count++] = items[i];
		}
	}
	*sums = (struct stack_sums){ items, count };
}

void stack_sums_destroy(struct stack_sums *sums)
{
	if (!sums)
		return;
	free(sums->items);
	*sums = (struct stack_sums){ 0 };
}
