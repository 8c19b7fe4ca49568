/*
 * Bundles: rows of a profile that differ in nothing a grouping asks for but
 * their time slice and their weight. A grouping walks the stack of a bundle
 * once, not that of every row.
 */
#ifndef CLI_PROFILE_BUNDLE_H
#define CLI_PROFILE_BUNDLE_H

#include "cli/profile/group.h"

struct bundle {
	uint32_t combination; /* of the labels that are not of the stack */
	uint32_t stack;	      /* 0 where no key is of the stack */
	uint32_t first_row;   /* PROFILE_NONE-ended list by next_row */
	uint64_t weight, samples;
};

struct bundles {
	struct bundle *items;
	size_t count, capacity;
	uint32_t *order;    /* of items: one combination after another */
	uint32_t *next_row; /* for each row of the profile */
	uint32_t *labels;   /* n_keys for each combination, 0 for the stack's */
	size_t n_combinations, label_capacity;
	uint32_t n_keys;
};

/* Adds the labels of the rows to labels. Rows without weight of the window's
 * kind are left out: a sleeping thread is not part of the CPU time. */
void bundles_init(struct bundles *bundles, struct labels *labels,
		  const struct window *window,
		  const struct group_request *request);
void bundles_destroy(struct bundles *bundles);

/* The labels of a bundle for the keys that are not of the stack, by level. */
static inline const uint32_t *bundle_labels(const struct bundles *bundles,
					    const struct bundle *bundle)
{
	return bundles->labels + (size_t)bundle->combination * bundles->n_keys;
}

#endif
