/* SPDX-License-Identifier: MIT */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"

static int compare_values(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;
	return (left > right) - (left < right);
}

/* ---- median ---- */

/* The probability that exactly `hits` of `tries` fair coins are heads. */
static double coins(size_t hits, size_t tries)
{
	double ways = lgamma((double)tries + 1) - lgamma((double)hits + 1) - lgamma((double)(tries - hits) + 1);
	return exp(ways - (double)tries * log(2));
}

/* The interval from the k-th smallest to the k-th largest value misses the population's median if fewer than k values
 * are on one side of it. */
static void set_interval(struct statistics_median *median, const double *sorted, size_t len)
{
	size_t k = 1;
	double one_side = coins(0, len), next = one_side + coins(1, len);
	while (2 * (k + 1) <= len && 2 * next <= 0.05) {
		one_side = next;
		k++;
		next += coins(k, len);
	}
	median->low = sorted[k - 1];
	median->high = sorted[len - k];
	median->confidence = fmax(1 - 2 * one_side, 0);
}

struct statistics_median statistics_median(const double *sample, size_t len)
{
	struct statistics_median median;
	REQUIRES(len > 0);
	double *sorted = memory_zeroed(len, sizeof *sorted);
	memcpy(sorted, sample, len * sizeof *sorted);
	qsort(sorted, len, sizeof *sorted, compare_values);
	median.value = sorted[(len - 1) / 2] / 2 + sorted[len / 2] / 2;
	set_interval(&median, sorted, len);
	free(sorted);
	return median;
}

/* ---- spread ---- */

/* The value at so many quarters of the way from the first to the last. */
static double at_quarters(const double *sorted, size_t len, size_t quarters)
{
	size_t rank4 = (len - 1) * quarters;
	double part = (double)(rank4 % 4) / 4, below = sorted[rank4 / 4];
	return rank4 % 4 == 0 ? below : (1 - part) * below + part * sorted[rank4 / 4 + 1];
}

struct statistics_spread statistics_spread(double *values, size_t len)
{
	REQUIRES(len > 0);
	qsort(values, len, sizeof *values, compare_values);
	return (struct statistics_spread){values[0], at_quarters(values, len, 1), at_quarters(values, len, 2),
		at_quarters(values, len, 3), values[len - 1]};
}

/* ---- ranks ---- */

struct ranked {
	double value; /* first: compare_values() */
	bool is_first;
	size_t rank2; /* twice its rank: equal values share the mean of their ranks */
};

/* Sets the ranks. Returns the sum of t^3 - t over all groups of t equal values. */
static double rank(struct ranked *values, size_t len)
{
	double ties = 0;
	qsort(values, len, sizeof *values, compare_values);
	for (size_t from = 0, to; from < len; from = to) {
		for (to = from + 1; to < len && values[to].value <= values[from].value; to++)
			;
		for (size_t i = from; i < to; i++)
			values[i].rank2 = from + 1 + to;
		double equal = (double)(to - from);
		ties += equal * equal * equal - equal;
	}
	return ties;
}

static struct ranked *ranked_of(const double *first, size_t first_len, const double *second, size_t second_len)
{
	struct ranked *values = memory_zeroed(first_len + second_len, sizeof *values);
	for (size_t i = 0; i < first_len; i++)
		values[i] = (struct ranked){first[i], true, 0};
	for (size_t i = 0; i < second_len; i++)
		values[first_len + i] = (struct ranked){second[i], false, 0};
	return values;
}

/* ---- p ---- */

/* ways[k * (max + 1) + s]: how many ways there are to choose k values so that their rank2 add up to s. The numbers
 * stay below 2^53, so doubles hold them exactly. */
static double *count_ways(const struct ranked *values, size_t len, size_t chosen, size_t max)
{
	double *ways = memory_zeroed((chosen + 1) * (max + 1), sizeof *ways);
	ways[0] = 1;
	for (size_t i = 0; i < len; i++) {
		for (size_t k = i < chosen ? i + 1 : chosen; k > 0; k--) {
			double *to = ways + k * (max + 1) + values[i].rank2;
			const double *from = ways + (k - 1) * (max + 1);
			for (size_t s = 0; s + values[i].rank2 <= max; s++)
				to[s] += from[s];
		}
	}
	return ways;
}

static double exact_p(const struct ranked *values, size_t len, size_t chosen, size_t sum2)
{
	size_t max = len * (len + 1), mean = chosen * (len + 1);
	size_t distance = sum2 > mean ? sum2 - mean : mean - sum2;
	double *ways = count_ways(values, len, chosen, max);
	double all = 0, as_far = 0;
	for (size_t s = 0; s <= max; s++) {
		double count = ways[chosen * (max + 1) + s];
		all += count;
		if ((s > mean ? s - mean : mean - s) >= distance)
			as_far += count;
	}
	free(ways);
	return as_far / all;
}

static double normal_p(double u, double first, double second, double ties)
{
	double all = first + second, mean = first * second / 2;
	double variance = first * second / 12 * (all + 1 - ties / (all * (all - 1)));
	double distance = fabs(u - mean) - 0.5;
	if (!(variance > 0) || distance <= 0)
		return 1;
	return erfc(distance / sqrt(2 * variance));
}

struct statistics_u statistics_u(const double *first, size_t first_len, const double *second, size_t second_len)
{
	REQUIRES(first_len > 0 && second_len > 0);
	size_t len = first_len + second_len, sum2 = 0;
	struct ranked *values = ranked_of(first, first_len, second, second_len);
	double ties = rank(values, len);
	for (size_t i = 0; i < len; i++)
		sum2 += values[i].is_first ? values[i].rank2 : 0;
	struct statistics_u result = {.is_exact = len <= STATISTICS_MAX_EXACT};
	result.u = (double)(sum2 - first_len * (first_len + 1)) / 2;
	result.p = result.is_exact ? exact_p(values, len, first_len, sum2)
				   : normal_p(result.u, (double)first_len, (double)second_len, ties);
	free(values);
	return result;
}

double statistics_min_p(size_t first_len, size_t second_len)
{
	double first = (double)first_len, second = (double)second_len;
	return fmin(1, 2 * exp(lgamma(first + 1) + lgamma(second + 1) - lgamma(first + second + 1)));
}

/* ---- several questions ---- */

struct question {
	double p_by_weight; /* first: compare_values() */
	size_t at;
};

void statistics_holm(const double *p, const double *weights, double *adjusted, size_t len)
{
	struct question *questions = memory_zeroed(len, sizeof *questions);
	double *left = memory_zeroed(len + 1, sizeof *left), min = 0;
	for (size_t i = 0; i < len; i++) {
		REQUIRES(weights[i] > 0);
		questions[i] = (struct question){p[i] / weights[i], i};
	}
	qsort(questions, len, sizeof *questions, compare_values);
	for (size_t i = len; i > 0; i--)
		left[i - 1] = left[i] + weights[questions[i - 1].at];
	for (size_t i = 0; i < len; i++) {
		min = fmax(min, fmin(1, left[i] * questions[i].p_by_weight));
		adjusted[questions[i].at] = min;
	}
	free(questions);
	free(left);
}
