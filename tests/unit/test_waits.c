/* waits.c and wait_reason.c: exact times shared out by sampled stacks, in a
 * profile made by hand. */
#include "cli/waits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli/profile/wall.h"
#include "cli/wait_reason.h"

static struct profile *profile;
static struct waits *waits;

/* tid 99 is not wanted, all others are threads of process 5. */
static uint32_t thread_of(void *context, const struct event *event)
{
	char comm[16];

	(void)context;
	if (event->tid == 99)
		return PROFILE_NONE;
	snprintf(comm, sizeof(comm), "t%u", event->tid);
	return profile_thread(profile, profile_process(profile, 5, 0),
			      event->tid, comm);
}

static int setup(void **state)
{
	(void)state;
	profile = profile_new();
	profile->value_types[0] =
		(struct profile_value_type){ "cpu", "nanoseconds" };
	profile->n_value_types = 1;
	waits = waits_new(&(struct waits_config){
		.profile = profile, .begin_ns = 1000, .thread = thread_of });
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	waits_free(waits);
	profile_free(profile);
	return 0;
}

static uint32_t push(uint32_t parent, const char *name, uint32_t flags)
{
	struct profile_function function = { name, name, "", true };
	struct profile_line line = { profile_function(profile, &function), 0 };
	struct profile_frame frame = { .flags = flags };

	return profile_node(profile, parent,
			    profile_frame_get(profile, &frame, &line, 1));
}

/* A stack of a user's function that calls into two of the kernel's. */
static uint32_t stack_of(const char *user, const char *kernel)
{
	uint32_t node = push(0, user, PROFILE_FRAME_USER);

	node = push(node, kernel, PROFILE_FRAME_KERNEL);
	return push(node, "__schedule", PROFILE_FRAME_KERNEL);
}

static void sample(uint32_t tid, uint64_t time, uint32_t stack)
{
	struct event event = {
		.kind = EVENT_SAMPLE, .pid = 5, .tid = tid, .time = time
	};
	struct profile_row row = { .stack = stack,
				   .thread = thread_of(NULL, &event),
				   .container = PROFILE_NONE,
				   .cpu = 0,
				   .count = 1 };

	waits_sample(waits, &event, &row);
}

static void take(uint32_t tid, uint64_t time, bool is_out, bool is_preempted)
{
	waits_event(waits,
		    &(struct event){
			    .kind = EVENT_SWITCH,
			    .pid = 5,
			    .tid = tid,
			    .time = time,
			    .switched = { .is_out = is_out,
					  .is_preempted = is_preempted } });
}

static void blocked(uint32_t tid, uint64_t start, uint64_t end, uint32_t stack)
{
	if (stack)
		sample(tid, start, stack);
	take(tid, start, true, false);
	take(tid, end, false, false);
}

/* The sum of a value over the rows in a state. */
static uint64_t sum(const char *state, const char *type)
{
	uint32_t value = profile_value_type(profile, type);
	uint64_t total = 0;

	for (size_t i = 0; i < profile->n_rows; i++)
		if (strcmp(profile->states[profile->rows[i].state], state) == 0)
			total += profile->rows[i].values[value];
	return total;
}

static void the_value_types_are_added(void **state)
{
	(void)state;
	assert_int_equal(profile->n_value_types, 3);
	assert_int_equal(profile_value_type(profile, "wait"), 1);
	assert_int_equal(profile_value_type(profile, "runqueue"), 2);
}

static void sampled_waits_share_the_exact_time(void **state)
{
	uint32_t lock = stack_of("pthread_mutex_lock", "do_futex");
	uint32_t disk = stack_of("read", "io_schedule");
	struct waits_counts counts;

	(void)state;
	blocked(6, 1100, 1200, lock); /* 100 */
	blocked(6, 1300, 1600, disk); /* 300 */
	blocked(6, 2000, 2600, 0);    /* 600, known to nobody */
	waits_cut(waits, 3000);
	waits_distribute(waits);
	assert_int_equal(sum("mutex", "wait"), 250);
	assert_int_equal(sum("io", "wait"), 750);
	waits_counts(waits, &counts);
	assert_int_equal(counts.stacks, 2);
	assert_int_equal(counts.over, 0);
	assert_int_equal(counts.threads, 1);
	assert_true(counts.off_cpu_s * 1e9 > 999.9);
	assert_true(counts.off_cpu_s * 1e9 < 1000.1);
}

static void blocked_and_runnable_are_kept_apart(void **state)
{
	uint32_t spin = stack_of("spin", "preempt_schedule");

	(void)state;
	sample(6, 1100, spin);
	take(6, 1100, true, true);
	take(6, 1150, false, false);
	blocked(6, 1200, 1300, 0);
	waits_cut(waits, 2000);
	waits_distribute(waits);
	assert_int_equal(sum("runnable", "runqueue"), 50);
	assert_int_equal(sum("runnable", "wait"), 0);
	assert_int_equal(sum("other", "wait"), 100);
	assert_int_equal(sum("other", "runqueue"), 0);
}

static void a_thread_without_a_stack_has_its_time_all_the_same(void **state)
{
	const struct profile_node *node;

	(void)state;
	blocked(6, 1100, 1200, 0);
	waits_cut(waits, 2000);
	waits_distribute(waits);
	assert_int_equal(profile->n_rows, 1);
	assert_int_equal(profile->rows[0].values[1], 100);
	node = &profile->nodes[profile->rows[0].stack];
	assert_string_equal(
		profile->functions
			[profile->lines[profile->frames[node->frame].first_line]
				 .function]
				.name,
		"[wait not sampled]");
}

static void a_wait_at_the_end_has_its_stack(void **state)
{
	uint32_t sleep = stack_of("nanosleep", "do_nanosleep");

	(void)state;
	sample(6, 1500, sleep);
	take(6, 1500, true, false);
	waits_cut(waits, 2000);
	waits_distribute(waits);
	assert_int_equal(sum("sleep", "wait"), 500);
}

static void an_unwanted_thread_has_no_time(void **state)
{
	(void)state;
	blocked(99, 1100, 1200, 0);
	take(99, 1300, true, false);
	waits_cut(waits, 2000);
	waits_distribute(waits);
	assert_int_equal(profile->n_rows, 0);
}

static void time_on_a_cpu_stays_as_it_was(void **state)
{
	struct profile_row row = { .thread = 0,
				   .state = profile_state(profile, "user"),
				   .count = 7,
				   .values = { 700 } };

	(void)state;
	thread_of(NULL, &(struct event){ .tid = 6 });
	profile_add(profile, &row);
	blocked(6, 1100, 1200, 0);
	waits_cut(waits, 2000);
	waits_distribute(waits);
	assert_int_equal(sum("user", "cpu"), 700);
	assert_int_equal(sum("user", "wait"), 0);
	assert_int_equal(profile->n_rows, 2);
}

static void wall_is_all_three(void **state)
{
	uint32_t wall;

	(void)state;
	blocked(6, 1100, 1200, 0);
	take(6, 1300, true, true);
	take(6, 1350, false, false);
	profile_add(profile, &(struct profile_row){
				     .state = profile_state(profile, "user"),
				     .values = { 700 } });
	waits_cut(waits, 2000);
	waits_distribute(waits);
	wall = wall_add(profile);
	assert_int_equal(wall, 3);
	assert_int_equal(profile_value_type(profile, "wall"), wall);
	assert_int_equal(sum("user", "wall"), 700);
	assert_int_equal(sum("other", "wall"), 100);
	assert_int_equal(sum("runnable", "wall"), 50);
	assert_int_equal(wall_add(profile), PROFILE_NONE); /* no room */
}

static void without_waits_there_is_no_wall(void **state)
{
	(void)state;
	profile->n_value_types = 1;
	assert_int_equal(wall_add(profile), PROFILE_NONE);
	assert_int_equal(profile->n_value_types, 1);
}

static void reasons_are_told_by_functions(void **state)
{
	static const struct {
		const char *user, *kernel, *reason;
	} cases[] = {
		{ "main", "do_futex", "lock" },
		{ "__lll_lock_wait", "futex_wait", "mutex" },
		{ "pthread_cond_timedwait", "futex_wait_queue", "condition" },
		{ "sem_wait", "do_futex", "semaphore" },
		{ "pthread_mutex_lock", "handle_mm_fault", "fault" },
		{ "clock_nanosleep", "do_nanosleep", "sleep" },
		{ "[never ran]", "hrtimer_nanosleep", "sleep" },
		{ "epoll_wait", "ep_poll", "poll" },
		{ "poll", "do_sys_poll", "poll" },
		{ "select", "do_select", "poll" },
		{ "read", "pipe_read", "pipe" },
		{ "read", "anon_pipe_read", "pipe" },
		{ "recv", "__sys_recvfrom", "socket" },
		{ "wait4", "do_wait", "child" },
		{ "fsync", "io_schedule_timeout", "io" },
		{ "main", "kthread", "other" },
		{ "do_futex", "kthread", "other" }, /* not the kernel's */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(
			wait_reason(profile,
				    stack_of(cases[i].user, cases[i].kernel)),
			cases[i].reason);
	assert_string_equal(wait_reason(profile, 0), "other");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_value_types_are_added),
		TEST(sampled_waits_share_the_exact_time),
		TEST(blocked_and_runnable_are_kept_apart),
		TEST(a_thread_without_a_stack_has_its_time_all_the_same),
		TEST(a_wait_at_the_end_has_its_stack),
		TEST(an_unwanted_thread_has_no_time),
		TEST(time_on_a_cpu_stays_as_it_was),
		TEST(wall_is_all_three),
		TEST(without_waits_there_is_no_wall),
		TEST(reasons_are_told_by_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
