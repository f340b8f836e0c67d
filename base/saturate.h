/* SPDX-License-Identifier: MIT
 *
 * Arithmetic that saturates at 2^64 - 1, or at 0, instead of wrapping around. For numbers that come from callers and
 * may be of any size. Counters that grow by 1, or by the time that passes, do not need it: they would take centuries.
 */
#ifndef BASE_SATURATE_H
#define BASE_SATURATE_H

#include <stdint.h>

static inline uint64_t saturated_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t saturated_difference(uint64_t from, uint64_t less)
{
	return from > less ? from - less : 0;
}

static inline uint64_t saturated_product(uint64_t a, uint64_t b)
{
	uint64_t product;
	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* Converts a number to an integer, without its fraction; 0 if it is below 0 or not a number. C does not define the
 * conversion of a number that does not fit. */
static inline uint64_t saturated_whole(double number)
{
	if (!(number > 0))
		return 0;
	return number < 0x1p64 ? (uint64_t)number : UINT64_MAX;
}

#endif
