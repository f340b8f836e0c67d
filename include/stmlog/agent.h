/* SPDX-License-Identifier: MIT
 *
 * For runtimes and agents that do more than report each transaction as it runs (runtime.h): that measure a part of
 * them, build tracebacks themselves, learn of an abort or a commit only afterwards, or know how long threads were off
 * the processor. What runtime.h says of handles, NULL, signals and costs holds here, too.
 *
 * Sampling. A runtime may measure only some transactions. Then it reports how many each of them stands for
 * (stmlog_set_weight()), and how many were not measured (stmlog_unmeasured()). There are two times of each loss,
 * measured and estimated. An estimate counts each loss as often as its weight says; but estimates of a thread that
 * would add up to more than its attached time are reduced to fit into it (struct stmlog_account), and in reports and
 * files those of entries as well. Counts are of measured transactions and are never scaled.
 */
#ifndef STMLOG_AGENT_H
#define STMLOG_AGENT_H

#include <stmlog/runtime.h>

STMLOG_BEGIN_DECLS

/* ---- further callbacks ---- */

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

/* Two callbacks of struct stmlog_setup are for agents. find_block() finds the allocated block that contains the address
 * `object`; if there have been several, the latest. It sets all members of `block`, or returns false. find_open() finds
 * at most `max` transactions that are under way and that no hook has reported, and returns how many. Neither may call
 * hooks. */

/* Whether a program that was compiled with headers of this STMLOG_ABI may call the library at all. If not, a line on
 * stderr says so. For code that looks for the library at run time, as the first function that it calls. */
STMLOG_API bool stmlog_abi_fits(unsigned abi);

/* The value of an option of the runtime's own in STMLOG_OPTIONS, or NULL. The string is valid while the profiler is
 * open. The first report warns about each option of STMLOG_OPTIONS that the library does not know and for which this
 * function was not called. */
STMLOG_API const char *stmlog_option(const char *key);

/* Replaces the clock, for tests and simulators. Requires that the profiler is not open,
 * and that the clock never goes back. NULL: CLOCK_MONOTONIC again. */
STMLOG_API void stmlog_set_clock(uint64_t (*now_ns)(void));

/* ---- handles ---- */

/* The thread's number in reports (1, 2, ...; never used twice). 0 for NULL. */
STMLOG_API uint32_t stmlog_thread_id(const struct stmlog_thread *thread);

/* Says to which runtime the thread or lane belongs, where a process has several: reports show the name, at most 31
 * bytes of which are copied. The last call counts; NULL: to none. Not a hook: it takes a lock. A thread that several
 * runtimes use, one after the other, has one handle: each of them may open a lane instead. */
STMLOG_API void stmlog_set_runtime(struct stmlog_thread *thread, const char *name);

/* Says that the lane is a spare one: it is claimed only while the transaction under way on another lane does not run.
 * Both belong to what the user knows as one thread, so reports do not count this one among the threads. Not a hook: it
 * takes a lock. Nothing for NULL. */
STMLOG_API void stmlog_set_spare(struct stmlog_thread *lane);

/* ---- green threads ---- */

/* The number of a green thread, a thread of the runtime's own that OS threads run in turn, for struct stmlog_loss: then
 * reports name it beside the lane, and tell which green threads lose most. `id`: the runtime's number of it, not 0.
 * `label`: what the program calls it, of which 31 bytes are copied; "": nothing. All threads of one label are one.
 * Returns 0 if so many are known already that this one is not distinguished (format.h, STMLOG_GREEN_MAX), and for a new
 * one in a signal handler that has interrupted this call. Not for hot paths: it searches. Any thread, after
 * stmlog_open(), which forgets all. */
STMLOG_API uint16_t stmlog_green_thread(uint64_t id, const char *label);

/* ---- losses with tracebacks of the runtime's own ---- */

/* A loss with both tracebacks unknown, which the runtime may replace by frames of its own. No origin is looked up. */
STMLOG_INLINE struct stmlog_loss stmlog_loss_make(
	enum stmlog_reason reason, enum stmlog_contention_kind contention, const char *detail)
{
	struct stmlog_loss loss = stmlog_loss_of(reason, contention, detail);
	loss.local = TB_UNKNOWN;
	loss.remote = TB_UNKNOWN;
	return loss;
}

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
};

/* Private: the hooks after the test for NULL. Requires that `thread` is not NULL. */
STMLOG_PRIVATE void stmlog_start_at_on(
	struct stmlog_thread *thread, uint64_t now_ns, struct tb_site site, struct tb_frame *place);
STMLOG_PRIVATE void stmlog_start_late_on(
	struct stmlog_thread *thread, uint64_t now_ns, struct tb_site site, struct tb_frame *place, uint64_t failed);
STMLOG_PRIVATE void stmlog_commit_now_on(struct stmlog_thread *thread, uint64_t now_ns);
STMLOG_PRIVATE void stmlog_commit_at_on(struct stmlog_thread *thread, uint64_t at_ns);
STMLOG_PRIVATE void stmlog_count_reads_on(struct stmlog_thread *thread, uint64_t reads);
STMLOG_PRIVATE void stmlog_failed_on(struct stmlog_thread *thread);
STMLOG_PRIVATE void stmlog_waited_on(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t ns);
STMLOG_PRIVATE void stmlog_waited_unmeasured_on(struct stmlog_thread *thread, const struct stmlog_loss *loss,
	struct tb_site site, uint32_t weight, uint64_t ns, uint64_t descheduled_ns);
STMLOG_PRIVATE void stmlog_was_blocked_on(
	struct stmlog_thread *thread, struct tb_site site, uint64_t ns, bool has_blocked_again);
STMLOG_PRIVATE void stmlog_was_woken_on(struct stmlog_thread *thread, struct tb_site site, struct tb_site waker);
STMLOG_PRIVATE void stmlog_is_blocked_for_ever_on(struct stmlog_thread *thread, struct tb_site site);
STMLOG_PRIVATE uint64_t stmlog_origin_at_on(struct stmlog_thread *thread, struct tb_frame *traceback);
STMLOG_PRIVATE void stmlog_unmeasured_on(struct stmlog_thread *thread, uint64_t commits, uint64_t aborts);
STMLOG_PRIVATE void stmlog_set_weight_on(struct stmlog_thread *thread, uint32_t weight);
STMLOG_PRIVATE void stmlog_set_loss_weight_on(struct stmlog_thread *thread, uint32_t weight);
STMLOG_PRIVATE void stmlog_timed_on(struct stmlog_thread *thread, const struct stmlog_timed_transaction *timed);
STMLOG_PRIVATE void stmlog_descheduled_on(struct stmlog_thread *thread, uint64_t ns, uint64_t doubt_ns);

/* ---- attempts ---- */

/* Whether stmlog_start_at() and stmlog_retry_at() use their argument `place`: only while a timeline runs or paths are
 * recorded. Costs two loads. */
STMLOG_API bool stmlog_wants_places(void);

/* As stmlog_start(), at a time that the runtime has just read from stmlog_now_ns(): so the clock is read only once. If
 * `now_ns` is still in the future when the attempt ends or is interrupted, the attempt begins only then, and lasts for
 * no time. `site`: where the transaction begins, which names it in reports; position 0: the site on top of the thread's
 * shadow stack. While that stack is empty, `site` is in the attempt's origins as well. A stack with frames should have
 * it: otherwise a transaction in the way of others has the name of its access. `place`: the traceback of the
 * transaction's beginning, borrowed; TB_UNKNOWN: the thread's shadow stack. A runtime that has to unwind for it calls
 * stmlog_wants_places() first. */
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

/* As stmlog_retry(), with the `place` of stmlog_start_at(). */
STMLOG_INLINE void stmlog_retry_at(struct stmlog_thread *thread, struct tb_frame *place)
{
	STMLOG_HOOK(thread, stmlog_retry_on(thread, place));
}

/* As stmlog_commit(), at a time that the runtime has just read from stmlog_now_ns(): so the clock is read only once. */
STMLOG_INLINE void stmlog_commit_now(struct stmlog_thread *thread, uint64_t now_ns)
{
	STMLOG_HOOK(thread, stmlog_commit_now_on(thread, now_ns));
}

/* As stmlog_commit(), of an attempt that committed at `at_ns`, which is a time as in
 * stmlog_loss.at_ns. The time from `at_ns` to now is the runtime's own: `other`. For a runtime that learns of a commit
 * later, because another thread has helped the transaction to commit. */
STMLOG_INLINE void stmlog_commit_at(struct stmlog_thread *thread, uint64_t at_ns)
{
	STMLOG_HOOK(thread, stmlog_commit_at_on(thread, at_ns));
}

/* The attempt that has just committed had read so many words, or as many transactional variables, whichever the runtime
 * can count. To be called behind the commit, once, and only where the number is known. Reads no clock. */
STMLOG_INLINE void stmlog_count_reads(struct stmlog_thread *thread, uint64_t reads)
{
	STMLOG_HOOK(thread, stmlog_count_reads_on(thread, reads));
}

/* The attempt has failed, now. For a runtime that needs time to find the cause. The next hook must report the
 * abort; the time from this call until the end of that hook counts as `other`, and neither to this attempt nor to
 * the next. A second call changes nothing. Costs one more clock reading: leave it out where finding the cause
 * takes no longer than a reading. */
STMLOG_INLINE void stmlog_failed(struct stmlog_thread *thread)
{
	STMLOG_HOOK(thread, stmlog_failed_on(thread));
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
	uint32_t thread;                 /* stmlog_thread_id(); 0: not known, as 2^20 and higher ones */
	uint64_t attempt;                /* the lower bits of its number, as STMLOG_ORIGIN_ATTEMPTS has */
	const struct tb_copy *traceback; /* valid as long as the process lives, or `copy`; NULL: unknown */
	struct tb_copy copy;             /* of a traceback that the process does not keep; otherwise nothing */
};

/* Returns false, with all parts unknown, if the origin is 0 or of a session that was closed. Any thread. */
STMLOG_API bool stmlog_origin_read(uint64_t origin, struct stmlog_origin_parts *parts);

/* ---- waits that are over ---- */

/* Reports a pause or wait of `ns` that is over. It lies in the time from the thread's last hook that read the clock
 * until loss->at_ns, or until now if that is 0; a longer one is cut to that time. A further call takes its time from
 * what the first call has left of it. Reason: pause, or wait with contention inevitable or none; wait with none makes
 * no entry. The attempt goes on. Requires an attempt under way that has not failed (stmlog_failed()). */
STMLOG_INLINE void stmlog_waited(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t ns)
{
	STMLOG_HOOK(thread, stmlog_waited_on(thread, loss, ns));
}

/* As stmlog_waited(), of a transaction that is not measured: it began at `site`, has waited for `ns`, and is over or
 * will go on unmeasured. `weight`: 1 for a runtime that finds each wait of a kind, whichever transactions it measures.
 * For a timed transaction, its weight: then stmlog_timed() has to report the same wait, as that of a transaction apart.
 * `descheduled_ns`: while it waited, the thread was off the processor for so long, too, which has been reported
 * (stmlog_descheduled()). Reason: pause, or wait with contention inevitable. Requires weight > 0, and that no measured
 * transaction, pause or wait is under way. */
STMLOG_INLINE void stmlog_waited_unmeasured(struct stmlog_thread *thread, const struct stmlog_loss *loss,
	struct tb_site site, uint32_t weight, uint64_t ns, uint64_t descheduled_ns)
{
	STMLOG_HOOK(thread, stmlog_waited_unmeasured_on(thread, loss, site, weight, ns, descheduled_ns));
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

/* Reports which transaction has woken one that was blocked and begins at `site`: one that begins at `waker`. For as
 * many of the wakes as the runtime knows that of. `thread` is any handle that the caller may use, in any state. Not
 * scaled by weights. Reads no clock. */
STMLOG_INLINE void stmlog_was_woken(struct stmlog_thread *thread, struct tb_site site, struct tb_site waker)
{
	STMLOG_HOOK(thread, stmlog_was_woken_on(thread, site, waker));
}

/* Reports that nothing can wake a transaction any more that is blocked, and begins at `site`; the runtime ends it.
 * stmlog_was_blocked() reports its time. `thread` is any handle that the caller may use, in any state. Reads no clock.
 */
STMLOG_INLINE void stmlog_is_blocked_for_ever(struct stmlog_thread *thread, struct tb_site site)
{
	STMLOG_HOOK(thread, stmlog_is_blocked_for_ever_on(thread, site));
}

/* ---- transactions that are not measured ---- */

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

/* What a sampling runtime chooses its interval by: the attempts of a handle that were measured and have ended, those
 * that the program cancelled included in `aborts`, and their time. */
struct stmlog_attempts {
	uint64_t commits;
	uint64_t aborts;
	uint64_t time_ns;
};

/* Returns it for the calling thread's handle, zeros for NULL. Not within a hook. Reads the sums only, and so is cheaper
 * than stmlog_account_read(), which makes estimates of them. */
STMLOG_API struct stmlog_attempts stmlog_measured_attempts(const struct stmlog_thread *thread);

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

/* Returns for how long the calling thread was off the processor since the last hook or call of this function that made
 * a reading; 0 if the thread was not interrupted since, or if the library cannot know. Hooks do not find this time
 * again. For a runtime that estimates how long its unmeasured attempts took. `thread`: a handle that the caller may
 * use, on which this time counts as `descheduled`, in doubt, unless the thread has slept; NULL: it counts nowhere.
 * Costs a few loads if the thread was not interrupted; otherwise it makes some system calls. Requires that no measured
 * attempt, pause or wait is under way on the calling thread. */
STMLOG_API uint64_t stmlog_off_processor_ns(struct stmlog_thread *thread);

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

/* Makes no reading. From now on the kernel clears the word, as after stmlog_interruption_look(). Costs a store. */
STMLOG_API void stmlog_interruption_watch(volatile uint64_t *word);

/* Resets the word to its state before the first stmlog_interruption_look(). For a thread that ends, or that is to make
 * a reading soon, as if it had been interrupted. */
STMLOG_API void stmlog_interruption_end(volatile uint64_t *word);

/* Reads the clock that the hooks read. */
STMLOG_API uint64_t stmlog_now_ns(void);

/* As stmlog_now_ns(), for a runtime that has just read the processor's time-stamp counter for itself: if the hooks read
 * that counter, too (`clock=tsc`), `tsc` is converted, and nothing is read. */
STMLOG_API uint64_t stmlog_now_by_tsc_ns(uint64_t tsc);

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

/* The runtime cannot record this process, and has written a line to stderr that says why. `record` then adds no reason
 * of its own if nothing was recorded at all. Instead of stmlog_open(), before the program has threads. Keeps errno. */
STMLOG_API void stmlog_refused(void);

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

/* How many processors the process could use when the profiler was opened; 0: that is not known. Any thread. */
STMLOG_API uint32_t stmlog_processors(void);

/* Counts a traceback that the runtime could not get (tracebacks_unavailable of the report's losses). */
STMLOG_API void stmlog_count_unavailable_traceback(struct stmlog_thread *thread);

STMLOG_END_DECLS

/* For STMLOG_OFF, as at the end of runtime.h. The clock returns 0. */
#ifdef STMLOG_OFF
#define stmlog_set_runtime(thread, name) ((void)(thread), (void)(name))
#define stmlog_option(key) STMLOG_OFF_VALUE(key, (const char *)0)
#define stmlog_set_clock(now_ns) ((void)(now_ns))
#define stmlog_thread_id(thread) STMLOG_OFF_VALUE(thread, (uint32_t)0)
#define stmlog_set_spare(lane) ((void)(lane))
#define stmlog_green_thread(id, label) STMLOG_OFF_VALUE(((void)(id), (label)), (uint16_t)0)
#define stmlog_wants_places() ((bool)0)
#define stmlog_origin_read(origin, parts)                                             \
	__extension__({                                                               \
		struct stmlog_origin_parts stmlog_off_ = {0, 0, 0, {0, 0, {{0, 0}}}}; \
		(void)(origin);                                                       \
		*(parts) = stmlog_off_;                                               \
		(bool)0;                                                              \
	})
#define stmlog_read_unmeasured_by(thread, read, arg) ((void)(thread), (void)(read), (void)(arg))
#define stmlog_measured_attempts(thread) STMLOG_OFF_VALUE(thread, ((struct stmlog_attempts){0, 0, 0}))
#define stmlog_off_processor_ns(thread) STMLOG_OFF_VALUE(thread, (uint64_t)0)
#define stmlog_interruption_word(thread) STMLOG_OFF_VALUE(thread, (volatile uint64_t *)0)
#define stmlog_interruption_look(word) STMLOG_OFF_VALUE(word, ((struct stmlog_moment){0, 0, 0}))
#define stmlog_interruption_watch(word) ((void)(word))
#define stmlog_interruption_end(word) ((void)(word))
#define stmlog_now_ns() ((uint64_t)0)
#define stmlog_now_by_tsc_ns(tsc) STMLOG_OFF_VALUE(tsc, (uint64_t)0)
#define stmlog_probe_cost_ns(events) STMLOG_OFF_VALUE(events, (uint64_t)0)
#define stmlog_set_sampling(every) ((void)(every))
#define stmlog_set_fact(key, value) ((void)(key), (void)(value))
#define stmlog_set_word(key, word) ((void)(key), (void)(word))
#define stmlog_refused() ((void)0)
#define stmlog_keep_modules() ((void)0)
#define stmlog_before_filter() ((void)0)
#define stmlog_before_leaving() ((void)0)
#define stmlog_read_clock_by_call() ((void)0)
#define stmlog_processors() ((uint32_t)0)
#define stmlog_count_unavailable_traceback(thread) ((void)(thread))
#endif

#endif
