/* SPDX-License-Identifier: MIT
 * Which calls of hooks the library accepts, and which runtime.h and agent.h allow. */
#include "hook_model.h"

static bool is_abort_cause(const struct model_step *step)
{
	if ((unsigned)step->contention >= STMLOG_CONTENTIONS)
		return false;
	return step->reason == STMLOG_SELF_ABORT || step->reason == STMLOG_USER_ABORT ||
	       (step->reason == STMLOG_ABORTED_BY_OTHER && step->contention != STMLOG_INEVITABLE);
}

enum model_state model_wait_state(const struct model_step *step)
{
	if (!step->has_loss || step->reason == STMLOG_OTHER_WORK)
		return IS_OTHER;
	if (step->reason == STMLOG_BLOCKED)
		return IS_BLOCKED;
	if (step->reason == STMLOG_PAUSE && (unsigned)step->contention < STMLOG_CONTENTIONS)
		return IS_PAUSED;
	if (step->reason == STMLOG_WAIT && step->contention == STMLOG_INEVITABLE)
		return IS_WAITING_INEVITABLE;
	if (step->reason == STMLOG_WAIT && step->contention == STMLOG_NONE)
		return IS_WAITING_NONE;
	return IS_OUTSIDE;
}

/* ---- tasks ---- */

/* Which kinds open what a kind closes. */
static bool is_opened_by(unsigned closes, unsigned opens)
{
	switch (closes) {
	case STMLOG_EVENT_TASK_SUSPEND:
	case STMLOG_EVENT_TASK_END:
		return opens == STMLOG_EVENT_TASK_START || opens == STMLOG_EVENT_TASK_RESUME;
	case STMLOG_EVENT_TOUCH_RESUME:
		return opens == STMLOG_EVENT_TOUCH_PAUSE;
	case STMLOG_EVENT_BLOCK_END:
		return opens == STMLOG_EVENT_BLOCK_BEGIN;
	case STMLOG_EVENT_HANDLE_END:
		return opens == STMLOG_EVENT_HANDLE_BEGIN;
	default:
		return false;
	}
}

static bool is_wait(unsigned kind)
{
	return kind == STMLOG_EVENT_TOUCH_PAUSE || kind == STMLOG_EVENT_TOUCH_RESUME ||
	       kind == STMLOG_EVENT_BLOCK_BEGIN || kind == STMLOG_EVENT_BLOCK_END;
}

int model_closes(const struct model_handle *handle, const struct model_step *step)
{
	int at = (int)handle->nested_len - 1;
	while (at >= 0 && is_wait(handle->nested[at].kind) != is_wait(step->kind))
		at--;
	return at;
}

static bool accepts_task(const struct model_handle *handle, const struct model_step *step)
{
	bool is_begin = step->kind == STMLOG_EVENT_TASK_START || step->kind == STMLOG_EVENT_TASK_RESUME;
	unsigned inner = handle->nested_len > 0 ? handle->nested[handle->nested_len - 1].kind : STMLOG_EVENT_MARK;
	int at = model_closes(handle, step);
	if (is_begin)
		return inner != STMLOG_EVENT_TASK_START && inner != STMLOG_EVENT_TASK_RESUME;
	if (step->kind == STMLOG_EVENT_BLOCK_BEGIN)
		return inner != STMLOG_EVENT_BLOCK_BEGIN;
	if (step->kind == STMLOG_EVENT_TASK_CREATE || step->kind == STMLOG_EVENT_TOUCH_PAUSE ||
		step->kind == STMLOG_EVENT_HANDLE_BEGIN)
		return true;
	return at < 0 || (is_opened_by(step->kind, handle->nested[at].kind) && handle->nested[at].task == step->ns);
}

/* ---- all other hooks ---- */

/* The states of a handle in which a hook is accepted, as bits. A hook without a row is accepted in all of them. */
enum {
	IN_ATTEMPT = 1 << IS_ATTEMPT,
	BETWEEN_ATTEMPTS = 1 << IS_OUTSIDE | 1 << IS_ABORTED,
	NOT_INTERRUPTED = BETWEEN_ATTEMPTS | IN_ATTEMPT,
	INTERRUPTED =
		1 << IS_PAUSED | 1 << IS_WAITING_INEVITABLE | 1 << IS_WAITING_NONE | 1 << IS_OTHER | 1 << IS_BLOCKED,
};

static const unsigned states_of[MODEL_HOOKS] = {
	[HOOK_START] = BETWEEN_ATTEMPTS,
	[HOOK_START_AT] = BETWEEN_ATTEMPTS,
	[HOOK_RETRY] = 1 << IS_ABORTED,
	[HOOK_RETRY_AT] = 1 << IS_ABORTED,
	[HOOK_COMMIT] = IN_ATTEMPT,
	[HOOK_COMMIT_AT] = IN_ATTEMPT,
	[HOOK_ORIGIN] = IN_ATTEMPT,
	[HOOK_INEVITABLE] = IN_ATTEMPT,
	[HOOK_FAILED] = IN_ATTEMPT,
	[HOOK_ABORT] = IN_ATTEMPT,
	[HOOK_ABORT_OTHER] = IN_ATTEMPT,
	[HOOK_WAIT_END] = INTERRUPTED,
	[HOOK_WAITED] = IN_ATTEMPT,
	[HOOK_WAITED_UNMEASURED] = BETWEEN_ATTEMPTS,
	[HOOK_SET_WEIGHT] = BETWEEN_ATTEMPTS,
	[HOOK_TIMED] = BETWEEN_ATTEMPTS,
};

bool model_ends_wait(const struct model *model, const struct model_step *step)
{
	const struct model_handle *handle = &model->handles[step->handle];
	bool ends_attempt = step->hook == HOOK_ABORT || step->hook == HOOK_COMMIT || step->hook == HOOK_COMMIT_AT;
	return ends_attempt && !handle->is_idle && handle->state >= IS_PAUSED && handle->state <= IS_OTHER &&
	       handle->resume == IS_ATTEMPT;
}

/* `state`: of the handle, or the one that goes on when the step has ended a wait. */
static bool accepts_state(enum model_state state, const struct model_step *step)
{
	unsigned states = states_of[step->hook];
	return states == 0 || (states & 1u << state) != 0;
}

/* By the state that the wait would be. */
static const unsigned states_to_wait[] = {
	[IS_PAUSED] = IN_ATTEMPT | 1 << IS_ABORTED,
	[IS_WAITING_INEVITABLE] = NOT_INTERRUPTED,
	[IS_WAITING_NONE] = NOT_INTERRUPTED,
	[IS_OTHER] = NOT_INTERRUPTED,
	[IS_BLOCKED] = 1 << IS_ABORTED,
};

/* Whether the arguments are possible, and fit what the handle has reported before. */
static bool accepts_arguments(const struct model_handle *handle, const struct model_step *step)
{
	enum model_state wait = model_wait_state(step);
	switch (step->hook) {
	case HOOK_SET_WEIGHT:
	case HOOK_TIMED:
		return step->weight > 0;
	case HOOK_ABORT:
	case HOOK_ABORT_OTHER:
		return !step->has_loss || is_abort_cause(step);
	case HOOK_WAIT_BEGIN:
		return (states_to_wait[wait] & 1u << handle->state) != 0;
	case HOOK_WAITED:
		return handle->failed_ns == 0 && wait >= IS_PAUSED && wait <= IS_WAITING_NONE;
	case HOOK_WAITED_UNMEASURED:
		return wait == IS_PAUSED || wait == IS_WAITING_INEVITABLE;
	default:
		return true;
	}
}

/* Of a handle that is not idle. */
static bool accepts(const struct model *model, const struct model_step *step)
{
	const struct model_handle *handle = &model->handles[step->handle];
	enum model_state state = model_ends_wait(model, step) ? IS_ATTEMPT : handle->state;
	if (step->hook == HOOK_CLAIM)
		return false;
	if (step->hook == HOOK_RELEASE)
		return handle->is_lane;
	return accepts_state(state, step) && accepts_arguments(handle, step);
}

bool model_accepts(const struct model *model, const struct model_step *step)
{
	const struct model_handle *handle = &model->handles[step->handle];
	if (step->hook == HOOK_TASK)
		return accepts_task(handle, step);
	if (!handle->is_idle)
		return accepts(model, step);
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

bool model_aborts_anyway(const struct model *model, const struct model_step *step)
{
	const struct model_handle *handle = &model->handles[step->handle];
	bool is_in_attempt = handle->state == IS_ATTEMPT || model_ends_wait(model, step);
	return step->hook == HOOK_ABORT && !handle->is_idle && is_in_attempt && !accepts_arguments(handle, step);
}

/* Whether the time that the runtime passes lies after the handle's last hook. */
static bool is_in_time(const struct model_handle *handle, const struct model_step *step)
{
	return step->at_ns >= handle->last_ns && step->at_ns <= step->now_ns;
}

bool model_allows(const struct model *model, const struct model_step *step)
{
	const struct model_handle *handle = &model->handles[step->handle];
	if (!model_accepts(model, step))
		return false;
	if (handle->is_idle)
		return step->hook == HOOK_CLAIM;
	if (handle->failed_ns != 0)
		return step->hook == HOOK_ABORT && step->at_ns == 0;
	switch (step->hook) {
	case HOOK_SET_WEIGHT:
	case HOOK_TIMED:
		return handle->state == IS_OUTSIDE;
	case HOOK_ABORT:
		return step->at_ns == 0 || is_in_time(handle, step);
	case HOOK_START_AT:
	case HOOK_COMMIT_AT:
		return is_in_time(handle, step);
	case HOOK_REGION_END:
		return handle->regions > 0;
	case HOOK_TASK:
		return (step->kind != STMLOG_EVENT_TASK_END && step->kind != STMLOG_EVENT_TASK_SUSPEND) ||
		       model_closes(handle, step) >= 0;
	default:
		return true;
	}
}
