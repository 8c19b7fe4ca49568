#include "perfcore/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perfcore/mem.h"
#include "perfcore/session_state.h"
#include "perfcore/sys.h"

#define TRACKING_PAGES	   64  /* 256 kB: 1,000 execs a second between drains */
#define SWITCH_PAGES	   256 /* 64 bytes a switch: 16,384 of them */
#define WAIT_PAGES	   512 /* 2 MB: 128 copies of stacks */
#define FILES_BESIDE	   64  /* standard streams, outputs, /proc */
#define FILES_FOR_BINARIES 960 /* wished for, not needed */

uint64_t *session_lost_of(struct session_counts *counts, enum role role)
{
	switch (role) {
	case ROLE_TRACKING:
		return &counts->lost_tracking;
	case ROLE_WAITS:
		return &counts->lost_waits;
	case ROLE_SWITCHES:
		return &counts->lost_switches;
	default:
		return &counts->lost;
	}
}

void session_counts_read(const struct stream *stream,
			 struct session_counts *counts)
{
	uint64_t values[5] = { 0 }; /* value, enabled, running, id, lost */
	ssize_t got = sys_read(stream->fd, values, sizeof(values));

	if (got < (ssize_t)(3 * sizeof(values[0])))
		return;
	*session_lost_of(counts, stream->role) += values[4];
	if (stream->role != ROLE_SAMPLING)
		return;
	counts->enabled_ns += values[1];
	counts->running_ns += values[2];
}

void session_stream_close(struct stream *stream)
{
	ring_close(&stream->ring);
	if (stream->fd >= 0)
		sys_close(stream->fd);
	stream->fd = -1;
}

static int stream_map(struct session *session, struct stream *stream,
		      struct error *error)
{
	uint32_t *pages = &session->pages[stream->role];
	int result;

	while ((result = ring_open(&stream->ring, stream->fd, *pages)) ==
		       -EPERM &&
	       *pages > 1)
		*pages /= 2; /* the budget of locked memory: less will do */
	if (result < 0) {
		char limit[32] = "?";

		sys_read_text("/proc/sys/kernel/perf_event_mlock_kb", limit,
			      sizeof(limit));
		return error_set(
			error, result,
			"no memory for the ring of CPU %u: %s. Even the "
			"smallest rings take %zu CPUs x %u events x 2 pages = "
			"%zu kB; kernel.perf_event_mlock_kb allows %s kB for "
			"each CPU, then RLIMIT_MEMLOCK (ulimit -l) counts",
			stream->cpu, strerror(-result), session->n_cpus,
			session->n_roles,
			session->n_cpus * session->n_roles * 8, limit);
	}
	return 0;
}

static struct perf_event_attr *attr_of(struct session *session, enum role role)
{
	switch (role) {
	case ROLE_TRACKING:
		return &session->choice.tracking;
	case ROLE_WAITS:
		return &session->choice.waits;
	case ROLE_SWITCHES:
		return &session->choice.switches;
	default:
		return &session->choice.sampling;
	}
}

static int stream_open(struct session *session, struct stream *stream,
		       struct error *error)
{
	struct perf_event_attr attr = *attr_of(session, stream->role);

	if (attr.watermark && !attr.wakeup_watermark)
		attr.wakeup_watermark = session->pages[stream->role] * 4096 / 2;
	stream->fd = sys_perf_open(&attr, -1, (int)stream->cpu, 0);
	if (stream->fd < 0) {
		if (stream->fd == -EACCES || stream->fd == -EPERM)
			return event_choice_refusal(stream->fd, error);
		return error_set(error, stream->fd,
				 "opening %s on CPU %u: %s (%zu CPUs x %u "
				 "events = %zu file descriptors)",
				 session->choice.spec.name, stream->cpu,
				 strerror(-stream->fd), session->n_cpus,
				 session->n_roles,
				 session->n_cpus * session->n_roles);
	}
	return stream_map(session, stream, error);
}

int session_cpu_open(struct session *session, struct cpu_state *state,
		     struct error *error)
{
	int result = 0;

	for (uint32_t role = 0; role < session->n_roles; role++)
		state->streams[role] = (struct stream){ .fd = -1,
							.role = role,
							.cpu = state->cpu };
	for (uint32_t role = 0; role < session->n_roles && result == 0; role++)
		result = stream_open(session, &state->streams[role], error);
	if (result < 0) {
		for (uint32_t role = 0; role < session->n_roles; role++)
			session_stream_close(&state->streams[role]);
		return result;
	}
	state->is_open = true;
	return 0;
}

void session_polls_rebuild(struct session *session)
{
	size_t n = 0;

	session->polls =
		mem_realloc(session->polls, session->n_cpus * session->n_roles *
						    sizeof(struct pollfd));
	/* Tracking rings last: waiting leaves them out at will. */
	for (int role = (int)session->n_roles - 1; role >= 0; role--)
		for (size_t i = 0; i < session->n_cpus; i++)
			if (session->cpus[i]->is_open)
				session->polls[n++] = (struct pollfd){
					session->cpus[i]->streams[role].fd,
					POLLIN, 0
				};
	session->n_polls = n;
}

struct cpu_state *session_cpu_add(struct session *session, uint32_t cpu)
{
	struct cpu_state *state = mem_calloc(1, sizeof(*state));

	state->cpu = cpu;
	session->cpus =
		mem_grow(session->cpus, session->n_cpus,
			 &session->cpus_capacity, sizeof(*session->cpus));
	session->cpus[session->n_cpus++] = state;
	return state;
}

static int files_budget(size_t n_cpus, uint32_t n_roles, struct error *error)
{
	uint64_t needed = n_cpus * n_roles + FILES_BESIDE;
	uint64_t limit = sys_raise_files(needed + FILES_FOR_BINARIES);

	if (limit >= needed)
		return 0;
	return error_set(error, -EMFILE,
			 "too few file descriptors: %zu CPUs x %u events + %d "
			 "others = %llu, the limit is %llu; raise it (ulimit "
			 "-n %llu, or LimitNOFILE= in a unit)",
			 n_cpus, n_roles, FILES_BESIDE,
			 (unsigned long long)needed, (unsigned long long)limit,
			 (unsigned long long)needed);
}

/* Half a second of samples, at most 4 MB a CPU for copies of stacks; or what
 * was asked for. A ring is a power of two. */
static uint32_t pages_by_need(const struct session *session)
{
	const struct session_options *options = &session->options;
	uint64_t rate =
		session->choice.freq_hz ? session->choice.freq_hz : 10000;
	uint64_t record = options->stacks == SESSION_STACKS_COPY
				  ? options->stack_size + 512
				  : 512;
	uint64_t limit = options->stacks == SESSION_STACKS_COPY ? 1024 : 256;
	uint64_t wanted = rate * record / 2 / 4096;
	uint64_t pages = 32;

	if (options->pages) {
		limit = wanted = options->pages;
		pages = 1;
	}
	while (pages < limit && pages < wanted)
		pages *= 2;
	return (uint32_t)pages;
}

static int cpus_open(struct session *session, const struct cpus *online,
		     struct error *error)
{
	for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
		if (cpus_has(online, cpu))
			session_cpu_add(session, cpu);
	for (size_t i = 0; i < session->n_cpus; i++) {
		int result = session_cpu_open(session, session->cpus[i], error);

		if (result == -ENODEV)
			continue; /* went offline since the list was read */
		if (result < 0)
			return result;
	}
	return 0;
}

static void info_fill(struct session *session)
{
	struct source_event *events = session->events;

	uname(&session->system);
	events[ROLE_SAMPLING] = (struct source_event){
		.name = session->choice.spec.name,
		.attr = session->choice.sampling,
		.is_clock = session->choice.spec.is_clock,
		.is_sampling = true,
	};
	events[ROLE_TRACKING] =
		(struct source_event){ .name = "dummy",
				       .attr = session->choice.tracking };
	events[ROLE_WAITS] =
		(struct source_event){ .name = "context-switches",
				       .attr = session->choice.waits };
	events[ROLE_SWITCHES] =
		(struct source_event){ .name = "dummy",
				       .attr = session->choice.switches };
	for (uint32_t role = 0; role < session->n_roles; role++)
		session->formats[role] =
			record_format_of(&events[role].attr, role);
	session->info = (struct source_info){
		.host = session->system.nodename,
		.kernel = session->system.release,
		.arch = session->system.machine,
		.n_cpus = session_cpus(session),
		.events = events,
		.n_events = session->n_roles,
		.is_live = true,
	};
}

int session_open(struct session **out, const struct session_options *options,
		 struct notes *notes, struct error *error)
{
	struct session *session = mem_calloc(1, sizeof(*session));
	struct cpus online;
	uint32_t first = 0;
	int result = cpus_online(&online);

	*out = NULL;
	session->source.ops = &session_ops;
	session->options = *options;
	session->n_roles = options->off_cpu ? ROLES : ROLE_SAMPLING + 1;
	session->notes = notes;
	session->uevents = sys_uevent_open();
	if (result < 0) {
		error_set(error, result,
			  "which CPUs are online cannot be read from "
			  "/sys/devices/system/cpu/online: %s",
			  strerror(-result));
		goto out;
	}
	result = files_budget(online.count, session->n_roles, error);
	if (result < 0)
		goto out;
	while (!cpus_has(&online, first))
		first++;
	result = event_choice_make(&session->choice, options, (int)first, notes,
				   error);
	if (result < 0)
		goto out;
	session->pages[ROLE_SAMPLING] = pages_by_need(session);
	session->pages[ROLE_TRACKING] = TRACKING_PAGES;
	session->pages[ROLE_WAITS] = WAIT_PAGES;
	session->pages[ROLE_SWITCHES] = SWITCH_PAGES;
	result = cpus_open(session, &online, error);
	if (result < 0)
		goto out;
	session_polls_rebuild(session);
	info_fill(session);
	*out = session;
	return 0;
out:
	session_free(session);
	return result;
}

void session_free(struct session *session)
{
	if (!session)
		return;
	for (size_t i = 0; i < session->n_cpus; i++) {
		if (session->cpus[i]->is_open)
			for (uint32_t role = 0; role < session->n_roles; role++)
				session_stream_close(
					&session->cpus[i]->streams[role]);
		free(session->cpus[i]);
	}
	if (session->uevents >= 0)
		sys_close(session->uevents);
	free(session->cpus);
	free(session->polls);
	order_destroy(&session->order);
	free(session);
}

void session_cpu_enable(const struct session *session, struct cpu_state *state)
{
	for (uint32_t role = 0; role < session->n_roles; role++)
		sys_ioctl(state->streams[role].fd, PERF_EVENT_IOC_ENABLE, 0);
}

int session_start(struct session *session, struct error *error)
{
	if (session_cpus(session) == 0)
		return error_set(error, -ENODEV, "no CPU could be sampled");
	session->info.wall_start_ns = sys_clock_ns(CLOCK_REALTIME);
	session->info.clock_start_ns = sys_clock_ns(CLOCK_MONOTONIC);
	session->cpu_check_ns = session->info.clock_start_ns;
	session->token_ns = session->info.clock_start_ns;
	for (size_t i = 0; i < session->n_cpus; i++)
		if (session->cpus[i]->is_open)
			session_cpu_enable(session, session->cpus[i]);
	session->is_running = true;
	return 0;
}

void session_stop(struct session *session)
{
	uint64_t now = sys_clock_ns(CLOCK_MONOTONIC);

	if (!session->is_running)
		return;
	for (size_t i = 0; i < session->n_cpus; i++) {
		struct cpu_state *state = session->cpus[i];

		if (state->is_open)
			for (uint32_t role = 0; role < session->n_roles; role++)
				sys_ioctl(state->streams[role].fd,
					  PERF_EVENT_IOC_DISABLE, 0);
		else if (state->gone_ns)
			session->counts.offline_ns += now - state->gone_ns;
		if (state->throttled_ns)
			session->counts.throttled_ns +=
				now - state->throttled_ns;
	}
	session->is_running = false;
}

void session_set_wait_period(struct session *session, uint64_t period)
{
	session->choice.waits.sample_period = period; /* of CPUs to come */
	for (size_t i = 0; i < session->n_cpus; i++)
		if (session->cpus[i]->is_open)
			sys_ioctl(session->cpus[i]->streams[ROLE_WAITS].fd,
				  PERF_EVENT_IOC_PERIOD,
				  (unsigned long)&period);
}

uint64_t session_freq_hz(const struct session *session)
{
	return session->choice.freq_hz;
}

const char *session_fallback_reason(const struct session *session)
{
	return session->choice.reason;
}

struct source *session_source(struct session *session)
{
	return &session->source;
}

uint64_t session_ring_bytes(const struct session *session)
{
	uint64_t pages = session->n_roles; /* one for the head of each */

	for (uint32_t role = 0; role < session->n_roles; role++)
		pages += session->pages[role];
	return session_cpus(session) * pages * 4096;
}

uint32_t session_cpus(const struct session *session)
{
	uint32_t count = 0;

	for (size_t i = 0; i < session->n_cpus; i++)
		count += session->cpus[i]->is_open;
	return count;
}
