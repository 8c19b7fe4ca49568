#include "cli/formats/printable.h"

#include <stdint.h>
#include <string.h>

#include "perfcore/mem.h"

static bool is_tail(char byte)
{
	return ((uint8_t)byte & 0xc0) == 0x80;
}

/* Unicode 15 table 3-7: what the first byte allows for the second. */
size_t printable_utf8(const char *text)
{
	uint8_t first = (uint8_t)text[0], second;

	if (first < 0x80)
		return first != 0;
	if (first < 0xc2 || first > 0xf4 || !is_tail(text[1]))
		return 0;
	if (first < 0xe0)
		return 2;
	second = (uint8_t)text[1];
	if ((first == 0xe0 && second < 0xa0) ||
	    (first == 0xed && second > 0x9f) ||
	    (first == 0xf0 && second < 0x90) ||
	    (first == 0xf4 && second > 0x8f) || !is_tail(text[2]))
		return 0;
	if (first < 0xf0)
		return 3;
	return is_tail(text[3]) ? 4 : 0;
}

static bool is_plain(char byte, const char *also)
{
	return (uint8_t)byte >= 0x20 && byte != 0x7f && !strchr(also, byte);
}

bool printable_is(const char *text, const char *also)
{
	while (*text) {
		size_t size = printable_utf8(text);

		if (size == 0 || !is_plain(*text, also))
			return false;
		text += size;
	}
	return true;
}

static char *put_escape(char *to, char byte)
{
	static const char digits[] = "0123456789abcdef";

	*to++ = '\\';
	if (byte == '\n' || byte == '\t') {
		*to++ = byte == '\n' ? 'n' : 't';
		return to;
	}
	*to++ = 'x';
	*to++ = digits[(uint8_t)byte >> 4];
	*to++ = digits[(uint8_t)byte & 15];
	return to;
}

char *printable_new(const char *text, const char *also)
{
	char *clean = mem_alloc(4 * strlen(text) + 1);
	char *to = clean;

	while (*text) {
		size_t size = printable_utf8(text);

		if (size == 0 || !is_plain(*text, also)) {
			to = put_escape(to, *text++);
			continue;
		}
		memcpy(to, text, size);
		to += size;
		text += size;
	}
	*to = '\0';
	return clean;
}
