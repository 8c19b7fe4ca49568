#include "cli/profile/select.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND 1000000000ull

/* A UTC time as RFC 3339 ("2026-11-30T19:23:05Z"; the Z may be missing), or
 * a time of day on the day the window starts. Returns false for neither. */
static bool utc_time(const char *text, uint64_t start_ns, int64_t *unix_s)
{
	static const char *const formats[] = { "%Y-%m-%dT%H:%M:%S",
					       "%Y-%m-%d %H:%M:%S",
					       "%Y-%m-%dT%H:%M", "%H:%M:%S",
					       "%H:%M" };
	time_t start = (time_t)(start_ns / SECOND);

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		struct tm tm;
		const char *end;

		gmtime_r(&start, &tm);
		tm.tm_sec = 0;
		end = strptime(text, formats[i], &tm);
		if (!end || (strcmp(end, "") != 0 && strcmp(end, "Z") != 0))
			continue;
		*unix_s = timegm(&tm);
		return true;
	}
	return false;
}

int select_time_parse(const char *text, uint64_t start_ns, double *seconds,
		      bool *is_offset)
{
	int64_t unix_s;

	*is_offset = option_decimal(text, seconds) == 0;
	if (*is_offset)
		return 0;
	if (!utc_time(text, start_ns, &unix_s))
		return -EINVAL;
	*seconds = (double)unix_s;
	return 0;
}

/* Nanoseconds from the start of the window to a time that is well-formed;
 * may be outside of it. NULL: otherwise. */
static double offset_of(const struct profile *profile, const char *text,
			double otherwise)
{
	bool is_offset;
	double seconds;

	if (!text || select_time_parse(text, profile->start_ns, &seconds,
				       &is_offset) != 0)
		return otherwise;
	if (is_offset)
		return seconds * SECOND;
	return (seconds - (double)(profile->start_ns / SECOND)) * SECOND -
	       (double)(profile->start_ns % SECOND);
}

/* What was counted for the whole window tells nothing about its part; what
 * is a ratio stays true enough. */
static void whole_forget(struct profile *profile)
{
	struct profile_health *health = &profile->health;
	struct profile_host *host = &profile->host;

	health->samples = health->expected = health->lost = -1;
	health->throttled = health->throttled_s = -1;
	health->kernel_cpu_s = health->sampled_cpu_s = health->own_cpu_s = -1;
	host->busy_s = host->runqueue_s = host->steal_s = -1;
	host->capacity_s = (double)profile->duration_ns / 1e9 * host->cpus;
	if (!host->cpus)
		host->capacity_s = -1;
	for (size_t i = 0; i < profile->n_processes; i++)
		profile->processes[i].has_accounting = false;
}

static void slices_keep(struct profile *profile, uint32_t first, uint32_t end)
{
	struct profile_row *rows;
	size_t n_rows;

	rows = profile_rows_take(profile, &n_rows);
	for (size_t i = 0; i < n_rows; i++) {
		if (rows[i].slice < first || rows[i].slice >= end)
			continue;
		rows[i].slice -= first;
		profile_add(profile, &rows[i]);
	}
	free(rows);
}

int select_time(struct profile *profile, const struct select_options *options,
		struct error *error)
{
	double from, to, first, end, slice;

	if (!options->from && !options->to)
		return 0;
	if (!profile->slice_ns)
		return error_set(error, -ENODATA,
				 "--from and --to need time slices, and this "
				 "profile has none");
	from = offset_of(profile, options->from, 0);
	to = offset_of(profile, options->to, (double)profile->duration_ns);
	slice = (double)profile->slice_ns;
	from = fmin(fmax(from, 0), (double)profile->duration_ns);
	to = fmin(fmax(to, from), (double)profile->duration_ns);
	first = round(from / slice);
	end = to < (double)profile->duration_ns ? round(to / slice)
						: ceil(to / slice);
	end = fmin(end, UINT32_MAX);
	slices_keep(profile, (uint32_t)fmin(first, UINT32_MAX), (uint32_t)end);
	profile->start_ns += (uint64_t)(first * slice);
	profile->duration_ns = (uint64_t)fmax(
		0, fmin(end * slice, (double)profile->duration_ns) -
			   first * slice);
	whole_forget(profile);
	return 0;
}
