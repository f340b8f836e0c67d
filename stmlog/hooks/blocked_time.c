/* SPDX-License-Identifier: MIT
 * Accounts for blocked time. */
#include "waits.h"

#include "check.h"
#include "loss.h"
#include "off_processor.h"
#include "session.h"
#include "timeline.h"

/* The sites' rows change before the account. A reader reads the account first, so the rows have all that it finds in
 * the account. */
static void count_futile_wake(struct stmlog_thread *thread)
{
	tries_add_futile_wake(&thread->distribution, thread->site);
	account_add_futile_wake(&thread->account);
}

void blocked_time_begin(struct stmlog_thread *thread)
{
	REQUIRES(account_state(&thread->account) == ABORTED_STATE);
	if (thread->blocked_transaction == thread->transaction)
		count_futile_wake(thread);
	account_interrupt(&thread->account, off_processor_end_ns(thread), BLOCKED_STATE);
	if (timeline_is_on()) {
		struct stmlog_loss none = stmlog_loss_make(STMLOG_WAIT, STMLOG_NONE, NULL);
		loss_event_wait_begin(thread, &none, STMLOG_WAIT_FOR_CHANGE, account_since_ns(&thread->account));
	}
}

void blocked_time_end(struct stmlog_thread *thread)
{
	struct account *account = &thread->account;
	REQUIRES(account_state(account) == BLOCKED_STATE);
	uint64_t now_ns = account_no_earlier(account, off_processor_end_ns(thread));
	uint64_t blocked_ns = account_elapsed_ns(account, now_ns);
	tries_add_blocked(&thread->distribution, thread->site, account->sampled.extra_weight, blocked_ns);
	account_resume(account, now_ns);
	thread->blocked_transaction = thread->transaction;
	if (timeline_is_on())
		loss_event_wait_end(thread, account_since_ns(account));
}

void stmlog_was_woken_on(struct stmlog_thread *thread, struct tb_site site, struct tb_site waker)
{
	if (!thread_enter(thread))
		return;
	tries_add_wake(&thread->distribution, site, waker);
	thread_leave(thread);
}

void stmlog_is_blocked_for_ever_on(struct stmlog_thread *thread, struct tb_site site)
{
	if (!thread_enter(thread))
		return;
	tries_add_for_ever(&thread->distribution, site);
	thread_leave(thread);
}

void stmlog_was_blocked_on(struct stmlog_thread *thread, struct tb_site site, uint64_t ns, bool has_blocked_again)
{
	if (!thread_enter(thread))
		return;
	tries_add_blocked(&thread->distribution, site, 0, ns);
	if (has_blocked_again)
		tries_add_futile_wake(&thread->distribution, site);
	account_add_unattached(&thread->account, ns, has_blocked_again);
	thread_leave(thread);
	session_has_more();
}
