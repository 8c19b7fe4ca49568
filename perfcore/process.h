/*
 * Who runs: process instances, their threads and what they have mapped, kept
 * by the kernel's records (COMM, FORK, EXIT, MMAP2, NAMESPACES) in time order
 * and by /proc for what was there before the recording.
 *
 * An instance is a pid and its start: a reused pid is another one. Only what
 * samples or records have named is kept; ended instances are let go
 * PROCESS_KEEP_NS after their end. Pointers are valid until the next
 * process_table_event().
 */
#ifndef PERFCORE_PROCESS_H
#define PERFCORE_PROCESS_H

#include "perfcore/binary.h"
#include "perfcore/error.h"
#include "perfcore/event.h"
#include "perfcore/maps.h"
#include "perfcore/notes.h"
#include "perfcore/strings.h"

#define PROCESS_KEEP_NS 2000000000ull
#define PROCESS_NO_TAG	UINT32_MAX

struct process {
	uint32_t pid;
	uint32_t number;   /* of the instance, from 1, never reused */
	uint64_t start_ns; /* on the events' clock; 0: before the recording */
	uint64_t start_wall_ns; /* UNIX time of the start; 0: not known */
	uint32_t uid;		/* PROCESS_NO_TAG: not known */
	uint32_t namespace_pid; /* pid as the process sees it; for perf maps */
	const char *comm;	/* of the main thread; interned */
	const char *exe; /* path of the executable; "" unknown; interned */
	bool has_ended;
	uint64_t end_ns;
	struct maps *maps;
	struct binary *memory; /* its BINARY_MEMORY, made when first needed */
	uint64_t mount_namespace; /* inode; 0: not known */
};

struct thread {
	struct process *process;
	uint32_t tid;
	const char *comm; /* interned: another pointer after a rename */
	uint32_t tag;	  /* the caller's own; PROCESS_NO_TAG at first and
			   * again after a rename or an exec */
};

struct process_table;

struct process_table_config {
	const char *root; /* "" for the live /proc; a directory in tests; NULL:
			   * no /proc at all (a file from elsewhere) */
	struct strings *strings;
	struct notes *notes;
	struct binary_table *binaries;
	/* UNIX time minus the events' clock, for the start of processes born
	 * in the recording; 0: of CLOCK_MONOTONIC for the live /proc, else
	 * not known. */
	int64_t wall_offset_ns;
};

struct process_table *process_table_new(const struct process_table_config *);
void process_table_free(struct process_table *table);

/* Applies one record of the kinds above; others are ignored. */
void process_table_event(struct process_table *table,
			 const struct event *event);

/*
 * The thread that a sample names; added when it is new (then its comm, start,
 * uid and exe are read from /proc, if it is still there). cpu tells whose
 * late exit a pid of -1 belongs to: the kernel forgets an exiting task's ids
 * before its last sample. Never NULL.
 */
struct thread *process_table_thread(struct process_table *table, uint32_t pid,
				    uint32_t tid, uint32_t cpu, uint64_t time);

/*
 * The mapping at a user address of the process, its maps read from /proc when
 * they are first needed. Code in no file gives the process's BINARY_MEMORY
 * (page_offset = start: its addresses are absolute). NULL: nothing is known
 * to be there.
 */
const struct mapping *process_table_find(struct process_table *table,
					 struct process *process,
					 uint64_t address);

/* Counters for the trust block and for memory checks. */
struct process_table_counts {
	uint64_t processes, threads;	 /* alive in the table now */
	uint64_t maps_read, maps_failed; /* of /proc/PID/maps */
	uint64_t maps_denied;		 /* of the failed: no permission */
	uint64_t bytes;			 /* roughly held */
};
void process_table_counts(const struct process_table *table,
			  struct process_table_counts *counts);

/* Says in the notes what a reader of the results should know of them. */
void process_table_report(const struct process_table *table);

#endif
