#include "cli/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define LINE_MAX_BYTES 2048

static void say(const char *format, va_list args)
{
	char line[LINE_MAX_BYTES];

	vsnprintf(line, sizeof(line), format, args);
	fputs("hostprof: ", stderr);
	for (const char *at = line; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			fprintf(stderr, "\\x%02x", (unsigned char)*at);
		else
			fputc(*at, stderr);
	}
	fputc('\n', stderr);
}

void message_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

void message_note(const char *format, ...)
{
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(args, format);
	say(format, args);
	va_end(args);
}

void message_progress(const char *format, ...)
{
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	fputs("\r\033[K", stderr);
	if (!format)
		return;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
}
