/*
 * The page's tree of calls while it is built: nodes are added in any order,
 * children after parents, and numbered in preorder at the end.
 */
#ifndef CLI_VIEWS_PAGE_TREE_H
#define CLI_VIEWS_PAGE_TREE_H

#include "cli/views/page_tables.h"
#include "perfcore/idmap.h"

struct page_tree {
	uint32_t *parents; /* PROFILE_NONE: called by nobody */
	uint32_t *frames;
	size_t count, parents_capacity, frames_capacity;
	struct idmap map;
};

void page_tree_init(struct page_tree *tree);
void page_tree_destroy(struct page_tree *tree);

/* The node of that frame below parent (PROFILE_NONE: at the root). */
uint32_t page_tree_node(struct page_tree *tree, uint32_t parent,
			uint32_t frame);

/*
 * The nodes in preorder, and for each node of the tree its number there; both
 * to be released with free().
 */
struct page_node *page_tree_preorder(const struct page_tree *tree,
				     uint32_t **numbers);

#endif
