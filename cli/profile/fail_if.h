/*
 * Conditions of a comparison that a build should fail on: "total(foo)>+5%".
 */
#ifndef CLI_PROFILE_FAIL_IF_H
#define CLI_PROFILE_FAIL_IF_H

#include "cli/profile/compare.h"
#include "perfcore/error.h"

struct fail_if {
	bool by_total, is_more;
	double limit; /* a part: 0.05 */
	char *function;
};

/* Reads self(FUNCTION) or total(FUNCTION), < or >, and a percentage. Returns
 * 0, with condition for fail_if_destroy(), or -EINVAL with error filled. */
int fail_if_parse(struct fail_if *condition, const char *text,
		  struct error *error);
void fail_if_destroy(struct fail_if *condition);

/*
 * Does it hold, significantly: is the whole interval of the function's change
 * beyond the limit? comparison judges the condition's column. Returns 1 or 0,
 * or -ENOENT where neither side has such a function; error says what is.
 */
int fail_if_check(const struct fail_if *condition,
		  const struct comparison *comparison, struct error *error);

#endif
