/*
 * What the flame graph page knows of one profile, or of two to compare:
 * tables of integers that refer to each other, ready to be written as
 * columns. Inlined functions are nodes of their own; addresses of the same
 * function under the same callers are one node.
 *
 * Nodes stand in preorder: a node's callees follow it, deeper than it. Rows
 * are ordered by node, then side, thread, container, state and slice, and no
 * two have the same key.
 */
#ifndef CLI_VIEWS_PAGE_TABLES_H
#define CLI_VIEWS_PAGE_TABLES_H

#include "cli/profile/profile.h"

#define PAGE_SIDES_MAX 2 /* before and after */

enum page_kind {
	PAGE_KIND_USER,
	PAGE_KIND_KERNEL,
	PAGE_KIND_JIT,
	PAGE_KIND_SPECIAL,     /* "[truncated]": no code */
	PAGE_KIND_INLINED = 4, /* added to one of the others */
};

struct page_function {
	uint32_t name, module; /* texts */
};

struct page_frame {
	uint32_t function;
	uint32_t kind; /* enum page_kind */
};

struct page_node {
	uint32_t depth; /* 0: called by nobody */
	uint32_t frame;
};

struct page_container {
	uint32_t name, id, runtime, path; /* texts */
};

/* Of one side an instance; of two sides all instances of one program. */
struct page_process {
	uint32_t comm, exe, user; /* texts */
	uint32_t pid;		  /* 0: several */
	uint32_t container;	  /* PROFILE_NONE: not known */
	uint32_t has_accounting;  /* 0 or 1 */
	uint64_t cpu_ns, runqueue_ns, blocked_ns;
	uint32_t n_threads;
};

struct page_thread {
	uint32_t process, tid, comm;
};

struct page_row {
	uint32_t node; /* PROFILE_NONE: a stack without frames */
	uint32_t side, thread, container, state, slice;
	uint64_t count;
	uint64_t values[PROFILE_VALUES_MAX]; /* by value_types of the page */
};

struct page_tables {
	const struct profile *sides[PAGE_SIDES_MAX]; /* borrowed */
	uint32_t n_sides;

	struct profile_value_type value_types[PROFILE_VALUES_MAX];
	uint32_t n_value_types, default_value;

	const char **texts; /* owned by strings; text 0 is "" */
	struct page_function *functions;
	struct page_frame *frames;
	struct page_node *nodes;
	struct page_container *containers;
	struct page_process *processes;
	struct page_thread *threads;
	uint32_t *states; /* texts */
	struct page_row *rows;
	size_t n_texts, n_functions, n_frames, n_nodes, n_containers,
		n_processes, n_threads, n_states, n_rows;

	struct strings *strings;
};

/*
 * Makes the tables of one profile, or of two where after is not NULL. The
 * profiles are borrowed for as long as the tables; names of addresses are
 * added to their strings.
 */
void page_tables_init(struct page_tables *tables, const struct profile *before,
		      const struct profile *after);
void page_tables_destroy(struct page_tables *tables);

#endif
