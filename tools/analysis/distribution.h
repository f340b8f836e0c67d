/* SPDX-License-Identifier: MIT
 * Quantiles of values of which only the counts by bucket are known (format.h, TRANSACTIONS). They are at most a fifth
 * too high. */
#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

/* The largest value of a bucket. Not for the last bucket, which has no largest value. */
uint64_t distribution_bound(size_t bucket);

/* A value that at least `percent` per cent of the values do not exceed: the largest of the bucket in which the quantile
 * lies, but at most `longest`, the largest of all values. 0 without values. Requires 1 <= percent <= 100. */
uint64_t distribution_quantile(const uint64_t *buckets, size_t len, unsigned percent, uint64_t longest);

#endif
