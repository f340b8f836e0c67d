/* SPDX-License-Identifier: MIT
 *
 * stmlog: what memory transactions lose, where, and to whom.
 *
 * A *cause* says why time was lost: a reason, a contention, and the runtime's
 * own word for it. An *entry* is a cause with the traceback of the thread that
 * lost and the traceback of the one it lost to (these are its key), and the
 * count and time that came together under it. A *timelog* holds a fixed number
 * of the costliest entries of one thread, and exact totals of everything. An
 * *account* says where all the time of a thread went.
 *
 * A program or runtime that embeds the library opens it once (stmlog_open),
 * attaches each thread (stmlog_thread_attach) and calls the hooks of
 * <stmlog/runtime.h>; the report comes when the process ends. An unmodified
 * `gcc -fgnu-tm` program needs none of this: `stmlog record PROGRAM` does it.
 *
 * Threads.
 *   open, close             one thread, once each; other threads may be attached
 *   attach, detach, self    any thread, for itself; detach is automatic at thread exit
 *   timelog_*               the thread that created the timelog (after that
 *                           thread has ended: any one thread)
 *   timelog_snapshot_remote, account_read, report, record
 *                           any thread, while the owners go on; they never wait
 *
 * Time is nanoseconds of one clock, CLOCK_MONOTONIC unless chosen otherwise.
 * Nothing here exits the process, writes to stdout or changes errno on success.
 */
#ifndef STMLOG_STMLOG_H
#define STMLOG_STMLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/compiler.h>
#include <stmlog/traceback.h>

STMLOG_BEGIN_DECLS

#define STMLOG_VERSION "0.1.0"

/* ---- causes ---- */

enum stmlog_reason {
#define STMLOG_REASON(id, name, doc) STMLOG_##id,
#include <stmlog/causes.def>
#undef STMLOG_REASON
	STMLOG_REASONS
};

enum stmlog_contention {
#define STMLOG_CONTENTION(id, name, doc) STMLOG_##id,
#include <stmlog/causes.def>
#undef STMLOG_CONTENTION
	STMLOG_CONTENTIONS
};

/* The fixed names, "self-abort", "write-write" ...; "?" for any other number. */
STMLOG_API const char *stmlog_reason_name(unsigned reason);
STMLOG_API const char *stmlog_contention_name(unsigned contention);

struct stmlog_cause {
	enum stmlog_reason reason;
	enum stmlog_contention contention;
	const char *detail; /* the runtime's own word, a static string, or NULL */
};

/* How sure the culprit is. An embedding runtime that knows it says CERTAIN. */
enum stmlog_grade { STMLOG_GRADE_UNKNOWN, STMLOG_GRADE_CANDIDATE, STMLOG_GRADE_CERTAIN, STMLOG_GRADES };
STMLOG_API const char *stmlog_grade_name(unsigned grade);

/* Whether two transactions that met did touch the same data. A lock guards all that falls to it,
 * so that they may meet over different data too: a false conflict. */
enum stmlog_overlap {
	STMLOG_OVERLAP_UNKNOWN,
	STMLOG_OVERLAP_SAME,   /* a true conflict */
	STMLOG_OVERLAP_STRIPE, /* neighbours in one unit of locking (a stripe, a cache line): false */
	STMLOG_OVERLAP_ALIAS   /* units far apart that share a lock: false */
};

/* ---- opening ---- */

/* Where a name for an opaque site is written to; `size` bytes each, always
 * terminated by the callee. */
struct stmlog_name {
	char function[256];
	char file[256];
	uint32_t line;
};

/* A piece of memory that the program has allocated. */
struct stmlog_block {
	uintptr_t start;
	size_t size;
	bool is_freed;            /* since; the memory has not been allocated again */
	struct tb_copy allocated; /* where that was */
};

struct stmlog_setup {
	const char *runtime; /* shown in the report: "libitm", "my-stm"; NULL: "embedded" */

	/* Names a site that is neither TB_CODE_ADDRESS nor TB_CODE_PLACE. Called
	 * while a report or a file is made, never while recording, on the thread
	 * that makes it. Returns false when it cannot. May be NULL. */
	bool (*expand)(struct tb_site site, struct stmlog_name *name, void *arg);
	void *expand_arg;

	/* Names an object that transactions fought over: the address that the hooks were given.
	 * As for `expand`: only while a report or a file is made. The object may be gone by then. Writes
	 * at most `size` bytes, terminated; returns false when it cannot. May be NULL. */
	bool (*name_object)(uintptr_t object, char *name, size_t size, void *arg);
	void *name_object_arg;

	/* Finds the block of memory that an object lies in, at its start or within: the last one that there was
	 * when the report or file is made, which is the only time it is called. What name_object() names is not
	 * asked for. Sets all of `block`, or returns false when it cannot. May be NULL. */
	bool (*find_block)(uintptr_t object, struct stmlog_block *block, void *arg);
	void *find_block_arg;

	/* Called first thing when a report or a file is made; may be NULL. Lets a
	 * runtime bring totals that it keeps itself up to date (runtime.h). */
	void (*before_report)(void *arg);
	void *before_report_arg;

	/* Where the report goes when STMLOG_OPTIONS does not say: "stderr", "none", a file; NULL: "stderr". */
	const char *report;
};

/* Opens the profiler for this process: reads STMLOG_OPTIONS, chooses the clock,
 * and sees to it that the report and the file are made when the process ends.
 * Returns 0, -EALREADY when it is open, or another negative errno; then every
 * thread handle is NULL and every hook does nothing. `setup` may be NULL. */
STMLOG_API int stmlog_open(const struct stmlog_setup *setup);

/* Makes the report and the file that were asked for (once; at exit this comes by
 * itself) and stops recording. Threads that are attached stay so and are told
 * nothing: their hooks go on to record into memory that nobody will read. */
STMLOG_API void stmlog_close(void);

/* Makes the report and the file now, as if the process ended here, and goes on; the
 * outputs at the end replace them. For a runtime that sees the process about to be
 * replaced (exec) or ended without exit handlers (_exit). Nothing is made where
 * nothing was recorded, here and at the end. */
STMLOG_API void stmlog_flush(void);

/* The value of an option of STMLOG_OPTIONS that the library itself does not know
 * (a runtime's own), or NULL. Valid while the profiler is open. Calling it makes
 * the key a known one: options nobody has asked for are warned about at the
 * first report. */
STMLOG_API const char *stmlog_option(const char *key);

/* Replaces the clock by the caller's: tests, simulators. Before stmlog_open();
 * NULL goes back to CLOCK_MONOTONIC. The clock must never go back. */
STMLOG_API void stmlog_set_clock(uint64_t (*now_ns)(void));

/* ---- threads ---- */

struct stmlog_thread;

/* Attaches the calling thread, or finds it attached. Its attached time begins
 * here. Returns NULL when the profiler is not open or has no memory: NULL is a
 * valid argument of every hook and means "not recorded". */
STMLOG_API struct stmlog_thread *stmlog_thread_attach(void);

/* Ends the attached time of the calling thread; what it collected is kept for the
 * report. Comes by itself when the thread ends. An attempt under way is counted
 * as open. Handles to it are void afterwards. */
STMLOG_API void stmlog_thread_detach(void);

/* The calling thread's handle, NULL if it is not attached. One thread-local read. */
STMLOG_API struct stmlog_thread *stmlog_thread_self(void);

/* The thread's number in reports (1, 2, ...; never used twice). 0 for NULL. */
STMLOG_API uint32_t stmlog_thread_id(const struct stmlog_thread *thread);

/* The thread's shadow stack, borrowed, for push, pop and capture on that thread.
 * NULL for NULL. */
STMLOG_API struct tb_stack *stmlog_thread_stack(struct stmlog_thread *thread);

/* Where a thread's time went. At any instant
 *   attached_ns == outside + committed + sum(aborted) + paused + waiting_inevitable
 *                  + waiting_none + other + open
 * exactly; open_ns is the attempt, pause or wait under way, 0 when there is none. */
struct stmlog_account {
	uint64_t attached_ns;
	uint64_t outside_ns;
	uint64_t committed_ns;
	uint64_t aborted_ns[STMLOG_CONTENTIONS];
	uint64_t paused_ns;
	uint64_t waiting_inevitable_ns;
	uint64_t waiting_none_ns;
	uint64_t other_ns;
	uint64_t open_ns;

	uint64_t commits;
	uint64_t aborts[STMLOG_CONTENTIONS];
	uint64_t pauses;
	uint64_t waits_inevitable;
	uint64_t waits_none;
	uint64_t others;

	uint64_t events; /* clock readings taken for this thread */

	/* Transactions that were not measured (a runtime that samples reports them,
	 * stmlog_unmeasured()): counts only, their time is part of outside_ns. */
	uint64_t unmeasured_commits;
	uint64_t unmeasured_aborts;

	/* What the times of the same name would be had all transactions been measured, by the weights of
	 * those that were (stmlog_set_weight()): at least those times, and with weights of 1 exactly those. */
	uint64_t estimated_committed_ns;
	uint64_t estimated_aborted_ns[STMLOG_CONTENTIONS];
	uint64_t estimated_paused_ns;
	uint64_t estimated_waiting_inevitable_ns;
	uint64_t estimated_waiting_none_ns;
	uint64_t estimated_other_ns;
};

/* Reads an account; the figures belong to one instant. `thread` must be attached
 * for the time of the call. */
STMLOG_API void stmlog_account_read(const struct stmlog_thread *thread, struct stmlog_account *account);

/* ---- timelogs ---- */

struct stmlog_timelog;

enum stmlog_policy {
	/* Full: the entry with the lowest time goes, or the newcomer if it has less. */
	STMLOG_KEEP_COSTLIEST,
	/* Full: the newcomer takes the place of the lowest entry and its time, as a
	 * possible overstatement (Space-Saving: Metwally, Agrawal, El Abbadi 2005).
	 * For runs in which every single group is small. */
	STMLOG_KEEP_HEAVY_HITTERS
};

#define STMLOG_OBJECTS 4

/* One entry. Tracebacks are borrowed: valid until the timelog changes (the thread
 * that the timelog belongs to may tb_ref() them).
 * Invariants: count >= 1; shortest_ns <= longest_ns; first_ns <= last_ns;
 * lost_ns >= overstated_ns, and overstated_ns == 0 under STMLOG_KEEP_COSTLIEST;
 * estimated_ns >= lost_ns - overstated_ns, the same if all weights were 1, and then variance_ns2 is 0.
 * Times and counts are of what was measured, but for the estimate. */
struct stmlog_entry {
	struct stmlog_cause cause;
	struct tb_frame *local;
	struct tb_frame *remote;
	enum stmlog_grade grade; /* the lowest of what was recorded under this key */
	uint64_t count;
	uint64_t lost_ns;
	uint64_t overstated_ns; /* lost_ns is too high by at most this */
	uint64_t longest_ns;
	uint64_t shortest_ns;
	uint64_t first_ns; /* when the first and the last of them ended */
	uint64_t last_ns;
	uint32_t local_thread; /* of the longest loss; 0: unknown */
	uint32_t remote_thread;
	uint64_t certain;         /* of `count`, with STMLOG_GRADE_CERTAIN */
	uint64_t false_conflicts; /* of `count`, known to touch different data */
	uint64_t false_aliases;   /* of these, STMLOG_OVERLAP_ALIAS */
	/* Aborts of `count` whose culprit's own attempt was aborted too: nobody has gained by them. And those of which
	 * that is not known, since the culprit's attempt was still under way, or is too long ago. */
	uint64_t wasted;
	uint64_t wasted_ns;
	uint64_t undecided;
	double estimated_ns; /* lost by all transactions, if only some were measured */
	double variance_ns2; /* of that estimate: stmlog_half_width_ns() */
	/* The pairs of objects (this one's, the other's) that occurred most, most frequent first;
	 * address 0: unused; other 0: not known, or the same. Any pair in more than 1/5 of `count` is here;
	 * its count is too low by at most that (Misra, Gries 1982). */
	struct {
		uintptr_t address;
		uintptr_t other;
		uint64_t count;
	} objects[STMLOG_OBJECTS];
};

/* Exact sums over all that was recorded:
 *   recorded count == sum of entries' count + evicted.count
 *   recorded time  == sum of entries' (lost_ns - overstated_ns) + evicted.lost_ns
 *   estimated time == sum of entries' estimated_ns + evicted.estimated_ns
 * where "recorded" and "estimated" sum by_cause. Variances do not add up so: what one transaction has lost under
 * several keys goes up and down together, so that
 *   sum of entries' variance + evicted's <= sum of by_cause's <= variance_ns2, that of all that was lost. */
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

/* By Newton's method, from above, since libm is no library of ours. */
static inline double stmlog_root(double square)
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

/* Half the width of the interval around an estimate that holds the truth in 95 % of all runs. */
static inline double stmlog_half_width_ns(double variance_ns2)
{
	return 1.96 * stmlog_root(variance_ns2);
}

/* What the variance of a sum of two estimates is at most: they go up and down together. */
static inline double stmlog_joint_variance(double one, double other)
{
	return one + other + 2 * stmlog_root(one) * stmlog_root(other);
}

/* Makes an inactive timelog for the calling thread, which must be attached.
 * Capacity 0 keeps totals only. Returns NULL and errno: EINVAL (not attached,
 * unknown policy), ENOMEM. */
STMLOG_API struct stmlog_timelog *stmlog_timelog_create(size_t capacity, enum stmlog_policy policy);

/* Destroys it, active or not, and nulls *log. NULL is no mistake. */
STMLOG_API void stmlog_timelog_destroy(struct stmlog_timelog **log);

/* From activate to deactivate, everything the thread records goes into the
 * timelog too. Activating an active one, or deactivating one that is not, does
 * nothing. Groups of the running transaction are handed over first. */
STMLOG_API void stmlog_timelog_activate(struct stmlog_timelog *log);
STMLOG_API void stmlog_timelog_deactivate(struct stmlog_timelog *log);

/* Forgets entries and totals. */
STMLOG_API void stmlog_timelog_clear(struct stmlog_timelog *log);

/* Returns all that was collected, as an inactive timelog that the caller owns,
 * and clears `log`, in one step. NULL and ENOMEM: nothing changed. */
STMLOG_API struct stmlog_timelog *stmlog_timelog_take(struct stmlog_timelog *log);

/* A copy of a timelog of another attached thread as it is now; inactive, owned by
 * the calling thread, which must be attached. The owner is not stopped. Requires
 * that the owner does not destroy `log` meanwhile. NULL and errno on failure. */
STMLOG_API struct stmlog_timelog *stmlog_timelog_snapshot_remote(struct stmlog_timelog *log);

STMLOG_API size_t stmlog_timelog_capacity(const struct stmlog_timelog *log);
STMLOG_API size_t stmlog_timelog_len(struct stmlog_timelog *log);
STMLOG_API void stmlog_timelog_totals(struct stmlog_timelog *log, struct stmlog_totals *totals);

/* Enumeration: entries by time lost, highest first, equals in the order in which
 * they came. Groups still pending are handed over when it begins. */
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
STMLOG_API enum stmlog_next stmlog_cursor_next(struct stmlog_cursor *cursor, struct stmlog_entry *entry);

/* ---- reports ---- */

/* Writes the text report of the whole process so far to a file descriptor, with
 * write(2). Returns 0 or a negative errno; -EINVAL when the profiler is not open. */
STMLOG_API int stmlog_report(int fd);

/* Writes the recording file (format.h) beside `path` and renames it. Returns 0
 * or a negative errno; then nothing is left behind. */
STMLOG_API int stmlog_record(const char *path);

STMLOG_END_DECLS

#endif
