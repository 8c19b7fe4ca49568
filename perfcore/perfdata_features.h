/*
 * What a perf.data tells of the machine and the recording, from its feature
 * sections (a file) or HEADER_FEATURE records (a pipe).
 */
#ifndef PERFCORE_PERFDATA_FEATURES_H
#define PERFCORE_PERFDATA_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcore/cursor.h"
#include "perfcore/strings.h"

/* Texts are interned, or NULL where the file does not say; numbers 0. */
struct perfdata_facts {
	const char *host, *kernel, *perf_version, *arch;
	const char *cpu_model, *cpu_id;
	const char *command; /* perf's command line, words joined by spaces */
	uint32_t n_cpus;     /* online */
	uint64_t memory;     /* bytes */
	uint64_t first_time, last_time; /* of samples, on the events' clock */
	bool has_clock; /* then at clock_ns of the events' clock it was */
	uint64_t wall_ns, clock_ns; /* wall_ns of UNIX time */
};

/* Reads one feature's section into facts; those it does not know, and broken
 * ones, change nothing. */
void perfdata_feature_read(struct perfdata_facts *facts, uint32_t feature,
			   struct cursor *cursor, struct strings *strings);

#endif
