/*
 * The command of `record -- COMMAND`: started at once but held back until
 * sampling has begun, so that its first instruction is in the window.
 */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "perfcore/error.h"

struct child {
	pid_t pid;  /* 0: none */
	int gate;   /* written to when it may run; -1 once it is open */
	int report; /* tells the errno of a failed exec; -1 once read */
	bool has_ended;
	int status; /* as waitpid() gives it */
};

/* argv ends with NULL. Returns 0 or -errno. */
int child_start(struct child *child, char *const argv[], struct error *error);

/* Lets it run. Returns 0, or -errno where the command cannot be executed. */
int child_release(struct child *child, const char *name, struct error *error);

/* Whether it has ended; does not wait. */
bool child_has_ended(struct child *child);

/* Ends a command that was never released, and waits for one that runs. */
void child_finish(struct child *child);

/* The exit code as a shell gives it: 128 + signal for a killed one. */
int child_exit_code(const struct child *child);

#endif
