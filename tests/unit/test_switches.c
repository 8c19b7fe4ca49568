/* switches.c: waits joined by thread across CPUs, cut by the window, for
 * threads that are born, end, and whose records are lost. */
#include "perfcore/switches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define BEGIN 1000

static struct switches *switches;
static struct wait wait;

static int setup(void **state)
{
	(void)state;
	switches = switches_new(BEGIN);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	switches_free(switches);
	return 0;
}

static bool take(uint32_t tid, uint64_t time, bool is_out, bool is_preempted)
{
	struct event event = { .kind = EVENT_SWITCH,
			       .pid = 5,
			       .tid = tid,
			       .time = time,
			       .switched = { .is_out = is_out,
					     .is_preempted = is_preempted } };
	struct switch_thread *thread = switches_thread(switches, &event);

	return thread && switches_take(switches, thread, &event, &wait);
}

static bool out(uint32_t tid, uint64_t time)
{
	return take(tid, time, true, false);
}

static bool in(uint32_t tid, uint64_t time)
{
	return take(tid, time, false, false);
}

static void task(enum event_kind kind, uint32_t tid, uint64_t time)
{
	switches_event(switches, &(struct event){ .kind = kind,
						  .pid = 5,
						  .tid = tid,
						  .time = time });
}

static void assert_wait(enum wait_kind kind, uint64_t start, uint64_t end,
			bool is_cut)
{
	assert_int_equal(wait.kind, kind);
	assert_int_equal(wait.start_ns, start);
	assert_int_equal(wait.end_ns, end);
	assert_int_equal(wait.is_cut, is_cut);
}

static void threads_are_joined_whatever_their_cpu(void **state)
{
	(void)state;
	assert_false(out(6, 1100));
	assert_false(out(7, 1200));
	assert_true(in(7, 1300));
	assert_wait(WAIT_BLOCKED, 1200, 1300, false);
	assert_true(in(6, 1400));
	assert_wait(WAIT_BLOCKED, 1100, 1400, false);
	assert_int_equal(switches_count(switches), 4);
	assert_int_equal(switches_broken(switches), 0);
}

static void preempted_is_on_the_run_queue(void **state)
{
	(void)state;
	assert_false(take(6, 1100, true, true));
	assert_true(in(6, 1150));
	assert_wait(WAIT_RUNQUEUE, 1100, 1150, false);
	assert_false(out(6, 1200));
	assert_true(in(6, 1250));
	assert_wait(WAIT_BLOCKED, 1200, 1250, false);
}

static void the_idle_thread_never_waits(void **state)
{
	(void)state;
	assert_false(out(0, 1100));
	assert_false(in(0, 1200));
	assert_false(out(UINT32_MAX, 1300)); /* ended, its ids forgotten */
	assert_null(switches_at(switches, 0));
}

static void the_window_cuts_at_both_ends(void **state)
{
	(void)state;
	assert_true(in(6, 1100)); /* away since before the window */
	assert_wait(WAIT_BLOCKED, BEGIN, 1100, true);
	assert_false(out(7, 900));
	assert_true(in(7, 1050));
	assert_wait(WAIT_BLOCKED, BEGIN, 1050, true);
	assert_false(out(7, 1200));
	assert_false(switches_cut(switches, 0, 2000, &wait)); /* runs */
	assert_true(switches_cut(switches, 1, 2000, &wait));
	assert_wait(WAIT_BLOCKED, 1200, 2000, true);
	assert_false(switches_cut(switches, 1, 2000, &wait)); /* once */
}

static void a_new_thread_waits_for_a_cpu(void **state)
{
	(void)state;
	task(EVENT_FORK, 6, 1100);
	assert_true(in(6, 1110));
	assert_wait(WAIT_RUNQUEUE, 1100, 1110, false);
	assert_true(switches_has(switches, 6));
	assert_false(switches_has(switches, 7));
}

static void an_ended_thread_is_forgotten(void **state)
{
	(void)state;
	assert_true(in(6, 1100));
	task(EVENT_EXIT, 6, 1200);
	assert_false(take(6, 1210, true, true)); /* on its way out */
	assert_false(in(6, 1220));
	assert_false(out(6, 1230));
	assert_false(switches_cut(switches, 0, 2000, &wait));
	task(EVENT_FORK, 6, 1500); /* the id, used again */
	assert_true(in(6, 1510));
	assert_wait(WAIT_RUNQUEUE, 1500, 1510, false);
	assert_int_equal(switches_at(switches, 0)->number, 0);
	assert_int_equal(switches_at(switches, 1)->number, 1);
	assert_null(switches_at(switches, 2));
}

static void lost_records_are_noticed(void **state)
{
	(void)state;
	assert_false(out(6, 1100));
	assert_false(out(6, 1500)); /* when it came is not known */
	assert_true(in(6, 1600));
	assert_wait(WAIT_BLOCKED, 1500, 1600, false);
	assert_false(in(6, 1700));
	assert_int_equal(switches_broken(switches), 2);
}

static void a_rename_takes_the_tag_away(void **state)
{
	(void)state;
	in(6, 1100);
	assert_int_equal(switches_at(switches, 0)->tag, SWITCHES_NO_TAG);
	switches_at(switches, 0)->tag = 3;
	out(6, 1200);
	assert_int_equal(switches_at(switches, 0)->tag, 3);
	task(EVENT_COMM, 6, 1300);
	assert_int_equal(switches_at(switches, 0)->tag, SWITCHES_NO_TAG);
}

static void time_never_runs_backwards(void **state)
{
	(void)state;
	assert_false(out(6, 1500));
	assert_false(in(6, 1400)); /* of no length */
	assert_false(out(6, 1600));
	assert_true(in(6, 1700));
	assert_wait(WAIT_BLOCKED, 1600, 1700, false);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(threads_are_joined_whatever_their_cpu),
		TEST(preempted_is_on_the_run_queue),
		TEST(the_idle_thread_never_waits),
		TEST(the_window_cuts_at_both_ends),
		TEST(a_new_thread_waits_for_a_cpu),
		TEST(an_ended_thread_is_forgotten),
		TEST(lost_records_are_noticed),
		TEST(a_rename_takes_the_tag_away),
		TEST(time_never_runs_backwards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
