/*
 * Comparison: what changed between two sides, each one or several profiles,
 * and what is only noise.
 *
 * Method. On each side, a function's value (CPU seconds per second, or per
 * operation, or a share) is a ratio of sums over batches: the profiles, where
 * there are three or more (runs, minutes, hosts), else time slices. Its
 * variance is that of the ratio between the batches (Cochran, Sampling
 * Techniques, 1977, 6.4), and never less than that of as many independent
 * samples. Differences are tested with Welch's t (Biometrika 34, 1947), false
 * discoveries are held at 5 % over all rows of the comparison (Benjamini and
 * Hochberg, see student.h), and the relative change has its 95 % interval by
 * the logarithm of the ratio of the two values.
 *
 * Functions are the same where their names and the last parts of their
 * modules' paths are, without hashes that compilers put into names; where
 * only one module on each side has a name the other does not, by name alone.
 * Processes are the same by command, containers by name.
 */
#ifndef CLI_PROFILE_COMPARE_H
#define CLI_PROFILE_COMPARE_H

#include "cli/profile/group.h"

enum compare_unit {
	COMPARE_PER_SECOND, /* CPU seconds per second of window */
	COMPARE_PER_OP,	    /* CPU seconds per operation */
	COMPARE_SHARE,	    /* part of all on-CPU time */
};

enum compare_verdict {
	COMPARE_MORE,
	COMPARE_LESS,
	COMPARE_SAME,	 /* the interval lies within what counts as same */
	COMPARE_UNCLEAR, /* these data cannot tell */
};

struct compare_side {
	const struct profile *profile; /* selected; borrowed */
	struct window window;	       /* from before rows were selected */
	double ops;		       /* operations done; 0: not known */
};

struct compare_options {
	enum compare_unit unit;
	bool by_total; /* the column that is judged: total, else self */
	double same;   /* changes that count as none, such as 0.05 */
};

struct compare_row {
	enum label_key kind;	   /* LABEL_FUNCTION, _PROCESS or _CONTAINER */
	const char *name, *module; /* interned; module "" but of functions */
	double self[2], total[2];  /* before, after; in the unit */
	double rate[2];		   /* of the judged column, in CPU s per s */
	double change, low, high;  /* relative, 95 %; NAN: cannot be told */
	double q;		   /* after correction; 1: not tested */
	enum compare_verdict verdict;
	double longer; /* unclear: how many times these data would tell */
};

struct comparison {
	struct strings *strings;
	struct compare_row *rows; /* functions, processes, containers; in each
				   * kind those with most first */
	size_t n_rows;
};

void compare_sides(struct comparison *comparison,
		   const struct compare_side sides[2],
		   const struct compare_options *options);
void comparison_destroy(struct comparison *comparison);

/* Whether a row is among the first top of its kind (0: all are). */
bool comparison_is_shown(const struct comparison *comparison, size_t row,
			 uint64_t top);

#endif
