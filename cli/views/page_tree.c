#include "cli/views/page_tree.h"

#include <stdlib.h>

#include "perfcore/mem.h"

void page_tree_init(struct page_tree *tree)
{
	*tree = (struct page_tree){ 0 };
	idmap_init(&tree->map);
}

void page_tree_destroy(struct page_tree *tree)
{
	if (!tree)
		return;
	idmap_destroy(&tree->map);
	free(tree->parents);
	free(tree->frames);
}

uint32_t page_tree_node(struct page_tree *tree, uint32_t parent, uint32_t frame)
{
	uint32_t *at = idmap_at(&tree->map, parent, frame);

	if (*at != IDMAP_NONE)
		return *at;
	*at = (uint32_t)tree->count;
	tree->parents =
		mem_grow(tree->parents, tree->count, &tree->parents_capacity,
			 sizeof(*tree->parents));
	tree->frames = mem_grow(tree->frames, tree->count,
				&tree->frames_capacity, sizeof(*tree->frames));
	tree->parents[tree->count] = parent;
	tree->frames[tree->count++] = frame;
	return (uint32_t)tree->count - 1;
}

/* Preorder without recursion (stacks are as deep as their programs): a node's
 * number is that of its parent, plus what was numbered below it before. */
struct page_node *page_tree_preorder(const struct page_tree *tree,
				     uint32_t **numbers)
{
	struct page_node *nodes = mem_calloc(tree->count + 1, sizeof(*nodes));
	uint32_t *number = mem_calloc(tree->count + 1, sizeof(*number));
	uint32_t *sizes = mem_calloc(tree->count + 1, sizeof(*sizes));
	uint32_t *used = mem_calloc(tree->count + 1, sizeof(*used));
	uint32_t at_root = 0;

	for (size_t i = tree->count; i-- > 0;) {
		sizes[i] += 1;
		if (tree->parents[i] != PROFILE_NONE)
			sizes[tree->parents[i]] += sizes[i];
	}
	for (size_t i = 0; i < tree->count; i++) {
		uint32_t parent = tree->parents[i];
		bool is_root = parent == PROFILE_NONE;
		uint32_t *next = is_root ? &at_root : &used[parent];

		number[i] = *next + (is_root ? 0 : number[parent] + 1);
		*next += sizes[i];
		nodes[number[i]] = (struct page_node){
			is_root ? 0 : nodes[number[parent]].depth + 1,
			tree->frames[i]
		};
	}
	free(sizes);
	free(used);
	*numbers = number;
	return nodes;
}
