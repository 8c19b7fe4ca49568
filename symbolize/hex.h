/* Hexadecimal numbers in hostile text. */
#ifndef SYMBOLIZE_HEX_H
#define SYMBOLIZE_HEX_H

#include <stdbool.h>
#include <stdint.h>

/* The value of a hexadecimal digit, or 16. */
static inline unsigned hex_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return (unsigned)(digit - '0');
	digit |= 0x20;
	return digit >= 'a' && digit <= 'f' ? (unsigned)(digit - 'a') + 10 : 16;
}

/* Reads the digits at *at, which then points behind them; false where there
 * are none, or more than 64 bits' worth. */
static inline bool hex_read(const char **at, const char *end, uint64_t *value)
{
	const char *begin = *at;

	for (*value = 0; *at < end && hex_digit(**at) < 16; ++*at)
		*value = *value << 4 | hex_digit(**at);
	return *at > begin && *at - begin <= 16;
}

#endif
