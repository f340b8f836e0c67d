/* SPDX-License-Identifier: MIT
 * Whether two samples differ, without assumptions about the distribution of their values: medians, the rank test of
 * Mann and Whitney, and Holm's correction for several tests. No value may be a NaN. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Invariant: low <= value <= high. low and high are values of the sample: the narrowest such interval, of equal ranks
 * from both ends, that contains the median of the population with a probability of 95 %. That takes six values; with
 * fewer, the interval is the whole sample and `confidence` below 0.95. */
struct statistics_median {
	double value;
	double low;
	double high;
	double confidence; /* 1 - 2 * the probability that the median is beyond one end; 0 for a single value */
};

/* Requires len > 0. */
struct statistics_median statistics_median(const double *sample, size_t len);

/* How far the values are apart. The quartiles lie between two values where no value is at their rank. */
struct statistics_spread {
	double min;
	double low; /* a quarter of the values are below */
	double median;
	double high; /* a quarter of the values are above */
	double max;
};

/* Sorts the values. Requires len > 0. They may be infinite. */
struct statistics_spread statistics_spread(double *values, size_t len);

/* p is two-sided: the probability that a random division of these values into two samples is at least as uneven. Up to
 * STATISTICS_MAX_EXACT values in both samples it is exact, with ties: of all ways to choose the first sample, the
 * share whose U is at least as far from its mean. (Without ties that is twice the smaller tail.) With more values it is
 * taken from the normal distribution, with the variance corrected for ties and U for continuity. */
enum { STATISTICS_MAX_EXACT = 40 };
struct statistics_u {
	double u; /* the number of pairs in which the first sample's value is the greater one; a tie counts as 1/2 */
	double p;
	bool is_exact;
};

/* Requires both lengths > 0. */
struct statistics_u statistics_u(const double *first, size_t first_len, const double *second, size_t second_len);

/* The smallest p that samples of these lengths can have. */
double statistics_min_p(size_t first_len, size_t second_len);

/* Corrects the p of several tests, by Holm's weighted method (1979): the probability that any of those below alpha is a
 * false alarm is at most alpha. Each test has a part of alpha in proportion to its weight, so its p is multiplied by
 * the sum of the weights that are left, divided by its own. Requires weights > 0. They are chosen without a look at p.
 */
void statistics_holm(const double *p, const double *weights, double *adjusted, size_t len);

#endif
