/*
 * Usage: what a process or a container used by the kernel's accounting of
 * the window, or where there is none by what was sampled.
 */
#ifndef CLI_PROFILE_USAGE_H
#define CLI_PROFILE_USAGE_H

#include "cli/profile/label.h"

struct usage {
	double cpu_s, runqueue_s, blocked_s; /* negative: not known */
	bool is_estimate; /* cpu_s, at least in part, is what was sampled */
	uint32_t threads; /* 0: not known */
};

/* Of all processes and containers of the profile; to be released with
 * usages_destroy. The CPU's value type is found by its name. */
struct usages {
	struct usage *processes, *containers;
};

void usages_init(struct usages *usages, const struct profile *profile);
void usages_destroy(struct usages *usages);

/* The usage a label stands for; NULL where it is neither a known process nor
 * a known container. */
const struct usage *usages_of(const struct usages *usages,
			      const struct label *label);

#endif
