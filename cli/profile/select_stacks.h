/*
 * The part of selection that looks at stacks: by expressions, modules, and
 * callers or callees of a function.
 */
#ifndef CLI_PROFILE_SELECT_STACKS_H
#define CLI_PROFILE_SELECT_STACKS_H

#include <regex.h>

#include "cli/profile/select.h"

/* Compiles a POSIX extended expression. Returns 0 with regex for regfree(),
 * or -EINVAL with error filled. */
int select_regex(regex_t *regex, const char *text, struct error *error);

/*
 * Says for every node of the profile what a row with that stack becomes: the
 * node of its new stack, or PROFILE_NONE where it is not selected; nodes may
 * be added for that. *stacks is for free(). Returns 0, or -errno with error
 * filled (-EINVAL: no valid expression; -ENODATA: no such function).
 */
int select_stacks(struct profile *profile, const struct select_options *options,
		  uint32_t **stacks, struct error *error);

#endif
