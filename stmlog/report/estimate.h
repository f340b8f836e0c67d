/* SPDX-License-Identifier: MIT
 * Lost time. If only some transactions were measured, it is an estimate for all transactions, with the interval that
 * contains the true value in 95 of 100 such runs. If all were measured, it is the measured time, without an interval.
 */
#ifndef ESTIMATE_H
#define ESTIMATE_H

#include "number.h"
#include "records.h"
#include "tally.h"

/* Invariant: measured_ns <= low_ns <= ns <= high_ns, all the same in a recording that is exact. */
struct estimate {
	uint64_t ns;
	uint64_t low_ns;
	uint64_t high_ns;
	uint64_t measured_ns;
};

struct estimate estimate_of(const struct recording *recording, const struct tally_sum *sum);

/* Of all losses, and of those that were evicted. */
struct estimate estimate_of_total(const struct recording *recording);
struct estimate estimate_of_evicted(const struct recording *recording);

/* "12.3 ms", or "~ 12.3 ms +- 1.1 ms". */
struct number estimate_text(const struct recording *recording, const struct tally_sum *sum);
struct number estimate_text_total(const struct recording *recording);

/* The share of all lost time. */
struct number estimate_share(const struct recording *recording, const struct tally_sum *sum);

/* As number_time(), with "~" before an estimate. */
struct number estimate_time(const struct recording *recording, uint64_t ns);

#endif
