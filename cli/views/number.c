#include "cli/views/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct number number_count(double count)
{
	struct number number = { "-" };
	char digits[NUMBER_MAX];
	size_t length, at = 0;

	if (!isfinite(count) || count < 0 || count > 1e18)
		return number;
	length = (size_t)snprintf(digits, sizeof(digits), "%.0f", count);
	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			number.text[at++] = ',';
		number.text[at++] = digits[i];
	}
	number.text[at] = '\0';
	return number;
}

struct number number_seconds(double seconds, int is_estimate)
{
	struct number number = { "-" };

	if (isfinite(seconds) && seconds >= 0)
		snprintf(number.text, sizeof(number.text), "%s%.2f",
			 is_estimate ? "~" : "", seconds);
	return number;
}

struct number number_percent(double part)
{
	struct number number = { "-" };

	if (!isfinite(part))
		return number;
	if (part > 0 && part < 0.0005)
		strncpy(number.text, "<0.1 %", sizeof(number.text) - 1);
	else
		snprintf(number.text, sizeof(number.text), "%.1f %%",
			 part * 100);
	return number;
}

struct number number_bytes(double bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	struct number number = { "-" };
	size_t unit = 0;

	if (!isfinite(bytes) || bytes < 0)
		return number;
	for (; bytes >= 1000 && unit < 4; unit++)
		bytes /= 1000;
	snprintf(number.text, sizeof(number.text), "%.*f %s", unit ? 1 : 0,
		 bytes, units[unit]);
	return number;
}

struct number number_time(uint64_t unix_ns)
{
	struct number number = { "-" };
	time_t seconds = (time_t)(unix_ns / 1000000000);
	unsigned int ms = (unsigned int)(unix_ns / 1000000 % 1000);
	struct tm tm;
	size_t length;

	if (!gmtime_r(&seconds, &tm))
		return number;
	length = strftime(number.text, sizeof(number.text), "%Y-%m-%dT%H:%M:%S",
			  &tm);
	snprintf(number.text + length, sizeof(number.text) - length,
		 ms ? ".%03uZ" : "Z", ms);
	return number;
}
