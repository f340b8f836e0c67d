/* SPDX-License-Identifier: MIT
 *
 * Estimates an account's rows for all transactions, if only some of them were measured, and how far the estimates may
 * be wrong.
 *
 * A thread has c commits, of which e were measured with weight 1, which is exact. Some of the other transactions were
 * timed, and their sums give
 *
 *   estimate   exact part + (c - e) R        R = (sum of w x) / (sum of w): what a row takes for each commit
 *   variance   ((c - e) / sum of w)^2 times the sum of w (w - 1) (x - R)^2
 *
 * A ratio estimate (Cochran 1977) is far steadier than the sum of w x, because the number of transactions is known. The
 * time aborted is estimated likewise by failed attempts instead of commits, where these are known: a transaction that
 * is timed may fail less often than others, or more often. The sums of transactions of a stratum apart are added as
 * they are, and their commits and attempts are not among those for which the others stand. If no transaction was timed,
 * the estimate is that of weigh.h, from the transactions that were measured with weights.
 *
 * Rows of an account add up to the attached time: open, descheduled and other time are exact, and outside is the rest.
 * If the estimates exceed the attached time, they are cut down in proportion, and their doubt grows by as much. Doubt
 * is the possible error besides chance, which may be the same in all threads.
 */
#ifndef STMLOG_ACCOUNT_ESTIMATE_H
#define STMLOG_ACCOUNT_ESTIMATE_H

#include <stmlog/read.h>

#include "sampled.h"

/* How far the estimates of an account may be wrong. */
struct account_spread {
	double variance_ns2[STMLOG_ACCOUNT_ROWS]; /* by chance */
	uint64_t doubt_ns[STMLOG_ACCOUNT_ROWS];   /* by other errors than chance, in both directions */
	uint64_t timed;                           /* transactions that were only timed */
	uint64_t timed_commits;                   /* timed transactions that have committed */
	uint64_t windows;                         /* in which all transactions were measured */
	uint64_t uncounted; /* 1: not all unmeasured ones could be counted; in sums: the number of such threads */
};

/* Sets the estimates in *figures, whose other members are set, by the sums in `sampled`, a copy that does not change;
 * and *spread, but for `uncounted`. `descheduled_doubt_ns`: the doubt of the time off the processor. */
void estimate_rows(struct stmlog_account *figures, const struct sampled *sampled, uint64_t descheduled_doubt_ns,
	struct account_spread *spread);

#endif
