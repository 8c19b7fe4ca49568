/*
 * The inside of a session, shared by its three files: session.c opens and
 * closes, session_read.c delivers events, session_hotplug.c follows CPUs that
 * go and come. Nobody else includes this.
 */
#ifndef PERFCORE_SESSION_STATE_H
#define PERFCORE_SESSION_STATE_H

#include <sys/utsname.h>

#include "perfcore/cpus.h"
#include "perfcore/event_choice.h"
#include "perfcore/order.h"
#include "perfcore/record.h"
#include "perfcore/ring.h"
#include "perfcore/session.h"

/* Their order is that of delivery at equal times: who runs is known before
 * its samples, the stack of a wait before the switch that begins it. */
enum role {
	ROLE_TRACKING = SESSION_TRACKING,
	ROLE_SAMPLING = SESSION_SAMPLING,
	ROLE_WAITS = SESSION_WAITS,
	ROLE_SWITCHES = SESSION_SWITCHES,
	ROLES
};

struct stream {
	int fd;
	struct ring ring;
	enum role role;
	uint32_t cpu;
	bool is_queued; /* stands in the order */
};

struct cpu_state {
	uint32_t cpu;
	bool is_open;
	bool is_leaving;       /* offline, its rings not yet read out */
	uint64_t gone_ns;      /* when it went; 0 while it is here */
	uint64_t throttled_ns; /* since when; 0: not throttled */
	struct stream streams[ROLES];
};

struct session {
	struct source source; /* first: a source is cast to its session */
	struct session_options options;
	struct event_choice choice;
	uint32_t n_roles; /* in use: ROLES, or without off_cpu the first two */
	struct record_format formats[ROLES];
	struct source_event events[ROLES];
	struct source_info info;
	struct utsname system;
	struct notes *notes;

	struct cpu_state **cpus; /* in order of their first appearance */
	size_t n_cpus, cpus_capacity;
	struct pollfd *polls; /* tracking rings last */
	size_t n_polls;
	uint32_t pages[ROLES]; /* of each ring's data */
	bool is_running;

	struct order order;
	struct stream *current; /* its record was delivered last */
	const struct perf_event_header *record;
	uint64_t watermark;    /* records up to here may be delivered */
	uint64_t delivered_ns; /* the latest time delivered */

	uint64_t cpu_check_ns;
	int uevents; /* messages of CPUs that go; negative: none to be had */
	double wakeup_tokens;
	uint64_t token_ns;
	struct session_counts counts; /* without the open events' own */
};

extern const struct source_ops session_ops;

struct cpu_state *session_cpu_add(struct session *session, uint32_t cpu);

/* Returns 0 or -errno; -ENODEV: the CPU is offline. */
int session_cpu_open(struct session *session, struct cpu_state *state,
		     struct error *error);
void session_cpu_enable(const struct session *session, struct cpu_state *state);
void session_stream_close(struct stream *stream);
void session_polls_rebuild(struct session *session);

/* Where what a role has lost is counted. */
uint64_t *session_lost_of(struct session_counts *counts, enum role role);

/* Adds what the kernel counted for one open event. */
void session_counts_read(const struct stream *stream,
			 struct session_counts *counts);

/* Four times a second: drops CPUs that went offline, opens those that came. */
void session_follow_cpus(struct session *session, uint64_t now);

#endif
