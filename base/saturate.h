/* SPDX-License-Identifier: MIT
 *
 * Numbers that stay at their highest value, 2^64 - 1, instead of beginning again at 0. For
 * what callers add or multiply as they like. Counters that grow by 1, or by the time that
 * passes, need centuries up to there.
 */
#ifndef BASE_SATURATE_H
#define BASE_SATURATE_H

#include <stdint.h>

static inline uint64_t saturated_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t saturated_product(uint64_t a, uint64_t b)
{
	uint64_t product;
	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* A number without its fraction; 0 for what is below 0 or no number. C defines no conversion of what does not fit. */
static inline uint64_t saturated_whole(double number)
{
	if (!(number > 0))
		return 0;
	return number < 0x1p64 ? (uint64_t)number : UINT64_MAX;
}

#endif
