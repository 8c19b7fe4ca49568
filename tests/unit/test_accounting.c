/* accounting.c, host_time.c: two looks at a fake /proc with known counters;
 * then the running system, of which only sums and signs can be told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <time.h>

#include "perfcore/accounting.h"
#include "perfcore/host_time.h"
#include "proc_tree.h"

static struct accounting *accounting;
static struct error error;

static int setup(void **state)
{
	int status = tree_setup(state);

	tree_text("proc/version", "Linux");
	accounting = accounting_new(tree_root);
	return status;
}

static int teardown(void **state)
{
	accounting_free(accounting);
	accounting_free(NULL);
	return tree_teardown(state);
}

static uint64_t ticks_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * (uint64_t)sysconf(_SC_CLK_TCK) +
	       (uint64_t)now.tv_nsec /
		       (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

static void stat_file(const char *name, unsigned pid, unsigned threads,
		      uint64_t ticks)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "%u (a) b) S 1 1 1 0 -1 0 0 0 0 0 3 1 0 0 20 0 %u 0 %lu 0 0\n",
		 pid, threads, ticks);
	tree_text(name, text);
}

static void process(unsigned pid, unsigned threads, uint64_t ticks)
{
	char name[64];

	snprintf(name, sizeof(name), "proc/%u/stat", pid);
	stat_file(name, pid, threads, ticks);
}

static void thread(unsigned pid, unsigned tid, uint64_t cpu_ns,
		   uint64_t runqueue_ns)
{
	char name[64], text[128];

	snprintf(text, sizeof(text), "%lu %lu 12\n", cpu_ns, runqueue_ns);
	snprintf(name, sizeof(name), "proc/%u/task/%u/schedstat", pid, tid);
	tree_text(name, text);
	if (pid == tid) {
		snprintf(name, sizeof(name), "proc/%u/schedstat", pid);
		tree_text(name, text);
	}
}

static void begin(void)
{
	assert_int_equal(accounting_begin(accounting, &error), 0);
}

static void end(void)
{
	assert_int_equal(accounting_end(accounting, &error), 0);
}

static void differences_of_living_processes(void **state)
{
	const struct accounting_process *found;

	(void)state;
	process(20, 1, 500);
	thread(20, 20, 1000, 100);
	process(3, 2, 700);
	thread(3, 3, 5000, 200);
	thread(3, 4, 6000, 300);
	begin();
	thread(20, 20, 1500, 110);
	thread(3, 3, 5001, 200);
	thread(3, 4, 6010, 305);
	end();
	found = accounting_process(accounting, 3);
	assert_true(found->is_whole);
	assert_int_equal(found->start_ticks, 700);
	assert_int_equal(found->cpu_ns, 11);
	assert_int_equal(found->runqueue_ns, 5);
	assert_int_equal(found->n_threads, 2);
	/* What a thread neither ran nor waited for a CPU, it was blocked. */
	assert_int_equal(found->blocked_ns, 2 * found->wall_ns - 16);
	assert_int_equal(accounting_process(accounting, 20)->cpu_ns, 500);
	assert_null(accounting_process(accounting, 4));
	assert_int_equal(accounting_at(accounting, 0)->pid, 3);
	assert_int_equal(accounting_at(accounting, 1)->pid, 20);
	assert_null(accounting_at(accounting, 2));
	assert_true(accounting_host(accounting)->runqueue_s > 14e-9 &&
		    accounting_host(accounting)->runqueue_s < 16e-9);
}

static void blocked_is_never_negative(void **state)
{
	const struct accounting_process *found;

	(void)state;
	process(3, 2, 700);
	thread(3, 3, 0, 0);
	thread(3, 4, 0, 0);
	begin();
	/* More than the window is long, and a counter that runs backwards. */
	thread(3, 3, 1ull << 60, 1ull << 60);
	thread(3, 4, 0, 0);
	end();
	found = accounting_process(accounting, 3);
	assert_int_equal(found->blocked_ns, found->wall_ns);
	begin();
	thread(3, 3, 0, 0);
	end();
	assert_int_equal(accounting_process(accounting, 3)->cpu_ns, 0);
	assert_int_equal(accounting_process(accounting, 3)->runqueue_ns, 0);
}

static void born_in_the_window_counts_from_zero(void **state)
{
	const struct accounting_process *found;

	(void)state;
	begin();
	process(9, 1, ticks_now());
	thread(9, 9, 777, 55);
	end();
	found = accounting_process(accounting, 9);
	assert_true(found->is_whole);
	assert_int_equal(found->cpu_ns, 777);
	assert_int_equal(found->runqueue_ns, 55);
	assert_true(found->wall_ns < 60000000000);
}

static void reused_pid_is_another_process(void **state)
{
	const struct accounting_process *found;

	(void)state;
	process(9, 1, 100);
	thread(9, 9, 1000000, 1000);
	begin();
	process(9, 1, ticks_now());
	thread(9, 9, 777, 55);
	end();
	found = accounting_process(accounting, 9);
	assert_int_equal(found->cpu_ns, 777);
	assert_true(found->is_whole);
}

static void missed_at_the_beginning(void **state)
{
	const struct accounting_process *found;

	(void)state;
	begin();
	process(9, 1, 100);
	thread(9, 9, 1000000, 1000);
	end();
	found = accounting_process(accounting, 9);
	assert_false(found->is_whole);
	assert_int_equal(found->cpu_ns, 0);
	assert_int_equal(found->blocked_ns, 0);
}

static void ended_is_not_in_the_list(void **state)
{
	(void)state;
	process(9, 1, 100);
	thread(9, 9, 1, 1);
	begin();
	tree_remove("proc/9");
	end();
	assert_null(accounting_process(accounting, 9));
	assert_null(accounting_at(accounting, 0));
}

static void threads_that_come_and_go(void **state)
{
	const struct accounting_process *found;

	(void)state;
	process(3, 3, 700);
	thread(3, 3, 0, 0);
	thread(3, 4, 0, 0);
	thread(3, 5, 0, 0);
	begin();
	tree_remove("proc/3/task/4");
	process(3, 2, 700);
	tree_remove("proc/3/task/5");
	thread(3, 8, 9, 1);
	stat_file("proc/3/task/8/stat", 8, 2, ticks_now());
	end();
	found = accounting_process(accounting, 3);
	assert_int_equal(found->n_threads, 3);
	assert_int_equal(found->cpu_ns, 9);
	assert_int_equal(found->runqueue_ns, 1);
	assert_true(found->blocked_ns >= found->wall_ns);
	assert_true(found->blocked_ns < 2 * found->wall_ns);
}

static void garbage_is_left_out(void **state)
{
	(void)state;
	tree_text("proc/5/stat", "5 (x");
	process(6, 1, 100);
	tree_text("proc/6/schedstat", "no numbers\n");
	tree_text("proc/self/stat", "");
	begin();
	end();
	assert_null(accounting_process(accounting, 5));
	assert_int_equal(accounting_process(accounting, 6)->cpu_ns, 0);
	assert_int_equal(accounting_process(accounting, 6)->n_threads, 0);
}

static void no_proc_is_an_error(void **state)
{
	struct accounting *nowhere = accounting_new("/nonexistent");

	(void)state;
	assert_int_equal(accounting_begin(nowhere, &error), -ENOENT);
	assert_string_equal(error.text, "/nonexistent/proc: No such file or "
					"directory");
	accounting_free(nowhere);
}

#define CPU_LINE "cpu  10 20 30 4000 50 6 7 80 9 1\ncpu0 1 1 1 1 1 1 1 1 1 1\n"

static void host_from_ticks(void **state)
{
	struct host_time time;
	uint64_t tick = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);

	(void)state;
	host_time_read(tree_root, &time);
	assert_null(time.busy_source);
	tree_text("proc/stat", CPU_LINE);
	host_time_read(tree_root, &time);
	assert_string_equal(time.busy_source, "/proc/stat");
	assert_int_equal(time.busy_ns, 73 * tick);
	assert_int_equal(time.steal_ns, 80 * tick);
	assert_false(time.has_runqueue);
}

static void host_from_cpuacct(void **state)
{
	struct host_time time;

	(void)state;
	tree_text("proc/stat", CPU_LINE);
	tree_text("sys/fs/cgroup/cpu,cpuacct/cpuacct.usage", "99475197804\n");
	host_time_read(tree_root, &time);
	assert_string_equal(time.busy_source, "cpuacct");
	assert_int_equal(time.busy_ns, 99475197804);
	assert_true(time.steal_ns > 0);
}

static void host_from_schedstat(void **state)
{
	struct host_time time;

	(void)state;
	tree_text("sys/fs/cgroup/cpuacct/cpuacct.usage", "99475197804\n");
	tree_text("proc/schedstat", "version 15\ntimestamp 4295000000\n"
				    "cpu0 0 0 0 0 0 0 1000000007 200 30\n"
				    "domain0 03 1 2 3 4 5 6 7 8 9\n"
				    "cpu1 0 0 0 0 0 0 2000000000 100 30\n");
	host_time_read(tree_root, &time);
	assert_string_equal(time.busy_source, "schedstat");
	assert_int_equal(time.busy_ns, 3000000007);
	assert_true(time.has_runqueue);
	assert_int_equal(time.runqueue_ns, 300);
	tree_text("proc/schedstat", "version 99\ncpu0 1 2\n");
	host_time_read(tree_root, &time);
	assert_string_equal(time.busy_source, "cpuacct");
}

static void host_differences(void **state)
{
	const struct accounting_host *host = accounting_host(accounting);

	(void)state;
	assert_true(host->busy_s < 0);
	tree_text("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n");
	begin();
	tree_text("proc/stat", "cpu  300 0 100 0 0 0 0 50 0 0\n");
	end();
	assert_true(host->busy_s > 3.99 && host->busy_s < 4.01);
	assert_true(host->steal_s > 0.49 && host->steal_s < 0.51);
	assert_true(host->own_cpu_s > 0 && host->own_cpu_s < 60);
	assert_true(host->own_peak_bytes > 100000);
}

/* This process burns CPU by its own clock; accounting must see it exactly. */
static void running_system(void **state)
{
	struct accounting *live = accounting_new("");
	const struct accounting_process *own;
	struct timespec now, first;
	double burnt;

	(void)state;
	assert_int_equal(accounting_begin(live, &error), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &first);
	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
		burnt = (double)(now.tv_sec - first.tv_sec) +
			(double)(now.tv_nsec - first.tv_nsec) / 1e9;
	} while (burnt < 0.02);
	assert_int_equal(accounting_end(live, &error), 0);
	own = accounting_process(live, (uint32_t)getpid());
	assert_non_null(own);
	assert_true(own->is_whole);
	assert_int_equal(own->n_threads, 1);
	assert_true((double)own->cpu_ns / 1e9 >= burnt);
	assert_true(own->cpu_ns + own->runqueue_ns + own->blocked_ns <=
		    own->wall_ns + own->wall_ns / 100 + 10000000);
	assert_true(accounting_host(live)->own_cpu_s >= burnt);
	assert_true(accounting_host(live)->wall_s >= burnt);
	accounting_free(live);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(differences_of_living_processes),
		TEST(blocked_is_never_negative),
		TEST(born_in_the_window_counts_from_zero),
		TEST(reused_pid_is_another_process),
		TEST(missed_at_the_beginning),
		TEST(ended_is_not_in_the_list),
		TEST(threads_that_come_and_go),
		TEST(garbage_is_left_out),
		TEST(no_proc_is_an_error),
		TEST(host_from_ticks),
		TEST(host_from_cpuacct),
		TEST(host_from_schedstat),
		TEST(host_differences),
		TEST(running_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
