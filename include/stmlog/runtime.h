/* SPDX-License-Identifier: MIT
 *
 * The hooks that a transactional runtime calls, in the order in which they come:
 *
 *   thread = stmlog_thread_attach();          once per thread
 *
 *   stmlog_start(thread);                     a transaction begins its first attempt
 *     stmlog_pause_begin(thread, &loss);      it stands still for another one ...
 *     stmlog_pause_end(thread);               ... and goes on
 *   stmlog_abort(thread, &loss);              the attempt failed; either
 *     stmlog_retry(thread);                   - the next attempt begins at once, or
 *                                             - the transaction is given up
 *   stmlog_commit(thread);                    the attempt succeeded
 *
 *   stmlog_wait_begin(thread, &loss);         outside or inside a transaction: the
 *   stmlog_wait_end(thread);                  thread waits for a segment
 *   stmlog_other_begin(thread);               ... or synchronises internally
 *   stmlog_other_end(thread);
 *
 * `thread` is the calling thread's own handle. With NULL every hook is one
 * predictable branch; with STMLOG_OFF defined before this header it is nothing.
 *
 * Each hook reads the clock once, but stmlog_retry(), which shares the abort's
 * reading. No hook allocates, locks or makes a system call once its thread is
 * warm. A hook out of order (a commit without a start) changes nothing, is
 * counted as a caller's mistake and told once on stderr.
 *
 * Attempts of nested transactions that the runtime flattens are not reported.
 */
#ifndef STMLOG_RUNTIME_H
#define STMLOG_RUNTIME_H

#include <stmlog/stmlog.h>

STMLOG_BEGIN_DECLS

/* What a hook is told about a loss. Tracebacks are borrowed for the call; the
 * library takes references of its own. Both must be frames of the thread's own
 * stack, TB_EMPTY or TB_UNKNOWN. Zero-initialised members mean "not known", but
 * for the tracebacks, which must be set (STMLOG_LOSS does). */
struct stmlog_loss {
	struct stmlog_cause cause;
	struct tb_frame *local;
	struct tb_frame *remote;
	uint32_t remote_thread; /* stmlog_thread_id() of the other one, 0: unknown */
	enum stmlog_grade grade;
	uintptr_t object;       /* the object fought over, 0: unknown */
	bool is_false_conflict; /* known to touch different data of one lock */
};

/* A loss with both tracebacks unknown. */
static inline struct stmlog_loss stmlog_loss_make(
	enum stmlog_reason reason, enum stmlog_contention contention, const char *detail)
{
	struct stmlog_loss loss;
	loss.cause.reason = reason;
	loss.cause.contention = contention;
	loss.cause.detail = detail;
	loss.local = TB_UNKNOWN;
	loss.remote = TB_UNKNOWN;
	loss.remote_thread = 0;
	loss.grade = STMLOG_GRADE_UNKNOWN;
	loss.object = 0;
	loss.is_false_conflict = false;
	return loss;
}

/* The out-of-line halves; `thread` is not NULL. */
STMLOG_API void stmlog_start_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_retry_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_commit_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_abort_on(struct stmlog_thread *thread, const struct stmlog_loss *loss);
STMLOG_API void stmlog_pause_begin_on(struct stmlog_thread *thread, const struct stmlog_loss *loss);
STMLOG_API void stmlog_pause_end_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_wait_begin_on(struct stmlog_thread *thread, const struct stmlog_loss *loss);
STMLOG_API void stmlog_wait_end_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_other_begin_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_other_end_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_unmeasured_on(struct stmlog_thread *thread, uint64_t commits, uint64_t aborts);

#ifdef STMLOG_OFF
/* Still compiled, so that a program has no unused parameters and no errors that show only with the hooks on. */
#define STMLOG_HOOK(thread, call) \
	do {                      \
		if (0)            \
			call;     \
	} while (0)
#else
#define STMLOG_HOOK(thread, call)                      \
	do {                                           \
		if (STMLOG_UNLIKELY((thread) != NULL)) \
			call;                          \
	} while (0)
#endif

/* A transaction begins its first attempt. Groups of the one before are handed to
 * the timelogs. Requires: no attempt, pause or wait under way. */
static inline void stmlog_start(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_start_on(thread));
}

/* The transaction that just aborted begins its next attempt, at the time of the
 * abort. Call it directly after stmlog_abort(); a back-off in between goes into
 * other_begin/other_end after the retry. */
static inline void stmlog_retry(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_retry_on(thread));
}

/* The attempt succeeded: its time, without pauses and waits, becomes committed. */
static inline void stmlog_commit(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_commit_on(thread));
}

/* The attempt failed: its time, without pauses and waits, is lost. `loss->cause`
 * has reason self-abort, aborted-by-other (not with contention inevitable) or
 * user-abort. */
static inline void stmlog_abort(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	STMLOG_HOOK(thread, stmlog_abort_on(thread, loss));
}

/* The attempt stands still for another transaction. Reason: pause. What the
 * remote traceback is must be found out before: afterwards the other is gone.
 * Requires an attempt under way. */
static inline void stmlog_pause_begin(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	STMLOG_HOOK(thread, stmlog_pause_begin_on(thread, loss));
}
static inline void stmlog_pause_end(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_pause_end_on(thread));
}

/* The thread waits for a free segment. Reason: wait. Contention inevitable makes
 * an entry; contention none is added to the thread's account only. */
static inline void stmlog_wait_begin(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	STMLOG_HOOK(thread, stmlog_wait_begin_on(thread, loss));
}
static inline void stmlog_wait_end(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_wait_end_on(thread));
}

/* Internal synchronisation: time only, no entry. */
static inline void stmlog_other_begin(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_other_begin_on(thread));
}
static inline void stmlog_other_end(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_other_end_on(thread));
}

/* Adds transactions that a sampling runtime did not measure: counts, no time and
 * no clock reading. */
static inline void stmlog_unmeasured(struct stmlog_thread *thread, uint64_t commits, uint64_t aborts)
{
	STMLOG_HOOK(thread, stmlog_unmeasured_on(thread, commits, aborts));
}

/* Facts about the recording that only the runtime knows; they go into file and
 * report. Any thread, any time; the last one counts. */
STMLOG_API void stmlog_set_sampling(uint32_t every);

/* Counts a traceback that could not be had, for the report's losses. */
STMLOG_API void stmlog_count_unavailable_traceback(struct stmlog_thread *thread);

STMLOG_END_DECLS

#endif
