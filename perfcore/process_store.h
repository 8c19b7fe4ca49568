/*
 * The instances and threads that a process table knows, by pid and tid, and
 * how long: what ended is kept for PROCESS_KEEP_NS, because samples of it
 * may still come. Internal to process.c.
 */
#ifndef PERFCORE_PROCESS_STORE_H
#define PERFCORE_PROCESS_STORE_H

#include "perfcore/idmap.h"
#include "perfcore/process.h"

struct thread_entry {
	struct thread thread; /* first: what callers see */
	struct instance *instance;
	struct thread_entry *next, *previous; /* of the instance */
	struct thread_entry *next_ended;
	uint32_t slot;
	bool has_ended;
	uint64_t end_ns;
};

struct instance {
	struct process process; /* first: what callers see */
	struct thread_entry *threads;
	struct thread_entry *ended_head, *ended_tail;
	struct instance *next_ended;
	uint32_t slot;
	uint32_t n_alive; /* threads known and not ended */
	uint32_t image;	  /* counts its execs */
	uint64_t start_ticks;
	char *image_path; /* becomes exe once somebody asks; or NULL */
	/* While its maps are not known: whose it got by fork. */
	uint32_t from_pid, from_number, from_image;
	uint64_t maps_time; /* when they became known */
	bool are_maps_known;
	bool has_comm;	   /* false: only a stand-in */
	bool is_described; /* /proc was asked, or cannot be */
	bool is_exe_next;  /* the next mapping of a file tells exe */
	bool has_main_ended, is_queued;
};

/* Numbers for pointers, so that an idmap can hold them. */
struct pool {
	void **items; /* NULL: free */
	uint32_t *free_slots;
	size_t count, capacity, n_free, free_capacity;
};

struct process_store {
	struct pool instances, threads;
	struct idmap by_pid, by_tid;
	struct instance *ended_head, *ended_tail; /* by time of end */
	uint32_t last_number;
	uint64_t now; /* of the newest event */
};

void process_store_init(struct process_store *store);
void process_store_destroy(struct process_store *store);

/* The newest instance of a pid, ended or not; NULL: none. */
struct instance *instance_find(const struct process_store *store, uint32_t pid);
/* A new instance with nothing but its pid and number; one that had the pid
 * before has ended. comm and exe are borrowed. */
struct instance *instance_add(struct process_store *store, uint32_t pid,
			      const char *comm, const char *exe);
void instance_end(struct process_store *store, struct instance *instance,
		  uint64_t time);
/* What looked like its end was none: only its main thread's. */
void instance_revive(struct instance *instance);
/* Frees instances that ended long ago. */
void instance_reap(struct process_store *store);

/* The thread of a tid, whosever it is; NULL: none. */
struct thread_entry *entry_at(const struct process_store *store, uint32_t tid);
struct thread_entry *entry_find(const struct process_store *store,
				const struct instance *instance, uint32_t tid);
/* A new thread; one that had the tid before has ended. */
struct thread_entry *entry_add(struct process_store *store,
			       struct instance *instance, uint32_t tid,
			       const char *comm);
void entry_end(struct thread_entry *entry, uint64_t time);
/* Frees threads of a living process that ended long ago. */
void entry_reap(struct process_store *store, struct instance *instance);

#endif
