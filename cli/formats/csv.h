/*
 * A streaming CSV writer (RFC 4180): fields are quoted where they must be,
 * lines end with CR LF.
 */
#ifndef CLI_FORMATS_CSV_H
#define CLI_FORMATS_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/formats/sink.h"

struct csv {
	struct sink *sink; /* borrowed; keeps errors */
	bool has_fields;   /* in this line */
};

void csv_put_text(struct csv *csv, const char *text);
void csv_put_count(struct csv *csv, uint64_t number);

/* A number with 9 significant digits; empty where it is not finite. */
void csv_put_number(struct csv *csv, double number);

/* As csv_put_number, and empty where it is negative: not known. */
void csv_put_known(struct csv *csv, double number);

void csv_end_line(struct csv *csv);

#endif
