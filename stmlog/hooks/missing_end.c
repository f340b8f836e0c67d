/* SPDX-License-Identifier: MIT
 * Ends a pause, wait, other work or blocked time whose end is missing. It is not known when it ended, nor how its
 * attempt ended. So its time counts neither as a loss nor as committed, but as `other`. */
#include "missing_end.h"

#include "loss_events.h"
#include "off_processor.h"
#include "timeline.h"

/* A gap of one event stands for the end of the attempt, which was not recorded. */
static void put_events(struct stmlog_thread *thread, bool had_attempt)
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

static void make_up(struct stmlog_thread *thread, enum account_slot next)
{
	bool had_attempt = thread->account.resume_state == ATTEMPT_STATE;
	release_tracebacks(thread);
	account_abandon(&thread->account, off_processor_end_ns(thread), next);
	if (had_attempt)
		attempts_end(&thread->attempts);
	if (inbox_has_mail(&thread->inbox))
		inbox_clear(&thread->inbox);
	thread->failed_ns = 0;
	thread->descheduled_ns = 0;
	if (timeline_is_on())
		put_events(thread, had_attempt);
}

__attribute__((cold)) bool missing_end_make_up(struct stmlog_thread *thread, bool is_retry)
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
	make_up(thread, is_retry ? ABORTED_STATE : OUTSIDE_STATE);
	return true;
}
