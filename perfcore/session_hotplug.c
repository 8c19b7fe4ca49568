#include "perfcore/session_state.h"

#include <errno.h>
#include <stdio.h>

#include "perfcore/sys.h"

#define CHECK_EVERY_NS 250000000ull

/*
 * A CPU that goes offline takes its events with it: the kernel never brings
 * them back (seen on 6.18), so they are closed, what they counted is kept,
 * and new ones are opened when the CPU returns (case C49). They are closed
 * one check later than the CPU was missed, when their rings are read out.
 */
static void cpu_missed(struct session *session, struct cpu_state *state,
		       uint64_t now)
{
	state->is_leaving = true;
	state->gone_ns = now;
	notes_add(session->notes, "CPU %u went offline while recording",
		  state->cpu);
}

static void cpu_went(struct session *session, struct cpu_state *state)
{
	for (uint32_t role = 0; role < session->n_roles; role++) {
		struct stream *stream = &state->streams[role];

		session_counts_read(stream, &session->counts);
		session->counts.malformed += stream->ring.broken;
		session_stream_close(stream);
	}
	if (state->throttled_ns)
		session->counts.throttled_ns +=
			state->gone_ns - state->throttled_ns;
	state->throttled_ns = 0;
	state->is_open = false;
	state->is_leaving = false;
}

static void cpu_came(struct session *session, struct cpu_state *state,
		     uint64_t now)
{
	struct error error;

	if (session_cpu_open(session, state, &error) < 0) {
		notes_add(session->notes,
			  "CPU %u came online but could not be sampled: %s",
			  state->cpu, error.text);
		return;
	}
	if (state->gone_ns) {
		double away_s = (double)(now - state->gone_ns) / 1e9;

		session->counts.offline_ns += now - state->gone_ns;
		notes_add(session->notes,
			  "CPU %u was away for %.1f s: nothing was sampled "
			  "there",
			  state->cpu, away_s);
	} else {
		notes_add(session->notes, "CPU %u came online while recording",
			  state->cpu);
	}
	state->gone_ns = 0;
	session_cpu_enable(session, state);
}

static struct cpu_state *cpu_find(struct session *session, uint32_t cpu)
{
	for (size_t i = 0; i < session->n_cpus; i++)
		if (session->cpus[i]->cpu == cpu)
			return session->cpus[i];
	return NULL;
}

/*
 * A CPU may be away for less time than between two looks at the list, and its
 * events are dead all the same: the kernel's messages tell of that.
 *
 *   offline@/devices/system/cpu/cpu1
 */
static void messages_read(struct session *session, uint64_t now)
{
	char text[4096];
	ssize_t length;

	while (session->uevents >= 0 &&
	       (length = sys_read(session->uevents, text, sizeof(text) - 1)) >
		       0) {
		struct cpu_state *state;
		unsigned cpu;

		text[length] = '\0';
		if (sscanf(text, "offline@/devices/system/cpu/cpu%u", &cpu) !=
		    1)
			continue;
		state = cpu_find(session, cpu);
		if (state && state->is_open && !state->is_leaving)
			cpu_missed(session, state, now);
	}
}

/* Streams of closed events must not stand in the order. */
static void order_rebuild(struct session *session)
{
	session->order.count = 0;
	for (size_t i = 0; i < session->n_cpus; i++)
		for (uint32_t role = 0; role < session->n_roles; role++)
			session->cpus[i]->streams[role].is_queued = false;
}

void session_follow_cpus(struct session *session, uint64_t now)
{
	struct cpus online;
	bool has_changed = false;

	if (!session->is_running || session->current ||
	    now - session->cpu_check_ns < CHECK_EVERY_NS)
		return;
	session->cpu_check_ns = now;
	if (cpus_online(&online) < 0)
		return;
	for (size_t i = 0; i < session->n_cpus; i++) {
		if (!session->cpus[i]->is_leaving)
			continue;
		cpu_went(session, session->cpus[i]);
		has_changed = true;
	}
	messages_read(session, now);
	for (size_t i = 0; i < session->n_cpus; i++) {
		struct cpu_state *state = session->cpus[i];

		if (state->is_open && !state->is_leaving &&
		    !cpus_has(&online, state->cpu))
			cpu_missed(session, state, now);
	}
	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++) {
		struct cpu_state *state;

		if (!cpus_has(&online, cpu))
			continue;
		state = cpu_find(session, cpu);
		if (state && state->is_open)
			continue;
		cpu_came(session, state ? state : session_cpu_add(session, cpu),
			 now);
		has_changed = true;
	}
	if (!has_changed)
		return;
	order_rebuild(session);
	session_polls_rebuild(session);
}
