/* SPDX-License-Identifier: MIT
 *
 * The hooks that a transactional runtime calls, in the order in which they come:
 *
 *   thread = stmlog_thread_attach();          once per thread
 *
 *   stmlog_wait_segment(thread);              the thread waits until it may begin ...
 *   stmlog_wait_inevitable(thread, ...);      ... or waits for an inevitable transaction
 *   stmlog_wait_end(thread);
 *
 *   stmlog_start(thread);                     a transaction begins its first attempt
 *     stmlog_wrote(thread, object);           it writes an object for the first time
 *     stmlog_became_inevitable(thread);       it cannot be aborted from here on
 *
 *     stmlog_contention(thread, ...);         it has met another transaction, and then one of
 *       stmlog_pause_self(thread);            - it stands still for the other one ...
 *       stmlog_pause_end(thread);               ... and goes on
 *       stmlog_abort_other(thread);           - it makes the other one abort, and goes on
 *       stmlog_abort_self(thread);            - it gives up its own attempt
 *                                             - nothing: the contention has dissolved
 *   stmlog_aborted_by(thread, ...);           another transaction has made it abort
 *   stmlog_abort_asked(thread, word);         the program asked for the abort
 *
 *     stmlog_retry(thread);                   after an abort: the next attempt begins at once
 *   stmlog_waited(thread, ...);               before either: it has stood still, as turns out now
 *   stmlog_commit(thread);                    the attempt succeeded
 *
 *   stmlog_other_begin(thread);               anywhere: the thread synchronises internally
 *   stmlog_other_end(thread);
 *
 * `thread` is the calling thread's own handle. With NULL every hook is one
 * predictable branch; with STMLOG_OFF defined before this header it is nothing.
 * The words for causes are string literals, or strings that live as long as the
 * process; NULL: none.
 *
 * What the hooks find out by themselves. For each first write they keep the traceback
 * of that moment, and when a loss is reported they find the traceback that belongs to
 * it: where this transaction wrote the object, where the other one did or became
 * inevitable. The other one is never stopped. Tracebacks of another thread's are cut
 * after TB_COPY_FRAMES frames; one that the other thread has recycled meanwhile is
 * "unknown", and counted (losses, tracebacks_unavailable).
 *
 * Each hook reads the clock once, but for stmlog_retry(), which shares the abort's
 * reading, and stmlog_wrote(), stmlog_became_inevitable(), stmlog_contention() and
 * stmlog_abort_other(), which need none. No hook allocates, locks or makes a system
 * call once its thread is warm. A hook out of order (a commit without a start) changes
 * nothing, is counted as a caller's mistake and told once on stderr.
 *
 * A runtime that measures only some transactions says what each of those stands for (stmlog_set_weight())
 * and how many others there were (stmlog_unmeasured()). Times then come as measured and as
 * estimated; counts are of what was measured, and never scaled.
 *
 * Attempts of nested transactions that the runtime flattens are not reported.
 *
 * The rows of causes, and who is where in them, follow the design of PyPy's stmgc
 * (timelog); the sentences beside the hooks say which row each one makes.
 */
#ifndef STMLOG_RUNTIME_H
#define STMLOG_RUNTIME_H

#include <stmlog/stmlog.h>

STMLOG_BEGIN_DECLS

/* What a runtime says about a loss that it describes itself, tracebacks included (an agent that unwinds the
 * stack, say). Tracebacks are borrowed for the call; the
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
	uintptr_t other_object; /* what the other one did touch; 0: unknown, or the very same */
	enum stmlog_overlap overlap;
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
	loss.other_object = 0;
	loss.overlap = STMLOG_OVERLAP_UNKNOWN;
	return loss;
}

/* Another transaction, as far as the runtime knows it. */
struct stmlog_other {
	struct stmlog_thread *thread; /* NULL: not known. A thread that has detached since is no mistake. */
	uint64_t attempt;             /* its stmlog_attempt(); 0: whichever it is in now */
};

static inline struct stmlog_other stmlog_other_make(struct stmlog_thread *thread, uint64_t attempt)
{
	struct stmlog_other other;
	other.thread = thread;
	other.attempt = attempt;
	return other;
}

/* What this transaction does and the other one has done, when they meet. Beside each: where
 * this thread is shown to be, and where the other one. */
enum stmlog_conflict {
	STMLOG_WRITE_MEETS_WRITE,     /* where it now writes | where the other wrote the object */
	STMLOG_WRITE_MEETS_READ,      /* where it wrote the object, earlier | unknown */
	STMLOG_READ_MEETS_WRITE,      /* where it now reads | where the other wrote the object */
	STMLOG_INEVITABLE_MEETS_SAME, /* where it now asks to be inevitable | where the other became it */
	STMLOG_CONFLICTS
};

/* The out-of-line halves; `thread` is not NULL. */
STMLOG_API void stmlog_start_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_start_at_on(
	struct stmlog_thread *thread, uint64_t now_ns, struct tb_site site, struct tb_frame *place);
STMLOG_API void stmlog_retry_on(struct stmlog_thread *thread, struct tb_frame *place);
STMLOG_API void stmlog_commit_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_commit_at_on(struct stmlog_thread *thread, uint64_t at_ns);
STMLOG_API void stmlog_failed_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_abort_on(struct stmlog_thread *thread, const struct stmlog_loss *loss);
STMLOG_API void stmlog_abort_at_on(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t at_ns);
STMLOG_API void stmlog_pause_begin_on(struct stmlog_thread *thread, const struct stmlog_loss *loss);
STMLOG_API void stmlog_pause_end_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_wait_begin_on(struct stmlog_thread *thread, const struct stmlog_loss *loss);
STMLOG_API void stmlog_wait_end_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_waited_on(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t ns);
STMLOG_API void stmlog_other_begin_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_other_end_on(struct stmlog_thread *thread);
STMLOG_API uint64_t stmlog_attempt_on(const struct stmlog_thread *thread);
STMLOG_API void stmlog_wrote_on(struct stmlog_thread *thread, uintptr_t object);
STMLOG_API void stmlog_became_inevitable_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_contention_on(struct stmlog_thread *thread, enum stmlog_conflict conflict, uintptr_t object,
	struct stmlog_other other, const char *word);
STMLOG_API void stmlog_abort_self_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_abort_other_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_aborted_by_on(
	struct stmlog_thread *thread, struct stmlog_other other, enum stmlog_contention contention, const char *word);
STMLOG_API void stmlog_abort_asked_on(struct stmlog_thread *thread, const char *word);
STMLOG_API void stmlog_pause_self_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_wait_segment_on(struct stmlog_thread *thread);
STMLOG_API void stmlog_wait_inevitable_on(struct stmlog_thread *thread, struct stmlog_other other, const char *word);
STMLOG_API void stmlog_unmeasured_on(struct stmlog_thread *thread, uint64_t commits, uint64_t aborts);
STMLOG_API void stmlog_set_weight_on(struct stmlog_thread *thread, uint32_t weight);

#ifdef STMLOG_OFF
/* Still compiled, so that a program has no unused parameters and no errors that show only with the hooks on. */
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

/* Whether there is any use in the places of stmlog_start_at() and stmlog_retry_at(): a timeline runs, or paths are
 * recorded. Two loads. */
STMLOG_API bool stmlog_wants_places(void);

/* ---- attempts ---- */

/* A transaction begins its first attempt. Groups of the one before are handed to
 * the timelogs. Requires: no attempt, pause or wait under way. */
static inline void stmlog_start(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_start_on(thread));
}

/* The same at a time that the runtime has read from stmlog_now_ns() itself, just now, for reasons of its own: not to
 * read the clock twice. `site`: where the transaction begins; position 0: the innermost one on the thread's shadow
 * stack. `place` is borrowed: its traceback, for runtimes that find it out only when they are asked, which
 * stmlog_wants_places() does; TB_UNKNOWN: what the thread has on its shadow stack. */
static inline void stmlog_start_at(
	struct stmlog_thread *thread, uint64_t now_ns, struct tb_site site, struct tb_frame *place)
{
	STMLOG_HOOK(thread, stmlog_start_at_on(thread, now_ns, site, place));
}

/* The transaction that just aborted begins its next attempt, at the time of the
 * abort. Call it directly after stmlog_abort(); a back-off in between goes into
 * other_begin/other_end after the retry. */
static inline void stmlog_retry(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_retry_on(thread, TB_UNKNOWN));
}

/* The same, with the place of stmlog_start_at(). */
static inline void stmlog_retry_at(struct stmlog_thread *thread, struct tb_frame *place)
{
	STMLOG_HOOK(thread, stmlog_retry_on(thread, place));
}

/* The attempt succeeded: its time, without pauses and waits, becomes committed. */
static inline void stmlog_commit(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_commit_on(thread));
}

/* The same at an earlier time, as that of stmlog_abort_at(): the time since then was the runtime's own, `other`. */
static inline void stmlog_commit_at(struct stmlog_thread *thread, uint64_t at_ns)
{
	STMLOG_HOOK(thread, stmlog_commit_at_on(thread, at_ns));
}

/* ---- what a transaction does that others may meet ---- */

/* The number of the attempt under way, or of the last one; 0 for NULL. Numbers of one
 * thread rise and are never used twice. Publish it with your locks (the owner of an
 * object is a thread and an attempt), so that another transaction can say which
 * attempt it has met. Costs a load. */
static inline uint64_t stmlog_attempt(const struct stmlog_thread *thread)
{
	return STMLOG_HOOK_VALUE(thread, stmlog_attempt_on(thread), 0);
}

/* The attempt under way writes the object for the first time, here. Called before others
 * can meet the write (before the lock is taken is best). A second call for the same object
 * changes nothing: the first write counts. The thread's stack is captured: one reference.
 * An attempt remembers STMLOG_WRITES objects; further ones are counted (losses,
 * writes_unrecorded), and where they were written is unknown. What an attempt wrote stays
 * known to others until the thread's second next attempt that writes. */
#define STMLOG_WRITES 256
static inline void stmlog_wrote(struct stmlog_thread *thread, uintptr_t object)
{
	STMLOG_HOOK(thread, stmlog_wrote_on(thread, object));
}

/* The attempt under way becomes inevitable, here; called before others can meet it. */
static inline void stmlog_became_inevitable(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_became_inevitable_on(thread));
}

/* ---- when two meet ---- */

/* The transaction has met another one over `object` (0: none, or not known). What the other
 * one did is looked up now, while it is still there, and kept for the hook that comes next.
 * Within an attempt, not within a pause or wait; a second call replaces the first. */
static inline void stmlog_contention(struct stmlog_thread *thread, enum stmlog_conflict conflict, uintptr_t object,
	struct stmlog_other other, const char *word)
{
	STMLOG_HOOK(thread, stmlog_contention_on(thread, conflict, object, other, word));
}

/* Ends the attempt for the contention found last: self-abort. */
static inline void stmlog_abort_self(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_abort_self_on(thread));
}

/* The other one of the contention found last is about to be made to abort. Tells it where and why,
 * so call this before it can see that it is to abort: it reports the loss, as its own, by
 * stmlog_aborted_by(). If it then does not abort after all (it was quicker), nothing is wrong.
 * A write tells where it is written now, a write met by a reader where it was written earlier.
 * An inevitable transaction cannot be aborted: for that contention, a caller's mistake.
 * The other one's inbox holds four such letters; one too many is counted (tracebacks_unavailable). */
static inline void stmlog_abort_other(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_abort_other_on(thread));
}

/* Ends the attempt because another one made it abort: aborted-by-other. `other` is the one that did, if the
 * runtime knows, and picks its letter among several. The letter gives contention, word and place; without
 * one, `contention` and `word` are what is recorded, and where the other was is unknown.
 *   write-write   where this thread wrote the object | where the other one now writes
 *   write-read    unknown | where the other one wrote the object */
static inline void stmlog_aborted_by(
	struct stmlog_thread *thread, struct stmlog_other other, enum stmlog_contention contention, const char *word)
{
	STMLOG_HOOK(thread, stmlog_aborted_by_on(thread, other, contention, word));
}

/* Ends the attempt because the program asked for it, here: user-abort, contention none. */
static inline void stmlog_abort_asked(struct stmlog_thread *thread, const char *word)
{
	STMLOG_HOOK(thread, stmlog_abort_asked_on(thread, word));
}

/* The attempt stands still for the contention found last, until stmlog_pause_end(): pause. */
static inline void stmlog_pause_self(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_pause_self_on(thread));
}

/* The thread waits, here, because of an inevitable transaction, until stmlog_wait_end(): wait. */
static inline void stmlog_wait_inevitable(struct stmlog_thread *thread, struct stmlog_other other, const char *word)
{
	STMLOG_HOOK(thread, stmlog_wait_inevitable_on(thread, other, word));
}

/* The thread waits because no segment is free, until stmlog_wait_end(): no entry, time only. */
static inline void stmlog_wait_segment(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_wait_segment_on(thread));
}

/* ---- losses that the runtime describes itself ---- */

/* The attempt has failed, now. For a runtime that has to find out why before it can tell by the
 * stmlog_abort() that must come next: the time in between, and what that takes to record it, is `other`
 * and neither this attempt's nor the next one's. Once said, saying it again changes nothing. Costs a
 * clock reading more; leave it out where that is no less than what it saves. */
static inline void stmlog_failed(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_failed_on(thread));
}

/* The attempt failed: its time, without pauses and waits, is lost. `loss->cause`
 * has reason self-abort, aborted-by-other (not with contention inevitable) or
 * user-abort. */
static inline void stmlog_abort(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	STMLOG_HOOK(thread, stmlog_abort_on(thread, loss));
}

/* The same of an attempt that failed a while ago, at a time on the clock of stmlog_now_ns() that is neither before the
 * thread's last hook nor in the future. For a runtime that cannot tell while it is in a hurry, as in hardware
 * transactions: it keeps what has happened, and tells it when the transaction has committed: each abort, stmlog_retry()
 * and stmlog_waited() behind it, then stmlog_commit_at(). Reads no clock. */
static inline void stmlog_abort_at(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t at_ns)
{
	STMLOG_HOOK(thread, stmlog_abort_at_on(thread, loss, at_ns));
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

/* For a runtime that learns of a pause or wait only when it is over: `ns` of the time since its last hook that
 * reads the clock (or, after a first call, of what that has left) were no work of the attempt's. Cut to that
 * time if they are more. Reason: pause, or wait with contention inevitable or none; as above, wait with none makes
 * no entry. The attempt goes on. Requires an attempt under way that has not failed (stmlog_failed()). */
static inline void stmlog_waited(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t ns)
{
	STMLOG_HOOK(thread, stmlog_waited_on(thread, loss, ns));
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

/* ---- the rest ---- */

/* Adds transactions that a sampling runtime did not measure: counts, no time and
 * no clock reading. With 0 of both it says that there were some, of a number nobody
 * knows: then too the process has recorded something, and its outputs are made. */
static inline void stmlog_unmeasured(struct stmlog_thread *thread, uint64_t commits, uint64_t aborts)
{
	STMLOG_HOOK(thread, stmlog_unmeasured_on(thread, commits, aborts));
}

/* The transactions that start from now on stand for `weight` each, themselves included: each was chosen to be measured
 * with probability 1/weight, whatever it will do. 1 when a thread is attached. Outside of transactions, pauses and
 * waits; 0 is a caller's mistake. */
static inline void stmlog_set_weight(struct stmlog_thread *thread, uint32_t weight)
{
	STMLOG_HOOK(thread, stmlog_set_weight_on(thread, weight));
}

/* Reads the clock that the hooks read. */
STMLOG_API uint64_t stmlog_now_ns(void);

/* What so many readings of it by the hooks cost, measured now (takes below a millisecond); 0 where the clock
 * is the caller's own. */
STMLOG_API uint64_t stmlog_probe_cost_ns(uint64_t events);

/* Facts about the recording that only the runtime knows; they go into file and
 * report. Any thread, any time; the last one counts. One transaction in `every` is measured from now
 * on; once above 1, the recording is a sampled one. */
STMLOG_API void stmlog_set_sampling(uint32_t every);

/* Any further one, as "key=value" of the file's INFO (format.h lists those that the command
 * knows). `key` is a string that lives as long as the process. At most STMLOG_FACTS keys;
 * one more is refused. Not for hot paths. */
#define STMLOG_FACTS 32
STMLOG_API void stmlog_set_fact(const char *key, uint64_t value);

/* The same for a fact that is a word, as "key=word". `word` is a string that lives as long as the process, too; NULL is
 * refused. A key has numbers or words, never both: once it has had a word, its numbers are not written. */
STMLOG_API void stmlog_set_word(const char *key, const char *word);

/* Counts a traceback that could not be had, for the report's losses. */
STMLOG_API void stmlog_count_unavailable_traceback(struct stmlog_thread *thread);

STMLOG_END_DECLS

#endif
