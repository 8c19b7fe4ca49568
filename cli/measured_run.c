#include "cli/measured_run.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/recorder.h"

struct runner {
	char *const *argv;
	struct child child;
	pthread_t waiter;
	bool has_waiter;
	double started_s, ended_s; /* by the monotonic clock */
	int failure;
	struct error *error;
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double children_cpu_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Notes when the command ends, however busy the recorder is at that time. */
static void *wait_for_end(void *context)
{
	struct runner *runner = context;
	siginfo_t info;

	while (waitid(P_PID, (id_t)runner->child.pid, &info,
		      WEXITED | WNOWAIT) < 0 &&
	       errno == EINTR)
		continue;
	runner->ended_s = now_s();
	return NULL;
}

static void runner_release(void *context)
{
	struct runner *runner = context;

	runner->started_s = now_s();
	runner->failure =
		child_release(&runner->child, runner->argv[0], runner->error);
	if (runner->failure < 0)
		return;
	runner->failure =
		-pthread_create(&runner->waiter, NULL, wait_for_end, runner);
	runner->has_waiter = runner->failure == 0;
	if (runner->failure < 0)
		error_set(runner->error, runner->failure, "no thread: %s",
			  strerror(-runner->failure));
}

static bool runner_is_over(void *context)
{
	struct runner *runner = context;

	return runner->failure < 0 || child_has_ended(&runner->child);
}

static int run_sampled(struct runner *runner, struct measured_run *run,
		       uint64_t freq_hz)
{
	struct recorder_options options = {
		.session = { .freq_hz = freq_hz, .stacks = SESSION_STACKS_FP },
		.slice_ns = 100000000,
		.want_inlines = true,
		.is_over = runner_is_over,
		.started = runner_release,
		.context = runner,
	};
	struct profile *profile;
	int result = recorder_run(&options, &profile, runner->error);

	if (result < 0)
		return result;
	run->own_cpu_s = profile->health.own_cpu_s;
	run->samples = profile->health.samples;
	run->window_s = (double)profile->duration_ns / 1e9;
	profile_free(profile);
	return 0;
}

/* Throws standard output away until stdout_restore(). */
static int stdout_discard(void)
{
	int saved = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		close(null);
	}
	return saved;
}

static void stdout_restore(int saved)
{
	if (saved < 0)
		return;
	dup2(saved, STDOUT_FILENO);
	close(saved);
}

int measured_run(struct measured_run *run, char *const argv[], uint64_t freq_hz,
		 struct error *error)
{
	struct runner runner = { .argv = argv, .error = error };
	double cpu_s = children_cpu_s();
	int saved = stdout_discard();
	int result = child_start(&runner.child, argv, error);

	stdout_restore(saved);
	*run = (struct measured_run){ 0 };
	if (result < 0)
		return result;
	if (freq_hz)
		result = run_sampled(&runner, run, freq_hz);
	else
		runner_release(&runner);
	if (runner.has_waiter)
		pthread_join(runner.waiter, NULL);
	child_finish(&runner.child);
	if (result == 0)
		result = runner.failure;
	if (result < 0)
		return result;
	if (child_exit_code(&runner.child) != 0)
		return error_set(error, -ECHILD, "%s ended with status %d",
				 argv[0], child_exit_code(&runner.child));
	run->wall_s = runner.ended_s - runner.started_s;
	run->cpu_s = children_cpu_s() - cpu_s;
	return 0;
}
