/*
 * Events: kernel records, typed. The same structures come from live rings
 * and from perf.data files, always in the host's byte order.
 *
 * Every pointer in an event is borrowed from the source that delivered it
 * and is valid until that source is asked for its next event.
 */
#ifndef PERFCORE_EVENT_H
#define PERFCORE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_MAX 20

enum event_kind {
	EVENT_OTHER, /* a record of a type that nothing here needs */
	EVENT_SAMPLE,
	EVENT_MMAP, /* MMAP and MMAP2 */
	EVENT_COMM,
	EVENT_FORK,
	EVENT_EXIT,
	EVENT_LOST,	    /* records lost before this one */
	EVENT_LOST_SAMPLES, /* samples lost in hardware */
	EVENT_THROTTLE,
	EVENT_UNTHROTTLE,
	EVENT_SWITCH,
	EVENT_NAMESPACES,
	EVENT_KSYMBOL,
	EVENT_BPF,
	EVENT_CGROUP,
	EVENT_AUX,
	EVENT_KINDS
};

/* Where the CPU was; the values are PERF_RECORD_MISC_CPUMODE's. */
enum cpu_mode {
	CPU_MODE_UNKNOWN = 0,
	CPU_MODE_KERNEL = 1,
	CPU_MODE_USER = 2,
	CPU_MODE_HYPERVISOR = 3,
	CPU_MODE_GUEST_KERNEL = 4,
	CPU_MODE_GUEST_USER = 5,
};

/* Registers by the kernel's numbers (asm/perf_regs.h of the sample's
 * architecture): values[i] belongs to the i-th set bit of mask. */
struct sample_regs {
	uint64_t abi; /* 0 none, 1 32-bit, 2 64-bit */
	uint64_t mask;
	const uint64_t *values;
};

struct branch_entry { /* as the kernel's perf_branch_entry, newest first */
	uint64_t from, to, flags;
};

struct sample {
	uint64_t ip;
	uint64_t address; /* PERF_SAMPLE_ADDR */
	uint64_t period;  /* in units of the event; where it is not recorded,
			   * the event's fixed period, or 1 */
	uint64_t cgroup;  /* cgroup id; 0 where not recorded */
	enum cpu_mode mode;
	bool is_exact_ip; /* PERF_RECORD_MISC_EXACT_IP */

	/* Leaf first, with PERF_CONTEXT_* markers between the parts. */
	const uint64_t *callchain;
	uint64_t n_callchain;

	const struct branch_entry *branches;
	uint64_t n_branches;

	struct sample_regs user_regs;

	/* A copy of the top of the user stack, from the sampled stack
	 * pointer upwards; stack_size is what the kernel really copied. */
	const uint8_t *stack;
	uint64_t stack_size;
	bool has_stack; /* STACK_USER was asked for, even if nothing came */

	const uint8_t *raw;
	uint32_t raw_size;
};

struct event_mmap {
	uint64_t start, length, page_offset;
	uint32_t major, minor;
	uint64_t inode, inode_generation;
	uint8_t build_id[BUILD_ID_MAX];
	uint8_t build_id_size; /* 0: then major, minor, inode are set */
	uint32_t protection;   /* PROT_*; PROT_EXEC for an old MMAP record */
	bool is_data;	       /* not executable */
	bool is_shared;	       /* MAP_SHARED; false for an old MMAP record */
	bool is_kernel;	       /* of the kernel or a module */
	const char *path;
};

struct event_comm {
	const char *comm;
	bool is_exec;
};

struct event_fork { /* FORK: pid, tid of the child; EXIT: of the ended one */
	uint32_t parent_pid, parent_tid;
};

struct event_lost {
	uint64_t count;
};

struct event_switch {
	bool is_out;
	bool is_preempted; /* only with is_out: it stays runnable */
	bool is_cpu_wide;  /* then the other thread of the switch is known: */
	uint32_t other_pid, other_tid;
};

/* Order of the kernel's NR_NAMESPACES list. */
enum namespace_kind {
	NAMESPACE_NET,
	NAMESPACE_UTS,
	NAMESPACE_IPC,
	NAMESPACE_PID,
	NAMESPACE_USER,
	NAMESPACE_MNT,
	NAMESPACE_CGROUP,
	NAMESPACE_KINDS
};

struct event_namespaces {
	uint64_t inode[NAMESPACE_KINDS]; /* 0 = not told */
};

struct event_ksymbol {
	uint64_t address;
	uint32_t length;
	uint16_t type; /* 1 BPF, 2 out of line */
	bool is_unregister;
	const char *name;
};

struct event_bpf {
	uint16_t type; /* 1 load, 2 unload */
	uint32_t id;
	uint8_t tag[8];
};

struct event_cgroup {
	uint64_t id;
	const char *path;
};

struct event {
	enum event_kind kind;
	uint32_t type;	/* the record's own number */
	uint16_t misc;	/* the record's own flags */
	uint32_t event; /* index of the event (attr) it belongs to */
	uint64_t time;	/* ns of the session's clock; 0 where not recorded */
	uint32_t pid, tid;
	uint32_t cpu; /* EVENT_NO_CPU where not recorded */
	union {
		struct sample sample;
		struct event_mmap mmap;
		struct event_comm comm;
		struct event_fork fork;
		struct event_lost lost;
		struct event_switch switched;
		struct event_namespaces namespaces;
		struct event_ksymbol ksymbol;
		struct event_bpf bpf;
		struct event_cgroup cgroup;
	};
};

#define EVENT_NO_CPU UINT32_MAX

#endif
