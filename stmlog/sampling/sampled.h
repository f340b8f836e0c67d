/* SPDX-License-Identifier: MIT
 *
 * The data of an account for the case that not all transactions are measured: sums of the measured ones, by their
 * weights; sums of those that were only timed; and how many were not measured, the timed ones included. All are 0 until
 * a transaction has a weight, is timed or is not measured. account_estimate.h makes estimates of them. The owner adds
 * while the account's word is BUSY, and any thread may read (account.h).
 *
 * Invariants: surplus_ns[] is the estimated time of unmeasured transactions, by the weights of the measured ones, and
 * weighted_ns[] the part of the account's ns[] that has such weights. Both are 0 in OUTSIDE_STATE and ATTEMPT_STATE.
 */
#ifndef STMLOG_SAMPLED_H
#define STMLOG_SAMPLED_H

#include <stmlog/format.h>

#include "slots.h"

/* Sums over observations of weight w, each of which has spent x ns in a row, and has y commits. All but `count` are
 * doubles (account_double()). */
struct observed_row {
	volatile AO_t sum;    /* of w x */
	volatile AO_t cross;  /* of w (w - 1) x y */
	volatile AO_t square; /* of w (w - 1) x^2 */
};

/* An observation is a timed transaction, of which y is 1 if it has committed, or a window (windows.h). In the row
 * OUTSIDE, x is the time of whole transactions. */
enum { OBSERVED_ROWS = STMLOG_ACCOUNT_OUTSIDE + 1 };
struct observations {
	volatile AO_t count;
	volatile AO_t weight; /* sum of w y */
	volatile AO_t square; /* sum of w (w - 1) y^2 */
	struct observed_row rows[OBSERVED_ROWS];
};

/* Transactions of rare kinds, which are a stratum apart (is_apart of struct stmlog_timed_transaction): by its weight
 * each stands for others of its kind only. By row, with the whole transaction in the row OUTSIDE. */
struct apart {
	volatile AO_t count;                       /* of transactions */
	volatile AO_t commits;                     /* sum of w, over those that committed; a double, as the following */
	volatile AO_t failed;                      /* sum of w f, the failed attempts */
	volatile AO_t sum[STMLOG_ACCOUNT_ROWS];    /* of w x */
	volatile AO_t square[STMLOG_ACCOUNT_ROWS]; /* of w (w - 1) x^2 */
};

/* The other transactions that were only timed (stmlog_timed()); or windows. */
struct timed {
	struct observations all;
	volatile AO_t commits; /* of these transactions, and of those apart; of windows 0 */
	/* By f, the failed attempts, and x, the time aborted: */
	volatile AO_t failures;      /* sum of f; a number */
	volatile AO_t failed;        /* sum of w f */
	volatile AO_t failed_cross;  /* sum of w (w - 1) x f */
	volatile AO_t failed_square; /* sum of w (w - 1) f^2 */
};

/* What a thread has measured in the window under way: by row, commits, and failed attempts. */
struct window_sums {
	uint64_t ns[OBSERVED_ROWS];
	uint64_t commits, failed;
};

struct sampled {
	volatile AO_t surplus_ns[ACCOUNT_SLOTS];
	volatile AO_t weighted_ns[ACCOUNT_SLOTS];
	volatile AO_t unmeasured_commits;
	volatile AO_t unmeasured_aborts;
	volatile AO_t weighted_commits; /* those of the account's count[COMMITTED_SLOT] that have weights */
	volatile AO_t weighted_aborts;
	volatile AO_t surplus_aborts;        /* how many other aborts the weighted ones stand for */
	volatile AO_t unmeasured_aborted_ns; /* only in a copy: the time of unmeasured_aborts; 0: not known */
	/* Doubles: variances of surplus_ns[] by row, with the whole transaction in the row OUTSIDE. */
	volatile AO_t variance_ns2[STMLOG_ACCOUNT_ROWS];
	/* 1: not transactions were chosen at random, but windows: timed.all has these. */
	volatile AO_t has_windows;
	struct timed timed;
	struct apart apart;
	/* Used by the owner only; readers copy the words up to here. */
	union {
		double running_ns[STMLOG_ACCOUNT_ROWS]; /* by row, of the weighted transaction under way */
		struct window_sums window;              /* with windows: of the one under way */
	};
	uint32_t extra_weight; /* for how many others each transaction stands */
	uint32_t within_ns; /* with windows: what hooks take of each measured attempt, and no other attempt has lost */
};

/* Called when a transaction with a weight begins, and when the weight changes: empties running_ns[]. */
void sampled_begin(struct sampled *sampled);

/* Called when the transaction under way has spent time in a slot. Adds the surplus, and its variance. Not for
 * OUTSIDE_STATE and ATTEMPT_STATE, which have no surplus. */
void sampled_weigh(struct sampled *sampled, enum account_slot slot, uint64_t ns);

/* Called before the first window: from here on windows are what is chosen at random. */
void sampled_begin_windows(struct sampled *sampled);

/* Called when a window with a weight ends. */
void sampled_end_window(struct sampled *sampled);

/* Adds a transaction that was only timed. */
void sampled_add_timed(struct sampled *sampled, const struct stmlog_timed_transaction *timed);

/* Adds counts of transactions that were not measured. Returns false if one of them is at its highest value now. The
 * account's word need not be BUSY: a reader may see one of the two counts without the other. */
bool sampled_add_unmeasured(struct sampled *sampled, uint64_t commits, uint64_t aborts);

#endif
