/*
 * Tallies: what is compared, function by function, in batches of both sides.
 */
#ifndef CLI_PROFILE_TALLY_H
#define CLI_PROFILE_TALLY_H

#include "cli/profile/compare.h"

struct tally {
	enum label_key kind;
	const char *name, *module; /* interned in the list's strings */
	double self[2][INTERVAL_BATCHES], total[2][INTERVAL_BATCHES];
	double samples[2];
};

/* Batches of one side, and what its values are ratios to in each. */
struct tally_base {
	double whole[INTERVAL_BATCHES];
	size_t n_batches;
	double per_sample; /* weight of a sample */
	double seconds;	   /* of all windows */
};

struct tallies {
	struct strings *strings; /* borrowed */
	struct tally *items;
	size_t count, capacity;
	struct idmap index; /* (name and kind, module) -> item */
	struct tally_base bases[2];
};

void tallies_init(struct tallies *tallies, struct strings *strings,
		  const struct compare_side sides[2],
		  const struct compare_options *options);
void tallies_destroy(struct tallies *tallies);

#endif
