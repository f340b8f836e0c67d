/* SPDX-License-Identifier: MIT
 * Whether two samples differ, without any idea of how their values are distributed: medians, the rank test of Mann and
 * Whitney, and Holm's correction for asking several times. No value may be a NaN. */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Invariant: low <= value <= high. The interval is between two of the sample's own values, as near to each other as has
 * the median of the population between them with 95 %. So many are six values: of fewer it is the whole sample, and
 * `confidence` is below 0.95. */
struct statistics_median {
	double value;
	double low;
	double high;
	double confidence; /* 1 - 2 * the chance that one end misses; 0 of a single value */
};

/* Requires len > 0. */
struct statistics_median statistics_median(const double *sample, size_t len);

/* p is two-sided: how likely at least as uneven a division of these values is, if chance has divided them. Up to
 * STATISTICS_MOST_EXACT values together it is counted, ties and all: over all ways to choose the first sample among
 * them, those whose U is at least as far from its mean. (Without ties that is twice the smaller tail.) Beyond, it is
 * of the normal distribution, with the variance corrected for ties and U for continuity. */
enum { STATISTICS_MOST_EXACT = 40 };
struct statistics_u {
	double u; /* pairs in which the first sample's value is the greater one; ties are halves */
	double p;
	bool is_exact;
};

/* Requires both lengths > 0. */
struct statistics_u statistics_u(const double *first, size_t first_len, const double *second, size_t second_len);

/* The least p that samples of so many values can have. */
double statistics_least_p(size_t first_len, size_t second_len);

/* The p of several questions, corrected so that all that are below alpha are right together with 1 - alpha. */
void statistics_holm(const double *p, double *adjusted, size_t len);

#endif
