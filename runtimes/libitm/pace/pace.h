/* SPDX-License-Identifier: MIT
 *
 * The sampling interval of sample=auto: how few of a thread's transactions have to be measured to keep the cost of
 * measuring low. It follows from the measured cost of the probes and the measured length of the transactions.
 */
#ifndef ITM_PACE_H
#define ITM_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include <stmlog/agent.h>

/* Measuring may take this share of the time in transactions, or of `time_ns` if that is longer. But an interval is at
 * least `min`, and at most `max` however short the transactions are. Both are powers of two. */
struct itm_pace_limits {
	double share;
	uint32_t min, max;
	double time_ns;
};

/* Sums over measured transactions, and what measuring them costs. */
struct itm_pace_window {
	uint64_t transactions;
	uint64_t aborts;
	uint64_t time_ns;      /* in all their attempts */
	double transaction_ns; /* cost of measuring one transaction */
	double abort_ns;       /* further cost of each abort */
};

/* The interval to use after `every`: the smallest power of two that keeps to the limits; `every` if that is about
 * right.
 */
uint32_t itm_pace_choose(uint32_t every, const struct itm_pace_window *window, const struct itm_pace_limits *limits);

/* The state of one thread, which only that thread uses. All zero when the thread begins. A *check* compares cost and
 * time, and chooses the interval. */
struct itm_pace {
	uint32_t measured; /* transactions since the last check */
	uint32_t looks;    /* checks so far */
	uint32_t lower;    /* how many of the last checks in a row found that the interval could be lower */
	uint64_t cancels;  /* measured transactions that the program has cancelled; the library counts them as aborts */
	uint64_t transactions, aborts, time_ns; /* up to the last check: measured ones that are over */
	struct itm_pace_window window;          /* of the last check */
	uint64_t all_aborts;
	bool is_timed; /* of the abort under way: its cost is measured */
	uint64_t began_ns;
	double first_ns, rest_ns; /* average cost of the two parts of an abort */

	/* Where the thread has begun, because it follows threads that have ended (itm_pace_follow()). */
	struct {
		uint32_t measured, looks;
		uint64_t aborts;
	} before;
};

/* Whether so many threads are a crowd: each waits for a processor much longer than it has one. `processors`: 0 if their
 * number is not known. */
static inline bool itm_is_crowd(uint64_t threads, uint32_t processors)
{
	enum { CROWD = 4 };
	return processors > 0 && threads > CROWD * (uint64_t)processors;
}

/* How many threads share a processor; 1 where there are processors for all. */
static inline double itm_threads_of_processor(uint64_t threads, uint32_t processors)
{
	return processors > 0 && threads > processors ? (double)threads / processors : 1;
}

/* Measured transactions up to a thread's first check, and from each check to the next. */
enum { ITM_PACE_FIRST = 64, ITM_PACE_EVERY = 128 };

/* Whether the next check is due. To be called for each measured transaction. `is_crowded`: so many threads share a
 * processor that the first transactions of all of them would be much of the program's work. */
bool itm_pace_is_due(struct itm_pace *pace, bool is_crowded);

/* Makes a check, by what the thread has measured since the last check. Returns the interval to use from now on.
 * It becomes lower only after several checks in a row have agreed: a single transaction that was preempted makes it
 * look as if transactions were long. */
uint32_t itm_pace_look(struct itm_pace *pace, uint32_t every, double transaction_ns,
	const struct stmlog_attempts *measured, const struct itm_pace_limits *limits);

/* The interval for transactions that are only timed, which costs `timed_ns` each, by the same check. */
uint32_t itm_pace_timed(
	const struct itm_pace *pace, uint32_t every, double timed_ns, const struct itm_pace_limits *limits);

/* The pace of a thread that begins after others have ended: it goes on where *ended stands. */
struct itm_pace itm_pace_follow(const struct itm_pace *ended);

/* The thread ends, and has measured so much. Adds its progress to *ended, so that the next check of a thread that
 * follows includes what this thread has measured. Many threads may have followed at the same time: the progress of each
 * counts. If the thread has made a check, *ended becomes its pace instead. *ended is all zero before the first thread
 * ends. Returns whether the thread has made a check. */
bool itm_pace_end(struct itm_pace *ended, const struct itm_pace *pace, const struct stmlog_attempts *measured);

/* To be called around each of the two parts of the agent's work for an abort: in the rollback (is_first), and when
 * begin returns again. Measures the cost of some of them. */
void itm_pace_abort_begin(struct itm_pace *pace, bool is_first);
void itm_pace_abort_end(struct itm_pace *pace, bool is_first);

#endif
