/* SPDX-License-Identifier: MIT
 * What can be said of values of which only the buckets are known (format.h says which these are): true to a fifth. */
#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H

#include <stddef.h>
#include <stdint.h>

/* The largest value that a bucket holds, were it not the last one. */
uint64_t distribution_bound(size_t bucket);

/* How many values there are; no more than can be counted. */
uint64_t distribution_count(const uint64_t *buckets, size_t len);

/* A value that at least `percent` of the values do not exceed: the largest of the bucket in which the smallest such
 * value lies, but no more than `longest`, the largest of all. 0 of no values. Requires 1 <= percent <= 100. */
uint64_t distribution_quantile(const uint64_t *buckets, size_t len, unsigned percent, uint64_t longest);

#endif
