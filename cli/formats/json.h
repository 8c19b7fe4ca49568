/*
 * A streaming JSON writer (RFC 8259): memory does not grow with the output.
 * Commas are its own business; the caller opens and closes what it opened.
 * (Functions are json_put_ and json_open_ because jansson owns the short
 * names.) Texts may hold any bytes: control characters are escaped as JSON
 * does, and bytes that are no UTF-8 become the four characters \xHH.
 */
#ifndef CLI_FORMATS_JSON_H
#define CLI_FORMATS_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/formats/sink.h"

#define JSON_DEPTH_MAX 63

struct json {
	struct sink *sink;  /* borrowed; keeps errors */
	uint64_t has_items; /* bit d: something was written at depth d */
	unsigned int depth;
};

void json_init(struct json *json, struct sink *sink);

/* key is NULL inside a list. */
void json_open_object(struct json *json, const char *key);
void json_close_object(struct json *json);
void json_open_list(struct json *json, const char *key);
void json_close_list(struct json *json);

void json_put_text(struct json *json, const char *key, const char *text);
void json_put_count(struct json *json, const char *key, uint64_t number);
void json_put_bool(struct json *json, const char *key, bool is_true);
void json_put_null(struct json *json, const char *key);

/* A number with 9 significant digits; null where it is not finite. */
void json_put_number(struct json *json, const char *key, double number);

/* As json_put_number, and null where it is negative, which is how the profile
 * says that it does not know. */
void json_put_known(struct json *json, const char *key, double number);

#endif
