/*
 * Reports as JSON, schema 1: a contract with scripts (see docs/hostprof.1).
 * New keys may be added; none changes its meaning. What is not known is null.
 */
#ifndef CLI_FORMATS_JSON_REPORT_H
#define CLI_FORMATS_JSON_REPORT_H

#include "cli/formats/json.h"
#include "cli/formats/report_view.h"

/*
 * Writes one object: host, event, CPU time, health, notes, and the rows of
 * view. For the summary extra are further views (containers, processes),
 * written as lists named by their first key with an "s".
 */
void json_report_write(struct sink *sink, const struct report_view *view,
		       const struct report_view *extra, size_t n_extra);

/* The "health" object alone, as diff shows one for each side. */
void json_report_health(struct json *json, const char *key,
			const struct profile_health *health);

#endif
