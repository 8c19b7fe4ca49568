/*
 * Student's t distribution, for comparisons: how unlikely a difference is by
 * chance alone.
 */
#ifndef CLI_PROFILE_STUDENT_H
#define CLI_PROFILE_STUDENT_H

#include <stddef.h>

/* The probability of a value at least as far from 0 as t, on both sides, with
 * that many degrees of freedom (more than 0, need not be whole). */
double student_p(double t, double degrees);

/*
 * Turns p values into q values, the false discovery rate at which each is
 * still a discovery (Benjamini and Hochberg, J. R. Stat. Soc. B 57, 1995).
 * p and q may be the same array.
 */
void student_discoveries(const double *p, double *q, size_t count);

#endif
