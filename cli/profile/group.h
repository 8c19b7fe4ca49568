/*
 * Grouping: rows of the profile summed by one or several keys, nested. Self
 * is the weight of stacks whose leaf is in the group, total that of stacks
 * that pass through it, each stack counted once however often it does
 * (recursion). For keys that are not of the stack the two are the same.
 * Inlined functions count as functions.
 *
 * Each different stack is walked once for the sums and once more for the
 * intervals of the groups shown: a million rows take some 0.1 s.
 */
#ifndef CLI_PROFILE_GROUP_H
#define CLI_PROFILE_GROUP_H

#include "cli/profile/label.h"
#include "cli/profile/spread.h"
#include "cli/profile/window.h"
#include "perfcore/error.h"

#define GROUP_LEVELS_MAX 8

enum group_sort {
	GROUP_SORT_DEFAULT, /* CPUs and slices by number, others by self */
	GROUP_SORT_SELF,
	GROUP_SORT_TOTAL,
	GROUP_SORT_NAME,
};

struct group_request {
	enum label_key keys[GROUP_LEVELS_MAX];
	uint32_t n_keys; /* at least 1; no key twice */
	enum group_sort sort;
	uint64_t top; /* most groups shown inside each group; 0: all */
	bool keeps_batches;
};

/* Sums of one group for each batch of the window. */
struct group_batches {
	double self[WINDOW_BATCHES], total[WINDOW_BATCHES];
};

struct group {
	uint32_t parent;   /* in grouping->groups, before this; or GROUP_NONE */
	uint32_t level;	   /* 0 is the first key */
	uint32_t label;	   /* in grouping->labels */
	uint32_t n_hidden; /* groups directly inside that are not shown */
	uint64_t self, total; /* in the window's units */
	uint64_t samples, total_samples;
	struct interval self_share, total_share; /* of the window */
	struct spread self_spread, total_spread; /* between profiles */
};

#define GROUP_NONE UINT32_MAX

/* Reads "container,function" into the request's keys. Returns 0, or -EINVAL
 * with error filled. */
int group_keys_parse(struct group_request *request, const char *text,
		     struct error *error);

struct grouping {
	struct labels labels;
	struct group *groups; /* as they are shown: each before those inside
			       * it, ordered, not more than asked for */
	size_t n_groups;
	struct group_batches *batches; /* of each group; NULL: not kept */
	uint32_t n_hidden; /* groups of the first level that are not shown */
};

/* window is what the shares are parts of and tells the kind of weight; both
 * it and profile are borrowed, profile for as long as the grouping. */
void group_profile(struct grouping *grouping, const struct profile *profile,
		   const struct window *window,
		   const struct group_request *request);
void grouping_destroy(struct grouping *grouping);

/* The label of a group, and of the group around it at an outer level. */
const struct label *grouping_label(const struct grouping *grouping,
				   const struct group *group);
const struct group *grouping_outer(const struct grouping *grouping,
				   const struct group *group, uint32_t level);

#endif
