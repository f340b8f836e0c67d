/* SPDX-License-Identifier: MIT
 *
 * The hooks that a transactional runtime calls, in the order of the calls:
 *
 *   thread = stmlog_thread_attach();          once per thread
 *
 *   stmlog_wait_segment(thread);              the thread waits for a free segment ...
 *   stmlog_wait_inevitable(thread, ...);      ... or for an inevitable transaction
 *   stmlog_wait_end(thread);
 *
 *   stmlog_start(thread);                     a transaction begins its first attempt
 *     stmlog_wrote(thread, object);           it writes an object for the first time; or
 *     origin = stmlog_origin(thread);         - keeps with the object where it was written
 *     stmlog_became_inevitable(thread);       it cannot be aborted from here on
 *
 *     stmlog_contention(thread, ...);         it conflicts with another transaction; then one of:
 *       stmlog_pause_self(thread);            - it waits for the other transaction ...
 *       stmlog_pause_end(thread);               ... and goes on
 *       stmlog_abort_other(thread);           - it makes the other transaction abort, and goes on
 *       stmlog_abort_self(thread);            - it aborts itself
 *                                             - nothing: there is no conflict any more
 *   stmlog_aborted_by(thread, ...);           another transaction has made it abort
 *   stmlog_abort_asked(thread, word);         the program asked for the abort
 *
 *     stmlog_blocked_begin(thread);           after stmlog_abort_asked(): the transaction waits for a change of what
 *     stmlog_blocked_end(thread);             it has read
 *     stmlog_retry(thread);                   after an abort, and perhaps a back-off: the next attempt begins
 *   stmlog_waited(thread, ...);               before an abort or commit: reports a wait that is over
 *   stmlog_commit(thread);                    the attempt succeeded
 *
 *   stmlog_other_begin(thread);               anywhere: the thread synchronises internally
 *   stmlog_other_end(thread);
 *
 * `thread` is the calling thread's own handle. With NULL every hook is one predictable branch; with STMLOG_OFF defined
 * before this header it is nothing. A `word` is the runtime's own word for a cause: a string constant; NULL: none.
 * Words are compared by address first, and copied when a hook gets them for the first time. So the library that
 * contains them may be unloaded before the report is made.
 *
 * Tracebacks. The library captures the traceback of each first write, and of becoming
 * inevitable. When a loss is reported it looks them up: where this transaction wrote
 * the object, and where the other transaction wrote it or became inevitable. The other
 * transaction is not stopped for that. A traceback of another thread has at most
 * TB_COPY_FRAMES frames. If the other thread has released the traceback meanwhile, the loss
 * has the traceback "unknown", and is counted (tracebacks_unavailable of the report's losses).
 *
 * Cost. Each hook reads the clock once. stmlog_retry() does not, because it shares the reading of the abort; nor do
 * stmlog_wrote(), stmlog_became_inevitable(), stmlog_contention(), stmlog_contention_overlap(), stmlog_abort_other(),
 * stmlog_timed(), stmlog_was_blocked(), stmlog_unmeasured() and stmlog_set_weight(). Once its
 * thread is warm, no hook allocates, locks or makes a system call, unless the thread was interrupted or some
 * milliseconds have passed since (see "time off the processor"). But where losses come from ever new sites, a thread
 * may at times have more frames than ever before: these come from a pool of all threads, under a lock, and perhaps from
 * the kernel.
 *
 * A hook out of order (a commit without a start) changes nothing. It is counted as a caller's mistake, and the first
 * one is reported on stderr. But if a pause, wait, other work or a blocked time is under way where an attempt begins,
 * its end was not reported: that is counted as well, and the attempt begins. It is not known when the pause ended, nor
 * how the attempt around it ended. So the time of both is `other`, and not a loss.
 *
 * Signals. A signal handler may call the hooks of the thread's own handle, and stmlog_push() and stmlog_pop() in
 * balance. If the handler has interrupted a hook of the same handle (or a function for timelogs, or a claim of the
 * lane), all hooks that it calls do nothing: they return 0, and are counted (calls_lost of the report's losses).
 * Otherwise they are recorded like any others. stmlog_origin_at() tells which: it returns 0 if and only if the call was
 * lost. What a handler should know:
 *   - It finds the handle as the interrupted code has left it. If that code is in a transaction, stmlog_start() in the
 *     handler is refused as a mistake (in a pause it ends the transaction), and stmlog_commit() would end the attempt
 *     of the interrupted code. So a handler that transacts does it only where the runtime knows that no transaction is
 *     under way.
 *   - A release of a lane may be lost, too. A scheduler that switches lanes in a handler does it later in that case.
 *   - It must return, and not leave by longjmp(): a hook that is never finished keeps its handle busy for good.
 *   - A place may be wrong if the handler has interrupted a push or an update of the shadow stack.
 *   - It must neither attach nor detach, open nor close, nor use timelogs or make a report: these take locks.
 *   - It must not call a hook if it has interrupted a function of traceback.h on the thread's stack, other than push,
 *     pop, update and unwind. A runtime that calls tb_current(), tb_capture(), tb_build(), tb_unref() and the like
 *     blocks the signal around them.
 *
 * Sampling. A runtime may measure only some transactions. Then it reports how many each of them stands for
 * (stmlog_set_weight()), and how many were not measured (stmlog_unmeasured()). There are two times of each loss,
 * measured and estimated. An estimate counts each loss as often as its weight says; but estimates of a thread that
 * would add up to more than its attached time are reduced to fit into it (struct stmlog_account), and in reports and
 * files those of entries as well. Counts are of measured transactions and are never scaled.
 *
 * Segments. Some STMs run a fixed number of transactions at a time, each in a *segment* (stmgc).
 * A thread that wants to begin a transaction may have to wait for a free one.
 *
 * Attempts of nested transactions that the runtime flattens are not reported.
 *
 * The table of causes, and the tracebacks of each, follow the timelog of PyPy's stmgc.
 */
#ifndef STMLOG_RUNTIME_H
#define STMLOG_RUNTIME_H

#include <stmlog/stmlog.h>

STMLOG_BEGIN_DECLS

/* A loss whose tracebacks the runtime finds itself (by unwinding the stack, say). The tracebacks
 * are borrowed for the call; the library takes references of its own. Each must be a frame of the
 * thread's own stack, TB_EMPTY or TB_UNKNOWN, never NULL. In all other members zero means "not
 * known". stmlog_loss_make() sets all of them. */
struct stmlog_loss {
	struct stmlog_cause cause;
	struct tb_frame *local;
	struct tb_frame *remote;
	uint32_t remote_thread; /* stmlog_thread_id() of the other transaction's thread; 0: unknown */
	enum stmlog_grade grade;
	uintptr_t object;       /* the object of the conflict; 0: unknown */
	uintptr_t other_object; /* the object that the other transaction touched; 0: unknown, or the same */
	enum stmlog_overlap overlap;
};

/* A loss with both tracebacks unknown. */
STMLOG_INLINE struct stmlog_loss stmlog_loss_make(
	enum stmlog_reason reason, enum stmlog_contention_kind contention, const char *detail)
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
	loss.other_object = 0;
	loss.overlap = STMLOG_OVERLAP_UNKNOWN;
	return loss;
}

/* Another transaction, as far as the runtime knows it. */
struct stmlog_other {
	struct stmlog_thread *thread; /* NULL: not known. The thread may have detached meanwhile. */
	uint64_t attempt; /* its stmlog_attempt(); 0: the attempt under way now. Without a thread: an origin, or 0 */
};

/* The transaction of a thread and an attempt. */
STMLOG_INLINE struct stmlog_other stmlog_other_make(struct stmlog_thread *thread, uint64_t attempt)
{
	struct stmlog_other other;
	other.thread = thread;
	other.attempt = attempt;
	return other;
}

/* The transaction with this origin (stmlog_origin()); 0: not known. */
STMLOG_INLINE struct stmlog_other stmlog_other_by(uint64_t origin)
{
	return stmlog_other_make(NULL, origin);
}

/* A conflict: what this transaction does now, and what the other transaction has done before. Beside each: the local
 * traceback | the remote traceback of the loss. */
enum stmlog_conflict {
	STMLOG_WRITE_MEETS_WRITE,     /* this write | the other's write of the object */
	STMLOG_WRITE_MEETS_READ,      /* this transaction's first write of the object | unknown */
	STMLOG_READ_MEETS_WRITE,      /* this read | the other's write of the object */
	STMLOG_INEVITABLE_MEETS_SAME, /* this request to become inevitable | where the other became inevitable */
	/* For a transaction that finds at its commit, say, that another one has written what it wrote or read before:
	 */
	STMLOG_EARLIER_WRITE_MEETS_WRITE, /* this transaction's first write of the object | the other's write of it */
	STMLOG_EARLIER_READ_MEETS_WRITE,  /* unknown, but see stmlog_contention_from() | the other's write of it */
	/* For a runtime that does not know which of the two transactions writes, as with conflicts that the hardware
	 * finds. Contention: data. */
	STMLOG_ACCESS_MEETS_ACCESS, /* this access | the other's write of the object; unknown if it has none */
	STMLOG_CONFLICTS
};

/* A transaction that is over, and of which the runtime knows only how long its parts took (stmlog_timed()). */
struct stmlog_timed_transaction {
	struct tb_site site; /* where it began; position 0: not known */
	double weight;       /* it was chosen with probability 1/weight; from 1 to UINT32_MAX */
	bool is_apart;       /* chosen as one of a rare kind; its weight counts others of this kind only */
	bool has_committed;  /* else the program has cancelled it */
	/* How many attempts failed, the cancelled one included. 0 if the runtime does not report all failed attempts of
	 * the thread (stmlog_unmeasured()). With this count, the report estimates the time aborted from the number of
	 * failed attempts, which is more exact than from the number of transactions. */
	uint64_t failed;
	/* Without time off the processor or blocked (stmlog_was_blocked()). They add up to the time of the whole
	 * transaction. */
	uint64_t committed_ns, aborted_ns, paused_ns, waiting_ns;
	uint64_t doubt_ns;         /* the times may be too long or too short by this, because clocks had to be read */
	uint64_t pause_doubt_ns;   /* so much of committed_ns may be a pause, or of paused_ns committed */
	uint64_t aborted_doubt_ns; /* aborted_ns may be wrong by this: it has attempts that were not timed */
	uint64_t own_ns; /* the runtime's own work after the commit of the timed transaction before; 0: not known */
};

/* Private: the hooks after the test for NULL. Requires that `thread` is not NULL. */
STMLOG_PRIVATE void stmlog_start_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_start_at_on(
	struct stmlog_thread *thread, uint64_t now_ns, struct tb_site site, struct tb_frame *place);
STMLOG_PRIVATE void stmlog_start_late_on(
	struct stmlog_thread *thread, uint64_t now_ns, struct tb_site site, struct tb_frame *place, uint64_t failed);
STMLOG_PRIVATE void stmlog_retry_on(struct stmlog_thread *thread, struct tb_frame *place);
STMLOG_PRIVATE void stmlog_commit_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_commit_at_on(struct stmlog_thread *thread, uint64_t at_ns);
STMLOG_PRIVATE void stmlog_failed_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_abort_on(struct stmlog_thread *thread, const struct stmlog_loss *loss);
STMLOG_PRIVATE void stmlog_abort_at_on(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t at_ns);
STMLOG_PRIVATE void stmlog_pause_begin_on(struct stmlog_thread *thread, const struct stmlog_loss *loss);
STMLOG_PRIVATE void stmlog_pause_end_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_wait_begin_on(struct stmlog_thread *thread, const struct stmlog_loss *loss);
STMLOG_PRIVATE void stmlog_wait_end_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_waited_on(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t ns);
STMLOG_PRIVATE void stmlog_waited_unmeasured_on(struct stmlog_thread *thread, const struct stmlog_loss *loss,
	struct tb_site site, uint64_t ns, uint64_t descheduled_ns);
STMLOG_PRIVATE void stmlog_other_begin_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_other_end_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_blocked_begin_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_blocked_end_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_was_blocked_on(
	struct stmlog_thread *thread, struct tb_site site, uint64_t ns, bool has_blocked_again);
STMLOG_PRIVATE uint64_t stmlog_attempt_on(const struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_wrote_on(struct stmlog_thread *thread, uintptr_t object);
STMLOG_PRIVATE void stmlog_wrote_at_on(struct stmlog_thread *thread, uintptr_t object, struct tb_frame *traceback);
STMLOG_PRIVATE uint64_t stmlog_origin_on(struct stmlog_thread *thread);
STMLOG_PRIVATE uint64_t stmlog_origin_here_on(struct stmlog_thread *thread, struct tb_site site);
STMLOG_PRIVATE uint64_t stmlog_origin_at_on(struct stmlog_thread *thread, struct tb_frame *traceback);
STMLOG_PRIVATE void stmlog_became_inevitable_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_contention_on(struct stmlog_thread *thread, enum stmlog_conflict conflict, uintptr_t object,
	struct stmlog_other other, const char *word);
STMLOG_PRIVATE void stmlog_contention_at_on(struct stmlog_thread *thread, enum stmlog_conflict conflict,
	struct tb_frame *local, uintptr_t object, struct stmlog_other other, const char *word);
STMLOG_PRIVATE void stmlog_contention_from_on(struct stmlog_thread *thread, enum stmlog_conflict conflict,
	uint64_t local_origin, uintptr_t object, struct stmlog_other other, const char *word);
STMLOG_PRIVATE void stmlog_contention_overlap_on(
	struct stmlog_thread *thread, enum stmlog_overlap overlap, uintptr_t other_object);
STMLOG_PRIVATE void stmlog_abort_self_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_abort_other_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_aborted_by_on(struct stmlog_thread *thread, struct stmlog_other other,
	enum stmlog_contention_kind contention, const char *word);
STMLOG_PRIVATE void stmlog_abort_asked_on(struct stmlog_thread *thread, const char *word);
STMLOG_PRIVATE void stmlog_pause_self_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_wait_segment_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_wait_inevitable_on(
	struct stmlog_thread *thread, struct stmlog_other other, const char *word);
STMLOG_PRIVATE void stmlog_unmeasured_on(struct stmlog_thread *thread, uint64_t commits, uint64_t aborts);
STMLOG_PRIVATE void stmlog_set_weight_on(struct stmlog_thread *thread, uint32_t weight);
STMLOG_PRIVATE void stmlog_set_loss_weight_on(struct stmlog_thread *thread, uint32_t weight);
STMLOG_PRIVATE void stmlog_timed_on(struct stmlog_thread *thread, const struct stmlog_timed_transaction *timed);
STMLOG_PRIVATE void stmlog_descheduled_on(struct stmlog_thread *thread, uint64_t ns, uint64_t doubt_ns);

/* Counts of a thread's transactions that were not measured, since it attached. */
struct stmlog_unmeasured_counts {
	uint64_t commits;
	uint64_t aborts;
	/* About how long these aborts took, plus or minus a quarter; 0: not known. For a runtime that knows something
	 * of each of them: a few may have most of the loss, and a sample may miss these. */
	uint64_t aborted_ns;
};

/* Fills in the counts of the thread to which `arg` belongs. Returns false if some of them could not be read. Must not
 * call the library. */
typedef bool stmlog_unmeasured_reader(void *arg, struct stmlog_unmeasured_counts *counts);

#ifdef STMLOG_OFF
/* The call is compiled and never made: so the program has no unused parameters, and errors in the call show. */
#define STMLOG_HOOK(thread, call) \
	do {                      \
		if (0)            \
			call;     \
	} while (0)
#define STMLOG_HOOK_VALUE(thread, call, off) (0 ? (call) : (off))
#else
#define STMLOG_HOOK(thread, call)                      \
	do {                                           \
		if (STMLOG_UNLIKELY((thread) != NULL)) \
			call;                          \
	} while (0)
#define STMLOG_HOOK_VALUE(thread, call, off) (STMLOG_UNLIKELY((thread) != NULL) ? (call) : (off))
#endif

/* Whether stmlog_start_at() and stmlog_retry_at() use their argument `place`: only while a timeline runs or paths are
 * recorded. Costs two loads. */
STMLOG_API bool stmlog_wants_places(void);

/* ---- the shadow stack ---- */

/* As tb_push(), tb_pop() and tb_update(), for a stack that may be NULL, because no profiler is open: then they do
 * nothing. Keep what stmlog_thread_stack() returns, and pass it here. */
STMLOG_INLINE void stmlog_push(struct tb_stack *stack, struct tb_site site)
{
	STMLOG_HOOK(stack, tb_push(stack, site));
}
STMLOG_INLINE void stmlog_pop(struct tb_stack *stack)
{
	STMLOG_HOOK(stack, tb_pop(stack));
}
STMLOG_INLINE void stmlog_update(struct tb_stack *stack, struct tb_site site)
{
	STMLOG_HOOK(stack, tb_update(stack, site));
}

/* As tb_current(); TB_UNKNOWN for NULL. */
STMLOG_INLINE struct tb_frame *stmlog_current(struct tb_stack *stack)
{
	return STMLOG_HOOK_VALUE(stack, tb_current(stack), TB_UNKNOWN);
}

/* ---- attempts ---- */

/* A transaction begins its first attempt. Requires that no attempt, pause or wait is under
 * way. The losses of the thread's last transaction go into the timelogs. */
STMLOG_INLINE void stmlog_start(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_start_on(thread));
}

/* As stmlog_start(), at a time that the runtime has just read from stmlog_now_ns(): so the clock is read only once. If
 * `now_ns` is still in the future when the attempt ends or is interrupted, the attempt begins only then, and lasts for
 * no time. `site`: where the transaction begins; position 0: the site on top of the thread's shadow stack. `place`: the
 * traceback of the transaction's beginning, borrowed; TB_UNKNOWN: the thread's shadow stack. A runtime that has to
 * unwind for it calls stmlog_wants_places() first. */
STMLOG_INLINE void stmlog_start_at(
	struct stmlog_thread *thread, uint64_t now_ns, struct tb_site site, struct tb_frame *place)
{
	STMLOG_HOOK(thread, stmlog_start_at_on(thread, now_ns, site, place));
}

/* As stmlog_start_at(), for a transaction that was not measured so far: `failed` of its attempts have failed, and it is
 * measured from its next attempt on. Those attempts are among the aborts that the runtime reports as not measured
 * (stmlog_unmeasured()); the commit is not among such commits. A runtime that measures every transaction from the same
 * number of failed attempts on gives the transactions measured late the weight 1, and its sampled transactions as well
 * from that attempt on (stmlog_set_weight()). */
STMLOG_INLINE void stmlog_start_late(
	struct stmlog_thread *thread, uint64_t now_ns, struct tb_site site, struct tb_frame *place, uint64_t failed)
{
	STMLOG_HOOK(thread, stmlog_start_late_on(thread, now_ns, site, place, failed));
}

/* The transaction that has aborted begins its next attempt, at the time of the thread's last hook that read the clock.
 * This is the abort itself or, if the runtime has backed off meanwhile or waited for another transaction,
 * stmlog_other_end(), stmlog_wait_end() or stmlog_blocked_end(). Requires that no other hook that begins or ends a
 * transaction was called since the abort. */
STMLOG_INLINE void stmlog_retry(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_retry_on(thread, TB_UNKNOWN));
}

/* As stmlog_retry(), with the `place` of stmlog_start_at(). */
STMLOG_INLINE void stmlog_retry_at(struct stmlog_thread *thread, struct tb_frame *place)
{
	STMLOG_HOOK(thread, stmlog_retry_on(thread, place));
}

/* The attempt succeeded: its time, without pauses and waits, becomes committed. */
STMLOG_INLINE void stmlog_commit(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_commit_on(thread));
}

/* As stmlog_commit(), of an attempt that committed at `at_ns`, as in stmlog_abort_at(). The time from `at_ns` to now is
 * the runtime's own: `other`. */
STMLOG_INLINE void stmlog_commit_at(struct stmlog_thread *thread, uint64_t at_ns)
{
	STMLOG_HOOK(thread, stmlog_commit_at_on(thread, at_ns));
}

/* ---- what other transactions may conflict with ---- */

/* The number of the attempt under way or, between attempts, of the last one; 0 for NULL.
 * The numbers of a thread rise and are never used twice. Store it with your locks (the
 * owner of an object is a thread and an attempt), so that another transaction can report
 * the attempt that it conflicts with. Costs a load. */
STMLOG_INLINE uint64_t stmlog_attempt(const struct stmlog_thread *thread)
{
	return STMLOG_HOOK_VALUE(thread, stmlog_attempt_on(thread), 0);
}

/* The attempt under way writes the object for the first time. Requires that no other
 * transaction can conflict with this write yet (best called before the lock is taken).
 * Captures the thread's stack. `object` is an address or any other number but 0, which means
 * "none". A further call for the same object changes nothing. An attempt
 * remembers STMLOG_WRITES objects. Writes of further objects are counted (writes_unrecorded
 * of the report's losses), and their tracebacks are unknown. Other transactions can look up
 * the writes of an attempt until its thread has written in two later attempts. */
#define STMLOG_WRITES 256
STMLOG_INLINE void stmlog_wrote(struct stmlog_thread *thread, uintptr_t object)
{
	STMLOG_HOOK(thread, stmlog_wrote_on(thread, object));
}

/* As stmlog_wrote(), for a runtime that knows the place itself, or learns only later that there was a write:
 * `traceback` is where it wrote, borrowed, a traceback of the thread's own stack. */
STMLOG_INLINE void stmlog_wrote_at(struct stmlog_thread *thread, uintptr_t object, struct tb_frame *traceback)
{
	STMLOG_HOOK(thread, stmlog_wrote_at_on(thread, object, traceback));
}

/* The attempt under way becomes inevitable. Requires that no other transaction can wait for it yet. */
STMLOG_INLINE void stmlog_became_inevitable(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_became_inevitable_on(thread));
}

/* ---- origins: places that outlive attempts ---- */

/* An origin is one word that stands for the thread, the attempt under way and the present traceback. A runtime stores
 * it beside the lock or version of what it writes here. A transaction that conflicts with that version, however long
 * after its writer has committed, or its thread has ended, reports the writer by stmlog_other_by(). This is for
 * runtimes whose conflicts are mostly with transactions that are over: lazy ones, which lock at the commit. There is no
 * need to call stmlog_wrote() for objects that have origins.
 *
 * An origin is below 2^63: so a lock word that is even while the lock is free may be twice the origin, plus 1, while
 * the lock is held. Then a transaction that finds the lock held knows the holder, and there is no moment in which the
 * lock is held but its holder is not known.
 *
 * Requires an attempt under way. Returns 0, the origin that is not known, for NULL or without an attempt. Any thread
 * may load, store and compare origins, as it does any word; the runtime sees to the order of its own loads and stores.
 * An origin never dangles: the library keeps the traceback as long as the process lives. It keeps STMLOG_ORIGIN_PLACES
 * different ones, of at most TB_COPY_FRAMES frames. The traceback of a further origin is unknown, and is counted when
 * it is looked up (tracebacks_unavailable); its thread and attempt are known all the same. An origin of a session that
 * was closed counts as 0.
 *
 * Costs some nanoseconds: a comparison with an earlier origin's equal traceback, as far as functions were entered anew
 * since. A new traceback costs more, and needs memory. No lock, no system call. */
#define STMLOG_ORIGIN_PLACES 4095
STMLOG_INLINE uint64_t stmlog_origin(struct stmlog_thread *thread)
{
	return STMLOG_HOOK_VALUE(thread, stmlog_origin_on(thread), 0);
}

/* As stmlog_origin(), between a push and a pop of `site`, and quicker: for a runtime that knows the line of each write.
 */
STMLOG_INLINE uint64_t stmlog_origin_here(struct stmlog_thread *thread, struct tb_site site)
{
	return STMLOG_HOOK_VALUE(thread, stmlog_origin_here_on(thread, site), 0);
}

/* As stmlog_origin(), for a traceback of the thread's own stack; borrowed. Requires no attempt: between attempts it is
 * the origin of the last one. */
STMLOG_INLINE uint64_t stmlog_origin_at(struct stmlog_thread *thread, struct tb_frame *traceback)
{
	return STMLOG_HOOK_VALUE(thread, stmlog_origin_at_on(thread, traceback), 0);
}

/* The thread, attempt and traceback that an origin stands for. */
#define STMLOG_ORIGIN_ATTEMPT_BITS 28
#define STMLOG_ORIGIN_ATTEMPTS (((uint64_t)1 << STMLOG_ORIGIN_ATTEMPT_BITS) - 1)
struct stmlog_origin_parts {
	uint32_t thread;                 /* stmlog_thread_id(); 0: not known, since it is 2^20 or higher */
	uint64_t attempt;                /* stmlog_attempt() & STMLOG_ORIGIN_ATTEMPTS */
	const struct tb_copy *traceback; /* valid as long as the process lives; NULL: unknown */
};

/* Returns false, with all parts unknown, if the origin is 0 or of a session that was closed. Any thread. */
STMLOG_API bool stmlog_origin_read(uint64_t origin, struct stmlog_origin_parts *parts);

/* ---- conflicts ---- */

/* The transaction conflicts with another one over `object` (0: none, or not known). Looks up both
 * tracebacks now, and keeps them for stmlog_abort_self(), stmlog_abort_other() or stmlog_pause_self().
 * Requires an attempt under way, and no pause or wait. A second call replaces the first. */
STMLOG_INLINE void stmlog_contention(struct stmlog_thread *thread, enum stmlog_conflict conflict, uintptr_t object,
	struct stmlog_other other, const char *word)
{
	STMLOG_HOOK(thread, stmlog_contention_on(thread, conflict, object, other, word));
}

/* As stmlog_contention(), for a runtime that finds out only later where its part of the conflict was, as in a check of
 * all reads at the commit: `local`, borrowed, a traceback of the thread's own stack, is the local traceback whatever
 * the conflict. */
STMLOG_INLINE void stmlog_contention_at(struct stmlog_thread *thread, enum stmlog_conflict conflict,
	struct tb_frame *local, uintptr_t object, struct stmlog_other other, const char *word)
{
	STMLOG_HOOK(thread, stmlog_contention_at_on(thread, conflict, local, object, other, word));
}

/* As stmlog_contention_at(), for a runtime that keeps an origin with each element of its write set or read set: the
 * local traceback is that of `local_origin`, an origin that this thread was given in the attempt under way. If its
 * traceback is unknown, so is the local one, and is counted. */
STMLOG_INLINE void stmlog_contention_from(struct stmlog_thread *thread, enum stmlog_conflict conflict,
	uint64_t local_origin, uintptr_t object, struct stmlog_other other, const char *word)
{
	STMLOG_HOOK(thread, stmlog_contention_from_on(thread, conflict, local_origin, object, other, word));
}

/* Adds to the conflict reported last whether both transactions touched the same data, for a runtime in which one lock
 * guards several objects: so false conflicts are counted. `other_object`: the object that the other transaction
 * touched; 0: the same, or not known. If the other transaction has no write of this transaction's object, its write of
 * `other_object` is looked up. Requires what stmlog_pause_self() requires, and comes before it, or before
 * stmlog_abort_other() or stmlog_abort_self(). A message of stmlog_abort_other() has it, too. */
STMLOG_INLINE void stmlog_contention_overlap(
	struct stmlog_thread *thread, enum stmlog_overlap overlap, uintptr_t other_object)
{
	STMLOG_HOOK(thread, stmlog_contention_overlap_on(thread, overlap, other_object));
}

/* The attempt under way aborts because of the conflict reported last. Reason: self-abort. If it has reported none, the
 * cause is not known: then the contention is none, and the remote traceback unknown. */
STMLOG_INLINE void stmlog_abort_self(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_abort_self_on(thread));
}

/* The other transaction of the conflict reported last will be made to abort. Sends the other thread a message with the
 * cause and this transaction's traceback; the other thread reports the loss by stmlog_aborted_by(), which reads the
 * message. Requires that the other transaction cannot see yet that it must abort. It may still commit, if it is quicker
 * than the abort: then the message is thrown away. With STMLOG_INEVITABLE_MEETS_SAME a caller's mistake: an inevitable
 * transaction cannot be aborted. A thread has room for four messages. If the other thread has no room left, the remote
 * traceback of its loss is unknown, and counted (tracebacks_unavailable). */
STMLOG_INLINE void stmlog_abort_other(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_abort_other_on(thread));
}

/* The attempt under way aborts because another transaction made it abort. Reason: aborted-by-other. `other`:
 * the other transaction, if the runtime knows it; it selects one of several messages. The message has contention, word
 * and remote traceback. Without a message, `contention` (write-write, write-read or data) and `word` are recorded, and
 * the remote traceback is that of the origin, if `other` is one, or unknown. With a message, the remote traceback is
 * the local one of the other transaction's conflict, and the local one is this thread's write of the object. But it is
 * unknown if this thread has read the object (STMLOG_WRITE_MEETS_READ), or has no write of it
 * (STMLOG_ACCESS_MEETS_ACCESS). */
STMLOG_INLINE void stmlog_aborted_by(struct stmlog_thread *thread, struct stmlog_other other,
	enum stmlog_contention_kind contention, const char *word)
{
	STMLOG_HOOK(thread, stmlog_aborted_by_on(thread, other, contention, word));
}

/* The attempt under way aborts because the program asked for it. Reason: user-abort, contention none. */
STMLOG_INLINE void stmlog_abort_asked(struct stmlog_thread *thread, const char *word)
{
	STMLOG_HOOK(thread, stmlog_abort_asked_on(thread, word));
}

/* The attempt waits, because of the conflict reported last, until stmlog_pause_end(). Reason: pause. */
STMLOG_INLINE void stmlog_pause_self(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_pause_self_on(thread));
}

/* The thread waits for an inevitable transaction until stmlog_wait_end(). Reason: wait, contention inevitable. Requires
 * that no pause or wait is under way; an attempt may be. */
STMLOG_INLINE void stmlog_wait_inevitable(struct stmlog_thread *thread, struct stmlog_other other, const char *word)
{
	STMLOG_HOOK(thread, stmlog_wait_inevitable_on(thread, other, word));
}

/* The thread waits for a free segment until stmlog_wait_end(). Only the account shows this time: there is no entry. */
STMLOG_INLINE void stmlog_wait_segment(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_wait_segment_on(thread));
}

/* ---- losses that the runtime describes itself ---- */

/* The attempt has failed, now. For a runtime that needs time to find the cause. The next hook must report the
 * abort; the time from this call until the end of that hook counts as `other`, and neither to this attempt nor to
 * the next. A second call changes nothing. Costs one more clock reading: leave it out where finding the cause
 * takes no longer than a reading. */
STMLOG_INLINE void stmlog_failed(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_failed_on(thread));
}

/* The attempt under way aborts: its time, without pauses and waits, is lost. Reason:
 * self-abort, aborted-by-other (not with contention inevitable) or user-abort. */
STMLOG_INLINE void stmlog_abort(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	STMLOG_HOOK(thread, stmlog_abort_on(thread, loss));
}

/* As stmlog_abort(), of an attempt that aborted at `at_ns`. Requires a time of the clock of stmlog_now_ns(), not before
 * the thread's last hook and not in the future. For a runtime that cannot call hooks while a transaction runs, such as
 * a hardware transaction. It keeps the events and reports them after the commit: each abort, stmlog_retry() and
 * stmlog_waited() after it, and at the end stmlog_commit_at(). Reads no clock. */
STMLOG_INLINE void stmlog_abort_at(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t at_ns)
{
	STMLOG_HOOK(thread, stmlog_abort_at_on(thread, loss, at_ns));
}

/* The attempt waits for another transaction until stmlog_pause_end(). Reason: pause.
 * Requires an attempt under way. Find the remote traceback before the wait: after it,
 * the other transaction may have ended. */
STMLOG_INLINE void stmlog_pause_begin(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	STMLOG_HOOK(thread, stmlog_pause_begin_on(thread, loss));
}
STMLOG_INLINE void stmlog_pause_end(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_pause_end_on(thread));
}

/* The thread waits until stmlog_wait_end(). Reason: wait. With contention inevitable it
 * waits for an inevitable transaction, which makes an entry. With contention none it waits
 * for a free segment, which only the account shows. */
STMLOG_INLINE void stmlog_wait_begin(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	STMLOG_HOOK(thread, stmlog_wait_begin_on(thread, loss));
}
STMLOG_INLINE void stmlog_wait_end(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_wait_end_on(thread));
}

/* Reports a pause or wait of `ns` that is over. It lies in the time from the thread's last hook that read the clock
 * until now; a longer one is cut to that time. A further call takes its time from what the first call has left of it.
 * Reason: pause, or wait with contention inevitable or none; wait with none makes no entry. The attempt goes on.
 * Requires an attempt under way that has not failed (stmlog_failed()). */
STMLOG_INLINE void stmlog_waited(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t ns)
{
	STMLOG_HOOK(thread, stmlog_waited_on(thread, loss, ns));
}

/* As stmlog_waited(), of a transaction that is not measured: it began at `site`, has waited for `ns`, and is over or
 * will go on unmeasured. For a runtime that finds each long wait, whichever transactions it measures. The loss stands
 * for no other one. `descheduled_ns`: while it waited, the thread was off the processor for so long, too, which has
 * been reported (stmlog_descheduled()). Reason: pause, or wait with contention inevitable. Requires that no measured
 * transaction, pause or wait is under way. */
STMLOG_INLINE void stmlog_waited_unmeasured(struct stmlog_thread *thread, const struct stmlog_loss *loss,
	struct tb_site site, uint64_t ns, uint64_t descheduled_ns)
{
	STMLOG_HOOK(thread, stmlog_waited_unmeasured_on(thread, loss, site, ns, descheduled_ns));
}

/* The runtime's own work, such as internal synchronisation, until stmlog_other_end(). Only the account shows this time:
 * there is no entry. */
STMLOG_INLINE void stmlog_other_begin(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_other_begin_on(thread));
}
STMLOG_INLINE void stmlog_other_end(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_other_end_on(thread));
}

/* ---- transactions that block ----
 *
 * A transaction that finds a condition not fulfilled may ask for a retry that blocks (`retry` of Haskell and of Scala):
 * its attempt is abandoned, and the next one begins when another transaction has changed something that it has read.
 * Report the attempt by stmlog_abort_asked(), then the time that it is blocked, then stmlog_retry(). The condition is
 * the program's: so this time is no loss, makes no entry, and has a row of its own in the account, and a table by the
 * sites where transactions begin.
 *
 * The library finds out which of these times ended in vain (by a spurious wakeup): those after which the transaction,
 * before it has committed, blocks again. A runtime that wakes a transaction too often may end the time and begin the
 * next one at once, without an attempt in between: that counts as in vain, too. */

/* The transaction whose attempt has just aborted is blocked until stmlog_blocked_end(). */
STMLOG_INLINE void stmlog_blocked_begin(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_blocked_begin_on(thread));
}
STMLOG_INLINE void stmlog_blocked_end(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_blocked_end_on(thread));
}

/* Reports that a transaction was blocked for `ns` while it had no thread and no lane, as green threads may do. This
 * time is not a part of any attached time. `site`: where the transaction begins; position 0: not known.
 * `has_blocked_again`: whether it blocked again before it committed; report the time when that is known. `thread` is
 * any handle that the caller may use, in any state. Not scaled by weights: report it for all transactions, measured or
 * not. Reads no clock. */
STMLOG_INLINE void stmlog_was_blocked(
	struct stmlog_thread *thread, struct tb_site site, uint64_t ns, bool has_blocked_again)
{
	STMLOG_HOOK(thread, stmlog_was_blocked_on(thread, site, ns, has_blocked_again));
}

/* ---- the rest ---- */

/* Adds transactions that a sampling runtime did not measure: only counts, no time. Reads no
 * clock. With both 0: there were some, of unknown number. After each such call the process
 * counts as having recorded something, and its outputs are made. */
STMLOG_INLINE void stmlog_unmeasured(struct stmlog_thread *thread, uint64_t commits, uint64_t aborts)
{
	STMLOG_HOOK(thread, stmlog_unmeasured_on(thread, commits, aborts));
}

/* For a runtime that keeps these counts where any thread may read them at any time. From now on the library adds what
 * `read` returns to what stmlog_unmeasured() has added, whenever it reads the calling thread's account; so the counts
 * are complete even of threads that run, sleep or wait while the outputs are made. Any thread may call `read`, until
 * `thread`, the calling thread's own, has detached; several may at a time. */
STMLOG_API void stmlog_read_unmeasured_by(struct stmlog_thread *thread, stmlog_unmeasured_reader *read, void *arg);

/* From now on each transaction that starts stands for `weight` transactions, itself included: it was chosen to be
 * measured with probability 1/weight, independently of what it will do ("Sampling" above tells what estimates make of
 * it). Between an abort and a retry the call is about the further attempts of the transaction under way
 * (stmlog_start_late()). The weight is 1 when a thread attaches. Requires weight > 0, and no attempt, pause or wait
 * under way. */
STMLOG_INLINE void stmlog_set_weight(struct stmlog_thread *thread, uint32_t weight)
{
	STMLOG_HOOK(thread, stmlog_set_weight_on(thread, weight));
}

/* Until the transaction under way is over, each of its losses stands for `weight` losses in entries, beside its weight
 * in the account (stmlog_set_weight()). For a runtime that times all transactions of a kind (stmlog_timed()), and
 * measures one in `weight` of them closely instead. Call it after stmlog_start(). Requires weight > 0. */
STMLOG_INLINE void stmlog_set_loss_weight(struct stmlog_thread *thread, uint32_t weight)
{
	STMLOG_HOOK(thread, stmlog_set_loss_weight_on(thread, weight));
}

/* Adds a transaction that was only timed, and is over. Requires that no transaction, pause or wait is under way.
 * Measuring a transaction closely changes it: while its conflicts are examined, the other transaction goes on, and the
 * next attempt succeeds. A runtime that samples may therefore time some transactions from outside, and report others
 * through all hooks, each chosen at random. Then the rows of the account, and the time that each site has lost, are
 * estimated from those that were timed; the others divide it among causes and tracebacks. The commit, or the cancel, is
 * also reported by stmlog_unmeasured(). Reads no clock. */
STMLOG_INLINE void stmlog_timed(struct stmlog_thread *thread, const struct stmlog_timed_transaction *timed)
{
	STMLOG_HOOK(thread, stmlog_timed_on(thread, timed));
}

/* ---- time off the processor ----
 *
 * The library finds by itself, on Linux with glibc 2.35 or newer, when a thread was off the processor: the hook that
 * ends an attempt, a pause or a wait sees whether the thread was interrupted (restartable sequences, rseq(2)), and only
 * then asks the kernel for how long. All of that time counts in an attempt, so report a wait for another transaction by
 * a hook. In a pause or wait it counts unless the thread has gone to sleep there: such sleep belongs to the wait. Time
 * in transactions that are not measured is not found. A runtime that measures few of them may find the time off the
 * processor of its threads itself, by the functions below. */

/* The thread was off the processor for about `ns`, give or take `doubt_ns`, within a transaction, measured or not, or
 * within a pause or wait. It lies in the time from the thread's last hook until now; a longer one is cut to that time.
 * It is moved from the present state to `descheduled`, and is no part of the loss that the state may become: the
 * scheduler took it, not another transaction. Not scaled by weights: a runtime reports it for all transactions. From
 * the first call on the library itself does not look for this time any more, for this handle. */
STMLOG_INLINE void stmlog_descheduled(struct stmlog_thread *thread, uint64_t ns, uint64_t doubt_ns)
{
	STMLOG_HOOK(thread, stmlog_descheduled_on(thread, ns, doubt_ns));
}

/* A reading by stmlog_interruption_look(). */
struct stmlog_moment {
	uint64_t now_ns; /* stmlog_now_ns() */
	uint64_t off_ns; /* the calling thread's time off the processor, since a fixed time in the past */
	uint64_t sleeps; /* how often it has gone to sleep by itself, up to now: in a wait for a lock, say */
};

/* Returns the calling thread's word: it is 0 if the thread was preempted, moved to another processor or ran a signal
 * handler since the last stmlog_interruption_look(). NULL: the system has no such words. From now on the library itself
 * does not look any more for time off the processor of `thread`; NULL: no thread is changed. */
STMLOG_API volatile uint64_t *stmlog_interruption_word(struct stmlog_thread *thread);

/* Makes a reading. From now on the kernel clears the word if the calling thread is interrupted. `word`: the calling
 * thread's own, or one that is never 0. Makes some system calls. A runtime that makes readings itself sets the fact
 * descheduled_known to 1 if it can, and otherwise to 0 (stmlog_set_fact()). */
STMLOG_API struct stmlog_moment stmlog_interruption_look(volatile uint64_t *word);

/* Resets the word to its state before the first stmlog_interruption_look(). For a thread that ends. */
STMLOG_API void stmlog_interruption_end(volatile uint64_t *word);

/* Reads the clock that the hooks read. */
STMLOG_API uint64_t stmlog_now_ns(void);

/* The cost of `events` clock readings in hooks, measured now, which takes less than a millisecond; 0 if the clock was
 * set by stmlog_set_clock(). */
STMLOG_API uint64_t stmlog_probe_cost_ns(uint64_t events);

/* From now on one transaction in `every` is measured. The library only shows this, in the file and the report. After a
 * call with more than 1 the recording is a sampled one, as it is after a weight above 1 and after stmlog_timed(). Any
 * thread, after stmlog_open(), which forgets earlier calls; the last call counts. */
STMLOG_API void stmlog_set_sampling(uint32_t every);

/* A fact about the recording that only the runtime knows, as "key=value" of the file's INFO
 * (format.h: the keys that the command knows). Copies `key`. Any thread, after stmlog_open(), which forgets all
 * facts; the last value counts. There may be STMLOG_FACTS keys; further ones are refused. Not for hot paths. */
#define STMLOG_FACTS 64
STMLOG_API void stmlog_set_fact(const char *key, uint64_t value);

/* As stmlog_set_fact(), with a word for a value, which is copied. NULL is refused.
 * Once a key has had a word, its numbers are not written any more. */
STMLOG_API void stmlog_set_word(const char *key, const char *word);

/* From now on the recordings of this process have the first *len records of `at` as one stream of their section
 * ACCESSES (format.h); the library writes the record of kind THREAD before them itself, with `thread_id`, the
 * stmlog_thread_id() of the thread that made them. So a runtime appends records, and stores their number in *len with
 * release order, each time that a transaction is over. Requires that *len is always the end of a whole transaction,
 * that records below it never change, and that *len never falls. Both pieces of memory stay the runtime's, and stay
 * where they are as long as the process lives: an output may read them at any time. Returns false if the process has
 * STMLOG_ACCESS_STREAMS streams already: then nothing is kept of this one. A forked child has none of the streams of
 * its parent. Allocates nothing, takes no lock, and makes no system call; an output copies all records. Any thread,
 * after stmlog_open(), which forgets all streams. */
#define STMLOG_ACCESS_STREAMS 16
struct stmlog_access_record;
STMLOG_API bool stmlog_accesses_share(uint32_t thread_id, const struct stmlog_access_record *at, const size_t *len);

/* Remembers which modules (the program and its shared libraries) are loaded now. Addresses in a module that is unloaded
 * before outputs are made have names only if this was called before dlclose(). Any thread, but no signal handler. */
STMLOG_API void stmlog_keep_modules(void);

/* The process is about to filter its system calls (seccomp(2)), and the filter may kill it for a call that the program
 * itself never makes. The library's own process (options snapshot, signal and kill), which the filter does not apply
 * to, is started if there is none, and makes all outputs. A child that is forked from now on makes no outputs. Hooks
 * call mmap() and munmap() as before, if they are not warm; they do not ask how long threads were off the processor
 * (clock_gettime(), getrusage()) any more. Keeps errno. No signal handler. */
STMLOG_API void stmlog_before_filter(void);

/* The program is about to forbid its threads to read the time-stamp counter, which clock_gettime() reads (prctl(2),
 * PR_TSC_SIGSEGV; strict seccomp). From now on, also after it is opened again, the library asks for the
 * time by a system call. Hooks that read the time take some 100 ns longer. Any thread; no signal handler. */
STMLOG_API void stmlog_read_clock_by_call(void);

/* The process is about to leave its memory without its exit handlers, by exec() or _exit(). What was recorded is
 * written: at once, as stmlog_flush() does, or with kill=flush by the library's own process, as soon as the memory is
 * left. Should exec() fail, all goes on. Keeps errno. Any thread; no signal handler. */
STMLOG_API void stmlog_before_leaving(void);

/* Counts a traceback that the runtime could not get (tracebacks_unavailable of the report's losses). */
STMLOG_API void stmlog_count_unavailable_traceback(struct stmlog_thread *thread);

STMLOG_END_DECLS

/* For STMLOG_OFF, as at the end of stmlog.h. The clock returns 0. */
#ifdef STMLOG_OFF
#define stmlog_wants_places() ((bool)0)
#define stmlog_origin_read(origin, parts)                           \
	__extension__({                                             \
		struct stmlog_origin_parts stmlog_off_ = {0, 0, 0}; \
		(void)(origin);                                     \
		*(parts) = stmlog_off_;                             \
		(bool)0;                                            \
	})
#define stmlog_read_unmeasured_by(thread, read, arg) ((void)(thread), (void)(read), (void)(arg))
#define stmlog_interruption_word(thread) STMLOG_OFF_VALUE(thread, (volatile uint64_t *)0)
#define stmlog_interruption_look(word)                        \
	__extension__({                                       \
		struct stmlog_moment stmlog_off_ = {0, 0, 0}; \
		(void)(word);                                 \
		stmlog_off_;                                  \
	})
#define stmlog_interruption_end(word) ((void)(word))
#define stmlog_now_ns() ((uint64_t)0)
#define stmlog_probe_cost_ns(events) STMLOG_OFF_VALUE(events, (uint64_t)0)
#define stmlog_set_sampling(every) ((void)(every))
#define stmlog_set_fact(key, value) ((void)(key), (void)(value))
#define stmlog_set_word(key, word) ((void)(key), (void)(word))
#define stmlog_accesses_share(thread_id, at, len) STMLOG_OFF_VALUE(((void)(thread_id), (void)(at), (len)), (bool)0)
#define stmlog_keep_modules() ((void)0)
#define stmlog_before_filter() ((void)0)
#define stmlog_before_leaving() ((void)0)
#define stmlog_read_clock_by_call() ((void)0)
#define stmlog_count_unavailable_traceback(thread) ((void)(thread))
#endif

#endif
