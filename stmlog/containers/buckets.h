/* SPDX-License-Identifier: MIT
 * Which log-linear bucket a value belongs to; format.h, TRANSACTIONS, says what they are. */
#ifndef STMLOG_BUCKETS_H
#define STMLOG_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

/* At most `most` - 1: the last one has all that is larger. */
static inline size_t bucket_of(uint64_t value, size_t most)
{
	if (value < 8)
		return (size_t)value;
	unsigned digits = 64 - (unsigned)__builtin_clzll(value);
	size_t bucket = 8 + 4 * (size_t)(digits - 4) + (size_t)(value >> (digits - 3) & 3);
	return bucket < most ? bucket : most - 1;
}

#endif
