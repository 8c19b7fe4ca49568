/*
 * Hash functions for our own tables. Not for adversaries who choose keys to
 * collide: tables that hold hostile keys are bounded in size.
 */
#ifndef PERFCORE_HASH_H
#define PERFCORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A good mix of all 64 bits (the finaliser of MurmurHash3). */
static inline uint64_t hash_u64(uint64_t value)
{
	value ^= value >> 33;
	value *= 0xff51afd7ed558ccdull;
	value ^= value >> 33;
	value *= 0xc4ceb9fe1a85ec53ull;
	value ^= value >> 33;
	return value;
}

/* Order matters: hash_pair(a, b) differs from hash_pair(b, a). */
static inline uint64_t hash_pair(uint64_t first, uint64_t second)
{
	return hash_u64(first * 0x9e3779b97f4a7c15ull + second);
}

uint64_t hash_bytes(const void *bytes, size_t size);

#endif
