/*
 * The kernel's own accounting of the window: CPU time of every process
 * (exact, by its CPU clock), time on run queues (schedstat), busy and stolen
 * time of the host, and what the recorder itself used. Taken at both ends of
 * the window; needs no events and costs a few microseconds for each thread.
 */
#ifndef PERFCORE_ACCOUNTING_H
#define PERFCORE_ACCOUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/error.h"

struct accounting;

struct accounting_host {
	double busy_s; /* CPU time of all CPUs; negative: not known */
	double runqueue_s, steal_s;
	double wall_s;	  /* between the two readings of these */
	double own_cpu_s; /* this process, all threads */
	double own_peak_bytes;
	const char *busy_source; /* "schedstat", "cpuacct", "/proc/stat" */
};

struct accounting_process {
	uint32_t pid;
	uint64_t start_ticks; /* /proc/PID/stat field 22: proves the instance */
	bool is_whole;	 /* alive at both ends, or from its start on; else it
			  * was missed at the beginning and its times are 0 */
	uint64_t cpu_ns; /* of all its threads, ended ones too */
	/* Of threads alive at the end: waiting for a CPU, and the rest of
	 * each thread's time in the window. */
	uint64_t runqueue_ns, blocked_ns;
	uint64_t wall_ns;   /* of the window in which it was alive */
	uint32_t n_threads; /* the most seen */
};

/* root is "" for the running system, or a directory in tests (then a
 * process's CPU time is the sum over its living threads). */
struct accounting *accounting_new(const char *root);
void accounting_free(struct accounting *accounting);

/* The start of the window. */
int accounting_begin(struct accounting *accounting, struct error *error);

/* The end: afterwards the results below stand. Processes that ended before
 * it are not in the list. */
int accounting_end(struct accounting *accounting, struct error *error);

const struct accounting_host *accounting_host(const struct accounting *);

/* Sorted by pid; NULL where the process is not known. */
const struct accounting_process *accounting_process(
	const struct accounting *accounting, uint32_t pid);

/* All of them, by pid: index from 0; NULL at the end. */
const struct accounting_process *accounting_at(
	const struct accounting *accounting, size_t index);

#endif
