/* SPDX-License-Identifier: MIT */
#include "every_hook.h"

#include <stmlog/runtime.h>

enum { OBJECT = 64 };

struct stmlog_other every_hook_other;
uint32_t every_hook_weight = 1;

/* Handlers call these, so they must not ask the shadow stack for a traceback by themselves. */
static struct stmlog_loss loss_of(enum stmlog_reason reason, enum stmlog_contention_kind contention)
{
	return stmlog_loss_make(reason, contention, "WORD");
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
#define LOSS_HOOK(name, reason, contention, call)                            \
	static void call_##name(struct stmlog_thread *thread)                \
	{                                                                    \
		const struct stmlog_loss loss = loss_of(reason, contention); \
		call;                                                        \
	}

HOOK(start, stmlog_start(thread))
HOOK(start_at, stmlog_start_at(thread, stmlog_now_ns(), TB_HERE(), TB_UNKNOWN))
HOOK(start_late, stmlog_start_late(thread, stmlog_now_ns(), TB_HERE(), TB_UNKNOWN, 2))
HOOK(retry, stmlog_retry(thread))
HOOK(retry_at, stmlog_retry_at(thread, TB_UNKNOWN))
HOOK(commit, stmlog_commit(thread))
HOOK(commit_at, stmlog_commit_at(thread, stmlog_now_ns()))
HOOK(wrote, stmlog_wrote(thread, OBJECT))
HOOK(wrote_at, stmlog_wrote_at(thread, OBJECT + 8, TB_UNKNOWN))
HOOK(origin, stmlog_origin(thread))
HOOK(origin_here, stmlog_origin_here(thread, TB_HERE()))
HOOK(origin_at, stmlog_origin_at(thread, TB_UNKNOWN))
HOOK(became_inevitable, stmlog_became_inevitable(thread))
HOOK(contention, stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, OBJECT, every_hook_other, "WORD"))
HOOK(contention_at, stmlog_contention_at(thread, STMLOG_READ_MEETS_WRITE, TB_UNKNOWN, OBJECT, every_hook_other, "WORD"))
HOOK(contention_from,
	stmlog_contention_from(thread, STMLOG_EARLIER_READ_MEETS_WRITE, 0, OBJECT, every_hook_other, "WORD"))
HOOK(contention_overlap, stmlog_contention_overlap(thread, STMLOG_OVERLAP_STRIPE, OBJECT + 8))
HOOK(abort_self, stmlog_abort_self(thread))
HOOK(abort_other, stmlog_abort_other(thread))
HOOK(pause_self, stmlog_pause_self(thread))
HOOK(aborted_by, stmlog_aborted_by(thread, every_hook_other, STMLOG_WRITE_WRITE, "WORD"))
HOOK(abort_asked, stmlog_abort_asked(thread, "WORD"))
HOOK(failed, stmlog_failed(thread))
LOSS_HOOK(abort, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, stmlog_abort(thread, &loss))
LOSS_HOOK(abort_at, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, stmlog_abort_at(thread, &loss, stmlog_now_ns()))
LOSS_HOOK(pause_begin, STMLOG_PAUSE, STMLOG_WRITE_WRITE, stmlog_pause_begin(thread, &loss))
HOOK(pause_end, stmlog_pause_end(thread))
HOOK(wait_inevitable, stmlog_wait_inevitable(thread, every_hook_other, "WORD"))
HOOK(wait_segment, stmlog_wait_segment(thread))
LOSS_HOOK(wait_begin, STMLOG_WAIT, STMLOG_INEVITABLE, stmlog_wait_begin(thread, &loss))
HOOK(wait_end, stmlog_wait_end(thread))
LOSS_HOOK(waited, STMLOG_PAUSE, STMLOG_WRITE_WRITE, stmlog_waited(thread, &loss, 1))
LOSS_HOOK(waited_unmeasured, STMLOG_PAUSE, STMLOG_WRITE_WRITE, stmlog_waited_unmeasured(thread, &loss, TB_HERE(), 1, 0))
HOOK(other_begin, stmlog_other_begin(thread))
HOOK(other_end, stmlog_other_end(thread))
HOOK(blocked_begin, stmlog_blocked_begin(thread))
HOOK(blocked_end, stmlog_blocked_end(thread))
HOOK(was_blocked, stmlog_was_blocked(thread, TB_HERE(), 1, true))
HOOK(unmeasured, stmlog_unmeasured(thread, 0, 0))
HOOK(set_weight, stmlog_set_weight(thread, every_hook_weight))
HOOK(set_loss_weight, stmlog_set_loss_weight(thread, every_hook_weight))
HOOK(descheduled, stmlog_descheduled(thread, 1, 1))
HOOK(read_unmeasured_by, stmlog_read_unmeasured_by(thread, read_none, NULL))
HOOK(unavailable, stmlog_count_unavailable_traceback(thread))
HOOK(lane_claim, stmlog_lane_claim(thread))
HOOK(lane_release, stmlog_lane_release(thread))
HOOK(region_begin, stmlog_region_begin(thread, "REGION", 1))
HOOK(region_end, stmlog_region_end(thread, 1))
HOOK(counter, stmlog_counter(thread, "COUNTER", 1))
HOOK(mark, stmlog_mark(thread, "MARK", 1))
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

#define ROW(name, needs, leaves)                                            \
	{                                                                   \
		"stmlog_" #name, STATE_##needs, STATE_##leaves, call_##name \
	}

const struct every_hook every_hook[] = {
	ROW(start, OUTSIDE, ATTEMPT),
	ROW(start_at, OUTSIDE, ATTEMPT),
	ROW(start_late, OUTSIDE, ATTEMPT),
	ROW(retry, ABORTED, ATTEMPT),
	ROW(retry_at, ABORTED, ATTEMPT),
	ROW(commit, ATTEMPT, OUTSIDE),
	ROW(commit_at, ATTEMPT, OUTSIDE),
	ROW(wrote, ATTEMPT, ATTEMPT),
	ROW(wrote_at, ATTEMPT, ATTEMPT),
	ROW(origin, ATTEMPT, ATTEMPT),
	ROW(origin_here, ATTEMPT, ATTEMPT),
	ROW(origin_at, ANY, ANY),
	ROW(became_inevitable, ATTEMPT, ATTEMPT),
	ROW(contention, ATTEMPT, CONFLICT),
	ROW(contention_at, ATTEMPT, CONFLICT),
	ROW(contention_from, ATTEMPT, CONFLICT),
	ROW(contention_overlap, CONFLICT, CONFLICT),
	ROW(abort_self, CONFLICT, ABORTED),
	ROW(abort_other, CONFLICT, ATTEMPT),
	ROW(pause_self, CONFLICT, PAUSE),
	ROW(aborted_by, ATTEMPT, ABORTED),
	ROW(abort_asked, ATTEMPT, ABORTED),
	ROW(failed, ATTEMPT, FAILED),
	ROW(abort, ATTEMPT, ABORTED),
	ROW(abort_at, ATTEMPT, ABORTED),
	ROW(pause_begin, ATTEMPT, PAUSE),
	ROW(pause_end, PAUSE, ATTEMPT),
	ROW(wait_inevitable, OUTSIDE, WAIT),
	ROW(wait_segment, OUTSIDE, WAIT),
	ROW(wait_begin, OUTSIDE, WAIT),
	ROW(wait_end, WAIT, OUTSIDE),
	ROW(waited, ATTEMPT, ATTEMPT),
	ROW(waited_unmeasured, OUTSIDE, OUTSIDE),
	ROW(other_begin, OUTSIDE, OTHER),
	ROW(other_end, OTHER, OUTSIDE),
	ROW(blocked_begin, ABORTED, BLOCKED),
	ROW(blocked_end, BLOCKED, ABORTED),
	ROW(was_blocked, ANY, ANY),
	ROW(unmeasured, ANY, ANY),
	ROW(set_weight, OUTSIDE, OUTSIDE),
	ROW(set_loss_weight, ANY, ANY),
	ROW(timed, OUTSIDE, OUTSIDE),
	ROW(descheduled, ANY, ANY),
	ROW(read_unmeasured_by, ANY, ANY),
	ROW(unavailable, ANY, ANY),
	ROW(lane_claim, IDLE, CLAIMED),
	ROW(lane_release, CLAIMED, IDLE),
	ROW(region_begin, ANY, ANY),
	ROW(region_end, ANY, ANY),
	ROW(counter, ANY, ANY),
	ROW(mark, ANY, ANY),
	/* Each is legal behind the one before it. */
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
		stmlog_other_begin(thread);
	if (needs == STATE_WAIT)
		stmlog_wait_segment(thread);
	if (needs == STATE_IDLE)
		stmlog_lane_release(thread);
	if (needs != STATE_ABORTED && needs != STATE_BLOCKED && needs != STATE_ATTEMPT && needs != STATE_CONFLICT &&
		needs != STATE_PAUSE)
		return;
	stmlog_start(thread);
	stmlog_wrote(thread, OBJECT);
	if (needs == STATE_CONFLICT || needs == STATE_PAUSE)
		stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, OBJECT, every_hook_other, "WORD");
	if (needs == STATE_PAUSE)
		stmlog_pause_self(thread);
	if (needs == STATE_ABORTED || needs == STATE_BLOCKED)
		stmlog_abort_asked(thread, "WORD");
	if (needs == STATE_BLOCKED)
		stmlog_blocked_begin(thread);
}
