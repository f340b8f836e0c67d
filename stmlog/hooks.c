/* SPDX-License-Identifier: MIT
 * What a runtime calls: each hook reads the clock, moves the account, and records a loss if there
 * is one. Nothing here allocates, locks or enters the kernel. */
#include <stmlog/runtime.h>

#include "clock.h"
#include "misuse.h"
#include "thread.h"

static bool is_in(const struct stmlog_thread *thread, enum account_slot state)
{
	return STMLOG_LIKELY(account_state(&thread->account) == state);
}

static inline void hand_over(struct stmlog_thread *thread)
{
	if (STMLOG_UNLIKELY(ledger_has_pending(&thread->ledger)))
		ledger_hand_over(&thread->ledger);
}

void stmlog_start_on(struct stmlog_thread *thread)
{
	if (STMLOG_UNLIKELY(!account_is_outside(&thread->account))) {
		misuse_count("stmlog_start within a transaction, pause or wait");
		return;
	}
	account_start(&thread->account, clock_now_ns());
	hand_over(thread);
}

void stmlog_retry_on(struct stmlog_thread *thread)
{
	if (!is_in(thread, ABORTED_STATE)) {
		misuse_count("stmlog_retry without an abort directly before");
		return;
	}
	account_retry(&thread->account);
}

void stmlog_commit_on(struct stmlog_thread *thread)
{
	if (!is_in(thread, ATTEMPT_STATE)) {
		misuse_count("stmlog_commit without an attempt under way");
		return;
	}
	account_settle(&thread->account, clock_now_ns(), COMMITTED_SLOT, OUTSIDE_STATE);
	hand_over(thread);
}

/* The table of causes (contention.md, 2): what may be reported by which hook. */
static bool is_abort_cause(const struct stmlog_cause *cause)
{
	if ((unsigned)cause->contention >= STMLOG_CONTENTIONS)
		return false;
	switch (cause->reason) {
	case STMLOG_SELF_ABORT:
	case STMLOG_USER_ABORT:
		return true;
	case STMLOG_ABORTED_BY_OTHER:
		return cause->contention != STMLOG_INEVITABLE;
	default:
		return false;
	}
}

void stmlog_abort_on(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	if (!is_in(thread, ATTEMPT_STATE) || !is_abort_cause(&loss->cause)) {
		misuse_count("stmlog_abort without an attempt under way, or with a cause that no abort has");
		return;
	}
	/* The account moves inside, so that a reader never sees an abort in one of the two only. */
	struct stmlog_timelog *detour = ledger_enter_event(&thread->ledger);
	uint64_t now_ns = clock_now_ns();
	struct event event = {
		.loss = loss,
		.lost_ns =
			account_settle(&thread->account, now_ns, ABORTED_SLOT + loss->cause.contention, ABORTED_STATE),
		.at_ns = now_ns,
		.thread = thread->id,
	};
	ledger_put(&thread->ledger, detour, &event);
	ledger_leave(&thread->ledger);
}

/* ---- pauses and waits ---- */

static void interrupt(struct stmlog_thread *thread, const struct stmlog_loss *loss, enum account_slot state)
{
	thread->interruption = *loss;
	tb_ref(loss->local);
	tb_ref(loss->remote);
	account_interrupt(&thread->account, clock_now_ns(), state);
}

/* Ends the interruption; records it if it is one that makes an entry. */
static void resume(struct stmlog_thread *thread, bool makes_entry)
{
	struct stmlog_loss *loss = &thread->interruption;
	struct stmlog_timelog *detour = ledger_enter_event(&thread->ledger);
	uint64_t now_ns = clock_now_ns();
	struct event event = {
		.loss = loss,
		.lost_ns = account_resume(&thread->account, now_ns),
		.at_ns = now_ns,
		.thread = thread->id,
	};
	if (makes_entry)
		ledger_put(&thread->ledger, detour, &event);
	ledger_leave(&thread->ledger);
	tb_unref(thread->stack, loss->local);
	tb_unref(thread->stack, loss->remote);
}

void stmlog_pause_begin_on(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	if (!is_in(thread, ATTEMPT_STATE) || loss->cause.reason != STMLOG_PAUSE ||
		(unsigned)loss->cause.contention >= STMLOG_CONTENTIONS) {
		misuse_count("stmlog_pause_begin without an attempt under way, or with another reason than pause");
		return;
	}
	interrupt(thread, loss, PAUSED_STATE);
}

void stmlog_pause_end_on(struct stmlog_thread *thread)
{
	if (!is_in(thread, PAUSED_STATE)) {
		misuse_count("stmlog_pause_end without a pause under way");
		return;
	}
	resume(thread, true);
}

static bool may_wait(const struct stmlog_thread *thread)
{
	return account_state(&thread->account) <= ATTEMPT_STATE;
}

void stmlog_wait_begin_on(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	bool is_inevitable = loss->cause.contention == STMLOG_INEVITABLE;
	if (!may_wait(thread) || loss->cause.reason != STMLOG_WAIT ||
		!(is_inevitable || loss->cause.contention == STMLOG_NONE)) {
		misuse_count("stmlog_wait_begin within a pause or wait, or with a cause that no wait has");
		return;
	}
	interrupt(thread, loss, is_inevitable ? WAITING_INEVITABLE_STATE : WAITING_NONE_STATE);
}

void stmlog_wait_end_on(struct stmlog_thread *thread)
{
	bool is_inevitable = is_in(thread, WAITING_INEVITABLE_STATE);
	if (!is_inevitable && !is_in(thread, WAITING_NONE_STATE)) {
		misuse_count("stmlog_wait_end without a wait under way");
		return;
	}
	resume(thread, is_inevitable);
}

void stmlog_other_begin_on(struct stmlog_thread *thread)
{
	if (!may_wait(thread)) {
		misuse_count("stmlog_other_begin within a pause or wait");
		return;
	}
	struct stmlog_loss none = stmlog_loss_make(STMLOG_WAIT, STMLOG_NONE, NULL);
	interrupt(thread, &none, OTHER_STATE);
}

void stmlog_other_end_on(struct stmlog_thread *thread)
{
	if (!is_in(thread, OTHER_STATE)) {
		misuse_count("stmlog_other_end without stmlog_other_begin");
		return;
	}
	resume(thread, false);
}

void stmlog_unmeasured_on(struct stmlog_thread *thread, uint64_t commits, uint64_t aborts)
{
	account_add_unmeasured(&thread->account, commits, aborts);
}

void stmlog_count_unavailable_traceback(struct stmlog_thread *thread)
{
	if (thread != NULL)
		AO_store(&thread->tracebacks_unavailable, AO_load(&thread->tracebacks_unavailable) + 1);
}
