/*
 * Which task ended last on each CPU. The kernel takes the ids from an exiting
 * task before its last samples: the thread's tid becomes -1, and with the
 * last one of a process its pid as well (seen on 6.18, up to 35 µs after the
 * EXIT record on the same CPU).
 */
#ifndef PERFCORE_LAST_EXIT_H
#define PERFCORE_LAST_EXIT_H

#include <stddef.h>
#include <stdint.h>

#define LAST_EXIT_NO_ID UINT32_MAX

struct last_exit {
	uint32_t pid, tid;
};

struct last_exits {
	struct last_exit *items; /* by CPU */
	size_t count;
};

void last_exits_destroy(struct last_exits *exits);

/* CPUs above a bound, and EVENT_NO_CPU, are not remembered. */
void last_exits_set(struct last_exits *exits, uint32_t cpu, uint32_t pid,
		    uint32_t tid);

/* Puts the ids that a sample on this CPU should have into *pid and *tid,
 * where one is -1; what is not known stays -1, a thread of a known process
 * becomes its main thread. */
void last_exits_restore(const struct last_exits *exits, uint32_t cpu,
			uint32_t *pid, uint32_t *tid);

#endif
