/* SPDX-License-Identifier: MIT
 * The account of a thread, or of all threads: the parts of its time. Every report shows it. */
#ifndef RECORDED_ACCOUNT_H
#define RECORDED_ACCOUNT_H

#include <stdint.h>

#include "estimate.h"
#include "records.h"

/* In a correct recording, attached_ns == outside + committed + aborted + paused + waiting + other + blocked +
 * descheduled + open. */
struct recorded_account {
	uint64_t attached_ns;
	uint64_t outside_ns;
	uint64_t committed_ns;
	uint64_t aborted_ns; /* for all contentions */
	uint64_t paused_ns;
	uint64_t waiting_ns; /* for all reasons */
	uint64_t other_ns;
	uint64_t blocked_ns;
	uint64_t descheduled_ns;
	uint64_t open_ns;
	uint64_t commits; /* measured or not */
	uint64_t aborts;  /* measured or not */
	uint64_t pauses;
	uint64_t waits;
	uint64_t others;
	uint64_t blocked; /* the number of times; likewise the next two */
	uint64_t blocked_in_vain;
	uint64_t descheduled;
	/* Transactions without an attached thread; not part of attached_ns. */
	uint64_t unattached_ns;
	uint64_t unattached;
	uint64_t unattached_in_vain;
};

/* Aborts of a thread: the number and the time of the measured ones, and an estimate of the time of all. */
struct account_aborts {
	uint64_t count;
	uint64_t lost_ns;
	uint64_t estimated_ns;
};
/* Requires contention < STMLOG_CONTENTIONS. */
struct account_aborts account_aborts(const struct stmlog_thread_record *thread, uint32_t contention);
struct account_aborts account_all_aborts(const struct stmlog_thread_record *thread);

/* The two errors of a row's estimate: the variance by chance, and the error beyond chance. Requires row <
 * STMLOG_ACCOUNT_ROWS. */
double account_variance_ns2(const struct stmlog_thread_record *thread, size_t row);
uint64_t account_doubt_ns(const struct stmlog_thread_record *thread, size_t row);

/* How often transactions were blocked after a retry, with a thread and without; and how many of these wakes were
 * spurious. */
static inline uint64_t account_times_blocked(const struct recorded_account *account)
{
	return account->blocked + account->unattached;
}

static inline uint64_t account_futile_wakes(const struct recorded_account *account)
{
	return account->blocked_in_vain + account->unattached_in_vain;
}

/* How long the thread has been waiting, in the wait or commit that is under way. The thread's record has this time as
 * open, or as outside if no hook was called for the transaction. */
struct account_under_way {
	uint64_t paused_ns, waiting_ns;
};
struct account_under_way account_under_way(
	const struct recording *recording, const struct stmlog_thread_record *thread);

/* The measured account. It counts a wait under way in the row of its kind, up to now. */
struct recorded_account account_of(const struct recording *recording, const struct stmlog_thread_record *thread);
struct recorded_account account_total(const struct recording *recording);

/* Returns false if a sum is above 2^64: it has wrapped around. */
bool account_add(struct recorded_account *sum, const struct recorded_account *more);

/* The rows with their intervals, by enum stmlog_account_row: estimates for all transactions; if all were measured, what
 * was measured. With open_ns they add up to attached_ns. An interval reaches from the measured time (of outside: from
 * 0) up to the time that the measured parts of all other rows leave. */
struct account_rows {
	struct estimate at[STMLOG_ACCOUNT_ROWS];
};
struct account_rows account_rows(const struct recording *recording, const struct stmlog_thread_record *thread);
struct account_rows account_rows_total(const struct recording *recording);

/* Shares of the attached time in tenths of a percent, rounded so that the printed shares add up: all together are the
 * rounded sum of the exact shares, which is 1000 in a correct recording, and each is the exact share rounded down or
 * up. */
enum { ACCOUNT_OPEN = STMLOG_ACCOUNT_ROWS, ACCOUNT_SHARES };
struct account_shares {
	unsigned tenths[ACCOUNT_SHARES];
};
struct account_shares account_shares(const struct recording *recording);

/* The same for other parts of another whole. */
struct account_parts {
	uint64_t ns[ACCOUNT_SHARES];
};
struct account_parts account_parts(const struct recording *recording);
struct account_shares account_shares_of(const struct account_parts *parts, uint64_t whole_ns);

/* The time in which the threads had processors. */
uint64_t account_running_ns(const struct recording *recording);

/* The sum of the rows aborted, paused and waiting. */
unsigned account_lost_tenths(const struct account_shares *shares);

/* The time of a row of losses that no measured loss explains. */
struct account_unexplained {
	struct estimate time;
	uint64_t losses;       /* how many were measured in this row */
	bool is_beyond_chance; /* the row is above the upper end of that time, or the losses are too few to say */
};
struct account_unexplained account_unexplained(const struct recording *recording, size_t row);

/* By how much the estimates of a row's measured losses are to be multiplied so that they add up to the row, which is
 * known better: it is estimated from all transactions that were timed. 1 where the row is beyond chance, or not known.
 */
double account_scale(const struct recording *recording, size_t row);

/* "paused 8.7 %: of no measured loss; record --sample=1 tells where". NULL if the time may be due to chance, or is less
 * than a hundredth of the attached time. `tenths` is the share of the whole row. */
char *account_unexplained_text(const struct recording *recording, size_t row, unsigned tenths);

/* Whether account_unexplained_text() has a text for any row of losses. */
bool account_has_unexplained(const struct recording *recording);

/* The parts of lost time that no known place has, by the reason, each with its words. */
enum { ACCOUNT_EVICTED, ACCOUNT_NO_ENTRY, ACCOUNT_UNMEASURED, ACCOUNT_PLACELESS };
struct account_placeless {
	struct {
		const char *name;
		uint64_t ns;
	} at[ACCOUNT_PLACELESS];
};

/* Divides `ns`. If all was measured, nothing of it is unmeasured: it is of waits that make no entry, or go on. */
struct account_placeless account_placeless(const struct recording *recording, uint64_t ns);

/* The name of a row, as "committed". Requires row < STMLOG_ACCOUNT_ROWS. */
const char *account_row_name(size_t row);

/* The number of commits that were measured with all hooks. The others were timed (info.timed_commits) or only counted.
 */
uint64_t account_measured_commits(const struct recording *recording);

/* One commit in so many was measured with all hooks, rounded; 0: none was. */
uint64_t account_measured_every(const struct recording *recording);

/* One transaction in so many was measured: the interval that the runtime has set, or, if each of its threads has had
 * one of its own, the mean of them, rounded. */
uint64_t account_sample_interval(const struct recording *recording);

/* attached_ns minus all its parts: 0 in a correct recording. */
int64_t account_residual(const struct recorded_account *account);

#endif
