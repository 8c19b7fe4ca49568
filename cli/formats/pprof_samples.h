/*
 * The samples of a pprof file that is read, as rows of a profile: stacks from
 * location ids, values by sample type, and threads, containers and the rest
 * from labels (pprof_format.h has ours; some of other tools are known too).
 */
#ifndef CLI_FORMATS_PPROF_SAMPLES_H
#define CLI_FORMATS_PPROF_SAMPLES_H

#include "cli/formats/pprof_tables.h"

#define PPROF_TYPES_MAX 64

/* What becomes of the numbers of a sample, by their place in it. */
struct pprof_values {
	struct profile_value_type types[PPROF_TYPES_MAX];
	uint32_t n_types;
	uint32_t count;			      /* place; PROFILE_NONE: 1 each */
	uint32_t places[PROFILE_VALUES_MAX];  /* of profile->values[i] */
	uint64_t factors[PROFILE_VALUES_MAX]; /* what it is multiplied by */
};

/* Adds a row for each sample. Returns 0 or -errno with the error filled. */
int pprof_samples_read(struct pprof_tables *tables,
		       const struct pprof_values *values);

#endif
