/* session.c and its parts on a fake kernel: budgets, order across CPUs,
 * losses, CPUs that go and come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_sys.h"
#include "perfcore/session.h"

#define MS 1000000ull

static struct session *session;
static struct source *source;
static struct notes notes;
static struct error error;

static int open_session(const char *online)
{
	struct session_options options = { .freq_hz = 99,
					   .stacks = SESSION_STACKS_NONE };

	fake_sys_reset(online);
	notes_destroy(&notes);
	error.text[0] = '\0';
	return session_open(&session, &options, &notes, &error);
}

static void start(const char *online)
{
	assert_int_equal(open_session(online), 0);
	source = session_source(session);
	assert_int_equal(session_start(session, &error), 0);
}

static void end(void)
{
	session_free(session);
	assert_int_equal(fake_sys_open_count(), 0);
}

/* IDENTIFIER, IP, TID, TIME, CPU, PERIOD, CGROUP */
static void put_sample(int cpu, uint64_t time)
{
	uint64_t body[] = { 1, 0x1000, 5, time, (uint64_t)cpu, 10101010, 1 };

	fake_sys_record(cpu, FAKE_SAMPLING, PERF_RECORD_SAMPLE, 2, body,
			sizeof(body));
}

/* Body of a COMM and its trailer: TID, TIME, CPU, IDENTIFIER. */
static void put_comm(int cpu, uint64_t time)
{
	uint64_t body[] = { 5, 0x6873, 5, time, (uint64_t)cpu, 1 };

	fake_sys_record(cpu, FAKE_TRACKING, PERF_RECORD_COMM, 0, body,
			sizeof(body));
}

static uint64_t next_time(enum event_kind kind)
{
	struct event event;

	if (source_next(source, &event, &error) != 1)
		return 0;
	assert_int_equal(event.kind, kind);
	return event.time;
}

static void rings_of_all_cpus_come_out_by_time_c43(void **state)
{
	uint64_t base, before = 0;

	(void)state;
	start("0-7");
	base = fake_sys.clock_ns;
	srand(1);
	for (int i = 0; i < 500; i++)
		put_sample(rand() % 8, base + (uint64_t)i * 1000);
	fake_sys.clock_ns += 100 * MS;
	session_refresh(session);
	for (int i = 0; i < 500; i++) {
		uint64_t time = next_time(EVENT_SAMPLE);

		assert_true(time >= before);
		before = time;
	}
	assert_int_equal(next_time(EVENT_SAMPLE), 0);
	end();
}

static void at_one_time_tracking_comes_first_c43(void **state)
{
	uint64_t time;

	(void)state;
	start("0-1");
	time = fake_sys.clock_ns;
	put_sample(0, time);
	put_comm(1, time - 1);
	put_sample(1, time);
	put_comm(0, time);
	fake_sys.clock_ns += 100 * MS;
	session_refresh(session);
	assert_int_equal(next_time(EVENT_COMM), time - 1);
	assert_int_equal(next_time(EVENT_COMM), time);
	assert_int_equal(next_time(EVENT_SAMPLE), time);
	assert_int_equal(next_time(EVENT_SAMPLE), time);
	end();
}

static void young_records_wait_for_the_other_rings(void **state)
{
	struct session_counts counts;
	uint64_t time;

	(void)state;
	start("0-1");
	time = fake_sys.clock_ns;
	put_sample(0, time);
	session_refresh(session); /* now - slack is before it */
	assert_int_equal(next_time(EVENT_SAMPLE), 0);
	fake_sys.clock_ns += 2 * SESSION_SLACK_NS;
	put_sample(0, time + 1);
	session_refresh(session);
	assert_int_equal(next_time(EVENT_SAMPLE), time);
	assert_int_equal(next_time(EVENT_SAMPLE), time + 1);
	put_sample(1, time - 5 * MS); /* later than any slack allows */
	session_refresh(session);
	assert_int_equal(next_time(EVENT_SAMPLE), time - 5 * MS);
	session_counts(session, &counts);
	assert_int_equal(counts.late, 1);
	put_sample(0, time + 1000 * MS); /* ahead of the clock */
	session_refresh(session);
	assert_int_equal(next_time(EVENT_SAMPLE), 0);
	session_stop(session);
	session_refresh(session); /* at the end all comes out */
	assert_int_equal(next_time(EVENT_SAMPLE), time + 1000 * MS);
	end();
}

static void losses_are_counted_once_c48(void **state)
{
	struct session_counts counts;
	uint64_t lost[] = { 1, 7, 5, 2000, 0, 1 };
	uint64_t hardware[] = { 3, 5, 2001, 0, 1 };
	uint64_t throttle[] = { 0, 1, 1, 5, 0, 0, 1 };
	struct event event;

	(void)state;
	start("0");
	for (int i = 0; i < 3000; i++)
		put_sample(0, fake_sys.clock_ns);
	assert_true(fake_sys.events[fake_sys.n_events - 1].lost > 100);
	fake_sys.clock_ns += 100 * MS;
	session_refresh(session);
	while (source_next(source, &event, &error) == 1)
		;
	/* What LOST says is in the event's own count already. */
	fake_sys_record(0, FAKE_SAMPLING, PERF_RECORD_LOST, 0, lost,
			sizeof(lost));
	fake_sys_record(0, FAKE_SAMPLING, PERF_RECORD_LOST_SAMPLES, 0, hardware,
			sizeof(hardware));
	throttle[0] = fake_sys.clock_ns - 60 * MS;
	throttle[4] = throttle[0];
	fake_sys_record(0, FAKE_SAMPLING, PERF_RECORD_THROTTLE, 0, throttle,
			sizeof(throttle));
	throttle[0] += 5 * MS;
	throttle[4] = throttle[0];
	fake_sys_record(0, FAKE_SAMPLING, PERF_RECORD_UNTHROTTLE, 0, throttle,
			sizeof(throttle));
	session_refresh(session);
	while (source_next(source, &event, &error) == 1)
		;
	session_counts(session, &counts);
	assert_int_equal(counts.lost,
			 fake_sys.events[fake_sys.n_events - 1].lost);
	assert_int_equal(counts.lost_hardware, 3);
	assert_int_equal(counts.throttles, 1);
	assert_int_equal(counts.throttled_ns, 5 * MS);
	end();
}

static void too_few_files_are_told_with_the_sum(void **state)
{
	(void)state;
	assert_int_equal(open_session("0-3"), 0);
	session_free(session);
	fake_sys_reset("0-511");
	fake_sys.files_limit = 1024;
	notes_destroy(&notes);
	assert_int_equal(
		session_open(&session,
			     &(struct session_options){ .freq_hz = 99 }, &notes,
			     &error),
		-EMFILE);
	assert_non_null(strstr(error.text, "512 CPUs x 2 events + 64"));
	assert_non_null(strstr(error.text, "1088"));
	assert_null(session);
}

static void rings_shrink_when_memory_is_refused(void **state)
{
	(void)state;
	fake_sys_reset("0-1");
	fake_sys.map_limit = 20 * 4096; /* tracking fits, sampling must halve */
	assert_int_equal(
		session_open(&session,
			     &(struct session_options){ .freq_hz = 9999 },
			     &notes, &error),
		0);
	assert_true(session_ring_bytes(session) <= 2 * (16 + 16 + 2) * 4096);
	end();
	fake_sys_reset("0-1");
	fake_sys.map_limit = 4096;
	assert_int_equal(
		session_open(&session,
			     &(struct session_options){ .freq_hz = 99 }, &notes,
			     &error),
		-EPERM);
	assert_non_null(strstr(error.text, "perf_event_mlock_kb"));
	assert_int_equal(fake_sys_open_count(), 0);
}

static void asked_pages_become_a_power_of_two(void **state)
{
	static const uint32_t asked[] = { 1, 3, 64, 100 };
	static const uint64_t given[] = { 1, 4, 64, 128 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		fake_sys_reset("0");
		assert_int_equal(
			session_open(&session,
				     &(struct session_options){
					     .freq_hz = 99, .pages = asked[i] },
				     &notes, &error),
			0);
		assert_int_equal(session_ring_bytes(session),
				 (given[i] + 64 + 2) * 4096);
		end();
	}
}

static int no_cpu_2(const struct perf_event_attr *attr, int cpu)
{
	(void)attr;
	return cpu == 2 ? -ENODEV : 0;
}

static void a_cpu_that_is_just_gone_is_left_out_c49(void **state)
{
	(void)state;
	fake_sys_reset("0-3");
	fake_sys.open = no_cpu_2;
	assert_int_equal(
		session_open(&session,
			     &(struct session_options){ .freq_hz = 99 }, &notes,
			     &error),
		0);
	assert_int_equal(session_cpus(session), 3);
	end();
}

static void set_online(const char *online)
{
	snprintf(fake_sys.online, sizeof(fake_sys.online), "%s", online);
}

static void wait_some(int rounds)
{
	struct event event;
	enum session_wake wake;

	for (int i = 0; i < rounds; i++) {
		assert_int_equal(session_wait(session, 200, &wake, &error), 0);
		session_refresh(session);
		while (source_next(source, &event, &error) == 1)
			;
	}
}

static void cpus_go_and_come_c49(void **state)
{
	struct session_counts counts;
	uint64_t time;

	(void)state;
	start("0-1");
	set_online("0");
	wait_some(10);
	assert_int_equal(session_cpus(session), 1);
	assert_int_equal(fake_sys_open_count(), 2);
	assert_int_equal(notes.count, 1);
	set_online("0-2"); /* it is back, with a new one */
	wait_some(10);
	assert_int_equal(session_cpus(session), 3);
	assert_int_equal(fake_sys_open_count(), 6);
	session_counts(session, &counts);
	assert_true(counts.offline_ns > 1000 * MS);
	assert_true(counts.offline_ns < 4000 * MS);
	time = fake_sys.clock_ns;
	put_sample(1, time);
	put_sample(2, time + 1);
	fake_sys.clock_ns += 100 * MS;
	session_refresh(session);
	assert_int_equal(next_time(EVENT_SAMPLE), time);
	assert_int_equal(next_time(EVENT_SAMPLE), time + 1);
	for (size_t i = 0; i < fake_sys.n_events; i++)
		if (fake_sys.events[i].is_open)
			assert_true(fake_sys.events[i].is_enabled);
	end();
}

static void a_cpu_away_for_a_moment_is_noticed_c49(void **state)
{
	size_t before;

	(void)state;
	start("0-1");
	before = fake_sys.n_events;
	wait_some(3);
	snprintf(fake_sys.uevent, sizeof(fake_sys.uevent),
		 "offline@/devices/system/cpu/cpu1");
	wait_some(5); /* the list of CPUs online never changes */
	assert_int_equal(session_cpus(session), 2);
	assert_int_equal(fake_sys.n_events, before + 2);
	assert_int_equal(fake_sys.events[before].cpu, 1);
	assert_true(fake_sys.events[before].is_enabled);
	assert_int_equal(notes.count, 2);
	end();
}

static void early_wakeups_have_a_budget(void **state)
{
	enum session_wake wake;
	int early = 0;

	(void)state;
	start("0");
	put_comm(0, fake_sys.clock_ns); /* never read: always ready */
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(session_wait(session, 1, &wake, &error), 0);
		early += wake == SESSION_WAKE_TRACKING;
		fake_sys.clock_ns += MS;
	}
	/* A second or two of 400 a second, and a start. */
	assert_in_range(early, 300, 1000);
	assert_true(early < 990);
	end();
}

static size_t n_seen;
static void see(void *context, const struct event *event)
{
	(void)context;
	assert_int_equal(event->kind, EVENT_COMM);
	n_seen++;
}

static void scanning_delivers_nothing_early_or_twice(void **state)
{
	(void)state;
	start("0-1");
	put_comm(0, fake_sys.clock_ns);
	put_comm(1, fake_sys.clock_ns);
	n_seen = 0;
	session_scan(session, see, NULL);
	session_scan(session, see, NULL);
	assert_int_equal(n_seen, 2);
	fake_sys.clock_ns += 100 * MS;
	session_refresh(session);
	assert_true(next_time(EVENT_COMM) > 0);
	assert_true(next_time(EVENT_COMM) > 0);
	assert_int_equal(next_time(EVENT_COMM), 0);
	end();
}

static void start_off_cpu(const char *online)
{
	struct session_options options = { .freq_hz = 99,
					   .stacks = SESSION_STACKS_COPY,
					   .stack_size = 32768,
					   .off_cpu = true };

	fake_sys_reset(online);
	notes_destroy(&notes);
	assert_int_equal(session_open(&session, &options, &notes, &error), 0);
	source = session_source(session);
	assert_int_equal(session_start(session, &error), 0);
}

static void without_off_cpu_there_are_two_events(void **state)
{
	(void)state;
	start("0-1");
	assert_int_equal(fake_sys_open_count(), 4);
	assert_null(fake_sys_event(0, FAKE_WAITS));
	assert_null(fake_sys_event(0, FAKE_SWITCHES));
	assert_int_equal(source_info(source)->n_events, 2);
	end();
}

static void off_cpu_has_two_more_with_these_attrs(void **state)
{
	const struct perf_event_attr *waits, *switches;

	(void)state;
	start_off_cpu("0-1");
	assert_int_equal(fake_sys_open_count(), 8);
	assert_int_equal(source_info(source)->n_events, 4);
	waits = &fake_sys_event(1, FAKE_WAITS)->attr;
	assert_int_equal(waits->sample_period, SESSION_WAIT_PERIOD);
	assert_false(waits->freq);
	assert_false(waits->exclude_kernel);
	assert_true(waits->exclude_callchain_user);
	assert_true(waits->watermark);
	assert_int_equal(waits->sample_stack_user, 16384);
	assert_true(waits->sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_true(waits->sample_type & PERF_SAMPLE_STACK_USER);
	assert_true(waits->sample_type & PERF_SAMPLE_REGS_USER);
	assert_false(waits->context_switch);
	switches = &fake_sys_event(1, FAKE_SWITCHES)->attr;
	assert_int_equal(switches->sample_type,
			 PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
	assert_true(switches->sample_id_all);
	assert_true(switches->watermark);
	assert_int_equal(switches->wakeup_watermark, 256 * 4096 / 2);
	assert_true(switches->use_clockid);
	assert_false(switches->mmap || switches->comm || switches->task);
	assert_false(fake_sys_event(1, FAKE_TRACKING)->attr.context_switch);
	end();
}

static void the_period_of_waits_is_set_on_all_cpus(void **state)
{
	(void)state;
	start_off_cpu("0-1");
	session_set_wait_period(session, 101);
	for (int cpu = 0; cpu < 2; cpu++)
		assert_int_equal(
			fake_sys_event(cpu, FAKE_WAITS)->attr.sample_period,
			101);
	set_online("0-2");
	wait_some(5);
	assert_int_equal(fake_sys_event(2, FAKE_WAITS)->attr.sample_period,
			 101);
	assert_true(fake_sys_event(2, FAKE_SWITCHES)->is_enabled);
	end();
}

/* SWITCH_CPU_WIDE: the other thread; then TID, TIME. */
static void put_switch(int cpu, uint64_t time, uint16_t misc)
{
	uint64_t body[] = { 0, 5 | 6ull << 32, time };

	fake_sys_record(cpu, FAKE_SWITCHES, PERF_RECORD_SWITCH_CPU_WIDE, misc,
			body, sizeof(body));
}

/* IDENTIFIER, IP, TID, TIME, CPU, PERIOD, no callchain, no registers, no
 * stack, CGROUP */
static void put_wait(int cpu, uint64_t time)
{
	uint64_t body[] = {
		1, 0x1000, 5 | 6ull << 32, time, (uint64_t)cpu, 101, 0, 0, 0, 1
	};

	fake_sys_record(cpu, FAKE_WAITS, PERF_RECORD_SAMPLE, 1, body,
			sizeof(body));
}

static void a_stack_comes_before_its_switch(void **state)
{
	struct event event;
	uint64_t time;

	(void)state;
	start_off_cpu("0-1");
	time = fake_sys.clock_ns;
	put_switch(0, time, PERF_RECORD_MISC_SWITCH_OUT);
	put_wait(0, time);
	fake_sys.clock_ns += 100 * MS;
	session_refresh(session);
	assert_int_equal(source_next(source, &event, &error), 1);
	assert_int_equal(event.kind, EVENT_SAMPLE);
	assert_int_equal(event.event, SESSION_WAITS);
	assert_int_equal(event.sample.period, 101);
	assert_int_equal(source_next(source, &event, &error), 1);
	assert_int_equal(event.kind, EVENT_SWITCH);
	assert_int_equal(event.event, SESSION_SWITCHES);
	assert_int_equal(event.pid, 5);
	assert_int_equal(event.tid, 6);
	assert_int_equal(event.time, time);
	assert_true(event.switched.is_out);
	end();
}

static void what_each_ring_lost_is_counted_apart(void **state)
{
	struct session_counts counts;

	(void)state;
	start_off_cpu("0");
	for (int i = 0; i < 33000; i++)
		put_switch(0, fake_sys.clock_ns, 0);
	session_counts(session, &counts);
	assert_int_equal(counts.lost, 0);
	assert_int_equal(counts.lost_waits, 0);
	assert_int_equal(counts.lost_tracking, 0);
	assert_int_equal(counts.lost_switches, 33000 - 256 * 4096 / 32);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_of_all_cpus_come_out_by_time_c43),
		cmocka_unit_test(at_one_time_tracking_comes_first_c43),
		cmocka_unit_test(young_records_wait_for_the_other_rings),
		cmocka_unit_test(losses_are_counted_once_c48),
		cmocka_unit_test(too_few_files_are_told_with_the_sum),
		cmocka_unit_test(rings_shrink_when_memory_is_refused),
		cmocka_unit_test(asked_pages_become_a_power_of_two),
		cmocka_unit_test(a_cpu_that_is_just_gone_is_left_out_c49),
		cmocka_unit_test(cpus_go_and_come_c49),
		cmocka_unit_test(a_cpu_away_for_a_moment_is_noticed_c49),
		cmocka_unit_test(early_wakeups_have_a_budget),
		cmocka_unit_test(scanning_delivers_nothing_early_or_twice),
		cmocka_unit_test(without_off_cpu_there_are_two_events),
		cmocka_unit_test(off_cpu_has_two_more_with_these_attrs),
		cmocka_unit_test(the_period_of_waits_is_set_on_all_cpus),
		cmocka_unit_test(a_stack_comes_before_its_switch),
		cmocka_unit_test(what_each_ring_lost_is_counted_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
