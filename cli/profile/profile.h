/*
 * The profile: the one in-memory model of results. Recording builds it,
 * pprof files are read into it, every report and format is made from it.
 *
 * Everything is in tables, and everything refers to other tables by index.
 * Index 0 of functions, mappings and nodes is "none" (nodes: the root), so
 * that 0 means nothing. Strings are interned in profile->strings.
 *
 *   row  -> stack node -> parent node -> … -> root (node 0)
 *             \-> frame -> mapping, and lines -> functions
 *   row  -> thread -> process;  row -> container
 */
#ifndef CLI_PROFILE_PROFILE_H
#define CLI_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perfcore/idmap.h"
#include "perfcore/notes.h"
#include "perfcore/strings.h"

#define PROFILE_NONE	   UINT32_MAX
#define PROFILE_VALUES_MAX 4

/* A kind of weight, as pprof's sample_type: {"cpu", "nanoseconds"}. How
 * often a row was seen is always kept in row.count beside them. */
struct profile_value_type {
	const char *type, *unit;
};

enum profile_frame_flag {
	PROFILE_FRAME_KERNEL = 1,
	PROFILE_FRAME_USER = 2,
	PROFILE_FRAME_JIT = 4,
	PROFILE_FRAME_SPECIAL = 8, /* "[truncated]" and the like: no code */
};

struct profile_mapping {
	const char *path;     /* "[kernel.kallsyms]", "[vdso]", "/usr/bin/x" */
	const char *build_id; /* hex, "" where unknown */
	uint64_t start, limit, offset; /* of the segment, ELF addresses */
	bool is_deleted; /* had no name any more when it was seen */
};

struct profile_function {
	const char *name;	 /* demangled, or "[libx.so]+0x12" */
	const char *system_name; /* as in the file; "" where there is none */
	const char *file;	 /* "" where unknown */
	bool is_named;		 /* false: name is made of the address */
};

struct profile_line {
	uint32_t function;
	uint32_t line; /* 0 where unknown */
};

struct profile_frame {
	uint32_t mapping; /* 0 = none */
	uint32_t flags;	  /* enum profile_frame_flag */
	uint64_t address; /* ELF address; callers' already minus 1 */
	uint32_t first_line, n_lines; /* in profile->lines, innermost first;
				       * 0 lines = not symbolised yet */
};

struct profile_node {
	uint32_t parent; /* towards the root of the stack */
	uint32_t frame;
};

struct profile_process {
	uint32_t pid;
	uint64_t start_ns; /* UNIX time; with pid the process instance */
	const char *comm, *exe, *user; /* exe and user may be "" */
	uint32_t container; /* where it was last seen; PROFILE_NONE */

	/* From the kernel's accounting of the window; has_accounting false:
	 * only the sampled estimate is known (shown with "~"). */
	bool has_accounting;
	uint64_t cpu_ns, runqueue_ns, blocked_ns;
	uint32_t n_threads; /* most threads at one time */
};

struct profile_thread { /* one name of one thread: a rename adds one */
	uint32_t process;
	uint32_t tid;
	const char *comm;
};

struct profile_container {
	const char *name;    /* "web", "nginx.service", "[a1b2c3d4e5f6] sh" */
	const char *id;	     /* full id, "" for units and slices */
	const char *runtime; /* "docker", "podman", "systemd", … or "" */
	const char *path;    /* cgroup path */
};

enum profile_state {
	PROFILE_STATE_USER,   /* on a CPU in user code */
	PROFILE_STATE_KERNEL, /* on a CPU in the kernel */
	PROFILE_STATES
};

struct profile_row {
	uint32_t stack;		    /* node of the leaf */
	uint32_t thread, container; /* PROFILE_NONE where not known */
	uint32_t cpu;		    /* PROFILE_NONE where not known */
	uint32_t state;		    /* index into profile->states */
	uint32_t slice;		    /* number of the time slice, from 0 */
	uint64_t count;
	uint64_t values[PROFILE_VALUES_MAX]; /* by profile->value_types */
};

/* How far the numbers can be trusted. A negative number: not known. */
struct profile_health {
	double samples, expected, lost, throttled, throttled_s;
	double stacks_complete, stacks_truncated, stacks_failed; /* samples */
	double frames_named, frames_unnamed; /* weighted by samples */
	double kernel_cpu_s;  /* busy by the kernel's accounting */
	double sampled_cpu_s; /* the sum of what was sampled */
	double own_cpu_s;     /* the recorder's own */
	double own_peak_bytes;
};

struct profile_host {
	const char *name, *kernel, *arch;
	uint32_t cpus; /* online at the start */
	double capacity_s, busy_s, runqueue_s, steal_s; /* negative: unknown */
};

struct profile_event {
	const char *name;	     /* really opened */
	const char *requested;	     /* as asked for, or the ladder's first */
	double freq_hz;		     /* 0: by period */
	uint64_t period;	     /* in event units; 0: by frequency */
	const char *fallback_reason; /* "" where none */
};

struct profile_window { /* one of the profiles that were merged */
	uint32_t first_slice;
	uint64_t duration_ns;
};

struct profile {
	struct strings *strings;
	struct profile_host host;
	struct profile_event event;
	struct profile_health health;
	struct notes notes;

	uint64_t start_ns; /* UNIX time */
	uint64_t duration_ns;
	uint64_t slice_ns;   /* length of a time slice; 0: no slices */
	uint32_t n_profiles; /* how many windows were merged into this */
	struct profile_window *windows; /* merged here: each of them */
	size_t n_windows;		/* 0: not merged here */

	struct profile_value_type value_types[PROFILE_VALUES_MAX];
	uint32_t n_value_types;
	uint32_t default_value; /* index of the metric reports use */

	struct profile_mapping *mappings;
	struct profile_function *functions;
	struct profile_line *lines;
	struct profile_frame *frames;
	struct profile_node *nodes;
	struct profile_process *processes;
	struct profile_thread *threads;
	struct profile_container *containers;
	const char **states; /* names: "user", "kernel", … */
	struct profile_row *rows;
	size_t n_mappings, n_functions, n_lines, n_frames, n_nodes, n_processes,
		n_threads, n_containers, n_states, n_rows;

	struct profile_index *index; /* of profile.c: look-ups while building */
};

/* An empty profile: one window, texts "", host and health numbers -1 (not
 * known): set them, never add to them. No value types yet. */
struct profile *profile_new(void);
void profile_free(struct profile *profile);

/* Each finds an equal entry or adds one, and returns its index. Strings in
 * the argument are interned. */
uint32_t profile_mapping(struct profile *profile,
			 const struct profile_mapping *mapping);
uint32_t profile_function(struct profile *profile,
			  const struct profile_function *function);
uint32_t profile_process(struct profile *profile, uint32_t pid,
			 uint64_t start_ns);
uint32_t profile_thread(struct profile *profile, uint32_t process, uint32_t tid,
			const char *comm);
uint32_t profile_container(struct profile *profile,
			   const struct profile_container *container);
uint32_t profile_state(struct profile *profile, const char *name);

/* The child of parent for that frame: how a stack is built, root first. */
uint32_t profile_node(struct profile *profile, uint32_t parent, uint32_t frame);

/* Adds a new frame without lines. The caller keeps its own index of frames. */
uint32_t profile_frame_add(struct profile *profile,
			   const struct profile_frame *frame);

/* Gives a frame its lines, innermost first; once for each frame. */
void profile_frame_set_lines(struct profile *profile, uint32_t frame,
			     const struct profile_line *lines, uint32_t count);

/* Finds the frame with these lines (innermost first) among those that were
 * added by this function, or adds it. */
uint32_t profile_frame_get(struct profile *profile,
			   const struct profile_frame *frame,
			   const struct profile_line *lines, uint32_t count);

/* Finds or adds the special frame of that name ("[truncated]"). */
uint32_t profile_frame_special(struct profile *profile, const char *name);

/* Adds count and values to the row with row's key, or adds the row. */
void profile_add(struct profile *profile, const struct profile_row *row);

/* Takes all rows away, for free(); the profile then has none. So are rows
 * changed: taken, changed and added again. */
struct profile_row *profile_rows_take(struct profile *profile, size_t *n_rows);

/* Index of a value type, or PROFILE_NONE. type "" gives the default. */
uint32_t profile_value_type(const struct profile *profile, const char *type);

#endif
