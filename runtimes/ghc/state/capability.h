/* SPDX-License-Identifier: MIT
 *
 * The module's data of each capability of the RTS. Only the OS thread that holds the capability changes them, except
 * where a member says otherwise.
 */
#ifndef GHC_CAPABILITY_H
#define GHC_CAPABILITY_H

#include <stdbool.h>
#include <stdint.h>

#include <atomic_ops.h>

#include <stmlog/agent.h>

#include "ring.h"

/* As many as the RTS can have. */
#define CAPABILITIES_MAX 256
#define LANES_OF_CAPABILITY 16

struct ghc_lane;

/* How long attempts took that failed and were not measured. A *gap* is the time since the capability has read the clock
 * last, as long as the same Haskell thread has run. A failed attempt ends a gap: the attempt took the time of the gap,
 * less that of the commits in it, each of which counts as long as the mean commit in gaps without failures. Time for
 * which the OS thread was off the processor, or the Haskell thread did not run, is no part of a gap. */
struct ghc_gap {
	uint64_t since_ns;                /* 0: not known */
	uint64_t commits;                 /* up to then */
	uint64_t stopped_ns;              /* when `stopped` was set */
	const struct hs_tso *stopped;     /* in an attempt that is not measured; NULL: none. Not to be followed. */
	uint64_t clean_ns, clean_commits; /* in all gaps without failures */
	uint64_t unknown;                 /* how many gaps with failures had no known beginning */
	uint64_t known;                   /* how many had one */
	volatile AO_t failed_ns;          /* of all failures, estimated; any thread may read it */
	int64_t known_ns;                 /* of those in known gaps; may be below 0 by chance */
};

/* Invariant: of the transactions that are not measured, due_at - left have committed, unless `changes` is odd. So a
 * commit is counted, and found to make the next transaction due, by one subtraction. Partner: capability_read_counts().
 */
struct ghc_capability {
	struct hs_capability *hooked; /* the RTS's */
	volatile AO_t left;    /* commits until the next transaction is due to be measured; below 0: it is late */
	volatile AO_t due_at;  /* how many will have committed then */
	volatile AO_t changes; /* how many changes of due_at have begun, and how many have ended, together */
	volatile AO_t aborts;  /* not measured; any thread may read it */
	uint32_t number;       /* from 0 */
	bool is_due;           /* the next transaction will be measured; counted in `watched` */
	bool awaits_start;     /* hook_start() must see its next attempt; counted in `watched` */
	bool is_restarting;    /* an attempt was lost to an exception, and starts again at once */
	uint32_t restarting;   /* the mark of that attempt */
	const struct hs_trec *validated; /* by the thread that runs, at an exception; NULL: none */
	bool was_valid;
	struct ring_wake wake; /* of the transaction that wakes up just now, until its attempt begins */
	uint32_t every;        /* one transaction in so many is measured */
	uint32_t to_pass;
	uint64_t random;
	uint32_t window_len; /* measured transactions since `every` was chosen */
	uint64_t window_began_ns, window_commits;
	struct ghc_gap gap;
	uint32_t late_after; /* after so many failed attempts a transaction is measured (late_note()) */
	uint64_t late_since_ns, late_cost_ns; /* what that has cost since then */
	struct ghc_lane *lanes[LANES_OF_CAPABILITY];
	struct ring ring;
};

/* The capability that the calling OS thread has held last: `mine` is what is kept for `real`. Both are NULL at first.
 */
struct capability_held {
	const struct hs_capability *real;
	struct ghc_capability *mine;
};
extern __thread struct capability_held capability_held __attribute__((tls_model("initial-exec")));

/* Finds what is kept for the capability, which the calling OS thread holds; at its first call for this one, makes it.
 * NULL: there is no memory. */
struct ghc_capability *capability_find_slow(struct hs_capability *real);

static inline struct ghc_capability *capability_find(struct hs_capability *real)
{
	return STMLOG_LIKELY(capability_held.real == real) ? capability_held.mine : capability_find_slow(real);
}

/* hook_start() must see the next attempt that begins on the capability: it may be another one of a transaction, whose
 * TRec still has its mark. Other attempts take a TRec with mark 0, to which each is set when it is given back. */
void capability_await_start(struct ghc_capability *mine);

/* All that were made, [0, len). Any thread. */
size_t capabilities_len(void);
struct ghc_capability *capability_at(size_t index);

/* Commits that were not measured. */
static inline uint64_t capability_commits(const struct ghc_capability *mine)
{
	return AO_load(&mine->due_at) - AO_load(&mine->left);
}

/* Sets that `commits` transactions have committed that were not measured, and that `left` further ones will commit
 * before the next transaction is due. */
static inline void capability_set_due(struct ghc_capability *mine, uint64_t commits, uint64_t left)
{
	AO_t changes = AO_load(&mine->changes);
	AO_store(&mine->changes, changes + 1);
	AO_nop_write(); /* partner: capability_read_counts() */
	AO_store(&mine->due_at, commits + left);
	AO_store(&mine->left, left);
	AO_store_release(&mine->changes, changes + 2);
}

/* The library's reader of the counts (stmlog_read_unmeasured_by()). False: the owner is within a change, and either off
 * its processor or interrupted by the caller. */
bool capability_read_counts(void *arg, struct stmlog_unmeasured_counts *counts);

static inline void capability_count(volatile AO_t *count)
{
	AO_store(count, AO_load(count) + 1);
}

/* The child's counts begin at zero. */
void capabilities_after_fork(void);

/* ---- gaps ---- */

/* Reads the clock. Sets *length_ns to the length of the gap so far, which is without meaning if its beginning is not
 * known. The time off the processor counts as descheduled on `log`, if that is not NULL. Returns the time at which the
 * next gap begins, if one does. */
static inline uint64_t gap_measure(const struct ghc_gap *gap, struct stmlog_thread *log, uint64_t *length_ns)
{
	uint64_t now_ns = stmlog_now_ns(), passed_ns = now_ns - gap->since_ns;
	uint64_t off_ns = stmlog_off_processor_ns(log); /* behind the clock: so time lost between the two is found */
	*length_ns = passed_ns > off_ns ? passed_ns - off_ns : 0;
	return STMLOG_UNLIKELY(off_ns != 0) ? stmlog_now_ns() : now_ns;
}

/* The clock was read: a gap begins. */
static inline void gap_begin(struct ghc_capability *mine, uint64_t now_ns)
{
	mine->gap.since_ns = now_ns;
	mine->gap.commits = capability_commits(mine);
}

/* A gap ends in which no attempt has failed, and the next one begins. Reads the clock, and returns its time. Where each
 * transaction is measured, no length of a gap is needed, and the library's hooks find the time off the processor. */
static inline uint64_t gap_end_clean(struct ghc_capability *mine)
{
	struct ghc_gap *gap = &mine->gap;
	uint64_t length_ns = 0, now_ns = mine->every == 1 ? stmlog_now_ns() : gap_measure(gap, NULL, &length_ns);
	if (gap->since_ns != 0 && mine->every != 1) {
		gap->clean_ns += length_ns;
		gap->clean_commits += capability_commits(mine) - gap->commits;
	}
	gap_begin(mine, now_ns);
	return now_ns;
}

/* A measured transaction has committed, which capability_commits() does not count. */
static inline void gap_add_commit(struct ghc_capability *mine)
{
	mine->gap.commits--;
}

/* A Haskell thread stops: `tso`, if it is in an attempt that is not measured and may go on at once; else NULL. */
void gap_stop(struct ghc_capability *mine, const struct hs_tso *tso);

/* A Haskell thread begins to run. If it is another one, it is not known how long none has run. */
void gap_run(struct ghc_capability *mine, const struct hs_tso *tso, bool is_in_attempt);

/* An attempt that is not measured has failed: counts it. */
void gap_count_failed(struct ghc_capability *mine);

#endif
