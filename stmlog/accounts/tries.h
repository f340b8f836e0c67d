/* SPDX-License-Identifier: MIT
 *
 * Distributions of one thread's transactions, by the site where they begin: how many attempts they took until they
 * committed, and how much time their aborted attempts took. The thread writes. Other threads read while it goes on,
 * each word by itself. A later thread that uses the record adds to the same rows.
 *
 * Invariants: the rows from `first` on, by `newer`, are of different sites. `clean` counts transactions that committed
 * at the first attempt: most do, and no other word of the row counts them. Any other transaction is added to the words
 * in their order; a reader reads them in the opposite order. So a transaction that the reader finds in a word is in all
 * words before it. A part of the buckets exists once one of its buckets is not 0.
 */
#ifndef STMLOG_TRIES_H
#define STMLOG_TRIES_H

#include <stdbool.h>

#include <atomic_ops.h>

#include <stmlog/compiler.h>
#include <stmlog/format.h>
#include <stmlog/agent.h>

/* The kinds of losses of a site's transactions, as in the rows of an account. */
enum tries_lost_row { TRIES_ABORTED, TRIES_PAUSED, TRIES_WAITING, TRIES_LOST };

/* Losses of a site in one row. Sums are over transactions of weight w that have lost x. */
struct tries_lost {
	uint64_t timed;    /* timed transactions that have lost any time */
	double timed_ns;   /* sum of w x over timed transactions, and of x over those measured with weight 1 */
	double square_ns2; /* sum of w (w - 1) x^2 over timed transactions */
	double close_ns;   /* sum of w x over those that were measured closely, whatever their weight in entries */
};

#define TRIES_MAX 256   /* sites with a row of their own; the others share one */
#define TRIES_CHAINS 32 /* by which the row of a site is found */
#define TRIES_PART 16   /* buckets that are allocated together, when one of them is needed: few of a row are */
#define TRIES_PARTS ((STMLOG_ATTEMPT_BUCKETS + STMLOG_LOST_BUCKETS + TRIES_PART - 1) / TRIES_PART)

/* Wakes of a site's blocked transactions. Each waker is added before its count is raised, and is never replaced. */
struct tries_wakes {
	volatile AO_t known;
	struct {
		volatile AO_t count, code, position;
	} by[STMLOG_WAKERS];
};

struct tries_row {
	volatile AO_t code, position; /* the site */
	volatile AO_t clean;
	volatile AO_t committed_ns;
	/* Counted behind the commits; so a reader, which reads reads_known first, finds no more there than commits. */
	volatile AO_t reads, reads_known;
	/* Committed transactions, for estimates: those for which the measured ones stand; and, doubles, timed ones by
	 * their weights. */
	volatile AO_t surplus_committed_ns, surplus_commits, timed_committed_ns, timed_commits;
	volatile AO_t attempts, lost_ns, max_attempts, longest_ns;
	/* AO_t *, TRIES_PART buckets; 0: all of them are 0. The buckets of attempts come first, then those of lost
	 * time. Stored with release; partner: tries_copy() */
	volatile AO_t parts[TRIES_PARTS];
	struct {
		volatile AO_t timed, timed_ns, square_ns2,
			close_ns;       /* of struct tries_lost; doubles, but for `timed` */
		volatile AO_t exact_ns; /* a part of timed_ns and close_ns: sum of x of weight 1; nanoseconds */
	} lost[TRIES_LOST];
	/* Of struct stmlog_blocked_record; surplus_ns is for transactions that were not measured. A reader reads
	 * in_vain first, and so finds no more there than in count. */
	struct {
		volatile AO_t count, in_vain, ns, longest_ns, surplus_ns, for_ever;
	} blocked;
	volatile AO_t wakes;     /* struct tries_wakes *; 0: none is known. Stored with release */
	volatile AO_t newer;     /* struct tries_row *, the row that was added next; stored with release */
	struct tries_row *older; /* the row that was added before this one to the same chain */
};

/* Zeroed memory has no rows. */
struct tries {
	size_t len;
	volatile AO_t first;      /* struct tries_row *; stored with release after the row; partner: tries_each() */
	struct tries_row *newest; /* NULL: there is no row */
	struct tries_row *last;   /* the row of the last transaction; NULL: none yet */
	struct tries_row *chains[TRIES_CHAINS];              /* by site, the newest row first */
	struct tries_piece *pieces;                          /* the memory of rows and parts, the newest piece first */
	size_t left;                                         /* free bytes at the end of that piece */
	struct tries_row others;                             /* of unknown sites, and of sites without a row */
	volatile AO_t others_parts[TRIES_PARTS][TRIES_PART]; /* last: seldom touched */
};

/* ---- owner ---- */

static inline bool tries_row_is_of(const struct tries_row *row, struct tb_site site)
{
	return ((AO_load(&row->code) ^ site.code) | (AO_load(&row->position) ^ site.position)) == 0; /* one branch */
}

/* Allocates the memory of the first rows, if there is some: later the thread may be within a transaction for which
 * others wait. */
void tries_reserve(struct tries *tries);

/* The slow path of tries_add(). */
void tries_add_on(struct tries *tries, struct tb_site site, uint64_t attempts, uint64_t lost_ns, uint64_t committed_ns);

/* Adds to the estimates of commits and committed time, for a transaction that was just added and stands for `extra`
 * others. */
void tries_add_like_committed(struct tries *tries, struct tb_site site, uint32_t extra, uint64_t committed_ns);

/* Adds a transaction that has committed in its `attempts`-th attempt, which took `committed_ns`. The attempts before
 * took `lost_ns`. A site of position 0 is unknown. */
static inline void tries_add(
	struct tries *tries, struct tb_site site, uint64_t attempts, uint64_t lost_ns, uint64_t committed_ns)
{
	struct tries_row *row = tries->last;
	if (STMLOG_LIKELY(row != NULL && tries_row_is_of(row, site) && attempts == 1 && lost_ns == 0)) {
		AO_store(&row->committed_ns, AO_load(&row->committed_ns) + committed_ns);
		AO_store(&row->clean, AO_load(&row->clean) + 1);
	} else {
		tries_add_on(tries, site, attempts, lost_ns, committed_ns);
	}
}

/* Adds what the last attempt of a transaction had read that was just added. */
void tries_add_reads(struct tries *tries, struct tb_site site, uint64_t reads);

/* The kind of losses of a reason. */
static inline enum tries_lost_row tries_lost_by(enum stmlog_reason reason)
{
	return reason == STMLOG_PAUSE ? TRIES_PAUSED : reason == STMLOG_WAIT ? TRIES_WAITING : TRIES_ABORTED;
}

/* Adds a timed transaction to the losses and the committed time of its site. */
void tries_add_timed(struct tries *tries, const struct stmlog_timed_transaction *timed);

/* The slow path of tries_add_loss(). */
void tries_add_loss_on(
	struct tries *tries, struct tb_site site, enum tries_lost_row row, uint32_t extra, uint64_t lost_ns);

/* Adds a loss of a transaction that was measured closely, and stands for `extra` other transactions. */
static inline void tries_add_loss(
	struct tries *tries, struct tb_site site, enum tries_lost_row lost, uint32_t extra, uint64_t lost_ns)
{
	struct tries_row *row = tries->last;
	if (STMLOG_LIKELY(row != NULL && tries_row_is_of(row, site) && extra == 0))
		AO_store(&row->lost[lost].exact_ns, AO_load(&row->lost[lost].exact_ns) + lost_ns);
	else
		tries_add_loss_on(tries, site, lost, extra, lost_ns);
}

/* Adds `others` further losses for which the loss that was just added stands. Their transactions were only timed
 * (tries_add_timed()). */
void tries_add_like(
	struct tries *tries, struct tb_site site, enum tries_lost_row lost, uint64_t others, uint64_t lost_ns);

/* Adds the time for which a transaction was blocked that stands for `extra` others. */
void tries_add_blocked(struct tries *tries, struct tb_site site, uint32_t extra, uint64_t ns);

/* Counts a futile wake (account_add_futile_wake()) for one of the blocked times that were added for this site. */
void tries_add_futile_wake(struct tries *tries, struct tb_site site);

/* Adds a wake by a transaction that begins at the site `waker`. A waker of position 0 is unknown, and not counted. */
void tries_add_wake(struct tries *tries, struct tb_site site, struct tb_site waker);

/* Counts a transaction that nothing can wake any more. */
void tries_add_for_ever(struct tries *tries, struct tb_site site);

/* Frees the rows, in a forked child or at the end, when no other thread reads them. */
void tries_clear(struct tries *tries);

/* ---- any thread ---- */

/* The figures of one row, as a reader has found them. */
struct tries_site {
	struct tb_site site;                     /* position 0: unknown sites */
	struct stmlog_transaction_record record; /* without site; the clean transactions included */
	double timed_committed_ns;               /* sum of w x over timed transactions */
	double timed_commits;                    /* sum of w over those that have committed */
	struct tries_lost lost[TRIES_LOST];
	struct stmlog_blocked_record blocked; /* without site, and without those of wakers */
	struct tb_site wakers[STMLOG_WAKERS];
};

/* Calls `each` for each row with transactions, losses or time blocked. */
void tries_each(const struct tries *tries, void (*each)(const struct tries_site *site, void *arg), void *arg);

/* Returns the log-linear bucket of a value in a distribution, as format.h (TRANSACTIONS) defines the buckets; below
 * `max`. The last bucket has all larger values, too. */
static inline size_t tries_bucket(uint64_t value, size_t max)
{
	if (value < 8)
		return (size_t)value;
	unsigned digits = 64 - (unsigned)__builtin_clzll(value);
	size_t bucket = 8 + 4 * (size_t)(digits - 4) + (size_t)(value >> (digits - 3) & 3);
	return bucket < max ? bucket : max - 1;
}

#endif
