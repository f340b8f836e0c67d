/* SPDX-License-Identifier: MIT */
#include "hook_step.h"

#include <string.h>

static const char *const words[] = {"ONE", "TWO", NULL};

static struct tb_frame *draw_traceback(struct random *random, struct stmlog_thread *handle)
{
	switch (random_below(random, 4)) {
	case 0:
		return TB_UNKNOWN;
	case 1:
		return TB_EMPTY;
	default:
		return tb_current(stmlog_thread_stack(handle));
	}
}

static void draw_other(struct random *random, const struct model *model, struct model_step *step, bool is_sane)
{
	step->other = random_below(random, MODEL_HANDLES + 1);
	if (is_sane && step->other == step->handle)
		step->other = MODEL_HANDLES;
	step->other_attempt = 0;
	if (step->other >= MODEL_HANDLES || random_below(random, 3) == 0)
		return;
	uint64_t attempt = model->handles[step->other].attempt;
	step->other_attempt = attempt > 2 ? attempt - random_below(random, 3) : attempt;
}

static uint64_t draw_at_ns(
	struct random *random, const struct model *model, const struct model_step *step, bool is_sane)
{
	uint64_t last_ns = model->handles[step->handle].last_ns;
	if (step->hook == HOOK_ABORT_AT && random_below(random, 3) == 0)
		return 0;
	if (!is_sane)
		return step->now_ns + random_below(random, 200) - 150;
	return last_ns + random_below(random, (uint32_t)(step->now_ns - last_ns) + 1);
}

struct model_step step_draw(struct random *random, const struct model *model,
	struct stmlog_thread *const handles[MODEL_HANDLES], uint64_t now_ns, bool is_sane)
{
	static uintptr_t objects;
	unsigned too_many = is_sane ? 0 : 2;
	struct model_step step = {
		.hook = (enum model_hook)random_below(random, MODEL_HOOKS),
		.handle = random_below(random, MODEL_HANDLES),
		.reason = (enum stmlog_reason)random_below(random, STMLOG_REASONS + too_many),
		.contention = (enum stmlog_contention_kind)random_below(random, STMLOG_CONTENTIONS + too_many),
		.conflict = (enum stmlog_conflict)random_below(random, STMLOG_CONFLICTS + too_many),
		.object = is_sane || random_below(random, 4) != 0 ? 4096 + 16 * ++objects : 0,
		.now_ns = now_ns,
		.ns = random_below(random, 100),
		.weight = random_below(random, 4),
		.kind = STMLOG_EVENT_TASK_CREATE +
			random_below(random, STMLOG_EVENT_TOUCH_RESUME - STMLOG_EVENT_TASK_CREATE + 1),
	};
	if (step.hook == HOOK_TASK)
		step.ns = 1 + random_below(random, 2);
	step.at_ns = draw_at_ns(random, model, &step, is_sane);
	step.traceback = draw_traceback(random, handles[step.handle]);
	draw_other(random, model, &step, is_sane);
	return step;
}

bool step_towards_outside(const struct model *model, unsigned number, uint64_t now_ns, struct model_step *step)
{
	const struct model_handle *handle = &model->handles[number];
	static const enum model_hook by_state[] = {
		[IS_ATTEMPT] = HOOK_ABORT_ASKED,
		[IS_PAUSED] = HOOK_PAUSE_END,
		[IS_WAITING_INEVITABLE] = HOOK_WAIT_END,
		[IS_WAITING_NONE] = HOOK_WAIT_END,
		[IS_OTHER] = HOOK_OTHER_END,
		[IS_BLOCKED] = HOOK_BLOCKED_END,
	};
	*step = (struct model_step){.handle = number, .now_ns = now_ns, .other = MODEL_HANDLES};
	if (!handle->is_idle && handle->state <= IS_ABORTED)
		return false;
	step->hook = handle->is_idle ? HOOK_CLAIM : by_state[handle->state];
	return true;
}

/* ---- playing ---- */

static struct stmlog_other other_of(const struct model_step *step, struct stmlog_thread *const handles[MODEL_HANDLES])
{
	return stmlog_other_make(step->other < MODEL_HANDLES ? handles[step->other] : NULL, step->other_attempt);
}

static struct stmlog_loss loss_of(const struct model_step *step)
{
	struct stmlog_loss loss = stmlog_loss_make(step->reason, step->contention, words[step->ns % 3]);
	loss.local = step->traceback;
	loss.object = step->object;
	return loss;
}

static void play_attempt(const struct model_step *step, struct stmlog_thread *thread)
{
	const struct stmlog_loss loss = loss_of(step);
	switch (step->hook) {
	case HOOK_START:
		stmlog_start(thread);
		break;
	case HOOK_START_AT:
		stmlog_start_at(thread, step->at_ns, TB_HERE(), step->traceback);
		break;
	case HOOK_RETRY:
		stmlog_retry(thread);
		break;
	case HOOK_RETRY_AT:
		stmlog_retry_at(thread, step->traceback);
		break;
	case HOOK_COMMIT:
		stmlog_commit(thread);
		break;
	case HOOK_COMMIT_AT:
		stmlog_commit_at(thread, step->at_ns);
		break;
	case HOOK_FAILED:
		stmlog_failed(thread);
		break;
	case HOOK_ABORT:
		stmlog_abort(thread, &loss);
		break;
	case HOOK_ABORT_AT:
		stmlog_abort_at(thread, &loss, step->at_ns);
		break;
	case HOOK_ABORT_ASKED:
		stmlog_abort_asked(thread, "WORD");
		break;
	default:
		break;
	}
}

static void play_conflict(
	const struct model_step *step, struct stmlog_thread *thread, struct stmlog_thread *const handles[MODEL_HANDLES])
{
	struct stmlog_other other = other_of(step, handles);
	switch (step->hook) {
	case HOOK_CONTENTION:
		stmlog_contention(thread, step->conflict, step->object, other, words[step->ns % 3]);
		break;
	case HOOK_CONTENTION_AT:
		stmlog_contention_at(thread, step->conflict, step->traceback, step->object, other, NULL);
		break;
	case HOOK_CONTENTION_FROM:
		stmlog_contention_from(thread, step->conflict, stmlog_origin_at(thread, step->traceback), step->object,
			other, words[step->ns % 3]);
		break;
	case HOOK_CONTENTION_OVERLAP:
		stmlog_contention_overlap(thread, (enum stmlog_overlap)(step->weight % (STMLOG_OVERLAP_ALIAS + 1)),
			step->ns % 2 == 0 ? step->object : 0);
		break;
	case HOOK_ABORT_SELF:
		stmlog_abort_self(thread);
		break;
	case HOOK_ABORT_OTHER:
		stmlog_abort_other(thread);
		break;
	case HOOK_PAUSE_SELF:
		stmlog_pause_self(thread);
		break;
	case HOOK_ABORTED_BY:
		stmlog_aborted_by(thread, other, step->contention, words[step->ns % 3]);
		break;
	case HOOK_WAIT_INEVITABLE:
		stmlog_wait_inevitable(thread, other, words[step->ns % 3]);
		break;
	default:
		break;
	}
}

static void play_write(const struct model_step *step, struct stmlog_thread *thread)
{
	switch (step->hook) {
	case HOOK_WROTE:
		stmlog_wrote(thread, step->object);
		break;
	case HOOK_WROTE_AT:
		stmlog_wrote_at(thread, step->object, step->traceback);
		break;
	case HOOK_ORIGIN:
		stmlog_origin(thread);
		break;
	case HOOK_ORIGIN_HERE:
		stmlog_origin_here(thread, TB_HERE());
		break;
	case HOOK_ORIGIN_AT:
		stmlog_origin_at(thread, step->traceback);
		break;
	case HOOK_INEVITABLE:
		stmlog_became_inevitable(thread);
		break;
	default:
		break;
	}
}

static void play_wait(const struct model_step *step, struct stmlog_thread *thread)
{
	const struct stmlog_loss loss = loss_of(step);
	switch (step->hook) {
	case HOOK_PAUSE_BEGIN:
		stmlog_pause_begin(thread, &loss);
		break;
	case HOOK_PAUSE_END:
		stmlog_pause_end(thread);
		break;
	case HOOK_WAIT_SEGMENT:
		stmlog_wait_segment(thread);
		break;
	case HOOK_WAIT_BEGIN:
		stmlog_wait_begin(thread, &loss);
		break;
	case HOOK_WAIT_END:
		stmlog_wait_end(thread);
		break;
	case HOOK_WAITED:
		stmlog_waited(thread, &loss, step->ns);
		break;
	case HOOK_WAITED_UNMEASURED:
		stmlog_waited_unmeasured(thread, &loss, TB_HERE(), step->ns, 0);
		break;
	case HOOK_OTHER_BEGIN:
		stmlog_other_begin(thread);
		break;
	case HOOK_OTHER_END:
		stmlog_other_end(thread);
		break;
	case HOOK_BLOCKED_BEGIN:
		stmlog_blocked_begin(thread);
		break;
	case HOOK_BLOCKED_END:
		stmlog_blocked_end(thread);
		break;
	case HOOK_WAS_BLOCKED:
		stmlog_was_blocked(thread, TB_HERE(), step->ns, step->ns % 2 != 0);
		break;
	default:
		break;
	}
}

static void play_timed(const struct model_step *step, struct stmlog_thread *thread)
{
	const struct stmlog_timed_transaction timed = {
		.site = TB_HERE(),
		.weight = step->weight,
		.is_apart = step->ns % 2 != 0,
		.has_committed = step->ns % 3 != 0,
		.failed = step->ns % 5,
		.committed_ns = step->ns,
		.aborted_ns = step->ns / 2,
	};
	stmlog_timed(thread, &timed);
}

static void play_lane_or_count(const struct model_step *step, struct stmlog_thread *thread)
{
	switch (step->hook) {
	case HOOK_UNMEASURED:
		stmlog_unmeasured(thread, step->ns, 1);
		break;
	case HOOK_SET_WEIGHT:
		stmlog_set_weight(thread, step->weight);
		break;
	case HOOK_TIMED:
		play_timed(step, thread);
		break;
	case HOOK_DESCHEDULED:
		stmlog_descheduled(thread, step->ns, 1);
		break;
	case HOOK_CLAIM:
		stmlog_lane_claim(thread);
		break;
	case HOOK_RELEASE:
		stmlog_lane_release(thread);
		break;
	default:
		break;
	}
}

static void play_task(struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t task)
{
	switch (kind) {
	case STMLOG_EVENT_TASK_CREATE:
		stmlog_task_create(thread, task);
		break;
	case STMLOG_EVENT_TASK_START:
		stmlog_task_start(thread, task);
		break;
	case STMLOG_EVENT_TASK_SUSPEND:
		stmlog_task_suspend(thread, task);
		break;
	case STMLOG_EVENT_TASK_RESUME:
		stmlog_task_resume(thread, task);
		break;
	case STMLOG_EVENT_TASK_END:
		stmlog_task_end(thread, task);
		break;
	case STMLOG_EVENT_TOUCH_PAUSE:
		stmlog_touch_pause(thread, task);
		break;
	case STMLOG_EVENT_TOUCH_RESUME:
		stmlog_touch_resume(thread, task);
		break;
	default:
		break;
	}
}

static void play_event(const struct model_step *step, struct stmlog_thread *thread)
{
	switch (step->hook) {
	case HOOK_MARK:
		stmlog_mark(thread, "MARK", step->ns);
		break;
	case HOOK_COUNTER:
		stmlog_counter(thread, "COUNTER", step->ns);
		break;
	case HOOK_REGION_BEGIN:
		stmlog_region_begin(thread, "REGION", step->ns);
		break;
	case HOOK_REGION_END:
		stmlog_region_end(thread, step->ns);
		break;
	case HOOK_TASK:
		play_task(thread, step->kind, step->ns);
		break;
	default:
		break;
	}
}

void step_play(const struct model_step *step, struct stmlog_thread *const handles[MODEL_HANDLES])
{
	struct stmlog_thread *thread = handles[step->handle];
	play_attempt(step, thread);
	play_conflict(step, thread, handles);
	play_write(step, thread);
	play_wait(step, thread);
	play_lane_or_count(step, thread);
	play_event(step, thread);
}
