#include "cli/profile/tree.h"

#include <stdlib.h>

#include "perfcore/mem.h"

struct grower {
	struct tree *tree;
	const struct profile *profile;
	uint32_t *functions;   /* labels of elements */
	struct idmap children; /* (parent, label) -> tree node */
	struct idmap places;   /* (tree root, stack node) -> tree node */
	uint32_t *path;	       /* stack nodes still to be placed, leaf first */
	size_t path_room;
};

static uint32_t child_of(struct grower *grower, uint32_t parent, uint32_t label)
{
	uint32_t *at = idmap_at(&grower->children, parent, label);
	struct tree *tree = grower->tree;

	if (*at != IDMAP_NONE)
		return *at;
	tree->nodes = mem_grow(tree->nodes, tree->count, &tree->capacity,
			       sizeof(*tree->nodes));
	*at = (uint32_t)tree->count++;
	tree->nodes[*at] = (struct tree_node){ .parent = parent,
					       .label = label,
					       .first_child = TREE_NONE,
					       .next_sibling = TREE_NONE };
	return *at;
}

/* The outermost line of a frame comes first on the way from the root. */
static uint32_t place_frame(struct grower *grower, uint32_t at, uint32_t frame)
{
	const uint32_t *first = grower->tree->labels.first_element;

	for (uint32_t i = first[frame + 1]; i-- > first[frame];)
		at = child_of(grower, at, grower->functions[i]);
	return at;
}

/* The tree node of a stack below root. Walks up to the first stack node whose
 * place is known, and down again. */
static uint32_t place_stack(struct grower *grower, uint32_t root,
			    uint32_t stack)
{
	size_t depth = 0;
	uint32_t at = root;

	for (uint32_t node = stack; node;
	     node = grower->profile->nodes[node].parent) {
		uint32_t known = idmap_get(&grower->places, root, node);

		if (known != IDMAP_NONE) {
			at = known;
			break;
		}
		grower->path = mem_grow(grower->path, depth, &grower->path_room,
					sizeof(*grower->path));
		grower->path[depth++] = node;
	}
	while (depth-- > 0) {
		uint32_t node = grower->path[depth];

		at = place_frame(grower, at,
				 grower->profile->nodes[node].frame);
		*idmap_at(&grower->places, root, node) = at;
	}
	return at;
}

static uint32_t place_row(struct grower *grower,
			  const struct group_request *request,
			  const struct profile_row *row)
{
	struct labels *labels = &grower->tree->labels;
	uint32_t root = 0;

	for (uint32_t i = 0; request && i < request->n_keys; i++)
		if (!label_key_is_of_stack(request->keys[i]))
			root = child_of(
				grower, root,
				labels_of_row(labels, request->keys[i], row));
	if (row->stack)
		return place_stack(grower, root, row->stack);
	return child_of(grower, root, grower->functions[labels->n_elements]);
}

static int compare_nodes(const void *left, const void *right, void *context)
{
	const struct tree *tree = context;
	const struct tree_node *a = &tree->nodes[*(const uint32_t *)left];
	const struct tree_node *b = &tree->nodes[*(const uint32_t *)right];

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return label_compare(tree->labels.profile,
			     &tree->labels.items[a->label],
			     &tree->labels.items[b->label]);
}

/* Sums towards the root, then links siblings, last ones first. */
static void tree_link(struct tree *tree)
{
	uint32_t *order = mem_alloc(tree->count * sizeof(*order));

	for (size_t i = tree->count; i-- > 1;) {
		tree->nodes[i].total += tree->nodes[i].self;
		tree->nodes[tree->nodes[i].parent].total +=
			tree->nodes[i].total;
		order[i] = (uint32_t)i;
	}
	if (tree->count > 1)
		qsort_r(order + 1, tree->count - 1, sizeof(*order),
			compare_nodes, tree);
	for (size_t i = tree->count; i-- > 1;) {
		struct tree_node *node = &tree->nodes[order[i]];
		struct tree_node *parent = &tree->nodes[node->parent];

		node->next_sibling = parent->first_child;
		parent->first_child = order[i];
	}
	free(order);
}

void tree_init(struct tree *tree, const struct profile *profile,
	       const struct window *window, const struct group_request *request)
{
	struct grower grower = { .tree = tree, .profile = profile };

	*tree = (struct tree){ 0 };
	labels_init(&tree->labels, profile);
	idmap_init(&grower.children);
	idmap_init(&grower.places);
	grower.functions = labels_of_elements(&tree->labels, LABEL_FUNCTION);
	tree->nodes = mem_grow(NULL, 0, &tree->capacity, sizeof(*tree->nodes));
	tree->nodes[tree->count++] =
		(struct tree_node){ .first_child = TREE_NONE,
				    .next_sibling = TREE_NONE };
	for (size_t i = 0; i < profile->n_rows; i++) {
		const struct profile_row *row = &profile->rows[i];
		uint32_t at;

		if (!window_weight(window, row))
			continue;
		at = place_row(&grower, request, row);
		tree->nodes[at].self += window_weight(window, row);
		tree->nodes[at].samples += row->count;
	}
	tree_link(tree);
	idmap_destroy(&grower.children);
	idmap_destroy(&grower.places);
	free(grower.functions);
	free(grower.path);
}

void tree_destroy(struct tree *tree)
{
	if (!tree)
		return;
	labels_destroy(&tree->labels);
	free(tree->nodes);
}
