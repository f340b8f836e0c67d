/* SPDX-License-Identifier: MIT
 * Finds the log-linear bucket of a value in a distribution, as format.h (TRANSACTIONS) defines the buckets. */
#ifndef STMLOG_BUCKETS_H
#define STMLOG_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

/* Returns the bucket of a value, below `max`. The last bucket has all larger values, too. */
static inline size_t bucket_of(uint64_t value, size_t max)
{
	if (value < 8)
		return (size_t)value;
	unsigned digits = 64 - (unsigned)__builtin_clzll(value);
	size_t bucket = 8 + 4 * (size_t)(digits - 4) + (size_t)(value >> (digits - 3) & 3);
	return bucket < max ? bucket : max - 1;
}

#endif
