/* SPDX-License-Identifier: MIT */
#include "every_hook.h"

#include <stmlog/agent.h>

#include "losses.h"

enum { OBJECT = 64 };

uint64_t every_hook_other;
uint32_t every_hook_weight = 1;

static uint64_t own; /* origin of a write in the attempt that every_hook_prepare() has begun */

/* A loss of which the hook looks up both sides. */
static struct stmlog_loss by_origins(enum stmlog_reason reason, enum stmlog_contention_kind contention)
{
	struct stmlog_loss loss = stmlog_loss_of(reason, contention, "WORD");
	loss.own = own;
	loss.other = every_hook_other;
	loss.object = OBJECT;
	return loss;
}

/* A loss with both sides, which are unknown: handlers call these hooks, so they must not ask the shadow stack for a
 * traceback by themselves. */
static struct stmlog_loss known(enum stmlog_reason reason, enum stmlog_contention_kind contention)
{
	return stmlog_loss_make(reason, contention, "WORD");
}

static struct stmlog_loss known_at(uint64_t at_ns)
{
	struct stmlog_loss loss = known(STMLOG_SELF_ABORT, STMLOG_WRITE_READ);
	loss.at_ns = at_ns;
	return loss;
}

static bool read_none(void *arg, struct stmlog_unmeasured_counts *counts)
{
	(void)arg;
	*counts = (struct stmlog_unmeasured_counts){.commits = 0};
	return true;
}

#define HOOK(name, call)                                      \
	static void call_##name(struct stmlog_thread *thread) \
	{                                                     \
		call;                                         \
	}
#define LOSS_HOOK(name, made, call)                           \
	static void call_##name(struct stmlog_thread *thread) \
	{                                                     \
		const struct stmlog_loss loss = made;         \
		call;                                         \
	}

HOOK(start, stmlog_start(thread))
HOOK(start_at, stmlog_start_at(thread, stmlog_now_ns(), TB_HERE(), TB_UNKNOWN))
HOOK(start_late, stmlog_start_late(thread, stmlog_now_ns(), TB_HERE(), TB_UNKNOWN, 2))
HOOK(retry, stmlog_retry(thread))
HOOK(retry_at, stmlog_retry_at(thread, TB_UNKNOWN))
HOOK(commit, stmlog_commit(thread))
HOOK(commit_now, stmlog_commit_now(thread, stmlog_now_ns()))
HOOK(commit_at, stmlog_commit_at(thread, stmlog_now_ns()))
HOOK(origin, stmlog_origin(thread, TB_NO_SITE))
HOOK(origin_of_site, stmlog_origin(thread, TB_HERE()))
HOOK(origin_at, stmlog_origin_at(thread, TB_UNKNOWN))
HOOK(became_inevitable, stmlog_became_inevitable(thread, TB_HERE()))
LOSS_HOOK(abort, known(STMLOG_SELF_ABORT, STMLOG_WRITE_READ), stmlog_abort(thread, &loss))
LOSS_HOOK(abort_at, known_at(stmlog_now_ns()), stmlog_abort(thread, &loss))
LOSS_HOOK(abort_by_origins, by_origins(STMLOG_ABORTED_BY_OTHER, STMLOG_WRITE_WRITE), stmlog_abort(thread, &loss))
HOOK(abort_unexplained, stmlog_abort(thread, NULL))
LOSS_HOOK(abort_other, by_origins(STMLOG_ABORTED_BY_OTHER, STMLOG_WRITE_WRITE), stmlog_abort_other(thread, &loss))
HOOK(failed, stmlog_failed(thread))
LOSS_HOOK(pause_begin, known(STMLOG_PAUSE, STMLOG_WRITE_WRITE), stmlog_wait_begin(thread, &loss))
LOSS_HOOK(pause_by_origins, by_origins(STMLOG_PAUSE, STMLOG_WRITE_WRITE), stmlog_wait_begin(thread, &loss))
LOSS_HOOK(wait_begin, known(STMLOG_WAIT, STMLOG_INEVITABLE), stmlog_wait_begin(thread, &loss))
LOSS_HOOK(wait_by_origins, by_origins(STMLOG_WAIT, STMLOG_INEVITABLE), stmlog_wait_begin(thread, &loss))
LOSS_HOOK(wait_for_segment, known(STMLOG_WAIT, STMLOG_NONE), stmlog_wait_begin(thread, &loss))
LOSS_HOOK(blocked_begin, known(STMLOG_BLOCKED, STMLOG_NONE), stmlog_wait_begin(thread, &loss))
HOOK(other_begin, stmlog_wait_begin(thread, NULL))
HOOK(wait_end, stmlog_wait_end(thread))
LOSS_HOOK(waited, known(STMLOG_PAUSE, STMLOG_WRITE_WRITE), stmlog_waited(thread, &loss, 1))
LOSS_HOOK(waited_unmeasured, known(STMLOG_PAUSE, STMLOG_WRITE_WRITE),
	stmlog_waited_unmeasured(thread, &loss, TB_HERE(), 1, 0))
HOOK(was_blocked, stmlog_was_blocked(thread, TB_HERE(), 1, true))
HOOK(was_woken, stmlog_was_woken(thread, TB_HERE(), TB_HERE()))
HOOK(is_blocked_for_ever, stmlog_is_blocked_for_ever(thread, TB_HERE()))
HOOK(count_reads, stmlog_count_reads(thread, 1))
HOOK(unmeasured, stmlog_unmeasured(thread, 0, 0))
HOOK(set_weight, stmlog_set_weight(thread, every_hook_weight))
HOOK(set_loss_weight, stmlog_set_loss_weight(thread, every_hook_weight))
HOOK(descheduled, stmlog_descheduled(thread, 1, 1))
HOOK(read_unmeasured_by, stmlog_read_unmeasured_by(thread, read_none, NULL))
HOOK(unavailable, stmlog_count_unavailable_traceback(thread))
HOOK(claim, stmlog_claim(thread))
HOOK(release, stmlog_release(thread))
HOOK(region_begin, stmlog_region_begin(thread, "REGION", 1))
HOOK(region_end, stmlog_region_end(thread, 1))
HOOK(counter, stmlog_counter(thread, "COUNTER", 1))
HOOK(mark, stmlog_mark(thread, "MARK", 1))
static const struct stmlog_task_info allocation = {.word = "WORD", .value = 4096};
HOOK(task, stmlog_task(thread, STMLOG_EVENT_TOUCH_PAUSE, 7, &allocation))
HOOK(task_create, stmlog_task_create(thread, 7))
HOOK(task_start, stmlog_task_start(thread, 7))
HOOK(task_suspend, stmlog_task_suspend(thread, 7))
HOOK(task_resume, stmlog_task_resume(thread, 7))
HOOK(task_end, stmlog_task_end(thread, 7))
HOOK(touch_pause, stmlog_touch_pause(thread, 7))
HOOK(touch_resume, stmlog_touch_resume(thread, 7))

static void call_timed(struct stmlog_thread *thread)
{
	const struct stmlog_timed_transaction timed = {
		.site = TB_HERE(), .weight = 1, .has_committed = true, .committed_ns = 10};
	stmlog_timed(thread, &timed);
}

#define ROW(title, needed, left)                                                                      \
	{                                                                                             \
		.name = #title, .needs = STATE_##needed, .leaves = STATE_##left, .call = call_##title \
	}

const struct every_hook every_hook[] = {
	ROW(start, OUTSIDE, ATTEMPT),
	ROW(start_at, OUTSIDE, ATTEMPT),
	ROW(start_late, OUTSIDE, ATTEMPT),
	ROW(retry, ABORTED, ATTEMPT),
	ROW(retry_at, ABORTED, ATTEMPT),
	ROW(commit, ATTEMPT, OUTSIDE),
	ROW(commit_now, ATTEMPT, OUTSIDE),
	ROW(commit_at, ATTEMPT, OUTSIDE),
	ROW(origin, ATTEMPT, ATTEMPT),
	ROW(origin_of_site, ATTEMPT, ATTEMPT),
	ROW(origin_at, ANY, ANY),
	ROW(became_inevitable, ATTEMPT, ATTEMPT),
	ROW(abort, ATTEMPT, ABORTED),
	ROW(abort_at, ATTEMPT, ABORTED),
	ROW(abort_by_origins, ATTEMPT, ABORTED),
	ROW(abort_unexplained, ATTEMPT, ABORTED),
	ROW(abort_other, ATTEMPT, ATTEMPT),
	ROW(failed, ATTEMPT, FAILED),
	ROW(pause_begin, ATTEMPT, PAUSE),
	ROW(pause_by_origins, ATTEMPT, PAUSE),
	ROW(wait_end, PAUSE, ATTEMPT),
	ROW(abort, PAUSE, ABORTED),
	ROW(abort_by_origins, PAUSE, ABORTED),
	ROW(commit, PAUSE, OUTSIDE),
	ROW(wait_begin, OUTSIDE, WAIT),
	ROW(wait_by_origins, OUTSIDE, WAIT),
	ROW(wait_for_segment, OUTSIDE, WAIT),
	ROW(wait_end, WAIT, OUTSIDE),
	ROW(other_begin, OUTSIDE, OTHER),
	ROW(wait_end, OTHER, OUTSIDE),
	ROW(blocked_begin, ABORTED, BLOCKED),
	ROW(wait_end, BLOCKED, ABORTED),
	ROW(waited, ATTEMPT, ATTEMPT),
	ROW(waited_unmeasured, OUTSIDE, OUTSIDE),
	ROW(was_blocked, ANY, ANY),
	ROW(was_woken, ANY, ANY),
	ROW(is_blocked_for_ever, ANY, ANY),
	ROW(count_reads, OUTSIDE, OUTSIDE),
	ROW(unmeasured, ANY, ANY),
	ROW(set_weight, OUTSIDE, OUTSIDE),
	ROW(set_loss_weight, ANY, ANY),
	ROW(timed, OUTSIDE, OUTSIDE),
	ROW(descheduled, ANY, ANY),
	ROW(read_unmeasured_by, ANY, ANY),
	ROW(unavailable, ANY, ANY),
	ROW(claim, IDLE, CLAIMED),
	ROW(release, CLAIMED, IDLE),
	ROW(region_begin, ANY, ANY),
	ROW(region_end, ANY, ANY),
	ROW(counter, ANY, ANY),
	ROW(mark, ANY, ANY),
	/* Each is legal behind the one before it. */
	ROW(task, ANY, ANY),
	ROW(task_create, ANY, ANY),
	ROW(task_start, ANY, ANY),
	ROW(task_suspend, ANY, ANY),
	ROW(task_resume, ANY, ANY),
	ROW(task_end, ANY, ANY),
	ROW(touch_pause, ANY, ANY),
	ROW(touch_resume, ANY, ANY),
};
const size_t every_hook_len = sizeof every_hook / sizeof every_hook[0];

void every_hook_prepare(struct stmlog_thread *thread, enum hook_state needs)
{
	if (needs == STATE_OTHER)
		stmlog_wait_begin(thread, NULL);
	if (needs == STATE_WAIT)
		wait_for_segment(thread);
	if (needs == STATE_IDLE)
		stmlog_release(thread);
	if (needs != STATE_ABORTED && needs != STATE_BLOCKED && needs != STATE_ATTEMPT && needs != STATE_PAUSE)
		return;
	stmlog_start(thread);
	own = stmlog_origin(thread, TB_NO_SITE);
	if (needs == STATE_PAUSE)
		pause_over_write(thread, OBJECT, every_hook_other, "WORD");
	if (needs == STATE_ABORTED || needs == STATE_BLOCKED)
		abort_asked(thread, "WORD");
	if (needs == STATE_BLOCKED)
		wait_blocked(thread);
}
