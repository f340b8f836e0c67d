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

#include "account.h"

/* Sets the estimates in *figures, whose other members are set, from a copy of the account; and *spread. */
void estimate_rows(const struct account *copy, struct stmlog_account *figures, struct account_spread *spread);

#endif
