/* SPDX-License-Identifier: MIT
 * The hooks for pauses, waits, blocked time and the runtime's own work. */
#include "waits.h"

#include "sides.h"

enum account_slot wait_state(const struct stmlog_loss *loss)
{
	const struct stmlog_cause *cause = &loss->cause;
	if (!sides_have_size(loss))
		return OUTSIDE_STATE;
	if (cause->reason == STMLOG_PAUSE && (unsigned)cause->contention < STMLOG_CONTENTIONS)
		return PAUSED_STATE;
	if (cause->reason == STMLOG_WAIT && cause->contention == STMLOG_INEVITABLE)
		return WAITING_INEVITABLE_STATE;
	if (cause->reason == STMLOG_WAIT && cause->contention == STMLOG_NONE)
		return WAITING_NONE_STATE;
	return OUTSIDE_STATE;
}

/* ---- begin and end ---- */

static void begin_own_work(struct stmlog_thread *thread, const struct stmlog_loss *given)
{
	const char *word = given != NULL && sides_have_size(given) ? given->cause.detail : NULL;
	const struct stmlog_loss work = {.size = sizeof work,
		.cause = {STMLOG_WAIT, STMLOG_NONE, word},
		.local = TB_UNKNOWN,
		.remote = TB_UNKNOWN};
	if (thread_may_wait(thread))
		loss_interrupt(thread, &work, NULL, OTHER_STATE);
	else
		thread_misuse(thread, "stmlog_wait_begin for the runtime's own work within a pause or wait");
}

static void begin_blocked(struct stmlog_thread *thread)
{
	if (thread_is_in(thread, ABORTED_STATE))
		blocked_time_begin(thread);
	else
		thread_misuse(thread, "stmlog_wait_begin of a blocked transaction without an abort before");
}

/* In an attempt, or between two: a transaction may wait for the winner before it tries again. */
static bool is_in_transaction(struct stmlog_thread *thread)
{
	return thread_is_in(thread, ATTEMPT_STATE) || thread_is_in(thread, ABORTED_STATE);
}

static void waits_begin(struct stmlog_thread *thread, const struct stmlog_loss *loss, const struct tb_copy *remote_copy)
{
	enum account_slot state = wait_state(loss);
	if (state == OUTSIDE_STATE)
		thread_misuse(thread, "stmlog_wait_begin with a cause that no wait has");
	else if (!thread_may_wait(thread))
		thread_misuse(thread, "stmlog_wait_begin within a pause or wait");
	else if (state == PAUSED_STATE && !is_in_transaction(thread))
		thread_misuse(thread, "stmlog_wait_begin of a pause without a transaction under way");
	else
		loss_interrupt(thread, loss, remote_copy, state);
}

static void begin_by_origins(struct stmlog_thread *thread, const struct stmlog_loss *given, const void *caller)
{
	struct sides sides;
	sides_find(thread, given, caller, &sides);
	waits_begin(thread, &sides.loss, sides.to.traceback);
	sides_release(thread, &sides);
}

void stmlog_wait_begin_on(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	if (!thread_enter(thread))
		return;
	if (loss == NULL || loss->cause.reason == STMLOG_OTHER_WORK)
		begin_own_work(thread, loss);
	else if (loss->cause.reason == STMLOG_BLOCKED)
		begin_blocked(thread);
	else if (sides_are_known(loss))
		waits_begin(thread, loss, NULL);
	else
		begin_by_origins(thread, loss, __builtin_return_address(0));
	thread_leave(thread);
}

void stmlog_wait_end_on(struct stmlog_thread *thread)
{
	if (!thread_enter(thread))
		return;
	enum account_slot state = account_state(&thread->account);
	if (account_is_interruption(state))
		loss_resume(thread, wait_makes_entry(state));
	else if (state == BLOCKED_STATE)
		blocked_time_end(thread);
	else
		thread_misuse(thread, "stmlog_wait_end without stmlog_wait_begin");
	thread_leave(thread);
}

bool wait_end_for_attempt(struct stmlog_thread *thread)
{
	REQUIRES(thread->is_busy);
	enum account_slot state = account_state(&thread->account);
	if (!account_is_interruption(state) || thread->account.resume_state != ATTEMPT_STATE)
		return false;
	loss_resume(thread, wait_makes_entry(state));
	return true;
}

/* ---- waits that are over ---- */

static void waited_by_origins(
	struct stmlog_thread *thread, const struct stmlog_loss *given, uint64_t ns, enum account_slot state)
{
	struct sides sides;
	sides_find(thread, given, NULL, &sides);
	loss_waited(thread, &sides.loss, &sides.to, ns, state, wait_makes_entry(state));
	sides_release(thread, &sides);
}

void wait_is_over(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t ns, enum account_slot state)
{
	REQUIRES(thread->is_busy);
	if (sides_are_known(loss))
		loss_waited(thread, loss, NULL, ns, state, wait_makes_entry(state));
	else
		waited_by_origins(thread, loss, ns, state);
}

void stmlog_waited_on(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t ns)
{
	if (!thread_enter(thread))
		return;
	enum account_slot state = wait_state(loss);
	if (thread_is_in(thread, ATTEMPT_STATE) && thread->so_far.failed_ns == 0 && state != OUTSIDE_STATE)
		wait_is_over(thread, loss, ns, state);
	else
		thread_misuse(thread,
			"stmlog_waited without an attempt under way, or with a cause that no pause or wait has");
	thread_leave(thread);
}
