/*
 * What went wrong, in words for a person: filled once, where the path, the
 * CPU or the offset is known, and handed up unchanged to cli, which prints
 * it. Functions that take a struct error fill it whenever they fail.
 */
#ifndef PERFCORE_ERROR_H
#define PERFCORE_ERROR_H

#define ERROR_TEXT_MAX 1024

struct error {
	char text[ERROR_TEXT_MAX];
};

/* Formats the message (cut at ERROR_TEXT_MAX) and returns code, a -errno.
 * error may be NULL. */
int error_set(struct error *error, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
