/*
 * Numbers as people read them in reports. Each function writes into the text
 * it is given and returns it; none depends on the locale.
 */
#ifndef CLI_VIEWS_NUMBER_H
#define CLI_VIEWS_NUMBER_H

#include <stdint.h>

#define NUMBER_MAX 48

struct number {
	char text[NUMBER_MAX];
};

/* "1,219"; negative or not finite (not known): "-". */
struct number number_count(double count);

/* "12.31", nanoseconds as seconds; "~" in front of an estimate. */
struct number number_seconds(double seconds, int is_estimate);

/* "64.2 %" of a part from 0 to 1; "<0.1 %" where it is not quite nothing. */
struct number number_percent(double part);

/* "24.0 MB" */
struct number number_bytes(double bytes);

/* "2026-11-30T19:23:05Z" (RFC 3339) of UNIX nanoseconds; with 3 digits of
 * the second where it is not whole. */
struct number number_time(uint64_t unix_ns);

#endif
