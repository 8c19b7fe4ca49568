/*
 * Comparisons for machines: JSON (schema 1, a contract with scripts) and CSV
 * (RFC 4180). Numbers that cannot be told are null, in CSV empty.
 */
#ifndef CLI_FORMATS_DIFF_REPORT_H
#define CLI_FORMATS_DIFF_REPORT_H

#include "cli/formats/sink.h"
#include "cli/profile/compare.h"

/* At most top rows of each kind (0: all). */
void diff_report_json(struct sink *sink, const struct comparison *comparison,
		      const struct compare_side sides[2],
		      const struct compare_options *options, uint64_t top);
void diff_report_csv(struct sink *sink, const struct comparison *comparison,
		     uint64_t top);

#endif
