/* SPDX-License-Identifier: MIT
 *
 * Of a run in which only some transactions were measured: what all of them lost, and
 * how far off that may be. A transaction that was measured with probability 1/w stands for w.
 *
 *   estimate   sum of w * x            x: what one transaction lost, under one key, say
 *   variance   sum of w * (w - 1) * x^2
 *
 * The first is right on average whatever the x are, and the second is so for the variance of the
 * first, where transactions are chosen one by one (Horvitz, Thompson 1952; Poisson
 * sampling). With w == 1 nothing is added: the sums are those that were measured.
 *
 * A transaction loses by several events, which come one by one and are booked one by
 * one. So each adds what x^2 grows by, (before + ns)^2 - before^2, where `before` is what the
 * transaction had lost under the same key, by the same cause, or at all; three
 * sums, three variances, and each is at most the one after it.
 */
#ifndef STMLOG_WEIGH_H
#define STMLOG_WEIGH_H

#include <stmlog/stmlog.h>

/* What an event weighs. All zero: it stands for itself. */
struct weight {
	uint32_t extra;       /* for how many more than itself its transaction stands */
	uint64_t transaction; /* which one it is; 0: the thread's first has not begun */
	uint64_t of_cause_ns; /* lost by it before, by the same cause */
	uint64_t of_all_ns;   /* and at all */
};

/* What the transaction under way has lost. Invariant: all_ns == sum of cause_ns. */
struct running {
	uint64_t transaction; /* that the sums are of */
	uint64_t all_ns;
	uint64_t cause_ns[STMLOG_REASONS][STMLOG_CONTENTIONS];
};

/* The weight of an event of the transaction, with what it adds to its sums. */
static inline struct weight weigh(
	struct running *running, uint64_t transaction, uint32_t extra, const struct stmlog_cause *cause, uint64_t ns)
{
	/* Sums that nothing will ask for are not kept: without weight there is no variance. */
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
