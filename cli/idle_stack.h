/*
 * The stack of a thread that does not run, asked of /proc: the kernel's part
 * only, and only where this user may read it.
 */
#ifndef CLI_IDLE_STACK_H
#define CLI_IDLE_STACK_H

#include "cli/profile/profile.h"

/* The node of the stack of that thread under root's /proc, on a special frame
 * "[never ran]" in place of the user's part. */
uint32_t idle_stack(struct profile *profile, const char *root, uint32_t pid,
		    uint32_t tid);

#endif
