/*
 * Texts from hostile places (comms, paths, symbols) made fit for formats that
 * want valid UTF-8 without control characters: a newline becomes the two
 * characters \n, a tab \t, any other control character and each byte that is
 * no UTF-8 \xHH. Different texts stay different for the eye, and lines stay
 * lines (case C46).
 */
#ifndef CLI_FORMATS_PRINTABLE_H
#define CLI_FORMATS_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* also: further ASCII characters to be written \xHH, such as ";"; or "". */
bool printable_is(const char *text, const char *also);

/* Returns a new text for free(). */
char *printable_new(const char *text, const char *also);

/* Length in bytes of the valid UTF-8 character at text, 1 to 4; 0 where the
 * bytes are none (overlong forms, surrogates, beyond U+10FFFF, cut off). */
size_t printable_utf8(const char *text);

#endif
