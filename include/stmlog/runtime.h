/* SPDX-License-Identifier: MIT
 *
 * What a transactional runtime calls, so that its users see what their transactions lose, where, and to which others:
 *
 *   stmlog_open(&setup);                        once, before the first transaction
 *   thread = stmlog_thread_open(NULL);          each thread, for itself
 *   stmlog_push(thread, TB_HERE());             a function is entered, and later left (stmlog_pop)
 *
 *   stmlog_start(thread);                       a transaction begins its first attempt
 *     origin = stmlog_origin(thread, site);     it writes: store the word with the lock or version of what it writes
 *     stmlog_wait_begin(thread, &loss);         it waits ...
 *     stmlog_wait_end(thread);                  ... and goes on
 *     stmlog_abort(thread, &loss);              the attempt has failed
 *   stmlog_retry(thread);                       the next attempt begins
 *   stmlog_commit(thread);                      the attempt has succeeded
 *
 * A *loss* is one abort, pause or wait. Its tracebacks are those of the shadow stacks of both threads. The report comes
 * when the process ends. <stmlog/read.h> reads what was recorded, <stmlog/timeline.h> has regions and marks, and
 * <stmlog/agent.h> is for runtimes that measure a part of their transactions, or unwind stacks themselves.
 *
 * For the handle NULL each call does nothing: it is one predictable branch. With STMLOG_OFF defined before this header
 * it is nothing; STMLOG_ONLY() (compiler.h) is for what a runtime itself needs for stmlog alone. Calls act for the
 * calling thread. Except for the first four below, once the thread is warm they take no lock and no memory; each reads
 * the clock at most once, twice if it also ends a wait, and makes no system call unless the thread was interrupted. All
 * may be made with the runtime's own locks held. A call out of order (a commit without a start) changes nothing: it is
 * counted, and the first one is reported on stderr. An abort or commit of an attempt that waits ends the wait; all
 * other calls for an attempt come after its waits. If an attempt begins within a wait, the wait ends there, too.
 *
 * All calls may be made in handlers of pthread_atfork(), registered before stmlog_open() or after it: the library holds
 * no lock while the process forks. What a thread does in the child counts there; what it did before, in the parent.
 *
 * A signal handler may make the calls from stmlog_push() on. A call that has interrupted another one for the same
 * handle is counted and does nothing; such a handler must not leave by longjmp().
 *
 * Attempts of nested transactions that the runtime flattens are not reported. Time is nanoseconds of CLOCK_MONOTONIC,
 * unless the option clock= chooses another clock.
 */
#ifndef STMLOG_RUNTIME_H
#define STMLOG_RUNTIME_H

#include <stmlog/causes.h>
#include <stmlog/setup.h>

STMLOG_BEGIN_DECLS

/* ---- handles ---- */

struct stmlog_thread;

/* NULL: returns the calling thread's own handle, always the same, until the thread closes it or ends. Otherwise opens a
 * *lane*, a handle that belongs to no OS thread, for transactions that move between OS threads, as those of green
 * threads do; in reports it is a thread of this name, of which 15 bytes are copied. Returns NULL if the profiler is not
 * open, or has no memory. A runtime best keeps a thread's own handle in a __thread variable. A forked child has the
 * handle of its thread, with the calls that it is in and the attempt under way. Of the lanes of its parent it may do no
 * more than close them, and it forgets the own handles of all other threads. Any thread. */
STMLOG_API struct stmlog_thread *stmlog_thread_open(const char *lane);

/* The calling thread's handle, NULL if it has opened none. One thread-local read. */
STMLOG_API struct stmlog_thread *stmlog_thread_self(void);

/* Closes the handle, and nulls *thread; nothing if `thread` or *thread is NULL. Its figures stay; an attempt under way
 * counts as open time. A thread's own handle is closed by that thread, a lane by any, if no other uses it. */
STMLOG_API void stmlog_thread_close(struct stmlog_thread **thread);

/* From claim to release the calling thread uses the lane, and its time counts; one thread at a time may. A lane may be
 * released at any moment, within a transaction or a wait, too: with the next claim it goes on as if no time had passed.
 * Each reads the clock once. */
STMLOG_API void stmlog_claim(struct stmlog_thread *lane);
STMLOG_API void stmlog_release(struct stmlog_thread *lane);

/* ---- losses ---- */

/* Why an attempt aborts, or a thread waits. All zero but `size` and the cause: nothing more is known. */
struct stmlog_loss {
	size_t size; /* sizeof(struct stmlog_loss) */
	struct stmlog_cause cause;
	uint64_t own;   /* this side: the origin of an earlier write or read in this attempt or, in a wait after the
			 * abort, in the attempt that has failed; 0: where the thread is */
	uint64_t other; /* the other side: its origin; 0: not known */
	/* What both sides touched: its address, any number, or the number of tb_code_intern(its name, NULL), so that
	 * reports name it though it is gone; 0: not known. */
	uintptr_t object;
	uintptr_t other_object;  /* what the other side touched; 0: not known, or the same */
	enum stmlog_grade grade; /* CANDIDATE: `other` is a guess. Otherwise a known `other` is certain */
	enum stmlog_overlap overlap;
	uint64_t at_ns; /* by stmlog_now_ns() in agent.h, 0: now. When the attempt failed, of stmlog_abort(); when the
			 * wait was over, of stmlog_waited() */
	/* For agents, which build tracebacks: frames of this thread's stack, TB_EMPTY or TB_UNKNOWN, in place of `own`
	 * and `other`. NULL: by these. Borrowed. */
	struct tb_frame *local, *remote;
	uint32_t remote_thread; /* with `remote`: stmlog_thread_id() of its thread; 0: not known */
	uint16_t green;         /* stmlog_green_thread() of this side; 0: not known */
	uint16_t remote_green;  /* the same of the other side */
};

/* A loss of which only the cause is known. */
STMLOG_INLINE struct stmlog_loss stmlog_loss_of(
	enum stmlog_reason reason, enum stmlog_contention_kind contention, const char *detail)
{
	struct stmlog_loss loss;
	__builtin_memset(&loss, 0, sizeof loss);
	loss.size = sizeof loss;
	loss.cause.reason = reason;
	loss.cause.contention = contention;
	loss.cause.detail = detail;
	return loss;
}

/* Private: the calls behind the test for NULL, and the beginning of a handle. */
struct stmlog_handle {
	struct tb_stack *stack;
	struct stmlog_thread *measured; /* the handle itself while its transactions are measured, otherwise NULL */
	uint32_t left;                  /* for how many transactions that holds; stored by the thread, read by any */
	uint64_t aborts;                /* of stmlog_aborted_unmeasured(); likewise */
};
STMLOG_PRIVATE struct stmlog_thread *stmlog_sampled_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_start_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_retry_on(struct stmlog_thread *thread, struct tb_frame *place);
STMLOG_PRIVATE void stmlog_commit_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_abort_on(struct stmlog_thread *thread, const struct stmlog_loss *loss);
STMLOG_PRIVATE void stmlog_abort_other_on(struct stmlog_thread *thread, const struct stmlog_loss *loss);
STMLOG_PRIVATE void stmlog_wait_begin_on(struct stmlog_thread *thread, const struct stmlog_loss *loss);
STMLOG_PRIVATE void stmlog_wait_end_on(struct stmlog_thread *thread);
STMLOG_PRIVATE uint64_t stmlog_origin_on(struct stmlog_thread *thread, struct tb_site site);
STMLOG_PRIVATE uint64_t stmlog_became_inevitable_on(struct stmlog_thread *thread, struct tb_site site);

/* ---- where the thread is ---- */

/* The handle's shadow stack (traceback.h), borrowed; NULL for NULL. Only the thread that uses the handle may use it. */
STMLOG_INLINE struct tb_stack *stmlog_thread_stack(struct stmlog_thread *thread)
{
	return STMLOG_HOOK_VALUE(thread, ((struct stmlog_handle *)(void *)thread)->stack, NULL);
}

/* A function is entered, and left; and it goes on to another line. TB_HERE() is the site of the line on which it
 * stands. While nothing is pushed, the thread is where the call for an attempt or a loss was made: in the runtime's
 * code, or in the function into which that is inlined. */
STMLOG_INLINE void stmlog_push(struct stmlog_thread *thread, struct tb_site site)
{
	STMLOG_HOOK(thread, tb_push(stmlog_thread_stack(thread), site));
}
STMLOG_INLINE void stmlog_pop(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, tb_pop(stmlog_thread_stack(thread)));
}
STMLOG_INLINE void stmlog_update(struct stmlog_thread *thread, struct tb_site site)
{
	STMLOG_HOOK(thread, tb_update(stmlog_thread_stack(thread), site));
}

/* ---- which transactions are measured ---- */

/* For a runtime whose transactions are too short to measure each of them. Called before stmlog_start(): returns
 * `thread` if the library measures the transaction that begins now, and otherwise NULL, which the runtime passes to all
 * hooks of this transaction but stmlog_push(), stmlog_pop() and stmlog_update(). Marks, captures and tb_restore() are
 * for the stack of `thread` in each transaction, too. A wait between two transactions is passed the handle, or NULL, of
 * the earlier one. Not within a transaction, pause or wait:
 *
 *   tx->log = stmlog_sampled(thread);
 *   stmlog_start(tx->log);
 *
 * The library measures all transactions while that costs a hundredth of the time. Otherwise it measures those in
 * windows of time that all threads have together; with the option sample=N for one part in N of the time. The account
 * and the times of entries are estimates for all transactions then. A transaction that is not measured counts as
 * committed once it begins, and takes some nanoseconds longer than without a profiler. It has no origin: so the words
 * of its locks get 0, which stmlog_origin() returns for NULL, in place of an earlier holder's. Not for signal handlers.
 */
STMLOG_INLINE struct stmlog_thread *stmlog_sampled(struct stmlog_thread *thread)
{
	struct stmlog_handle *handle = (struct stmlog_handle *)(void *)thread;
	if (STMLOG_LIKELY(thread == NULL))
		return NULL;
	if (STMLOG_UNLIKELY(handle->left == 0))
		return stmlog_sampled_on(thread);
	STMLOG_STORE_RELAXED(&handle->left, handle->left - 1);
	return handle->measured;
}

/* Where a transaction calls stmlog_abort(tx->log, ...): counts the failed attempt if stmlog_sampled() has not measured
 * the transaction, and does nothing otherwise. Then the number of aborts is exact, and not estimated from the measured
 * transactions: tiny ones take longer while they are measured, and conflict more often. Some nanoseconds. */
STMLOG_INLINE void stmlog_aborted_unmeasured(struct stmlog_thread *thread)
{
	struct stmlog_handle *handle = (struct stmlog_handle *)(void *)thread;
	if (STMLOG_UNLIKELY(thread != NULL) && handle->measured == NULL)
		STMLOG_STORE_RELAXED(&handle->aborts, handle->aborts + 1);
}

/* ---- attempts ---- */

/* A transaction begins its first attempt. Requires that none is under way. */
STMLOG_INLINE void stmlog_start(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_start_on(thread));
}

/* The transaction that has aborted begins its next attempt: at the time of the abort or, if it has waited since, of the
 * wait's end. Reads no clock. The time between the abort and such a wait is in the row `outside`. */
STMLOG_INLINE void stmlog_retry(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_retry_on(thread, TB_UNKNOWN));
}

/* The attempt has succeeded. */
STMLOG_INLINE void stmlog_commit(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_commit_on(thread));
}

/* The attempt has failed, because of a conflict that this transaction has found (reason SELF_ABORT), because another
 * one has made it abort (ABORTED_BY_OTHER), or because the program has asked for it (USER_ABORT). With the contention
 * NONE and no `other`, no other transaction was in its way. `loss` may be NULL: the cause is not known, and reports
 * call the other side unknown. */
STMLOG_INLINE void stmlog_abort(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	STMLOG_HOOK(thread, stmlog_abort_on(thread, loss));
}

/* This transaction makes another one abort (ABORTED_BY_OTHER), and goes on: an event of the timeline. The other thread
 * calls stmlog_abort(), with an origin of this transaction: so store one where that thread finds it. */
STMLOG_INLINE void stmlog_abort_other(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	STMLOG_HOOK(thread, stmlog_abort_other_on(thread, loss));
}

/* The thread waits until stmlog_wait_end(), or until the attempt aborts or commits. `loss` says why, by its cause:
 *   PAUSE                for another transaction, in an attempt or after an abort; any contention. With INEVITABLE:
 *                        until it can be inevitable itself. With NONE while all transactions are stopped, as for a
 *                        collection: in the threads that wait
 *   WAIT, INEVITABLE     until an inevitable transaction is over, in an attempt or not
 *   WAIT, NONE           for a free segment, in runtimes that run a fixed number of transactions at a time, in an
 * attempt or not; its time is in the row `waiting`, and in no entry BLOCKED              after an abort: a `retry`
 * waits until something changes that the transaction has read; no loss OTHER_WORK           the runtime works for
 * itself, as the thread that collects while it has stopped the others, in an attempt or not; or it backs off after an
 * abort; no loss. `detail` is a word for it: each of the first 16 words has a row of its own in the account. NULL is
 * the same without a word Report each wait for another transaction: otherwise its sleep looks like time off the
 * processor (`descheduled`).
 */
STMLOG_INLINE void stmlog_wait_begin(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	STMLOG_HOOK(thread, stmlog_wait_begin_on(thread, loss));
}
STMLOG_INLINE void stmlog_wait_end(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_wait_end_on(thread));
}

/* ---- origins ---- */

/* Returns a word that stands for this thread, its attempt, and `site`, called from where the thread is (position 0:
 * just where it is). Store it with the lock or version of what the attempt writes or reads, before others can conflict
 * with it; or clear the word when the lock is released. An origin that a former holder has left is a wrong culprit,
 * which reports call certain. Not while a wait is open: make it before stmlog_wait_begin(). A transaction that meets
 * the word, however long after the attempt, passes it as the `other` of its loss; of a transaction that is known, and
 * not where it read, the origin that it made when it began. An attempt that keeps the origins of its own reads and
 * writes passes them as `own`.
 *
 * An origin is below 2^63: a lock word that is even while the lock is free may be twice the origin, plus 1, while it is
 * held. Then there is no moment in which the lock is held but its holder not known. 0, returned for NULL and without an
 * attempt, stands for an unknown one. Origins are plain words: any thread may copy and compare them, and the runtime
 * sees to the order of its own loads and stores.
 *
 * STMLOG_ORIGIN_PLACES different tracebacks, of at most TB_COPY_FRAMES frames, are kept as long as the process lives.
 * A thread keeps its latest others: of an earlier one the site is left. Without room the innermost frames are known, or
 * the site; otherwise nothing, and that is counted (tracebacks_unavailable). Costs some nanoseconds; reads no clock. */
#define STMLOG_ORIGIN_PLACES 2304
STMLOG_INLINE uint64_t stmlog_origin(struct stmlog_thread *thread, struct tb_site site)
{
	return STMLOG_HOOK_VALUE(thread, stmlog_origin_on(thread, site), 0);
}

/* The attempt becomes inevitable: nothing can abort it from here on. As stmlog_origin(), for those who have to wait for
 * it; and an event of the timeline. */
STMLOG_INLINE uint64_t stmlog_became_inevitable(struct stmlog_thread *thread, struct tb_site site)
{
	return STMLOG_HOOK_VALUE(thread, stmlog_became_inevitable_on(thread, site), 0);
}

STMLOG_END_DECLS

/* With STMLOG_OFF a program needs no library if it calls only the functions of this header and of setup.h: no profiler
 * opens, and every handle is NULL. */
#ifdef STMLOG_OFF
#define stmlog_thread_open(lane) STMLOG_OFF_VALUE(lane, (struct stmlog_thread *)0)
#define stmlog_thread_self() ((struct stmlog_thread *)0)
#define stmlog_thread_close(thread) ((void)(*(thread) = 0))
#define stmlog_sampled(thread) STMLOG_OFF_VALUE(thread, (struct stmlog_thread *)0)
#define stmlog_aborted_unmeasured(thread) ((void)(thread))
#define stmlog_claim(lane) ((void)(lane))
#define stmlog_release(lane) ((void)(lane))
#endif

#endif
