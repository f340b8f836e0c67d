/* SPDX-License-Identifier: MIT
 * The hooks for blocked transactions: after a retry, they wait until something changes that they have read. The blocked
 * time goes to the account, the row of the site where the transaction begins and, while a timeline runs, the timeline.
 * It is not a loss. */
#include <stmlog/runtime.h>

#include "loss.h"
#include "off_processor.h"
#include "session.h"
#include "thread.h"
#include "timeline.h"

/* The sites' rows change before the account. A reader reads the account first, so the rows have all that it finds in
 * the account. */
static void count_futile_wake(struct stmlog_thread *thread)
{
	if (thread->distribution != NULL)
		tries_add_futile_wake(thread->distribution, thread->site);
	account_add_futile_wake(&thread->account);
}

static void begin(struct stmlog_thread *thread)
{
	if (thread->blocked_transaction == thread->transaction)
		count_futile_wake(thread);
	account_interrupt(&thread->account, off_processor_end_ns(thread), BLOCKED_STATE);
	if (timeline_is_on()) {
		struct stmlog_loss none = stmlog_loss_make(STMLOG_WAIT, STMLOG_NONE, NULL);
		loss_event_wait_begin(thread, &none, STMLOG_WAIT_FOR_CHANGE, account_since_ns(&thread->account));
	}
}

void stmlog_blocked_begin_on(struct stmlog_thread *thread)
{
	if (!thread_enter(thread))
		return;
	if (thread_is_in(thread, ABORTED_STATE))
		begin(thread);
	else
		thread_misuse(thread, "stmlog_blocked_begin without an abort before");
	thread_leave(thread);
}

static void end(struct stmlog_thread *thread)
{
	struct account *account = &thread->account;
	uint64_t now_ns = account_no_earlier(account, off_processor_end_ns(thread));
	uint64_t blocked_ns = account_elapsed_ns(account, now_ns);
	if (thread->distribution != NULL)
		tries_add_blocked(thread->distribution, thread->site, account->sampled.extra_weight, blocked_ns);
	account_resume(account, now_ns);
	thread->blocked_transaction = thread->transaction;
	if (timeline_is_on())
		loss_event_wait_end(thread, account_since_ns(account));
}

void stmlog_blocked_end_on(struct stmlog_thread *thread)
{
	if (!thread_enter(thread))
		return;
	if (thread_is_in(thread, BLOCKED_STATE))
		end(thread);
	else
		thread_misuse(thread, "stmlog_blocked_end without stmlog_blocked_begin");
	thread_leave(thread);
}

void stmlog_was_blocked_on(struct stmlog_thread *thread, struct tb_site site, uint64_t ns, bool has_blocked_again)
{
	if (!thread_enter(thread))
		return;
	if (thread->distribution != NULL) {
		tries_add_blocked(thread->distribution, site, 0, ns);
		if (has_blocked_again)
			tries_add_futile_wake(thread->distribution, site);
	}
	account_add_unattached(&thread->account, ns, has_blocked_again);
	thread_leave(thread);
	session_has_more();
}
