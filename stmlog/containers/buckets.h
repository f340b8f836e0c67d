/* SPDX-License-Identifier: MIT
 * The log-linear buckets of distributions, as format.h (TRANSACTIONS) defines them. */
#ifndef STMLOG_BUCKETS_H
#define STMLOG_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

/* The bucket of a value, of `max` buckets. The last one has all larger values, too. */
static inline size_t bucket_of(uint64_t value, size_t max)
{
	if (value < 8)
		return (size_t)value;
	unsigned digits = 64 - (unsigned)__builtin_clzll(value);
	size_t bucket = 8 + 4 * (size_t)(digits - 4) + (size_t)(value >> (digits - 3) & 3);
	return bucket < max ? bucket : max - 1;
}

#endif
