/*
 * Reports as CSV (RFC 4180): one line of column names, one line for each
 * row, CR LF at the ends, fields quoted where they must be. The values are
 * those of the JSON; what is not known is an empty field.
 */
#ifndef CLI_FORMATS_CSV_REPORT_H
#define CLI_FORMATS_CSV_REPORT_H

#include "cli/formats/report_view.h"
#include "cli/formats/sink.h"

void csv_report_write(struct sink *sink, const struct report_view *view);

#endif
