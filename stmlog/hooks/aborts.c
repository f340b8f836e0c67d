/* SPDX-License-Identifier: MIT
 * The hooks for aborts. */
#include <stmlog/agent.h>

#include "misuse.h"
#include "off_processor.h"
#include "sides.h"
#include "waits.h"

/* Whether an abort may have this cause, by the table of causes. */
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

static bool is_right(const struct stmlog_loss *loss)
{
	return loss == NULL || (sides_have_size(loss) && is_abort_cause(&loss->cause));
}

/* The attempt is over, whatever the cause: its retry or the next transaction follows. */
static __attribute__((noinline)) void abort_by_origins(
	struct stmlog_thread *thread, const struct stmlog_loss *given, const void *caller)
{
	bool is_known = is_right(given);
	if (!is_known)
		misuse_count("stmlog_abort with a cause that no abort has, or a loss without its size");
	struct sides sides;
	sides_find(thread, given, caller, &sides);
	if (!is_known)
		sides.loss.cause = (struct stmlog_cause){STMLOG_SELF_ABORT, STMLOG_NONE, NULL};
	loss_abort(thread, &sides.loss, &sides.to, sides.loss.at_ns);
	sides_release(thread, &sides);
}

static inline void abort_attempt(struct stmlog_thread *thread, const struct stmlog_loss *loss, const void *caller)
{
	if (sides_are_known(loss) && STMLOG_LIKELY(is_abort_cause(&loss->cause)))
		loss_abort(thread, loss, NULL, loss->at_ns);
	else
		abort_by_origins(thread, loss, caller);
}

/* Out of line, and a tail call, so that the usual path saves no more registers. */
static __attribute__((cold, noinline)) void abort_within_wait(
	struct stmlog_thread *thread, const struct stmlog_loss *loss, const void *caller)
{
	if (wait_end_for_attempt(thread))
		abort_attempt(thread, loss, caller);
	else
		thread_misuse(thread, "stmlog_abort without an attempt under way");
	thread_leave(thread);
}

void stmlog_abort_on(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	if (!thread_enter(thread))
		return;
	if (!thread_is_in(thread, ATTEMPT_STATE)) {
		abort_within_wait(thread, loss, __builtin_return_address(0));
		return;
	}
	abort_attempt(thread, loss, __builtin_return_address(0));
	thread_leave(thread);
}

void stmlog_failed_on(struct stmlog_thread *thread)
{
	if (!thread_enter(thread))
		return;
	if (!thread_is_in(thread, ATTEMPT_STATE))
		thread_misuse(thread, "stmlog_failed without an attempt under way");
	else if (thread->so_far.failed_ns == 0)
		thread_change_so_far(thread)->failed_ns = off_processor_end_ns(thread);
	thread_leave(thread);
}

static void abort_other(struct stmlog_thread *thread, const struct stmlog_loss *given, const void *caller)
{
	struct sides sides;
	sides_find(thread, given, caller, &sides);
	loss_event_abort_other(thread, &sides.loss);
	sides_release(thread, &sides);
}

void stmlog_abort_other_on(struct stmlog_thread *thread, const struct stmlog_loss *loss)
{
	if (!thread_enter(thread))
		return;
	if (!thread_is_in(thread, ATTEMPT_STATE) || !is_right(loss))
		thread_misuse(
			thread, "stmlog_abort_other without an attempt under way, or with a cause that no abort has");
	else if (timeline_is_on())
		abort_other(thread, loss, __builtin_return_address(0));
	thread_leave(thread);
}
