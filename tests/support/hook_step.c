/* SPDX-License-Identifier: MIT */
#include "hook_step.h"

#include <stmlog/agent.h>

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

/* A side of a loss: frames, or NULL, by its origin. */
static struct tb_frame *draw_side(struct random *random, struct stmlog_thread *handle)
{
	return random_below(random, 2) == 0 ? draw_traceback(random, handle) : NULL;
}

/* None, one that a hook has returned or, unless `is_sane`, such a one with other bits. */
static uint64_t draw_origin(struct random *random, const struct model *model, bool is_sane)
{
	if (random_below(random, 3) == 0)
		return 0;
	uint64_t origin = model->origins[random_below(random, MODEL_ORIGINS)];
	if (is_sane || random_below(random, 2) == 0)
		return origin;
	return origin ^ (uint64_t)1 << random_below(random, 64) ^ (uint64_t)1 << random_below(random, 64);
}

static uint64_t draw_at_ns(
	struct random *random, const struct model *model, const struct model_step *step, bool is_sane)
{
	uint64_t last_ns = model->handles[step->handle].last_ns;
	if (step->hook == HOOK_ABORT && (!step->has_loss || random_below(random, 3) != 0))
		return 0;
	if (!is_sane)
		return step->now_ns + random_below(random, 200) - 150;
	return last_ns + random_below(random, (uint32_t)(step->now_ns - last_ns) + 1);
}

static void draw_cause(struct random *random, struct model_step *step, bool is_sane)
{
	unsigned too_many = is_sane ? 0 : 2;
	step->has_loss =
		step->hook == HOOK_WAITED || step->hook == HOOK_WAITED_UNMEASURED || random_below(random, 8) != 0;
	step->reason = (enum stmlog_reason)random_below(random, STMLOG_BLOCKED + 1 + too_many);
	step->contention = (enum stmlog_contention_kind)random_below(random, STMLOG_CONTENTIONS + too_many);
}

static void draw_sides(struct random *random, const struct model *model, struct model_step *step,
	struct stmlog_thread *handle, bool is_sane)
{
	step->own = draw_origin(random, model, is_sane);
	step->other = draw_origin(random, model, is_sane);
	step->local = draw_side(random, handle);
	step->remote = draw_side(random, handle);
}

static unsigned draw_task_event(struct random *random)
{
	const unsigned early = STMLOG_EVENT_TOUCH_RESUME - STMLOG_EVENT_TASK_CREATE + 1;
	const unsigned late = STMLOG_EVENT_HANDLE_END - STMLOG_EVENT_BLOCK_BEGIN + 1;
	unsigned number = random_below(random, early + late);
	return number < early ? STMLOG_EVENT_TASK_CREATE + number : STMLOG_EVENT_BLOCK_BEGIN + number - early;
}

struct model_step step_draw(struct random *random, const struct model *model,
	struct stmlog_thread *const handles[MODEL_HANDLES], uint64_t now_ns, bool is_sane)
{
	struct model_step step = {
		.hook = (enum model_hook)random_below(random, MODEL_HOOKS),
		.handle = random_below(random, MODEL_HANDLES),
		.object = 16 * random_below(random, 1000),
		.site = random_below(random, 2) == 0 ? TB_NO_SITE : tb_site_make(98, 1 + random_below(random, 5)),
		.now_ns = now_ns,
		.ns = random_below(random, 100),
		.weight = random_below(random, 4),
		.kind = draw_task_event(random),
	};
	struct stmlog_thread *handle = handles[step.handle];
	if (step.hook == HOOK_TASK)
		step.ns = 1 + random_below(random, 2);
	step.place = draw_traceback(random, handle);
	draw_cause(random, &step, is_sane);
	draw_sides(random, model, &step, handle, is_sane);
	step.at_ns = draw_at_ns(random, model, &step, is_sane);
	return step;
}

bool step_towards_outside(const struct model *model, unsigned number, uint64_t now_ns, struct model_step *step)
{
	const struct model_handle *handle = &model->handles[number];
	*step = (struct model_step){
		.handle = number,
		.now_ns = now_ns,
		.has_loss = true,
		.reason = STMLOG_USER_ABORT,
		.contention = STMLOG_NONE,
	};
	if (!handle->is_idle && handle->state <= IS_ABORTED)
		return false;
	if (handle->is_idle)
		step->hook = HOOK_CLAIM;
	else
		step->hook = handle->state == IS_ATTEMPT ? HOOK_ABORT : HOOK_WAIT_END;
	return true;
}

/* ---- playing ---- */

static struct stmlog_loss loss_of(const struct model_step *step)
{
	struct stmlog_loss loss = stmlog_loss_of(step->reason, step->contention, words[step->ns % 3]);
	loss.own = step->own;
	loss.other = step->other;
	loss.local = step->local;
	loss.remote = step->remote;
	loss.object = step->object;
	loss.other_object = step->ns % 2 == 0 ? step->object + 8 : 0;
	loss.overlap = (enum stmlog_overlap)(step->weight % (STMLOG_OVERLAP_ALIAS + 1));
	loss.grade = (enum stmlog_grade)(step->ns % STMLOG_GRADES);
	loss.at_ns = step->at_ns;
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
		stmlog_start_at(thread, step->at_ns, step->site, step->place);
		break;
	case HOOK_RETRY:
		stmlog_retry(thread);
		break;
	case HOOK_RETRY_AT:
		stmlog_retry_at(thread, step->place);
		break;
	case HOOK_COMMIT:
		if (step->now_ns % 2 != 0) /* both do the same */
			stmlog_commit_now(thread, stmlog_now_ns());
		else
			stmlog_commit(thread);
		break;
	case HOOK_COMMIT_AT:
		stmlog_commit_at(thread, step->at_ns);
		break;
	case HOOK_FAILED:
		stmlog_failed(thread);
		break;
	case HOOK_ABORT:
		stmlog_abort(thread, step->has_loss ? &loss : NULL);
		break;
	case HOOK_ABORT_OTHER:
		stmlog_abort_other(thread, step->has_loss ? &loss : NULL);
		break;
	default:
		break;
	}
}

bool step_makes_origin(const struct model_step *step)
{
	return step->hook == HOOK_ORIGIN || step->hook == HOOK_ORIGIN_AT || step->hook == HOOK_INEVITABLE;
}

static uint64_t play_origin(const struct model_step *step, struct stmlog_thread *thread)
{
	switch (step->hook) {
	case HOOK_ORIGIN:
		return stmlog_origin(thread, step->site);
	case HOOK_ORIGIN_AT:
		return stmlog_origin_at(thread, step->place);
	case HOOK_INEVITABLE:
		return stmlog_became_inevitable(thread, step->site);
	default:
		return 0;
	}
}

static void play_wait(const struct model_step *step, struct stmlog_thread *thread)
{
	const struct stmlog_loss loss = loss_of(step);
	switch (step->hook) {
	case HOOK_WAIT_BEGIN:
		stmlog_wait_begin(thread, step->has_loss ? &loss : NULL);
		break;
	case HOOK_WAIT_END:
		stmlog_wait_end(thread);
		break;
	case HOOK_WAITED:
		stmlog_waited(thread, &loss, step->ns);
		break;
	case HOOK_WAITED_UNMEASURED:
		stmlog_waited_unmeasured(thread, &loss, step->site, 1, step->ns, 0);
		break;
	case HOOK_WAS_BLOCKED:
		stmlog_was_blocked(thread, step->site, step->ns, step->ns % 2 != 0);
		break;
	default:
		break;
	}
}

static void play_timed(const struct model_step *step, struct stmlog_thread *thread)
{
	const struct stmlog_timed_transaction timed = {
		.site = step->site,
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
		stmlog_claim(thread);
		break;
	case HOOK_RELEASE:
		stmlog_release(thread);
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
		stmlog_task(thread, kind, task, NULL);
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

uint64_t step_play(const struct model_step *step, struct stmlog_thread *const handles[MODEL_HANDLES])
{
	struct stmlog_thread *thread = handles[step->handle];
	play_attempt(step, thread);
	play_wait(step, thread);
	play_lane_or_count(step, thread);
	play_event(step, thread);
	return play_origin(step, thread);
}
