/*
 * What a perf.data tells of the machine and the recording, from its feature
 * sections (a file) or HEADER_FEATURE records (a pipe).
 */
#ifndef PERFCORE_PERFDATA_FEATURES_H
#define PERFCORE_PERFDATA_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcore/cursor.h"
#include "perfcore/perfdata_output.h"
#include "perfcore/strings.h"

/* Texts are interned, or NULL where the file does not say; numbers 0. */
struct perfdata_facts {
	const char *host, *kernel, *perf_version, *arch;
	const char *cpu_model, *cpu_id;
	const char *command; /* perf's command line, words joined by spaces */
	uint32_t n_cpus;     /* online */
	uint32_t n_cpus_present;	/* and those that could be */
	uint64_t memory;		/* bytes */
	uint64_t first_time, last_time; /* of samples, on the events' clock */
	bool has_clock; /* then at clock_ns of the events' clock it was */
	uint64_t wall_ns, clock_ns; /* wall_ns of UNIX time */
	uint32_t clock_id;	    /* CLOCK_MONOTONIC … */

	/* The symbol that the kernel's mapping was measured from, and where
	 * it was ("_stext"): tells one boot of one kernel from another. */
	const char *kernel_symbol;
	uint64_t kernel_address;
};

/* A copy whose texts are interned in strings. */
struct perfdata_facts perfdata_facts_copy(const struct perfdata_facts *facts,
					  struct strings *strings);

/* Reads one feature's section into facts; those it does not know, and broken
 * ones, change nothing. */
void perfdata_feature_read(struct perfdata_facts *facts, uint32_t feature,
			   struct cursor *cursor, struct strings *strings);

/* Whether facts hold what that feature tells. */
bool perfdata_feature_is_known(const struct perfdata_facts *facts,
			       uint32_t feature);

/* Writes the section of a feature that is known. */
void perfdata_feature_write(const struct perfdata_facts *facts,
			    uint32_t feature, struct perfdata_output *output);

#endif
