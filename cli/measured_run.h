/*
 * A command run once, with or without being sampled, and what it took.
 */
#ifndef CLI_MEASURED_RUN_H
#define CLI_MEASURED_RUN_H

#include <stdint.h>

#include "perfcore/error.h"

struct measured_run {
	double wall_s;		    /* from its release to its end */
	double cpu_s;		    /* of the command and its children */
	double own_cpu_s, window_s; /* of the recorder; 0 without */
	double samples;
};

/*
 * Runs argv (ended by NULL) with its standard output thrown away, while the
 * whole host is sampled freq_hz times a second on each CPU (0: not at all).
 * Returns 0, or -errno with error filled, also where the command fails
 * (-ECHILD): what does not do its work has no cost.
 */
int measured_run(struct measured_run *run, char *const argv[], uint64_t freq_hz,
		 struct error *error);

#endif
