/* SPDX-License-Identifier: MIT
 * Sums of losses, and times with intervals. If only some transactions were measured, a time is an estimate for all
 * transactions, and its interval contains the true time in 95 of 100 such runs. If all were measured, it is the
 * measured time, and the interval has no width. The observer effect has an interval, too. */
#ifndef ESTIMATE_H
#define ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "number.h"
#include "records.h"

/* ---- sums of losses ---- */

/* The rows of an account that a sum is a part of, as a bit set. 0: not known. */
#define TALLY_ROW(row) (UINT64_C(1) << (row))
#define TALLY_LOSSES \
	(TALLY_ROW(STMLOG_ACCOUNT_ABORTED) | TALLY_ROW(STMLOG_ACCOUNT_PAUSED) | TALLY_ROW(STMLOG_ACCOUNT_WAITING))

struct tally_sum {
	uint64_t count;
	uint64_t lost_ns;
	uint64_t longest_ns;
	uint64_t wasted; /* of `count`: losses whose culprit was aborted as well */
	uint64_t wasted_ns;
	uint64_t false_conflicts; /* of `count`: conflicts over different objects */
	double surplus_ns;        /* estimate for all transactions, minus the measured time */
	double variance_ns2;      /* of that estimate; for a sum an upper bound */
	uint64_t descheduled_ns;  /* time off the processor during the losses; not part of lost_ns */
	uint64_t rows;
};

struct tally_sum tally_sum_of(const struct stmlog_entry_record *entry);
struct tally_sum tally_sum_of_evicted(const struct recording *recording);
struct tally_sum tally_sum_of_total(const struct stmlog_total_record *total);

void tally_sum_add(struct tally_sum *sum, const struct tally_sum *more);

/* ---- estimates ---- */

static inline uint64_t larger_ns(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t smaller_ns(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Invariant: low_ns <= ns <= high_ns, all the same if is_exact. */
struct estimate {
	uint64_t ns;
	uint64_t low_ns;
	uint64_t high_ns;
	uint64_t measured_ns;
	bool is_exact; /* measured, not estimated */
};

struct estimate estimate_exact(uint64_t ns);

/* The two errors of an estimate: the variance by chance, and a doubt, the error beyond chance. */
struct estimate_error {
	double variance_ns2;
	double doubt_ns;
};

/* The interval never reaches below `min_ns` or above `max_ns`, and an estimate outside of them is moved to the nearer
 * one. If min_ns > max_ns, `min_ns` holds. If the variance is negative or NaN, it is not known: then the interval
 * reaches from `min_ns` to `max_ns`. */
struct estimate estimate_make(uint64_t ns, struct estimate_error error, uint64_t min_ns, uint64_t max_ns);

/* The same for an exact time less other estimates. Its error is theirs, and its interval is symmetric. */
struct estimate estimate_rest(uint64_t ns, struct estimate_error error, uint64_t min_ns, uint64_t max_ns);

/* This part, from 0 to 1, of the estimate and of its interval. `measured_ns` is the measured time in it. */
struct estimate estimate_part(const struct estimate *estimate, double part, uint64_t measured_ns);

/* `ns`, rounded. Handles NaN and numbers out of range, which a damaged file may have. */
uint64_t estimate_whole(double ns);

/* The estimate of a sum of losses: at least the measured time, at most the upper ends of the rows that the sum is a
 * part of. */
struct estimate estimate_of(const struct recording *recording, const struct tally_sum *sum);

/* The estimate of all lost time: the time aborted, paused and waiting, by the rows of the account. Its interval reaches
 * from the sum of their lower ends to the sum of their upper ends. Without an account it is computed from the measured
 * losses. */
struct estimate estimate_of_total(const struct recording *recording);

/* The part of all lost time that measured losses explain, the sum of entries and evicted losses. */
struct estimate estimate_of_explained(const struct recording *recording);

/* Whether the sum has so few measured losses that its interval means nothing. Never true if all transactions were
 * measured. */
enum { ESTIMATE_MIN_LOSSES = 10 };
bool estimate_is_too_few(const struct recording *recording, uint64_t count);

/* ---- texts ---- */

/* "12.3 ms", or "~ 12.3 ms (11.0 - 13.9 ms)"; "~ 12.3 ms"; "11.0 - 13.9 ms". Of an exact time the first
 * two are "12.3 ms", and the last is empty. */
struct number estimate_number(const struct estimate *estimate);
struct number estimate_point(const struct estimate *estimate);
struct number estimate_range(const struct estimate *estimate);

/* As estimate_number(), or "too few to say". */
struct number estimate_text(const struct recording *recording, const struct tally_sum *sum);

struct number estimate_text_total(const struct recording *recording);

/* Of the evicted losses: as estimate_number(), or "at most ~ 12.3 ms" if they are too few. */
struct number estimate_text_evicted(const struct recording *recording);

/* The sum's share of all lost time. */
struct number estimate_share(const struct recording *recording, const struct tally_sum *sum);

/* ---- the observer effect ---- */

/* The effect is not known with fewer phases of either kind (a phase is one thread's), with fewer aborts, or if the ends
 * of the interval are further away from the effect than by this factor. */
enum { OBSERVER_MIN_PHASES = 10, OBSERVER_MIN_ABORTS = 100, OBSERVER_WIDEST = 2 };

/* The rate of aborts in phases in which transactions were measured, relative to the rate in phases without measuring.
 * The interval comes from how much the phases of one kind differ. */
struct observer {
	bool is_known;
	bool is_in_bursts;      /* the effect is not known because aborts come in bursts */
	double effect;          /* ratio of aborts per time, with measuring to without */
	double low, high;       /* in 95 of 100 such runs the effect lies between these */
	double per_transaction; /* ratio of aborts per transaction */
};

struct observer observer_of(const struct recording_info *info);

#endif
