#include "cli/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the new process: waits for the gate, then becomes the command. */
static void child_run(int gate, int report, char *const argv[])
{
	char byte;
	int failure;

	if (read(gate, &byte, 1) != 1)
		_exit(127); /* the recorder gave up */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	execvp(argv[0], argv);
	failure = errno;
	if (write(report, &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(failure == ENOENT ? 127 : 126);
}

int child_start(struct child *child, char *const argv[], struct error *error)
{
	int gate[2], report[2];

	*child = (struct child){ .gate = -1, .report = -1 };
	if (pipe2(gate, O_CLOEXEC) < 0)
		return error_set(error, -errno, "%s: %s", argv[0],
				 strerror(errno));
	if (pipe2(report, O_CLOEXEC) < 0) {
		int failure = -errno;

		close(gate[0]);
		close(gate[1]);
		return error_set(error, failure, "%s: %s", argv[0],
				 strerror(-failure));
	}
	child->pid = fork();
	if (child->pid == 0) {
		close(gate[1]);
		child_run(gate[0], report[1], argv);
	}
	close(gate[0]);
	close(report[1]);
	child->gate = gate[1];
	child->report = report[0];
	if (child->pid < 0) {
		int failure = -errno;

		child->pid = 0;
		child_finish(child);
		return error_set(error, failure, "%s: %s", argv[0],
				 strerror(-failure));
	}
	return 0;
}

int child_release(struct child *child, const char *name, struct error *error)
{
	int failure = 0;
	ssize_t got;

	if (write(child->gate, "", 1) < 0)
		return error_set(error, -errno, "%s: %s", name,
				 strerror(errno));
	close(child->gate);
	child->gate = -1;
	got = read(child->report, &failure, sizeof(failure)); /* 0: exec done */
	close(child->report);
	child->report = -1;
	if (got == (ssize_t)sizeof(failure))
		return error_set(error, -failure, "cannot run %s: %s", name,
				 strerror(failure));
	return 0;
}

bool child_has_ended(struct child *child)
{
	if (!child->pid || child->has_ended)
		return child->has_ended;
	if (waitpid(child->pid, &child->status, WNOHANG) == child->pid)
		child->has_ended = true;
	return child->has_ended;
}

void child_finish(struct child *child)
{
	if (child->gate >= 0)
		close(child->gate); /* its read ends: it exits */
	if (child->report >= 0)
		close(child->report);
	child->gate = child->report = -1;
	if (child->pid && !child->has_ended &&
	    waitpid(child->pid, &child->status, 0) == child->pid)
		child->has_ended = true;
}

int child_exit_code(const struct child *child)
{
	if (WIFSIGNALED(child->status))
		return 128 + WTERMSIG(child->status);
	return WEXITSTATUS(child->status);
}
