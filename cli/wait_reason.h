/*
 * Why a thread waits: told by the kernel's functions in its stack. Stable
 * names, anywhere in the kernel's part: the leaf is always the scheduler.
 */
#ifndef CLI_WAIT_REASON_H
#define CLI_WAIT_REASON_H

#include "cli/profile/profile.h"

/* The reason for which a thread with that (symbolised) stack is blocked:
 * "lock", "mutex", "condition", "semaphore", "sleep", "poll", "io", "pipe",
 * "socket", "child", "fault" or "other". Never NULL, static. */
const char *wait_reason(const struct profile *profile, uint32_t stack);

#endif
