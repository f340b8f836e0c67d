/* SPDX-License-Identifier: MIT
 *
 * stmlog: what memory transactions lose, where, and to whom.
 *
 * A *loss* is one abort, pause or wait of a transaction. Its *cause* is a reason,
 * a contention, and optionally a word of the runtime's. An *entry* is the sum of
 * all losses with the same key: the cause, the traceback of the thread that lost
 * (local), and the traceback of the thread that it lost to (remote). A *timelog*
 * holds a fixed number of entries, the costliest of one thread, and exact totals
 * of all its losses. An *account* says where all the time of a thread went.
 *
 * A program or runtime that embeds the library opens it once (stmlog_open),
 * attaches each thread (stmlog_thread_attach) and calls the hooks of
 * <stmlog/runtime.h>; the report comes when the process ends. An unmodified
 * `gcc -fgnu-tm` program needs none of this: `stmlog record PROGRAM` does it.
 *
 * Threads.
 *   stmlog_open(), stmlog_leave()
 *                 any thread, for each runtime; the call that opens before all others
 *   stmlog_close()
 *                 one thread; other threads may be attached
 *   stmlog_thread_attach(), stmlog_thread_detach(), stmlog_thread_self()
 *                 any thread, for itself; detach is automatic at thread exit
 *   stmlog_timelog_...()
 *                 the thread that created the timelog; after the end of that thread,
 *                 one other thread at a time
 *   stmlog_timelog_snapshot_remote(), stmlog_account_read(), stmlog_report(), stmlog_record()
 *                 any thread; the threads that they read go on and never wait
 *
 * A handle (of a thread, timelog, timeline, profile or walker) may be NULL wherever one is asked for: the
 * call does nothing, and what it returns is empty. Any other pointer must not be NULL, unless its
 * description says so.
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

/* The number of the binary interface, that is, of the layouts and values that inline functions of the headers use. It
 * grows when one of them changes, and stmlog_open() refuses a program that was compiled with another number. A new
 * member at the end of struct stmlog_setup is no such change. */
#define STMLOG_ABI 3

/* ---- causes ---- */

enum stmlog_reason {
#define STMLOG_REASON(id, name, doc) STMLOG_##id,
#include <stmlog/causes.def>
#undef STMLOG_REASON
	STMLOG_REASONS
};

enum stmlog_contention_kind {
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
	enum stmlog_contention_kind contention;
	const char *detail; /* the runtime's own word (runtime.h), or NULL */
};

/* How sure it is that the loss is due to the reported culprit, the other transaction of the conflict. A runtime that
 * knows the other transaction reports CERTAIN. */
enum stmlog_grade { STMLOG_GRADE_UNKNOWN, STMLOG_GRADE_CANDIDATE, STMLOG_GRADE_CERTAIN, STMLOG_GRADES };
STMLOG_API const char *stmlog_grade_name(unsigned grade);

/* Whether two conflicting transactions did touch the same data. One lock may guard several objects: then transactions
 * that touch different objects conflict too, which is a false conflict. */
enum stmlog_overlap {
	STMLOG_OVERLAP_UNKNOWN,
	STMLOG_OVERLAP_SAME,   /* a true conflict */
	STMLOG_OVERLAP_STRIPE, /* neighbours in one unit of locking (a stripe, a cache line): false */
	STMLOG_OVERLAP_ALIAS   /* units far apart that share a lock: false */
};

/* ---- opening ---- */

/* The name of a site. The strings are NUL-terminated. */
struct stmlog_name {
	char function[256];
	char file[256];
	uint32_t line;
};

/* A piece of memory that the program has allocated. */
struct stmlog_block {
	uintptr_t start;
	size_t size;
	bool is_freed;            /* the block was freed, and its memory not allocated again */
	struct tb_copy allocated; /* traceback of the allocation */
};

/* The kind of what is under way on a thread; files hold the numbers. */
enum stmlog_open_kind {
	STMLOG_OPEN_TRANSACTION = 0,
	STMLOG_OPEN_COMMIT = 1, /* the transaction's commit was called */
	STMLOG_OPEN_PAUSE = 2,  /* it waits for a transaction with which it conflicts */
	STMLOG_OPEN_WAIT = 3    /* it waits for another reason */
};

/* A transaction that is under way, or a wait within it. */
struct stmlog_open_transaction {
	uint32_t thread; /* stmlog_thread_id() */
	enum stmlog_open_kind kind;
	uint64_t since_ns;   /* when it began, by stmlog_now_ns(); or later, if the runtime does not know */
	struct tb_site site; /* where it begins; position 0: not known */
	/* The transaction because of which it waits; all zero: not known. */
	uint32_t other_thread;
	struct tb_site other_site;
	enum stmlog_grade grade;
};

struct stmlog_setup {
	const char *runtime; /* name of the runtime for the report, at most 63 bytes: "libitm", "my-stm"; NULL: none */

	/* The callbacks are called only while a report or a file is made, by the thread that makes it. Each may be
	 * NULL. Each gets the `..._arg` behind it as its last argument. Within a callback stmlog_report(),
	 * stmlog_record() and stmlog_open() return -EDEADLK, stmlog_leave() returns false, and stmlog_flush() and
	 * stmlog_close() do nothing; each is counted as a caller's mistake. */

	/* Names a site whose code is neither TB_CODE_ADDRESS nor TB_CODE_PLACE nor of tb_code_intern(). Returns false
	 * when it cannot. */
	bool (*expand)(struct tb_site site, struct stmlog_name *name, void *arg);
	void *expand_arg;

	/* Names an object of a conflict by the address that was given to a hook. The object may no longer exist. Writes
	 * at most `size` bytes, NUL included. Returns false when it cannot. */
	bool (*name_object)(uintptr_t object, char *name, size_t size, void *arg);
	void *name_object_arg;

	/* Finds the allocated block that contains the address `object`. If there have been several blocks, finds the
	 * latest. Not called for objects that name_object() names. Sets all members of `block`, or returns false. */
	bool (*find_block)(uintptr_t object, struct stmlog_block *block, void *arg);
	void *find_block_arg;

	/* Called before anything else when a report or a file is made: the runtime may now report totals that it
	 * counts itself (stmlog_unmeasured(), stmlog_set_fact()). */
	void (*before_report)(void *arg);
	void *before_report_arg;

	/* The destination of the report if STMLOG_OPTIONS has no report=: "stderr", "none" or a path; NULL: "stderr".
	 * Only that of the runtime that opens is used. */
	const char *report;

	void *reserved; /* NULL */

	/* Finds at most `max` transactions that are under way and that no hook has reported. Returns how many it has
	 * found. Must not call hooks. */
	size_t (*find_open)(struct stmlog_open_transaction *open, size_t max, void *arg);
	void *find_open_arg;
};

/* The function behind stmlog_open(). `setup_size`: of the caller's struct stmlog_setup. */
STMLOG_API int stmlog_open_abi(const struct stmlog_setup *setup, size_t setup_size, unsigned abi);

/* Opens the profiler for this process: reads STMLOG_OPTIONS and chooses the clock. The
 * report and the file will be made when the process ends. `setup` may be NULL.
 * Returns 0, -EALREADY if it is open, -ENOSPC if it is open and STMLOG_RUNTIMES runtimes
 * have joined it, -EBUSY if threads are still attached since it
 * was open before, -EPROTO if the headers were those of another library (STMLOG_ABI;
 * a line on stderr says so), -EDEADLK within a callback of a setup, where it changes
 * nothing, or another negative errno. After -EALREADY and -ENOSPC
 * threads attach as after 0; after any other error no thread can attach: every handle
 * is NULL, and hooks do nothing.
 *
 * Several runtimes of a process may call this, each with a setup of its own, at any time and on any thread. The first
 * one opens; each later one, with -EALREADY, joins: its name is in the report, too, and its callbacks are called after
 * those of earlier runtimes, until one knows the answer. After -ENOSPC its callbacks are not called. A runtime that has
 * joined does not call stmlog_close(), which ends the recording of all. */
#define STMLOG_RUNTIMES 8
STMLOG_INLINE int stmlog_open(const struct stmlog_setup *setup)
{
	return stmlog_open_abi(setup, sizeof(struct stmlog_setup), STMLOG_ABI);
}

/* Whether a program that was compiled with headers of this STMLOG_ABI may call the library at all. If not, a line on
 * stderr says so. For code that looks for the library at run time, as the first function that it calls. */
STMLOG_API bool stmlog_abi_fits(unsigned abi);

/* The function behind stmlog_leave(). `setup_size`: of the caller's struct stmlog_setup. */
STMLOG_API bool stmlog_leave_abi(const struct stmlog_setup *setup, size_t setup_size);

/* Forgets the callbacks of a runtime that has opened or joined with this setup; its name stays, and so do its figures.
 * For a runtime whose code will be unloaded while others go on. When this returns, no thread is within a callback and
 * none will call it. Before, the callbacks name all sites and objects that were recorded, for later reports, which
 * takes as long as a report. Blocks of memory are not found any more. A runtime that is unloaded without this is
 * noticed at the next report, and counted as a caller's mistake; sites and objects that only it can name have no names
 * then. Returns false if there is no such runtime, or within a callback. Any thread. */
STMLOG_INLINE bool stmlog_leave(const struct stmlog_setup *setup)
{
	return stmlog_leave_abi(setup, sizeof(struct stmlog_setup));
}

/* Makes the report and the file, and stops recording. Called automatically when the
 * process exits. Other attached threads stay attached: their hooks go on to record
 * into memory that is not read any more. */
STMLOG_API void stmlog_close(void);

/* Makes the report and the file now, and goes on recording. The outputs at the end
 * of the process replace them. For a runtime that notices that the process is about to
 * call exec(), or _exit(), which calls no exit handlers. If nothing was recorded,
 * neither this function nor the end of the process makes any output. */
STMLOG_API void stmlog_flush(void);

/* The value of an option of the runtime's own in STMLOG_OPTIONS, or NULL. The string is valid while the profiler is
 * open. The first report warns about each option of STMLOG_OPTIONS that the library does not know and for which this
 * function was not called. */
STMLOG_API const char *stmlog_option(const char *key);

/* Replaces the clock, for tests and simulators. Requires that the profiler is not open,
 * and that the clock never goes back. NULL: CLOCK_MONOTONIC again. */
STMLOG_API void stmlog_set_clock(uint64_t (*now_ns)(void));

/* ---- threads ---- */

struct stmlog_thread;

/* Attaches the calling thread: its attached time begins here. If it is attached already,
 * only returns its handle; in a forked child the first call also begins what the options snapshot, signal and kill ask
 * for. Returns NULL when the profiler is not open, or has no memory. With the handle NULL a hook does nothing. */
STMLOG_API struct stmlog_thread *stmlog_thread_attach(void);

/* Ends the attached time of the calling thread. Its figures and losses are kept for the
 * report; an attempt under way counts as open time. Called automatically when the
 * thread ends. The handle must not be used afterwards, except in struct stmlog_other. */
STMLOG_API void stmlog_thread_detach(void);

/* The calling thread's handle, NULL if it is not attached. One thread-local read. */
STMLOG_API struct stmlog_thread *stmlog_thread_self(void);

/* The thread's number in reports (1, 2, ...; never used twice). 0 for NULL. */
STMLOG_API uint32_t stmlog_thread_id(const struct stmlog_thread *thread);

/* The thread's shadow stack, borrowed. Only that thread may push, pop and capture.
 * NULL for NULL. */
STMLOG_API struct tb_stack *stmlog_thread_stack(struct stmlog_thread *thread);

/* Says to which runtime the thread or lane belongs, where a process has several: reports show the name, at most 31
 * bytes of which are copied. The last call counts; NULL: to none. Not a hook: it takes a lock. A thread that several
 * runtimes use, one after the other, has one handle: each of them may open a lane instead. */
STMLOG_API void stmlog_set_runtime(struct stmlog_thread *thread, const char *name);

/* ---- lanes ----
 *
 * A lane is a handle that belongs to no OS thread: for transactions that move from one OS thread to another, as those
 * of green threads and coroutines do. All hooks take it as they take a thread's handle; in reports it is a thread of
 * the given name. One OS thread at a time may use it: the runtime hands it over under a lock of its own, say. A thread
 * may have a handle of its own, and claim any number of lanes besides.
 *
 * In a forked child there are no lanes: those of the parent are not recorded any more, and may only be closed. */

/* Opens a lane, which is idle. Copies `name`; reports show at most 15 bytes of it. Returns NULL as
 * stmlog_thread_attach() does. Any thread. */
STMLOG_API struct stmlog_thread *stmlog_lane_open(const char *name);

/* Ends the lane as stmlog_thread_detach() ends a thread, idle or not, and nulls *lane. Any thread, if no other thread
 * uses the lane. */
STMLOG_API void stmlog_lane_close(struct stmlog_thread **lane);

/* From claim to release the lane's time is attached time; its hooks may be called only then. A lane may be released at
 * any time, in the middle of a transaction or a wait too: what is under way goes on with the next claim, as if no time
 * had passed. Each costs one clock reading. */
STMLOG_API void stmlog_lane_claim(struct stmlog_thread *lane);
STMLOG_API void stmlog_lane_release(struct stmlog_thread *lane);

/* Says that the lane is a spare one: it is claimed only while the transaction under way on another lane does not run.
 * Both belong to what the user knows as one thread, so reports do not count this one among the threads. Not a hook: it
 * takes a lock. Nothing for NULL. */
STMLOG_API void stmlog_set_spare(struct stmlog_thread *lane);

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
STMLOG_API void stmlog_account_read(const struct stmlog_thread *thread, struct stmlog_account *account);

/* ---- timelogs ---- */

struct stmlog_timelog;

enum stmlog_policy {
	/* If the timelog is full: of all entries and the new one, the one with the lowest time is evicted. */
	STMLOG_KEEP_COSTLIEST,
	/* If the timelog is full: the new entry replaces the one with the lowest time, and that time is added to
	 * its own, as an overstatement (Space-Saving: Metwally, Agrawal, El Abbadi 2005). For runs in which each
	 * transaction adds little to an entry. */
	STMLOG_KEEP_HEAVY_HITTERS
};

#define STMLOG_OBJECTS 4

/* One entry. Its tracebacks are borrowed: valid until the timelog changes. The thread
 * that owns the timelog may tb_ref() them.
 * Invariants: count >= 1; shortest_ns <= longest_ns; first_ns <= last_ns;
 * lost_ns >= overstated_ns, and overstated_ns == 0 under STMLOG_KEEP_COSTLIEST;
 * estimated_ns >= lost_ns - overstated_ns, the same if all weights were 1, and then variance_ns2 is 0.
 * Except for the estimate, times and counts are of measured transactions only. */
struct stmlog_entry {
	struct stmlog_cause cause;
	struct tb_frame *local;
	struct tb_frame *remote;
	enum stmlog_grade grade; /* the lowest of all its losses */
	uint64_t count;
	uint64_t lost_ns;
	uint64_t overstated_ns; /* lost_ns is too high by at most this */
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
 *   lost_ns        == sum of entries' (lost_ns - overstated_ns) + evicted.lost_ns
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
STMLOG_INLINE double stmlog_half_width_ns(double variance_ns2)
{
	return 1.96 * stmlog_root(variance_ns2);
}

/* An upper bound of the variance of the sum of two estimates that may be correlated. */
STMLOG_INLINE double stmlog_joint_variance(double one, double other)
{
	return one + other + 2 * stmlog_root(one) * stmlog_root(other);
}

/* Creates an inactive timelog of the calling thread, which must be attached. With
 * capacity 0 it keeps totals only. Returns NULL with errno EINVAL (not attached,
 * unknown policy) or ENOMEM. */
STMLOG_API struct stmlog_timelog *stmlog_timelog_create(size_t capacity, enum stmlog_policy policy);

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
STMLOG_API void stmlog_timelog_totals(struct stmlog_timelog *log, struct stmlog_totals *totals);

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
STMLOG_API enum stmlog_next stmlog_cursor_next(struct stmlog_cursor *cursor, struct stmlog_entry *entry);

/* ---- aggressors ---- */

/* The losses because of other transactions at one place: the sum of all entries with this remote traceback, whatever
 * the cause. It is like a row of the report's table of aggressors, but of one timelog. */
struct stmlog_aggressor {
	struct tb_frame *remote; /* where the other transaction caused the conflicts; borrowed, as in an entry */
	size_t victims;          /* how many places have lost because of it: innermost sites of local tracebacks */
	uint64_t count;          /* this and the following are sums of the entries' members of the same names */
	uint64_t lost_ns;
	uint64_t overstated_ns;
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
STMLOG_API size_t stmlog_timelog_aggressors(struct stmlog_timelog *log, struct stmlog_aggressor *rows, size_t max);

/* ---- reports ---- */

/* Writes the text report of the whole process so far to a file descriptor, with write(2). Any thread; the others go on.
 * It is the text that `stmlog report` prints of the recording made at the same moment, but without what requires debug
 * information or the analysis of the timeline. Returns 0 or a negative errno; -EINVAL when the profiler is not open;
 * -EDEADLK within a callback of struct stmlog_setup; -ENOMEM when memory was short: if anything was written, its last
 * line says so. */
STMLOG_API int stmlog_report(int fd);

/* Writes the recording file (format.h) under a temporary name beside `path`, and renames it.
 * Any thread; the others go on. Returns 0 or a negative errno, as stmlog_report() does; then no file is left. */
STMLOG_API int stmlog_record(const char *path);

STMLOG_END_DECLS

/* With STMLOG_OFF a program needs no library if it calls only the hooks, the functions below, and those at the end of
 * runtime.h: no profiler opens, and every handle is NULL. Functions that read timelogs and accounts, or make reports,
 * are still those of the library. */
#ifdef STMLOG_OFF
#define stmlog_open(setup) STMLOG_OFF_VALUE(setup, 0)
#define stmlog_leave(setup) STMLOG_OFF_VALUE(setup, (bool)0)
#define stmlog_close() ((void)0)
#define stmlog_set_runtime(thread, name) ((void)(thread), (void)(name))
#define stmlog_flush() ((void)0)
#define stmlog_option(key) STMLOG_OFF_VALUE(key, (const char *)0)
#define stmlog_set_clock(now_ns) ((void)(now_ns))
#define stmlog_thread_attach() ((struct stmlog_thread *)0)
#define stmlog_thread_detach() ((void)0)
#define stmlog_thread_self() ((struct stmlog_thread *)0)
#define stmlog_thread_id(thread) STMLOG_OFF_VALUE(thread, (uint32_t)0)
#define stmlog_thread_stack(thread) STMLOG_OFF_VALUE(thread, (struct tb_stack *)0)
#define stmlog_lane_open(name) STMLOG_OFF_VALUE(name, (struct stmlog_thread *)0)
#define stmlog_lane_close(lane) ((void)(*(lane) = 0))
#define stmlog_lane_claim(lane) ((void)(lane))
#define stmlog_lane_release(lane) ((void)(lane))
#define stmlog_set_spare(lane) ((void)(lane))
#endif

#endif
