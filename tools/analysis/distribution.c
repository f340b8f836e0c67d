/* SPDX-License-Identifier: MIT */
#include "distribution.h"

#include "check.h"
#include "saturate.h"

/* Values below SINGLE have a bucket each; above, each power of two has PER_POWER buckets. */
enum { SINGLE = 8, PER_POWER = 4, FIRST_DIGITS = 4 };

uint64_t distribution_bound(size_t bucket)
{
	if (bucket < SINGLE)
		return bucket;
	size_t shift = (bucket - SINGLE) / PER_POWER + FIRST_DIGITS - 3;
	uint64_t leading = PER_POWER + (bucket - SINGLE) % PER_POWER; /* the first three binary digits */
	return (leading << shift) + ((UINT64_C(1) << shift) - 1);
}

/* UINT64_MAX if it overflows. */
static uint64_t count_of(const uint64_t *buckets, size_t len)
{
	uint64_t count = 0;
	for (size_t i = 0; i < len; i++)
		count = saturated_sum(count, buckets[i]);
	return count;
}

uint64_t distribution_quantile(const uint64_t *buckets, size_t len, unsigned percent, uint64_t longest)
{
	REQUIRES(percent >= 1 && percent <= 100);
	uint64_t count = count_of(buckets, len), seen = 0;
	uint64_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100; /* rounded up */
	if (count == 0)
		return 0;
	for (size_t i = 0; i + 1 < len; i++) {
		seen = saturated_sum(seen, buckets[i]);
		if (seen >= rank)
			return distribution_bound(i) < longest ? distribution_bound(i) : longest;
	}
	return longest;
}
