/* SPDX-License-Identifier: MIT
 *
 * Estimates the loss of all transactions from sampled transactions, and the variance of that estimate. A transaction
 * that was measured with probability 1/w stands for w.
 *
 *   estimate   sum of w * x            x: what one transaction lost (under one key, say)
 *   variance   sum of w * (w - 1) * x^2
 *
 * The estimate is right on average, whatever the x are. The second sum is on average the variance
 * of the estimate, if transactions are chosen independently (Horvitz, Thompson 1952; Poisson
 * sampling). With w == 1 the estimate is the measured loss, and the variance 0.
 *
 * A transaction may have several losses, which are added one by one. So each loss adds the growth of x^2: (before +
 * ns)^2 - before^2. Here `before` is the time that the transaction has lost before: under the same key, by the same
 * cause, or by all causes. These are three sums and three variances, of which each is at most the next.
 */
#ifndef STMLOG_WEIGH_H
#define STMLOG_WEIGH_H

#include <stmlog/read.h>

/* The weight of a loss. All zero: the loss stands only for itself. */
struct weight {
	uint32_t extra;       /* for how many other transactions its transaction stands */
	uint64_t transaction; /* number of its transaction; 0: before the thread's first one */
	uint64_t of_cause_ns; /* what the transaction has lost before, by the same cause */
	uint64_t of_all_ns;   /* what the transaction has lost before, by all causes */
};

/* The time that the transaction under way has lost. Invariant: all_ns == sum of cause_ns. */
struct running {
	uint64_t transaction; /* number of the transaction */
	uint64_t all_ns;
	uint64_t cause_ns[STMLOG_REASONS][STMLOG_CONTENTIONS];
};

/* Adds a loss of `ns` to the sums of its transaction, and returns the weight of the loss. */
static inline struct weight weigh(
	struct running *running, uint64_t transaction, uint32_t extra, const struct stmlog_cause *cause, uint64_t ns)
{
	/* Without a weight there is no variance, and the sums are not needed. */
	if (extra == 0)
		return (struct weight){.transaction = transaction};
	if (running->transaction != transaction)
		*running = (struct running){.transaction = transaction};
	uint64_t *of_cause_ns = &running->cause_ns[cause->reason][cause->contention];
	struct weight weight = {extra, transaction, *of_cause_ns, running->all_ns};
	*of_cause_ns += ns;
	running->all_ns += ns;
	return weight;
}

static inline double weigh_ns(const struct weight *weight, uint64_t ns)
{
	return (1.0 + weight->extra) * (double)ns;
}

static inline double weigh_variance(const struct weight *weight, uint64_t before_ns, uint64_t ns)
{
	return (1.0 + weight->extra) * weight->extra * (double)ns * (2.0 * (double)before_ns + (double)ns);
}

#endif
