#include "perfcore/hash.h"

#include <string.h>

uint64_t hash_bytes(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t hash = 0x9e3779b97f4a7c15ull ^ size;
	uint64_t word;

	for (; size >= 8; at += 8, size -= 8) {
		memcpy(&word, at, 8);
		hash = hash_u64(hash ^ word) + 0x632be59bd9b4e019ull;
	}
	word = 0;
	memcpy(&word, at, size);
	return hash_u64(hash ^ word);
}
