/*
 * Stacks as other programs want them: every inlined function a frame of its
 * own, frames that look alike one frame, and what was sampled summed up.
 *
 * The tree holds stacks root first: a node is the frame at its end, and its
 * parent the stack that called it. Node 0 is the root and no frame. A frame
 * is a class of the profile's elements (cli/profile/label.h): all lines of
 * one function, or each address for itself.
 */
#ifndef CLI_FORMATS_STACK_TREE_H
#define CLI_FORMATS_STACK_TREE_H

#include "cli/profile/label.h"

struct stack_tree_node {
	uint32_t parent; /* always the smaller number */
	uint32_t class;
};

struct stack_tree {
	const struct profile *profile; /* borrowed, as are the others */
	const struct labels *labels;
	const uint32_t *classes; /* of elements; NULL: each is its own */
	struct stack_tree_node *nodes;
	size_t n_nodes, node_room;
	struct idmap children; /* (parent, class) -> node */
	uint32_t *by_stack;    /* node by stack of the profile; 0: not yet */
	uint32_t *path;	       /* scratch */
	size_t path_room;
};

void stack_tree_init(struct stack_tree *tree, const struct profile *profile,
		     const struct labels *labels, const uint32_t *classes);
void stack_tree_destroy(struct stack_tree *tree);

/* The node of a stack of the profile (a node of profile->nodes). Never 0: the
 * empty stack is one frame, "[no stack]". */
uint32_t stack_tree_at(struct stack_tree *tree, uint32_t stack);

/* What was sampled in one group (thread, process, …), slice and stack. */
struct stack_sum {
	uint32_t group, slice, node;
	uint64_t weight, count; /* weight: of the value asked for */
};

struct stack_sums {
	struct stack_sum *items; /* by group, slice, node; none of weight 0 */
	size_t count;
};

/*
 * Sums the rows of the profile. value is an index of value types, or
 * PROFILE_NONE for counts; groups has the group of each row; without
 * by_slice the slice is always 0.
 */
void stack_sums_init(struct stack_sums *sums, struct stack_tree *tree,
		     uint32_t value, const uint32_t *groups, bool by_slice);
void stack_sums_destroy(struct stack_sums *sums);

#endif
