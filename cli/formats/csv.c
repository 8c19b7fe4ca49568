#include "cli/formats/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void csv_put_text(struct csv *csv, const char *text)
{
	bool is_quoted = text[strcspn(text, ",\"\r\n")] != '\0';

	if (csv->has_fields)
		sink_char(csv->sink, ',');
	csv->has_fields = true;
	if (!is_quoted) {
		sink_text(csv->sink, text);
		return;
	}
	sink_char(csv->sink, '"');
	for (; *text; text++) {
		if (*text == '"')
			sink_char(csv->sink, '"');
		sink_char(csv->sink, *text);
	}
	sink_char(csv->sink, '"');
}

void csv_put_count(struct csv *csv, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	csv_put_text(csv, text);
}

void csv_put_number(struct csv *csv, double number)
{
	char text[32] = "";

	if (isfinite(number))
		snprintf(text, sizeof(text), "%.9g", number);
	csv_put_text(csv, text);
}

void csv_put_known(struct csv *csv, double number)
{
	csv_put_number(csv, number < 0 ? NAN : number);
}

void csv_end_line(struct csv *csv)
{
	sink_text(csv->sink, "\r\n");
	csv->has_fields = false;
}
