/*
 * The call tree: all stacks from their roots, with equal functions (of equal
 * modules) joined whatever addresses they were seen at; inlined functions are
 * nodes of their own. What a call tree, a flame graph and the tree exports
 * are made of.
 */
#ifndef CLI_PROFILE_TREE_H
#define CLI_PROFILE_TREE_H

#include "cli/profile/group.h"

struct tree_node {
	uint32_t parent; /* before this; of node 0 (all stacks): 0 */
	uint32_t label;	 /* in tree->labels; of node 0: not set */
	uint32_t first_child, next_sibling; /* TREE_NONE-ended, most total
					     * first, ties by name */
	uint64_t self, total;
	uint64_t samples; /* whose leaf is here */
};

#define TREE_NONE UINT32_MAX

struct tree {
	struct labels labels;
	struct tree_node *nodes; /* each after its parent */
	size_t count, capacity;
};

/*
 * Builds the tree of the window's kind of weight. Keys that are not of the
 * stack (request may be NULL) make the first levels: a tree inside each
 * container, for one. profile is borrowed for as long as the tree.
 */
void tree_init(struct tree *tree, const struct profile *profile,
	       const struct window *window,
	       const struct group_request *request);
void tree_destroy(struct tree *tree);

#endif
