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

static const struct stmlog_task_info allocation = {.word = "WORD", .value = 4096};

static void report_timed(struct stmlog_thread *thread)
{
	const struct stmlog_timed_transaction timed = {
		.site = TB_HERE(), .weight = 1, .has_committed = true, .committed_ns = 10};
	stmlog_timed(thread, &timed);
}

/* HOOK(name, state that it needs, state that it leaves, call) or, with a loss, LOSS(..., loss, call). */
#define EVERY_HOOK(HOOK, LOSS)                                                                                         \
	HOOK(start, OUTSIDE, ATTEMPT, stmlog_start(thread))                                                            \
	HOOK(start_at, OUTSIDE, ATTEMPT, stmlog_start_at(thread, stmlog_now_ns(), TB_HERE(), TB_UNKNOWN))              \
	HOOK(start_late, OUTSIDE, ATTEMPT, stmlog_start_late(thread, stmlog_now_ns(), TB_HERE(), TB_UNKNOWN, 2))       \
	HOOK(retry, ABORTED, ATTEMPT, stmlog_retry(thread))                                                            \
	HOOK(retry_at, ABORTED, ATTEMPT, stmlog_retry_at(thread, TB_UNKNOWN))                                          \
	HOOK(commit, ATTEMPT, OUTSIDE, stmlog_commit(thread))                                                          \
	HOOK(commit_now, ATTEMPT, OUTSIDE, stmlog_commit_now(thread, stmlog_now_ns()))                                 \
	HOOK(commit_at, ATTEMPT, OUTSIDE, stmlog_commit_at(thread, stmlog_now_ns()))                                   \
	HOOK(origin, ATTEMPT, ATTEMPT, stmlog_origin(thread, TB_NO_SITE))                                              \
	HOOK(origin_of_site, ATTEMPT, ATTEMPT, stmlog_origin(thread, TB_HERE()))                                       \
	HOOK(origin_at, ANY, ANY, stmlog_origin_at(thread, TB_UNKNOWN))                                                \
	HOOK(became_inevitable, ATTEMPT, ATTEMPT, stmlog_became_inevitable(thread, TB_HERE()))                         \
	LOSS(abort, ATTEMPT, ABORTED, known(STMLOG_SELF_ABORT, STMLOG_WRITE_READ), stmlog_abort(thread, &loss))        \
	LOSS(abort_at, ATTEMPT, ABORTED, known_at(stmlog_now_ns()), stmlog_abort(thread, &loss))                       \
	LOSS(abort_by_origins, ATTEMPT, ABORTED, by_origins(STMLOG_ABORTED_BY_OTHER, STMLOG_WRITE_WRITE),              \
		stmlog_abort(thread, &loss))                                                                           \
	HOOK(abort_unexplained, ATTEMPT, ABORTED, stmlog_abort(thread, NULL))                                          \
	LOSS(abort_other, ATTEMPT, ATTEMPT, by_origins(STMLOG_ABORTED_BY_OTHER, STMLOG_WRITE_WRITE),                   \
		stmlog_abort_other(thread, &loss))                                                                     \
	HOOK(failed, ATTEMPT, FAILED, stmlog_failed(thread))                                                           \
	LOSS(pause_begin, ATTEMPT, PAUSE, known(STMLOG_PAUSE, STMLOG_WRITE_WRITE), stmlog_wait_begin(thread, &loss))   \
	LOSS(pause_by_origins, ATTEMPT, PAUSE, by_origins(STMLOG_PAUSE, STMLOG_WRITE_WRITE),                           \
		stmlog_wait_begin(thread, &loss))                                                                      \
	HOOK(wait_end, PAUSE, ATTEMPT, stmlog_wait_end(thread))                                                        \
	LOSS(abort_in_pause, PAUSE, ABORTED, known(STMLOG_SELF_ABORT, STMLOG_WRITE_READ), stmlog_abort(thread, &loss)) \
	LOSS(abort_by_origins_in_pause, PAUSE, ABORTED, by_origins(STMLOG_ABORTED_BY_OTHER, STMLOG_WRITE_WRITE),       \
		stmlog_abort(thread, &loss))                                                                           \
	HOOK(commit_in_pause, PAUSE, OUTSIDE, stmlog_commit(thread))                                                   \
	LOSS(wait_begin, OUTSIDE, WAIT, known(STMLOG_WAIT, STMLOG_INEVITABLE), stmlog_wait_begin(thread, &loss))       \
	LOSS(wait_by_origins, OUTSIDE, WAIT, by_origins(STMLOG_WAIT, STMLOG_INEVITABLE),                               \
		stmlog_wait_begin(thread, &loss))                                                                      \
	LOSS(wait_for_segment, OUTSIDE, WAIT, known(STMLOG_WAIT, STMLOG_NONE), stmlog_wait_begin(thread, &loss))       \
	HOOK(wait_end_of_wait, WAIT, OUTSIDE, stmlog_wait_end(thread))                                                 \
	HOOK(other_begin, OUTSIDE, OTHER, stmlog_wait_begin(thread, NULL))                                             \
	HOOK(wait_end_of_other, OTHER, OUTSIDE, stmlog_wait_end(thread))                                               \
	LOSS(blocked_begin, ABORTED, BLOCKED, known(STMLOG_BLOCKED, STMLOG_NONE), stmlog_wait_begin(thread, &loss))    \
	HOOK(wait_end_of_blocked, BLOCKED, ABORTED, stmlog_wait_end(thread))                                           \
	LOSS(waited, ATTEMPT, ATTEMPT, known(STMLOG_PAUSE, STMLOG_WRITE_WRITE), stmlog_waited(thread, &loss, 1))       \
	LOSS(waited_unmeasured, OUTSIDE, OUTSIDE, known(STMLOG_PAUSE, STMLOG_WRITE_WRITE),                             \
		stmlog_waited_unmeasured(thread, &loss, TB_HERE(), 1, 1, 0))                                           \
	HOOK(was_blocked, ANY, ANY, stmlog_was_blocked(thread, TB_HERE(), 1, true))                                    \
	HOOK(was_woken, ANY, ANY, stmlog_was_woken(thread, TB_HERE(), TB_HERE()))                                      \
	HOOK(is_blocked_for_ever, ANY, ANY, stmlog_is_blocked_for_ever(thread, TB_HERE()))                             \
	HOOK(count_reads, OUTSIDE, OUTSIDE, stmlog_count_reads(thread, 1))                                             \
	HOOK(unmeasured, ANY, ANY, stmlog_unmeasured(thread, 0, 0))                                                    \
	HOOK(set_weight, OUTSIDE, OUTSIDE, stmlog_set_weight(thread, every_hook_weight))                               \
	HOOK(set_loss_weight, ANY, ANY, stmlog_set_loss_weight(thread, every_hook_weight))                             \
	HOOK(timed, OUTSIDE, OUTSIDE, report_timed(thread))                                                            \
	HOOK(descheduled, ANY, ANY, stmlog_descheduled(thread, 1, 1))                                                  \
	HOOK(read_unmeasured_by, ANY, ANY, stmlog_read_unmeasured_by(thread, read_none, NULL))                         \
	HOOK(unavailable, ANY, ANY, stmlog_count_unavailable_traceback(thread))                                        \
	HOOK(claim, IDLE, CLAIMED, stmlog_claim(thread))                                                               \
	HOOK(release, CLAIMED, IDLE, stmlog_release(thread))                                                           \
	HOOK(region_begin, ANY, ANY, stmlog_region_begin(thread, "REGION", 1))                                         \
	HOOK(region_end, ANY, ANY, stmlog_region_end(thread, 1))                                                       \
	HOOK(counter, ANY, ANY, stmlog_counter(thread, "COUNTER", 1))                                                  \
	HOOK(mark, ANY, ANY, stmlog_mark(thread, "MARK", 1))                                                           \
	/* Each of the rest is legal behind the one before it. */                                                      \
	HOOK(task, ANY, ANY, stmlog_task(thread, STMLOG_EVENT_TOUCH_PAUSE, 7, &allocation))                            \
	HOOK(task_create, ANY, ANY, stmlog_task_create(thread, 7))                                                     \
	HOOK(task_start, ANY, ANY, stmlog_task_start(thread, 7))                                                       \
	HOOK(task_suspend, ANY, ANY, stmlog_task_suspend(thread, 7))                                                   \
	HOOK(task_resume, ANY, ANY, stmlog_task_resume(thread, 7))                                                     \
	HOOK(task_end, ANY, ANY, stmlog_task_end(thread, 7))                                                           \
	HOOK(touch_pause, ANY, ANY, stmlog_touch_pause(thread, 7))                                                     \
	HOOK(touch_resume, ANY, ANY, stmlog_touch_resume(thread, 7))

#define DEFINE_HOOK(name, needed, left, call)                 \
	static void call_##name(struct stmlog_thread *thread) \
	{                                                     \
		call;                                         \
	}
#define DEFINE_LOSS(name, needed, left, made, call)           \
	static void call_##name(struct stmlog_thread *thread) \
	{                                                     \
		const struct stmlog_loss loss = made;         \
		call;                                         \
	}
EVERY_HOOK(DEFINE_HOOK, DEFINE_LOSS)

#define ROW(title, needed, left, ...) {#title, STATE_##needed, STATE_##left, call_##title},
const struct every_hook every_hook[] = {EVERY_HOOK(ROW, ROW)};
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
