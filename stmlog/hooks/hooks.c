/* SPDX-License-Identifier: MIT
 * The hooks for attempts; aborts.c, waits.c and origin.c have those for losses. Each hook reads the clock, changes the
 * state of the account, and records a loss if there is one. No hook allocates or locks, or makes a system call unless
 * the thread was interrupted (off_processor.h). A hook does nothing if a signal handler calls it within another hook of
 * the same handle (thread_enter()). */
#include <stmlog/agent.h>

#include "clock.h"
#include "locks.h"
#include "loss.h"
#include "off_processor.h"
#include "session.h"
#include "timeline.h"
#include "usdt.h"
#include "waits.h"

static inline void hand_over(struct stmlog_thread *thread)
{
	if (STMLOG_UNLIKELY(ledger_has_pending(&thread->ledger)))
		ledger_hand_over(&thread->ledger);
}

/* ---- a missing end of a pause or wait ---- */

/* A gap of one event stands for the end of the attempt, which was not recorded. */
static void put_missing_end(struct stmlog_thread *thread, bool had_attempt)
{
	uint64_t now_ns = account_since_ns(&thread->account);
	const struct stmlog_event missing = {.time_ns = now_ns, .argument = 1, .kind = STMLOG_EVENT_MISSING};
	loss_event_wait_end(thread, now_ns);
	if (had_attempt)
		timeline_put(thread, &missing, TB_UNKNOWN, NULL);
}

static void release_tracebacks(struct stmlog_thread *thread)
{
	if (!account_is_interruption(account_state(&thread->account)))
		return;
	tb_unref(thread->stack, thread->interruption.local);
	tb_unref(thread->stack, thread->interruption.remote);
}

static void end_interruption(struct stmlog_thread *thread, enum account_slot next)
{
	bool had_attempt = thread->account.resume_state == ATTEMPT_STATE;
	release_tracebacks(thread);
	account_abandon(&thread->account, off_processor_end_ns(thread), next);
	if (had_attempt)
		attempts_end(&thread->attempts);
	thread->so_far.failed_ns = 0;
	thread->so_far.descheduled_ns = 0;
	if (timeline_is_on())
		put_missing_end(thread, had_attempt);
}

/* Makes up for a missing call: a transaction begins within a pause, wait, other work or blocked time, which should have
 * been ended before. Otherwise all later hooks of the thread would be refused. It is not known when that time ended,
 * nor how its attempt ended. So it counts neither as a loss nor as committed, but as `other`.
 *
 * Called when a first attempt (`is_retry`: a further one) begins in a state that does not allow it. If that state is a
 * pause, wait, other work or blocked time, ends it and the attempt that it interrupts, and returns true: the attempt
 * may begin. Returns false otherwise, and changes nothing. Counts the mistake in both cases. */
__attribute__((cold, noinline)) static bool make_up_for_end(struct stmlog_thread *thread, bool is_retry)
{
	enum account_slot state = account_state(&thread->account);
	bool is_interrupted = account_is_interruption(state) || state == BLOCKED_STATE;
	if (!is_interrupted || (is_retry && thread->account.resume_state == OUTSIDE_STATE)) {
		thread_misuse(thread,
			is_retry ? "stmlog_retry without an abort before" : "stmlog_start within a transaction");
		return false;
	}
	thread_misuse(thread, is_retry ? "stmlog_retry within a pause or wait, whose end is missing"
				       : "stmlog_start within a pause or wait, whose end is missing");
	end_interruption(thread, is_retry ? ABORTED_STATE : OUTSIDE_STATE);
	return true;
}

/* Whether a transaction may begin. Counts a mistake if it may not, or if the end of a pause or wait was missing.
 * In a forked child the record is emptied before anything of the child is in it. */
static inline bool may_start(struct stmlog_thread *thread)
{
	forks_look(FORKS_REGISTRY);
	return STMLOG_LIKELY(account_is_outside(&thread->account)) || make_up_for_end(thread, false);
}

/* Records an event at the time when the account's present state began, right after that change. */
static void put_moved(struct stmlog_thread *thread, enum stmlog_event_kind kind, struct tb_frame *place)
{
	timeline_put_bare(thread, kind, account_since_ns(&thread->account), place);
}

/* Records a start event. If the place is unknown, takes the shadow stack, unless that is empty. stmlog_probe_cost_ns()
 * has no stack. */
static void put_started(struct stmlog_thread *thread, uint64_t at_ns, struct tb_frame *place)
{
	if (tb_is_unknown(place) && thread->stack != NULL)
		place = tb_current(thread->stack);
	timeline_put_bare(thread, STMLOG_EVENT_START, at_ns, place != TB_EMPTY ? place : TB_UNKNOWN);
}

bool stmlog_wants_places(void)
{
	return timeline_is_on() || session.has_paths;
}

static void set_place(struct stmlog_thread *thread, struct tb_frame *place)
{
	if (tb_is_unknown(place) && tb_is_frame(tb_current(thread->stack)))
		place = tb_current(thread->stack);
	tb_ref(place);
	tb_unref(thread->stack, thread->place);
	thread->place = place;
}

/* The site on top of the shadow stack; that of the hook's call if the stack is empty (`caller` NULL: none, of position
 * 0). stmlog_probe_cost_ns() has no stack. */
static inline struct tb_site top_site(const struct stmlog_thread *thread, const void *caller)
{
	if (thread->stack == NULL)
		return tb_site_make(0, 0);
	struct tb_site site = tb_top_site(thread->stack);
	return STMLOG_LIKELY(site.position != 0) ? site : tb_address_site(caller);
}

__attribute__((always_inline)) static inline void start(
	struct stmlog_thread *thread, uint64_t now_ns, struct tb_site site, struct tb_frame *place)
{
	if (STMLOG_UNLIKELY(thread->so_far.is_changed))
		thread_forget_losses(thread);
	thread->transaction++;
	if (STMLOG_UNLIKELY(site.position == 0))
		site = top_site(thread, NULL);
	STMLOG_STORE_RELAXED(&thread->site.code, site.code);
	STMLOG_STORE_RELAXED(&thread->site.position, site.position);
	if (STMLOG_UNLIKELY(thread->paths != NULL))
		set_place(thread, place);
	account_start(&thread->account, now_ns);
	attempts_begin(&thread->attempts);
	hand_over(thread);
	if (timeline_is_on())
		put_started(thread, account_since_ns(&thread->account), place);
}

void stmlog_start_on(struct stmlog_thread *thread)
{
	if (!thread_enter(thread))
		return;
	/* Before the state is loaded, because reading the clock waits for the instructions before it, and the load for
	 * the store of the hook before, whose value is a time. */
	uint64_t now_ns = clock_now_ns();
	if (may_start(thread))
		start(thread, off_processor_start_ns(thread, now_ns), top_site(thread, __builtin_return_address(0)),
			TB_UNKNOWN);
	thread_leave(thread);
}

void stmlog_start_at_on(struct stmlog_thread *thread, uint64_t now_ns, struct tb_site site, struct tb_frame *place)
{
	if (!thread_enter(thread))
		return;
	if (STMLOG_UNLIKELY(!thread->tells_begins) && site.position != 0)
		thread->tells_begins = true;
	if (may_start(thread))
		start(thread, off_processor_start_ns(thread, now_ns), site, place);
	thread_leave(thread);
}

void stmlog_start_late_on(
	struct stmlog_thread *thread, uint64_t now_ns, struct tb_site site, struct tb_frame *place, uint64_t failed)
{
	if (!thread_enter(thread))
		return;
	if (may_start(thread)) {
		session_samples();
		start(thread, off_processor_start_ns(thread, now_ns), site, place);
		thread_change_so_far(thread)->tries = saturated_sum(failed, 1);
	}
	thread_leave(thread);
}

static inline void retry(struct stmlog_thread *thread, struct tb_frame *place)
{
	account_retry(&thread->account);
	thread_change_so_far(thread)->tries++;
	attempts_begin(&thread->attempts);
	if (timeline_is_on())
		put_started(thread, account_since_ns(&thread->account), place);
}

/* Out of line, and a tail call, so that the usual path saves no more registers. */
static __attribute__((cold, noinline)) void retry_out_of_order(struct stmlog_thread *thread, struct tb_frame *place)
{
	if (make_up_for_end(thread, true))
		retry(thread, place);
	thread_leave(thread);
}

void stmlog_retry_on(struct stmlog_thread *thread, struct tb_frame *place)
{
	if (!thread_enter(thread))
		return;
	if (!thread_is_in(thread, ABORTED_STATE)) {
		retry_out_of_order(thread, place);
		return;
	}
	retry(thread, place);
	thread_leave(thread);
}

/* Called before the account counts the commit. A reader reads the account first, so distribution and paths have all
 * commits that it finds in the account. */
__attribute__((always_inline)) static inline void count_commit(struct stmlog_thread *thread, uint64_t attempt_ns)
{
	const struct so_far *so_far = &thread->so_far;
	if (STMLOG_LIKELY(!so_far->is_changed))
		tries_add(&thread->distribution, thread->site, 1, 0, attempt_ns);
	else
		tries_add_on(&thread->distribution, thread->site, so_far->tries, so_far->tries_ns, attempt_ns);
	if (STMLOG_UNLIKELY(thread->account.sampled.extra_weight != 0))
		tries_add_like_committed(
			&thread->distribution, thread->site, thread->account.sampled.extra_weight, attempt_ns);
	if (STMLOG_UNLIKELY(thread->paths != NULL))
		paths_add(
			thread->paths, thread->place, PATH_COMMITTED, attempt_ns, thread->account.sampled.extra_weight);
}

__attribute__((always_inline)) static inline void commit(struct stmlog_thread *thread, uint64_t now_ns)
{
	uint64_t attempt_ns = account_attempt_ns(&thread->account, &now_ns);
	count_commit(thread, attempt_ns);
	account_settle_by(&thread->account, now_ns, attempt_ns, COMMITTED_SLOT, OUTSIDE_STATE);
	USDT_COMMIT(thread);
	attempts_end(&thread->attempts);
	if (timeline_is_on()) {
		put_moved(thread, STMLOG_EVENT_COMMIT, TB_UNKNOWN);
		timeline_make_room(thread);
	}
}

/* Out of line, as retry_out_of_order(). */
static __attribute__((cold, noinline)) void commit_out_of_order(struct stmlog_thread *thread)
{
	if (wait_end_for_attempt(thread))
		commit(thread, off_processor_end_ns(thread));
	else
		thread_misuse(thread, "stmlog_commit without an attempt under way");
	thread_leave(thread);
}

/* Requires thread_enter(); leaves the thread. */
__attribute__((always_inline)) static inline void commit_and_leave(struct stmlog_thread *thread, uint64_t now_ns)
{
	forks_look(FORKS_REGISTRY);
	if (!thread_is_in(thread, ATTEMPT_STATE)) {
		commit_out_of_order(thread);
		return;
	}
	commit(thread, off_processor_newest_ns(thread, now_ns, 0));
	thread_leave(thread);
}

void stmlog_commit_on(struct stmlog_thread *thread)
{
	if (thread_enter(thread))
		commit_and_leave(thread, clock_now_ns()); /* read before the state is loaded: see stmlog_start_on() */
}

void stmlog_commit_now_on(struct stmlog_thread *thread, uint64_t now_ns)
{
	if (thread_enter(thread))
		commit_and_leave(thread, now_ns);
}

void stmlog_commit_at_on(struct stmlog_thread *thread, uint64_t at_ns)
{
	if (!thread_enter(thread))
		return;
	if (thread_is_in(thread, ATTEMPT_STATE) || wait_end_for_attempt(thread)) {
		commit(thread, account_no_earlier(&thread->account, at_ns));
		account_look_back(&thread->account, off_processor_end_ns(thread));
	} else {
		thread_misuse(thread, "stmlog_commit_at without an attempt under way");
	}
	thread_leave(thread);
}

void stmlog_count_reads_on(struct stmlog_thread *thread, uint64_t reads)
{
	if (!thread_enter(thread))
		return;
	if (account_is_outside(&thread->account))
		tries_add_reads(&thread->distribution, thread->site, reads);
	else
		thread_misuse(thread, "stmlog_count_reads within a transaction, pause or wait");
	thread_leave(thread);
}

uint64_t stmlog_now_ns(void)
{
	return clock_now_ns();
}

uint64_t stmlog_now_by_tsc_ns(uint64_t tsc)
{
	return clock_now_by_tsc_ns(tsc);
}
