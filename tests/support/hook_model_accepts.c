/* SPDX-License-Identifier: MIT
 * Which calls of hooks the library accepts, and which runtime.h allows. */
#include "hook_model.h"

static bool is_abort_cause(const struct model_step *step)
{
	if ((unsigned)step->contention >= STMLOG_CONTENTIONS)
		return false;
	return step->reason == STMLOG_SELF_ABORT || step->reason == STMLOG_USER_ABORT ||
	       (step->reason == STMLOG_ABORTED_BY_OTHER && step->contention != STMLOG_INEVITABLE);
}

static bool is_pause_cause(const struct model_step *step)
{
	return step->reason == STMLOG_PAUSE && (unsigned)step->contention < STMLOG_CONTENTIONS;
}

static bool is_wait_cause(const struct model_step *step)
{
	return step->reason == STMLOG_WAIT &&
	       (step->contention == STMLOG_INEVITABLE || step->contention == STMLOG_NONE);
}

static bool has_conflict(const struct model_handle *handle)
{
	return handle->conflict_attempt == handle->attempt;
}

static bool accepts_task(const struct model_handle *handle, const struct model_step *step)
{
	switch (step->kind) {
	case STMLOG_EVENT_TASK_START:
	case STMLOG_EVENT_TASK_RESUME:
		return handle->task == 0;
	case STMLOG_EVENT_TASK_SUSPEND:
	case STMLOG_EVENT_TASK_END:
		return handle->task == 0 || handle->task == step->ns;
	case STMLOG_EVENT_TOUCH_PAUSE:
		return handle->touched == 0;
	case STMLOG_EVENT_TOUCH_RESUME:
		return handle->touched == 0 || handle->touched == step->ns;
	default:
		return true;
	}
}

/* The states of a handle in which a hook is accepted, as bits. A hook without a row is accepted in all of them. */
enum {
	IN_ATTEMPT = 1 << IS_ATTEMPT,
	BETWEEN_ATTEMPTS = 1 << IS_OUTSIDE | 1 << IS_ABORTED,
	NOT_INTERRUPTED = BETWEEN_ATTEMPTS | IN_ATTEMPT,
	IN_WAIT = 1 << IS_WAITING_INEVITABLE | 1 << IS_WAITING_NONE,
};

static const unsigned states_of[MODEL_HOOKS] = {
	[HOOK_START] = BETWEEN_ATTEMPTS,
	[HOOK_START_AT] = BETWEEN_ATTEMPTS,
	[HOOK_RETRY] = 1 << IS_ABORTED,
	[HOOK_RETRY_AT] = 1 << IS_ABORTED,
	[HOOK_COMMIT] = IN_ATTEMPT,
	[HOOK_COMMIT_AT] = IN_ATTEMPT,
	[HOOK_WROTE] = IN_ATTEMPT,
	[HOOK_WROTE_AT] = IN_ATTEMPT,
	[HOOK_ORIGIN] = IN_ATTEMPT,
	[HOOK_ORIGIN_HERE] = IN_ATTEMPT,
	[HOOK_INEVITABLE] = IN_ATTEMPT,
	[HOOK_CONTENTION] = IN_ATTEMPT,
	[HOOK_CONTENTION_AT] = IN_ATTEMPT,
	[HOOK_CONTENTION_FROM] = IN_ATTEMPT,
	[HOOK_CONTENTION_OVERLAP] = IN_ATTEMPT,
	[HOOK_ABORT_SELF] = IN_ATTEMPT,
	[HOOK_ABORT_OTHER] = IN_ATTEMPT,
	[HOOK_PAUSE_SELF] = IN_ATTEMPT,
	[HOOK_ABORTED_BY] = IN_ATTEMPT,
	[HOOK_ABORT_ASKED] = IN_ATTEMPT,
	[HOOK_FAILED] = IN_ATTEMPT,
	[HOOK_ABORT] = IN_ATTEMPT,
	[HOOK_ABORT_AT] = IN_ATTEMPT,
	[HOOK_PAUSE_BEGIN] = IN_ATTEMPT,
	[HOOK_PAUSE_END] = 1 << IS_PAUSED,
	[HOOK_WAIT_INEVITABLE] = NOT_INTERRUPTED,
	[HOOK_WAIT_SEGMENT] = NOT_INTERRUPTED,
	[HOOK_WAIT_BEGIN] = NOT_INTERRUPTED,
	[HOOK_WAIT_END] = IN_WAIT,
	[HOOK_WAITED] = IN_ATTEMPT,
	[HOOK_WAITED_UNMEASURED] = BETWEEN_ATTEMPTS,
	[HOOK_OTHER_BEGIN] = NOT_INTERRUPTED,
	[HOOK_OTHER_END] = 1 << IS_OTHER,
	[HOOK_BLOCKED_BEGIN] = 1 << IS_ABORTED,
	[HOOK_BLOCKED_END] = 1 << IS_BLOCKED,
	[HOOK_SET_WEIGHT] = BETWEEN_ATTEMPTS,
	[HOOK_TIMED] = BETWEEN_ATTEMPTS,
};

static bool accepts_state(const struct model_handle *handle, const struct model_step *step)
{
	unsigned states = states_of[step->hook];
	return states == 0 || (states & 1u << handle->state) != 0;
}

/* Whether the arguments are possible, and fit what the handle has reported before. */
static bool accepts_arguments(const struct model_handle *handle, const struct model_step *step)
{
	switch (step->hook) {
	case HOOK_SET_WEIGHT:
	case HOOK_TIMED:
		return step->weight > 0;
	case HOOK_WROTE:
	case HOOK_WROTE_AT:
		return step->object != 0;
	case HOOK_CONTENTION:
	case HOOK_CONTENTION_AT:
	case HOOK_CONTENTION_FROM:
		return (unsigned)step->conflict < STMLOG_CONFLICTS;
	case HOOK_PAUSE_SELF:
	case HOOK_CONTENTION_OVERLAP:
		return has_conflict(handle);
	case HOOK_ABORT_OTHER:
		return has_conflict(handle) && handle->conflict != STMLOG_INEVITABLE_MEETS_SAME;
	case HOOK_ABORTED_BY:
		return (unsigned)step->contention <= STMLOG_WRITE_READ || step->contention == STMLOG_DATA;
	case HOOK_ABORT:
	case HOOK_ABORT_AT:
		return is_abort_cause(step);
	case HOOK_PAUSE_BEGIN:
		return is_pause_cause(step);
	case HOOK_WAIT_BEGIN:
		return is_wait_cause(step);
	case HOOK_WAITED:
		return handle->failed_ns == 0 && (is_pause_cause(step) || is_wait_cause(step));
	case HOOK_WAITED_UNMEASURED:
		return is_pause_cause(step) || (is_wait_cause(step) && step->contention == STMLOG_INEVITABLE);
	default:
		return true;
	}
}

/* Of a handle that is not idle. */
static bool accepts(const struct model_handle *handle, const struct model_step *step)
{
	if (step->hook == HOOK_CLAIM)
		return false;
	if (step->hook == HOOK_RELEASE)
		return handle->is_lane;
	return accepts_state(handle, step) && accepts_arguments(handle, step);
}

bool model_accepts(const struct model *model, const struct model_step *step)
{
	const struct model_handle *handle = &model->handles[step->handle];
	if (step->hook == HOOK_TASK)
		return accepts_task(handle, step);
	if (!handle->is_idle)
		return accepts(handle, step);
	return step->hook == HOOK_CLAIM || step->hook == HOOK_ORIGIN_AT || step->hook == HOOK_UNMEASURED ||
	       step->hook == HOOK_WAS_BLOCKED || step->hook >= HOOK_MARK;
}

bool model_makes_up(const struct model *model, const struct model_step *step)
{
	const struct model_handle *handle = &model->handles[step->handle];
	if (handle->is_idle || handle->state <= IS_ATTEMPT)
		return false;
	if (step->hook == HOOK_RETRY || step->hook == HOOK_RETRY_AT)
		return handle->resume != IS_OUTSIDE;
	return step->hook == HOOK_START || step->hook == HOOK_START_AT;
}

static bool is_abort(const struct model_step *step)
{
	return step->hook == HOOK_ABORT || step->hook == HOOK_ABORT_SELF || step->hook == HOOK_ABORTED_BY ||
	       step->hook == HOOK_ABORT_ASKED || (step->hook == HOOK_ABORT_AT && step->at_ns == 0);
}

bool model_allows(const struct model *model, const struct model_step *step)
{
	const struct model_handle *handle = &model->handles[step->handle];
	if (!model_accepts(model, step))
		return false;
	if (handle->is_idle)
		return step->hook == HOOK_CLAIM;
	if (handle->failed_ns != 0)
		return is_abort(step);
	switch (step->hook) {
	case HOOK_SET_WEIGHT:
	case HOOK_TIMED:
		return handle->state == IS_OUTSIDE;
	case HOOK_START_AT:
	case HOOK_COMMIT_AT:
	case HOOK_ABORT_AT:
		return step->at_ns >= handle->last_ns && step->at_ns <= step->now_ns;
	case HOOK_REGION_END:
		return handle->regions > 0;
	case HOOK_TASK:
		return (step->kind != STMLOG_EVENT_TASK_END && step->kind != STMLOG_EVENT_TASK_SUSPEND) ||
		       handle->task == step->ns;
	default:
		return true;
	}
}
