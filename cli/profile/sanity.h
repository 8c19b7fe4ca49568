/*
 * Sanity: what the numbers of a profile say against each other. A report
 * says contradictions and weaknesses in words, instead of leaving them to be
 * found between the lines.
 */
#ifndef CLI_PROFILE_SANITY_H
#define CLI_PROFILE_SANITY_H

#include "cli/profile/window.h"

/*
 * Adds what is doubtful to notes: more CPU time than there was, sampled and
 * accounted CPU time apart, steal above 2 %, losses above 1 %, throttling,
 * stacks cut off in more than 5 %, or too few samples. What is not known
 * raises no doubt.
 */
void sanity_check(const struct profile *profile, const struct window *window,
		  struct notes *notes);

#endif
