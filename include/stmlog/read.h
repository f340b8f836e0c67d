/* SPDX-License-Identifier: MIT
 *
 * Reads what was recorded: where each thread's time went, and the losses of threads by cause and traceback.
 *
 * An *entry* is the sum of all losses with the same key: the cause, the traceback of the thread that lost (local), and
 * the traceback of the thread that it lost to (remote). A *timelog* holds a fixed number of entries, the costliest of
 * one thread, and exact totals of all its losses. An *account* says where all the time of a thread went.
 *
 * stmlog_timelog_...() are for the thread that created the timelog; after the end of that thread, for one other thread
 * at a time. stmlog_timelog_snapshot_remote(), stmlog_account_read(), stmlog_report() and stmlog_record() are for any
 * thread; the threads that they read go on and never wait.
 *
 * A handle (of a thread or timelog) may be NULL: the call does nothing, and what it returns is empty. Any other pointer
 * must not be NULL, unless its description says so. Nothing here exits the process, writes to stdout or changes errno
 * on success.
 *
 * The caller allocates the structures that are filled in. Their sizes are passed along, so that they may grow: a
 * library fills in what the caller's headers know. A caller in another language calls the functions whose names end in
 * _sized, with the size of its own structure.
 */
#ifndef STMLOG_READ_H
#define STMLOG_READ_H

#include <stmlog/runtime.h>

STMLOG_BEGIN_DECLS

/* Where a thread's time went. Exactly, at any instant:
 *   attached_ns == outside_ns + committed_ns + sum of aborted_ns + paused_ns + waiting_inevitable_ns
 *                  + waiting_none_ns + other_ns + blocked_ns + descheduled_ns + open_ns */
struct stmlog_account {
	uint64_t attached_ns;
	uint64_t outside_ns;   /* no transaction is under way */
	uint64_t committed_ns; /* attempts that succeeded, without pauses and waits, as in aborted_ns */
	uint64_t aborted_ns[STMLOG_CONTENTIONS];
	uint64_t paused_ns;             /* within an attempt, waiting for another transaction */
	uint64_t waiting_inevitable_ns; /* waiting for an inevitable transaction */
	uint64_t waiting_none_ns;       /* waiting for a free segment (runtime.h) */
	uint64_t other_ns;              /* the runtime's own work */
	uint64_t blocked_ns;            /* after a retry, until something changes that the transaction has read */
	uint64_t descheduled_ns;        /* off the processor in transactions and waits (stmlog_descheduled()) */
	uint64_t open_ns;               /* the attempt, pause or wait under way */

	uint64_t commits;
	uint64_t aborts[STMLOG_CONTENTIONS];
	uint64_t pauses;
	uint64_t waits_inevitable;
	uint64_t waits_none;
	uint64_t others;
	uint64_t blocked;
	uint64_t blocked_in_vain; /* of `blocked`: the transaction blocked once more before it committed */
	uint64_t descheduled;     /* calls of stmlog_descheduled() */

	uint64_t events; /* clock readings taken for this thread */

	/* Transactions that a sampling runtime did not measure (stmlog_unmeasured()). There are only
	 * counts of them; their time is part of outside_ns. */
	uint64_t unmeasured_commits;
	uint64_t unmeasured_aborts;

	/* Transactions that were blocked on no thread (stmlog_was_blocked()); no part of attached_ns. */
	uint64_t blocked_unattached_ns;
	uint64_t blocked_unattached;
	uint64_t blocked_unattached_in_vain;

	/* Estimates of the times above, had all transactions been measured. Each measured time counts as often as its
	 * transaction's weight says (stmlog_set_weight()). But if the estimates add up to more than the attached time,
	 * their parts above the measured times are reduced, all in the same proportion. With all weights 1 the
	 * estimates are the times themselves. */
	uint64_t estimated_committed_ns;
	uint64_t estimated_aborted_ns[STMLOG_CONTENTIONS];
	uint64_t estimated_paused_ns;
	uint64_t estimated_waiting_inevitable_ns;
	uint64_t estimated_waiting_none_ns;
	uint64_t estimated_other_ns;
	uint64_t estimated_blocked_ns;
};

/* Reads an account. All its figures are of one instant. Any thread may call it. Requires
 * that `thread` stays attached during the call. */
STMLOG_API void stmlog_account_read_sized(
	const struct stmlog_thread *thread, struct stmlog_account *account, size_t size);
STMLOG_INLINE void stmlog_account_read(const struct stmlog_thread *thread, struct stmlog_account *account)
{
	stmlog_account_read_sized(thread, account, sizeof *account);
}

/* ---- timelogs ---- */

struct stmlog_timelog;

#define STMLOG_OBJECTS 4

/* One entry. Its tracebacks are borrowed: valid until the timelog changes. The thread
 * that owns the timelog may tb_ref() them.
 * Invariants: count >= 1; shortest_ns <= longest_ns; first_ns <= last_ns;
 * estimated_ns >= lost_ns, the same if all weights were 1, and then variance_ns2 is 0.
 * Except for the estimate, times and counts are of measured transactions only. */
struct stmlog_entry {
	struct stmlog_cause cause;
	struct tb_frame *local;
	struct tb_frame *remote;
	enum stmlog_grade grade;      /* the lowest of all its losses */
	uint16_t green, remote_green; /* of the longest loss: numbers of stmlog_green_thread(); 0: unknown */
	uint64_t count;
	uint64_t lost_ns;
	uint64_t longest_ns;
	uint64_t shortest_ns;
	uint64_t first_ns;     /* when the first loss ended */
	uint64_t last_ns;      /* when the last loss ended */
	uint32_t local_thread; /* of the longest loss; 0: unknown */
	uint32_t remote_thread;
	uint64_t certain;         /* of `count`, with STMLOG_GRADE_CERTAIN */
	uint64_t false_conflicts; /* of `count`, known to touch different data */
	uint64_t false_aliases;   /* of false_conflicts, with STMLOG_OVERLAP_ALIAS */
	/* Wasted aborts of `count`: the culprit's attempt was aborted as well, so that no transaction gained by them.
	 * Undecided: the end of the culprit's attempt was not known yet, or not any more. */
	uint64_t wasted;
	uint64_t wasted_ns;
	uint64_t undecided;
	struct tb_site site;     /* where the transaction of the first loss began; position 0: not known */
	uint64_t descheduled_ns; /* off the processor in these attempts, pauses and waits; no part of lost_ns */
	/* Loss of all transactions, if only some were measured: each loss counts as often as its weight says. Reports
	 * and files have another estimate, which fits into the estimates of the accounts. */
	double estimated_ns;
	double variance_ns2; /* of estimated_ns; see stmlog_half_width_ns() */
	/* The most frequent pairs of objects: of this transaction (address) and of the other one; most frequent first.
	 * address 0: unused. other 0: not known, or the same object. Every pair in more than 1/5 of the losses is here,
	 * and its count is too low by at most 1/5 of `count` (Misra, Gries 1982). Pairs with count 0 are examples. */
	struct {
		uintptr_t address;
		uintptr_t other;
		uint64_t count;
	} objects[STMLOG_OBJECTS];
};

/* Exact sums over all recorded losses. The sums of by_cause are
 *   count          == sum of entries' count + evicted.count
 *   lost_ns        == sum of entries' lost_ns + evicted.lost_ns
 *   estimated_ns   == sum of entries' estimated_ns + evicted.estimated_ns
 * Variances are not additive: losses of one transaction under several keys are not independent. So
 *   sum of entries' variance + evicted's <= sum of by_cause's <= variance_ns2, the variance of the whole loss. */
struct stmlog_sum {
	uint64_t count;
	uint64_t lost_ns;
};
struct stmlog_cost {
	uint64_t count;
	uint64_t lost_ns;
	double estimated_ns;
	double variance_ns2;
};
struct stmlog_totals {
	struct stmlog_cost by_cause[STMLOG_REASONS][STMLOG_CONTENTIONS];
	struct stmlog_cost evicted;
	double variance_ns2;
	struct stmlog_sum wasted; /* as in the entries, evicted ones included */
	uint64_t undecided;
};

/* The square root, by Newton's method from above: the library does not use libm. */
STMLOG_INLINE double stmlog_root(double square)
{
	double root, next = square > 1.0 ? square : 1.0;
	if (!(square > 0.0))
		return 0.0;
	do {
		root = next;
		next = (root + square / root) / 2;
	} while (next < root);
	return root;
}

/* Half the width of the 95 % confidence interval of an estimate with this variance. */
#define STMLOG_STANDARD_ERRORS 1.96
STMLOG_INLINE double stmlog_half_width_ns(double variance_ns2)
{
	return STMLOG_STANDARD_ERRORS * stmlog_root(variance_ns2);
}

/* An upper bound of the variance of the sum of two estimates that may be correlated. */
STMLOG_INLINE double stmlog_joint_variance(double one, double other)
{
	return one + other + 2 * stmlog_root(one) * stmlog_root(other);
}

/* Creates an inactive timelog of the calling thread, which must be attached. When it is full, it evicts the entry with
 * the lowest time: one that it has, or the new one. With capacity 0 it keeps totals only. Returns NULL with errno
 * EINVAL (not attached, or a capacity above UINT32_MAX / 4) or ENOMEM. */
STMLOG_API struct stmlog_timelog *stmlog_timelog_create(size_t capacity);

/* Destroys a timelog, active or not, and sets *log to NULL. NULL is allowed. */
STMLOG_API void stmlog_timelog_destroy(struct stmlog_timelog **log);

/* From activate to deactivate, the losses of the thread go into this timelog, too.
 * Activating an active timelog, or deactivating an inactive one, does nothing. Losses
 * before the call, those of the running transaction included, count as before it. */
STMLOG_API void stmlog_timelog_activate(struct stmlog_timelog *log);
STMLOG_API void stmlog_timelog_deactivate(struct stmlog_timelog *log);

/* Forgets entries and totals. */
STMLOG_API void stmlog_timelog_clear(struct stmlog_timelog *log);

/* Moves all entries and totals of `log` into a new inactive timelog, which the caller
 * owns. Returns NULL with errno ENOMEM; then nothing has changed. */
STMLOG_API struct stmlog_timelog *stmlog_timelog_take(struct stmlog_timelog *log);

/* Copies a timelog of another attached thread into a new inactive timelog of the calling
 * thread, which must be attached. The other thread goes on. Requires that it does not
 * destroy `log` meanwhile. Returns NULL with errno on failure. */
STMLOG_API struct stmlog_timelog *stmlog_timelog_snapshot_remote(struct stmlog_timelog *log);

/* How many entries a timelog may have, how many it has, and the sums of all its losses. */
STMLOG_API size_t stmlog_timelog_capacity(const struct stmlog_timelog *log);
STMLOG_API size_t stmlog_timelog_len(struct stmlog_timelog *log);
STMLOG_API void stmlog_timelog_totals_sized(struct stmlog_timelog *log, struct stmlog_totals *totals, size_t size);
STMLOG_INLINE void stmlog_timelog_totals(struct stmlog_timelog *log, struct stmlog_totals *totals)
{
	stmlog_timelog_totals_sized(log, totals, sizeof *totals);
}

/* Enumeration: entries by lost_ns, highest first; entries with equal lost_ns in the
 * order in which they came into the timelog. */
enum stmlog_next {
	STMLOG_NEXT_CHANGED = -1, /* the timelog changed since the cursor was made */
	STMLOG_NEXT_END = 0,
	STMLOG_NEXT_ENTRY = 1
};
struct stmlog_cursor {
	struct stmlog_timelog *log;
	size_t rank;
	uint64_t version;
};
STMLOG_API struct stmlog_cursor stmlog_timelog_cursor(struct stmlog_timelog *log);
STMLOG_API enum stmlog_next stmlog_cursor_next_sized(
	struct stmlog_cursor *cursor, struct stmlog_entry *entry, size_t size);
STMLOG_INLINE enum stmlog_next stmlog_cursor_next(struct stmlog_cursor *cursor, struct stmlog_entry *entry)
{
	return stmlog_cursor_next_sized(cursor, entry, sizeof *entry);
}

/* ---- aggressors ---- */

/* The losses because of other transactions at one place: the sum of all entries with this remote traceback, whatever
 * the cause. It is like a row of the report's table of aggressors, but of one timelog. */
struct stmlog_aggressor {
	struct tb_frame *remote; /* where the other transaction caused the conflicts; borrowed, as in an entry */
	size_t victims;          /* how many places have lost because of it: innermost sites of local tracebacks */
	uint64_t count;          /* this and the following are sums of the entries' members of the same names */
	uint64_t lost_ns;
	uint64_t longest_ns; /* the longest of all */
	uint64_t wasted;
	uint64_t wasted_ns;
	uint64_t false_conflicts;
	uint64_t descheduled_ns;
	double estimated_ns;
	double variance_ns2; /* an upper bound */
};

/* Fills in the rows of the `max` costliest aggressors, highest lost_ns first, and returns how many there are, which may
 * be more or fewer than `max`. Entries of contention none have no other transaction and are left out; entries with an
 * unknown one are the row with TB_UNKNOWN. Evicted losses are in no row. So sum of rows' count == sum of these entries'
 * count, and likewise the other sums. `rows` may be NULL if `max` is 0. Allocates memory, and frees it: not for hot
 * paths. Without memory it returns 0, and errno is ENOMEM. */
STMLOG_API size_t stmlog_timelog_aggressors_sized(
	struct stmlog_timelog *log, struct stmlog_aggressor *rows, size_t max, size_t size);
STMLOG_INLINE size_t stmlog_timelog_aggressors(struct stmlog_timelog *log, struct stmlog_aggressor *rows, size_t max)
{
	return stmlog_timelog_aggressors_sized(log, rows, max, sizeof *rows);
}

/* ---- reports ---- */

/* Writes a report of the whole process so far to a file descriptor, with write(2): the account, and the costliest
 * entries with the tracebacks of both sides. The transactions in the way, intervals, and names from debug information
 * are those of `stmlog report`, which reads a recording. Any thread; the others go on. Returns 0 or a negative errno;
 * -EINVAL when the profiler is not open; -EDEADLK within a callback of struct stmlog_setup; -ENOMEM when there is no
 * memory: then nothing was written. */
STMLOG_API int stmlog_report(int fd);

/* Writes the recording file (format.h) under a temporary name beside `path`, and renames it.
 * Any thread; the others go on. Returns 0 or a negative errno, as stmlog_report() does; then no file is left. */
STMLOG_API int stmlog_record(const char *path);

STMLOG_END_DECLS

#endif
