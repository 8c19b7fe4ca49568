#include "cli/formats/json.h"

#include <math.h>
#include <stdio.h>

#include "cli/formats/printable.h"

void json_init(struct json *json, struct sink *sink)
{
	*json = (struct json){ .sink = sink };
}

static void put_escape(struct json *json, const char *format,
		       unsigned char byte)
{
	char text[8];

	snprintf(text, sizeof(text), format, byte);
	sink_text(json->sink, text);
}

static void put_text(struct json *json, const char *text)
{
	sink_char(json->sink, '"');
	while (*text) {
		unsigned char byte = (unsigned char)*text;
		size_t size = printable_utf8(text);

		if (size == 0)
			put_escape(json, "\\\\x%02x", byte);
		else if (byte < ' ' || byte == 0x7f)
			put_escape(json, "\\u%04x", byte);
		else if (byte == '"' || byte == '\\')
			put_escape(json, "\\%c", byte);
		else
			sink_write(json->sink, text, size);
		text += size ? size : 1;
	}
	sink_char(json->sink, '"');
}

/* What stands in front of a value: a comma, a new line, its key. */
static void begin(struct json *json, const char *key)
{
	uint64_t bit = 1ull << json->depth;

	if (json->has_items & bit)
		sink_char(json->sink, ',');
	json->has_items |= bit;
	if (json->depth > 0 && json->depth <= 2)
		sink_char(json->sink, '\n');
	if (!key)
		return;
	put_text(json, key);
	sink_text(json->sink, ": ");
}

static void open_value(struct json *json, const char *key, char bracket)
{
	begin(json, key);
	sink_char(json->sink, bracket);
	json->depth++;
	json->has_items &= ~(1ull << json->depth);
}

static void close_value(struct json *json, char bracket)
{
	json->depth--;
	sink_char(json->sink, bracket);
	if (json->depth == 0)
		sink_char(json->sink, '\n');
}

void json_open_object(struct json *json, const char *key)
{
	open_value(json, key, '{');
}

void json_close_object(struct json *json)
{
	close_value(json, '}');
}

void json_open_list(struct json *json, const char *key)
{
	open_value(json, key, '[');
}

void json_close_list(struct json *json)
{
	close_value(json, ']');
}

void json_put_text(struct json *json, const char *key, const char *text)
{
	begin(json, key);
	put_text(json, text);
}

void json_put_count(struct json *json, const char *key, uint64_t number)
{
	begin(json, key);
	sink_number(json->sink, number);
}

void json_put_bool(struct json *json, const char *key, bool is_true)
{
	begin(json, key);
	sink_text(json->sink, is_true ? "true" : "false");
}

void json_put_null(struct json *json, const char *key)
{
	begin(json, key);
	sink_text(json->sink, "null");
}

void json_put_number(struct json *json, const char *key, double number)
{
	char text[32];

	if (!isfinite(number)) {
		json_put_null(json, key);
		return;
	}
	begin(json, key);
	snprintf(text, sizeof(text), "%.9g", number);
	sink_text(json->sink, text);
}

void json_put_known(struct json *json, const char *key, double number)
{
	json_put_number(json, key, number < 0 ? NAN : number);
}
