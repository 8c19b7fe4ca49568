/*
 * What hostprof says besides its results: always to standard error, one line
 * each, "hostprof: …". Nothing is said there when all is well and nobody
 * watches (cron sends no mail).
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

/* Something failed. Control characters in the text are escaped: it may hold
 * file names and other people's strings. */
void message_error(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Worth knowing, but only where a person watches: printed when standard
 * error is a terminal. */
void message_note(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* What is being done, on one line that is written over; NULL clears it. Only
 * on a terminal. */
void message_progress(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

#endif
