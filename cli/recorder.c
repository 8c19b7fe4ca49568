#include "cli/recorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/trust.h"
#include "perfcore/accounting.h"
#include "perfcore/mem.h"
#include "perfcore/sys.h"

#define DRAIN_EVERY_MS 200
#define WAIT_STACK_NS  20000 /* to take one, copy it and unwind it */

struct recorder {
	const struct recorder_options *options;
	struct session *session;
	struct pipeline *pipeline;
	struct accounting *accounting;
	struct raw_recording *raw; /* NULL: none */
	struct notes notes;	   /* of opening, before there is a profile */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t wall_begin_ns;
	uint64_t cpu_begin_ns; /* CLOCK_PROCESS_CPUTIME_ID */
	uint64_t paced_ns;     /* when the period of stacks was last set */
	uint64_t paced_switches;
};

static uint32_t max_callchain(void)
{
	char text[32];

	if (sys_read_text("/proc/sys/kernel/perf_event_max_stack", text,
			  sizeof(text)) <= 0)
		return 127; /* the kernel's default */
	return (uint32_t)strtoul(text, NULL, 10);
}

static int recorder_open(struct recorder *recorder, struct error *error)
{
	const struct recorder_options *options = recorder->options;
	struct pipeline_config config = {
		.root = "",
		.slice_ns = options->slice_ns,
		.want_inlines = options->want_inlines,
		.filter = options->filter,
	};
	int result;

	if (options->session.stacks == SESSION_STACKS_FP)
		config.max_callchain = max_callchain();
	result = session_open(&recorder->session, &options->session,
			      &recorder->notes, error);
	if (result < 0)
		return result;
	if (options->raw_name)
		result = raw_recording_new(
			&recorder->raw, options->raw_fd, options->raw_name,
			source_info(session_source(recorder->session)),
			options->has_cgroups, error);
	if (result < 0)
		return result;
	config.raw = recorder->raw;
	recorder->pipeline = pipeline_new(
		&config, source_info(session_source(recorder->session)));
	recorder->accounting = accounting_new("");
	return 0;
}

static bool is_over(const struct recorder *recorder, uint64_t now)
{
	const struct recorder_options *options = recorder->options;

	if (options->stop && *options->stop)
		return true;
	if (options->is_over && options->is_over(options->context))
		return true;
	return options->duration_ns &&
	       now - recorder->begin_ns >= options->duration_ns;
}

/* The period that holds the stacks of waits to their budget at the present
 * rate of switches. Odd: two threads that take turns are then both met. */
static void waits_pace(struct recorder *recorder, uint64_t now)
{
	uint64_t switches = pipeline_counts(recorder->pipeline)->switches;
	double passed_ns = (double)(now - recorder->paced_ns);
	double affordable = passed_ns * session_cpus(recorder->session) *
			    recorder->options->off_cpu_budget / WAIT_STACK_NS;

	if (passed_ns < DRAIN_EVERY_MS * 1e6 / 4)
		return;
	session_set_wait_period(
		recorder->session,
		1 | (uint64_t)((double)(switches - recorder->paced_switches) /
			       (affordable > 1 ? affordable : 1)));
	recorder->paced_ns = now;
	recorder->paced_switches = switches;
}

static int drain(struct recorder *recorder, struct error *error)
{
	int result;

	session_refresh(recorder->session);
	result = pipeline_drain(recorder->pipeline,
				session_source(recorder->session), error);
	if (recorder->options->session.off_cpu)
		waits_pace(recorder, sys_clock_ns(CLOCK_MONOTONIC));
	if (result >= 0 && recorder->raw)
		result = raw_recording_flush(recorder->raw, error);
	return result;
}

/* Until the next drain is due, a name is, or the window ends. At least 1 ms, so
 * that a rounded-down rest does not spin. */
static int wait_ms(const struct recorder *recorder, uint64_t now,
		   uint64_t drained_ns)
{
	uint64_t due = drained_ns + DRAIN_EVERY_MS * 1000000ull;
	uint64_t duration = recorder->options->duration_ns;
	uint64_t attend_ns = pipeline_attend(recorder->pipeline);

	if (due > now && attend_ns < due - now)
		due = now + attend_ns;

	if (duration && recorder->begin_ns + duration < due)
		due = recorder->begin_ns + duration;
	return due <= now ? 0 : (int)((due - now) / 1000000) + 1;
}

static int window(struct recorder *recorder, struct error *error)
{
	const struct recorder_options *options = recorder->options;
	uint64_t drained_ns = recorder->begin_ns, now = drained_ns;
	int result = 0;

	while (result >= 0 && !is_over(recorder, now)) {
		enum session_wake wake;

		result = session_wait(recorder->session,
				      wait_ms(recorder, now, drained_ns), &wake,
				      error);
		if (result < 0)
			break;
		session_scan(recorder->session, pipeline_look_ahead,
			     recorder->pipeline);
		now = sys_clock_ns(CLOCK_MONOTONIC);
		if (wake != SESSION_WAKE_SAMPLES &&
		    now - drained_ns < DRAIN_EVERY_MS * 1000000ull)
			continue;
		result = drain(recorder, error);
		drained_ns = now;
		if (options->progress)
			options->progress(
				options->context,
				(double)(now - recorder->begin_ns) / 1e9,
				pipeline_counts(recorder->pipeline)->samples);
	}
	return result;
}

static int record_window(struct recorder *recorder, struct error *error)
{
	const struct recorder_options *options = recorder->options;
	int result = session_start(recorder->session, error);

	if (result < 0)
		return result;
	if (options->session.off_cpu)
		pipeline_follow_waits(recorder->pipeline);
	recorder->begin_ns = sys_clock_ns(CLOCK_MONOTONIC);
	recorder->paced_ns = recorder->begin_ns;
	recorder->wall_begin_ns = sys_clock_ns(CLOCK_REALTIME);
	result = accounting_begin(recorder->accounting, error);
	if (result < 0)
		return result;
	if (options->started)
		options->started(options->context);
	result = window(recorder, error);
	session_stop(recorder->session);
	recorder->end_ns = sys_clock_ns(CLOCK_MONOTONIC);
	if (result >= 0)
		result = accounting_end(recorder->accounting, error);
	if (result >= 0)
		result = drain(recorder, error);
	if (result >= 0 && options->session.off_cpu)
		pipeline_end_waits(recorder->pipeline, recorder->end_ns);
	return result;
}

static void notes_move(struct profile *profile, const struct notes *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		notes_add(&profile->notes, "%s", notes->items[i].text);
}

static void describe(struct recorder *recorder)
{
	struct trust_input input = {
		.options = recorder->options,
		.session = recorder->session,
		.info = source_info(session_source(recorder->session)),
		.pipeline = recorder->pipeline,
		.accounting = recorder->accounting,
		.wall_begin_ns = recorder->wall_begin_ns,
		.duration_ns = recorder->end_ns - recorder->begin_ns,
		.own_cpu_s = (double)(sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID) -
				      recorder->cpu_begin_ns) /
			     1e9,
	};

	notes_move(pipeline_profile(recorder->pipeline), &recorder->notes);
	trust_fill(&input);
}

int recorder_run(const struct recorder_options *options,
		 struct profile **profile, struct error *error)
{
	struct recorder recorder = {
		.options = options,
		.cpu_begin_ns = sys_clock_ns(CLOCK_PROCESS_CPUTIME_ID),
	};
	int result;

	*profile = NULL;
	notes_init(&recorder.notes);
	result = recorder_open(&recorder, error);
	if (result == 0)
		result = record_window(&recorder, error);
	if (result >= 0 && recorder.raw)
		result = raw_recording_finish(recorder.raw, error);
	if (result >= 0) {
		pipeline_finish(recorder.pipeline);
		describe(&recorder);
		*profile = pipeline_take(recorder.pipeline);
		result = 0;
	}
	raw_recording_free(recorder.raw);
	pipeline_free(recorder.pipeline);
	accounting_free(recorder.accounting);
	session_free(recorder.session);
	notes_destroy(&recorder.notes);
	return result;
}
