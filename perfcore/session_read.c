#include "perfcore/session_state.h"

#include <errno.h>
#include <string.h>

#include "perfcore/sys.h"

#define WAKEUPS_PER_S 400 /* early ones, for tracking records */

static struct stream *stream_at(struct session *session, uint32_t number)
{
	return &session->cpus[number / session->n_roles]
			->streams[number % session->n_roles];
}

static struct stream *stream_next(struct session *session, size_t *at)
{
	while (*at < session->n_cpus * session->n_roles) {
		size_t i = (*at)++;

		if (session->cpus[i / session->n_roles]->is_open)
			return stream_at(session, (uint32_t)i);
	}
	return NULL;
}

/* Before 6.0 the kernel does not count what is lost in the event itself;
 * then the LOST records stand for it. The two are never added. */
static bool counts_lost_itself(const struct session *session)
{
	return session->choice.sampling.read_format & 1u << 4;
}

void session_counts(struct session *session, struct session_counts *counts)
{
	struct stream *stream;
	size_t at = 0;

	*counts = session->counts;
	while ((stream = stream_next(session, &at))) {
		session_counts_read(stream, counts);
		counts->malformed += stream->ring.broken;
	}
}

/* All but tracking's. */
static size_t polls_of_samples(const struct session *session)
{
	return session->n_polls / session->n_roles * (session->n_roles - 1);
}

/*
 * An early wake-up for each tracking record is worth its price only while
 * there are few: past the budget the tracking rings are not waited for.
 */
static size_t polls_wanted(struct session *session, uint64_t now)
{
	double passed_s = (double)(now - session->token_ns) / 1e9;

	session->token_ns = now;
	session->wakeup_tokens += passed_s * WAKEUPS_PER_S;
	if (session->wakeup_tokens > WAKEUPS_PER_S / 4.0)
		session->wakeup_tokens = WAKEUPS_PER_S / 4.0;
	return session->wakeup_tokens >= 1 ? session->n_polls
					   : polls_of_samples(session);
}

static enum session_wake wake_of(const struct session *session)
{
	for (size_t i = 0; i < polls_of_samples(session); i++)
		if (session->polls[i].revents)
			return SESSION_WAKE_SAMPLES;
	return SESSION_WAKE_TRACKING;
}

int session_wait(struct session *session, int timeout_ms,
		 enum session_wake *wake, struct error *error)
{
	uint64_t now = sys_clock_ns(CLOCK_MONOTONIC);
	int ready;

	*wake = SESSION_WAKE_TIMEOUT;

	session_follow_cpus(session, now);
	ready = sys_poll(session->polls, polls_wanted(session, now),
			 timeout_ms);
	if (ready > 0) {
		session->counts.wakeups++;
		session->wakeup_tokens -= 1;
		*wake = wake_of(session);
	}
	if (ready < 0 && ready != -EINTR)
		return error_set(error, ready, "waiting for samples: %s",
				 strerror(-ready));
	return 0;
}

void session_scan(struct session *session,
		  void (*see)(void *context, const struct event *event),
		  void *context)
{
	const struct perf_event_header *record;
	struct stream *stream;
	struct event event;
	size_t at = 0;

	while ((stream = stream_next(session, &at))) {
		if (stream->role != ROLE_TRACKING)
			continue;
		ring_refresh(&stream->ring);
		while ((record = ring_scan(&stream->ring)))
			if (record_decode(record,
					  &session->formats[ROLE_TRACKING],
					  &event) == 0)
				see(context, &event);
	}
}

/* Puts a stream into the order by its next record, if it has one. */
static void stream_queue(struct session *session, uint32_t number)
{
	struct stream *stream = stream_at(session, number);
	const struct perf_event_header *record = ring_peek(&stream->ring);

	if (!record || stream->is_queued)
		return;
	stream->is_queued = true;
	order_push(&session->order,
		   record_time(record, &session->formats[stream->role]),
		   number);
}

/* Steps over the record delivered last and gives its stream its new place. */
static void current_consume(struct session *session)
{
	struct stream *stream = session->current;
	const struct perf_event_header *next;

	ring_consume(&stream->ring, session->record);
	session->current = NULL;
	next = ring_peek(&stream->ring);
	if (next) {
		order_retime_top(
			&session->order,
			record_time(next, &session->formats[stream->role]));
		return;
	}
	order_pop(&session->order);
	stream->is_queued = false;
}

void session_refresh(struct session *session)
{
	/* Read before the heads: what was written before now, less the slack,
	 * lies below them. A ring that is filling up cannot wait that long:
	 * better a record out of order than one lost. */
	uint64_t now = sys_clock_ns(CLOCK_MONOTONIC);
	uint64_t slack = SESSION_SLACK_NS;

	/* While it stands on top of the order: others may come before it. */
	if (session->current)
		current_consume(session);
	for (uint32_t i = 0; i < session->n_cpus * session->n_roles; i++) {
		struct ring *ring = &stream_at(session, i)->ring;

		if (!session->cpus[i / session->n_roles]->is_open)
			continue;
		ring_refresh(ring);
		stream_queue(session, i);
		if (ring->head - ring->given > ring->size / 2)
			slack = 0;
	}
	session->watermark = session->is_running ? now - slack : UINT64_MAX;
}

static void rings_release(struct session *session)
{
	struct stream *stream;
	size_t at = 0;

	while ((stream = stream_next(session, &at)))
		if (stream->ring.given != stream->ring.at)
			ring_release(&stream->ring);
}

/* What the kernel says of its own troubles is counted on its way through. */
static void event_count(struct session *session, struct cpu_state *state,
			const struct event *event)
{
	struct session_counts *counts = &session->counts;

	if (event->kind == EVENT_LOST && !counts_lost_itself(session))
		*session_lost_of(counts, event->event) += event->lost.count;
	if (event->kind == EVENT_LOST_SAMPLES)
		counts->lost_hardware += event->lost.count;
	if (event->kind == EVENT_THROTTLE && !state->throttled_ns) {
		counts->throttles++;
		state->throttled_ns = event->time;
	}
	if (event->kind == EVENT_UNTHROTTLE && state->throttled_ns) {
		if (event->time > state->throttled_ns)
			counts->throttled_ns +=
				event->time - state->throttled_ns;
		state->throttled_ns = 0;
	}
}

static int session_next(struct source *source, struct event *event,
			struct error *error)
{
	struct session *session = (struct session *)source;
	const struct order_entry *top;

	(void)error;
	for (;;) {
		if (session->current)
			current_consume(session);
		top = order_top(&session->order);
		if (!top || top->time > session->watermark)
			break;
		session->current = stream_at(session, top->stream);
		session->record = ring_peek(&session->current->ring);
		if (record_decode(session->record,
				  &session->formats[session->current->role],
				  event) < 0) {
			session->counts.malformed++;
			continue;
		}
		if (top->time < session->delivered_ns)
			session->counts.late++;
		else
			session->delivered_ns = top->time;
		event_count(session,
			    session->cpus[top->stream / session->n_roles],
			    event);
		return 1;
	}
	rings_release(session);
	return 0;
}

static const struct source_info *session_info(const struct source *source)
{
	return &((const struct session *)source)->info;
}

static void session_source_free(struct source *source)
{
	session_free((struct session *)source);
}

const struct source_ops session_ops = {
	.next = session_next,
	.info = session_info,
	.free = session_source_free,
};
