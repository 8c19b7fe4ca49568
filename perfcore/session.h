/*
 * A recording session: events and rings on all online CPUs, read as one
 * source of events in time order.
 *
 * Each CPU has two events with a ring each. The sampling event is the one
 * that was asked for. The tracking event (a dummy) carries who runs and what
 * is mapped, so that no flood of samples can push those records out, and can
 * wake the reader early: a process of a few milliseconds has then still its
 * files when they are opened (session_scan). With off_cpu there are two more:
 * one event records every switch of threads, without stacks; the other one
 * takes the stack of each N-th thread that leaves its CPU, ahead of the
 * switch's own record. Walking a stack is what costs, so N bounds the cost.
 *
 * Rings are merged by time where they lie. A record is delivered once every
 * ring has been read up to its time (SESSION_SLACK_NS covers records that an
 * interrupted writer has stamped but not yet published).
 */
#ifndef PERFCORE_SESSION_H
#define PERFCORE_SESSION_H

#include "perfcore/event_spec.h"
#include "perfcore/notes.h"
#include "perfcore/source.h"

#define SESSION_SLACK_NS    10000000ull
#define SESSION_WAIT_PERIOD 31

/* Indices of a session's events in its source_info. */
enum session_event {
	SESSION_TRACKING,
	SESSION_SAMPLING,
	SESSION_WAITS,	  /* only with off_cpu */
	SESSION_SWITCHES, /* only with off_cpu */
};

enum session_stacks {
	SESSION_STACKS_NONE,
	SESSION_STACKS_FP,   /* kernel and user callchains by frame pointer */
	SESSION_STACKS_COPY, /* kernel callchain, user registers and a copy */
};

struct session_options {
	const char *event; /* NULL: the ladder */
	uint64_t freq_hz;  /* 0: by period */
	uint64_t period;
	enum session_stacks stacks;
	uint32_t stack_size; /* bytes copied of each user stack */
	uint32_t pages;	     /* of each sampling ring; 0: by need */
	bool off_cpu;	     /* switches too, and stacks of some of them */
};

/* What the kernel counted; the sampling events of all CPUs together. */
struct session_counts {
	uint64_t lost;		/* samples that found no room */
	uint64_t lost_hardware; /* LOST_SAMPLES */
	uint64_t lost_tracking; /* records of who runs and what is mapped */
	uint64_t lost_switches; /* records of switches */
	uint64_t lost_waits;	/* stacks of switches */
	uint64_t throttles;
	uint64_t throttled_ns; /* CPU time without samples for it */
	uint64_t late;	       /* records delivered after younger ones */
	uint64_t malformed;    /* records that could not be read */
	uint64_t enabled_ns,
		running_ns;  /* unequal: the event was multiplexed */
	uint64_t offline_ns; /* CPU time while CPUs were away */
	uint64_t wakeups;
};

struct session;

/*
 * Opens everything, disabled. Returns 0 or -errno with error filled: -EACCES
 * or -EPERM when not permitted (the text says what would help), -ENOENT for
 * an unknown event, -EMFILE or -ENOMEM with the arithmetic when file
 * descriptors or ring memory do not suffice. What was lowered or left out is
 * a note.
 */
int session_open(struct session **session,
		 const struct session_options *options, struct notes *notes,
		 struct error *error);
void session_free(struct session *session);

int session_start(struct session *session, struct error *error);

/* Stops all events; the source then delivers what is still in the rings. */
void session_stop(struct session *session);

enum session_wake {
	SESSION_WAKE_TIMEOUT, /* or a signal */
	SESSION_WAKE_SAMPLES, /* a sampling ring is half full */
	SESSION_WAKE_TRACKING,
};

/*
 * Waits until a sampling ring is half full, timeout_ms have passed, a signal
 * came, or (within a budget, so that a storm of short processes costs no
 * more) a tracking record was written. Returns 0 or -errno other than -EINTR.
 * Also notices CPUs that went or came.
 */
int session_wait(struct session *session, int timeout_ms,
		 enum session_wake *wake, struct error *error);

/* Delivers each new tracking record once, ahead of its turn and still to be
 * delivered in order, for what cannot wait: opening files, naming cgroups. */
void session_scan(struct session *session,
		  void (*see)(void *context, const struct event *event),
		  void *context);

/*
 * Lets the source deliver all records up to now: call it before a round of
 * source_next(), which then returns 0 at the end of the round.
 */
void session_refresh(struct session *session);

/* Borrowed; lives as long as the session. */
struct source *session_source(struct session *session);

void session_counts(struct session *session, struct session_counts *counts);

/* Frequency or period as really used, after the kernel's limits. */
uint64_t session_freq_hz(const struct session *session);

/* From now on the stack of each period-th switch (at least 1) of a CPU is
 * taken; sessions with off_cpu begin with SESSION_WAIT_PERIOD. */
void session_set_wait_period(struct session *session, uint64_t period);

/* Why the event is another one than the first choice; "" when it is not. */
const char *session_fallback_reason(const struct session *session);

/* Bytes of ring memory, and how many CPUs are sampled now. */
uint64_t session_ring_bytes(const struct session *session);
uint32_t session_cpus(const struct session *session);

#endif
