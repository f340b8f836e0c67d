/* SPDX-License-Identifier: MIT
 * What a call of a hook changes. */
#include "hook_model.h"

#include "check.h"

void model_open(struct model *model, unsigned handle, bool is_lane, uint64_t now_ns, uint64_t attempt)
{
	model->handles[handle] = (struct model_handle){
		.is_lane = is_lane,
		.is_idle = is_lane,
		.attached_at_ns = now_ns,
		.since_ns = now_ns,
		.released_ns = now_ns,
		.last_ns = now_ns,
		.attempt = attempt,
		.weight = 1,
	};
	model->events[STMLOG_EVENT_ATTACH]++;
}

/* ---- time ---- */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* An attempt that has begun at a time to come begins now. */
static void take_back(struct model_handle *handle, uint64_t now_ns)
{
	uint64_t ahead_ns = later(handle->since_ns, now_ns) - now_ns;
	if (handle->state != IS_ATTEMPT || handle->attempt_ns != 0 || ahead_ns > handle->sums.outside_ns)
		return;
	handle->sums.outside_ns -= ahead_ns;
	handle->since_ns -= ahead_ns;
}

/* The time since the last change, up to a time that does not go back. The state goes on from there. */
static uint64_t pass(struct model_handle *handle, uint64_t now_ns)
{
	uint64_t before_ns = handle->since_ns;
	handle->since_ns = later(now_ns, before_ns);
	return handle->since_ns - before_ns;
}

static void lose(
	struct model_handle *handle, enum stmlog_reason reason, enum stmlog_contention_kind contention, uint64_t ns)
{
	struct stmlog_cost *cost = &handle->costs[reason][contention];
	cost->count++;
	cost->lost_ns += ns;
	cost->estimated_ns += (double)handle->weight * (double)ns;
}

/* ---- attempts ---- */

static void begin_attempt(struct model *model, struct model_handle *handle)
{
	handle->state = IS_ATTEMPT;
	handle->attempt++;
	model->events[STMLOG_EVENT_START]++;
}

static void start(struct model *model, struct model_handle *handle, uint64_t at_ns)
{
	handle->sums.outside_ns += pass(handle, at_ns);
	handle->failed_ns = 0;
	handle->was_blocked = false;
	begin_attempt(model, handle);
}

static uint64_t end_attempt(struct model_handle *handle, uint64_t at_ns, enum model_state next)
{
	uint64_t ns = handle->attempt_ns + pass(handle, at_ns);
	handle->attempt_ns = 0;
	handle->state = next;
	return ns;
}

static void look_back(struct model_handle *handle, uint64_t now_ns)
{
	handle->sums.other_ns += pass(handle, now_ns);
	handle->sums.others++;
}

static void commit(struct model *model, struct model_handle *handle, uint64_t at_ns)
{
	handle->sums.committed_ns += end_attempt(handle, at_ns, IS_OUTSIDE);
	handle->sums.commits++;
	model->events[STMLOG_EVENT_COMMIT]++;
}

/* The step's cause, or that of an abort without one. */
static struct stmlog_cause abort_cause(const struct model *model, const struct model_step *step)
{
	if (!step->has_loss || model_aborts_anyway(model, step))
		return (struct stmlog_cause){STMLOG_SELF_ABORT, STMLOG_NONE, NULL};
	return (struct stmlog_cause){step->reason, step->contention, NULL};
}

static void fail_attempt(struct model *model, const struct model_step *step)
{
	struct model_handle *handle = &model->handles[step->handle];
	struct stmlog_cause cause = abort_cause(model, step);
	uint64_t at_ns = handle->failed_ns != 0 ? handle->failed_ns : step->now_ns;
	if (step->has_loss && step->at_ns != 0)
		at_ns = step->at_ns;
	else
		take_back(handle, at_ns);
	uint64_t ns = end_attempt(handle, at_ns, IS_ABORTED);
	handle->sums.aborted_ns[cause.contention] += ns;
	handle->sums.aborts[cause.contention]++;
	lose(handle, cause.reason, cause.contention, ns);
	if (handle->failed_ns != 0)
		look_back(handle, step->now_ns);
	handle->failed_ns = 0;
	model->events[STMLOG_EVENT_ABORT]++;
}

/* ---- pauses and waits ---- */

static void interrupt(struct model *model, const struct model_step *step)
{
	struct model_handle *handle = &model->handles[step->handle];
	enum model_state state = model_wait_state(step);
	handle->sums.blocked_in_vain += state == IS_BLOCKED && handle->was_blocked;
	take_back(handle, step->now_ns);
	uint64_t ns = pass(handle, step->now_ns);
	if (handle->state == IS_ATTEMPT)
		handle->attempt_ns += ns;
	else
		handle->sums.outside_ns += ns;
	handle->resume = handle->state;
	handle->state = state;
	handle->interrupted_by = step->reason;
	handle->interrupted_for = step->contention;
	model->events[STMLOG_EVENT_WAIT_BEGIN]++;
}

static void add_wait(struct model_handle *handle, enum model_state state, uint64_t ns)
{
	struct stmlog_account *sums = &handle->sums;
	uint64_t *times[] = {[IS_PAUSED] = &sums->paused_ns,
		[IS_WAITING_INEVITABLE] = &sums->waiting_inevitable_ns,
		[IS_WAITING_NONE] = &sums->waiting_none_ns,
		[IS_OTHER] = &sums->other_ns,
		[IS_BLOCKED] = &sums->blocked_ns};
	uint64_t *counts[] = {[IS_PAUSED] = &sums->pauses,
		[IS_WAITING_INEVITABLE] = &sums->waits_inevitable,
		[IS_WAITING_NONE] = &sums->waits_none,
		[IS_OTHER] = &sums->others,
		[IS_BLOCKED] = &sums->blocked};
	*times[state] += ns;
	++*counts[state];
}

static void resume(struct model *model, struct model_handle *handle, uint64_t now_ns)
{
	enum model_state state = handle->state;
	uint64_t ns = pass(handle, now_ns);
	add_wait(handle, state, ns);
	if (state == IS_PAUSED || state == IS_WAITING_INEVITABLE)
		lose(handle, handle->interrupted_by, handle->interrupted_for, ns);
	handle->was_blocked |= state == IS_BLOCKED;
	handle->state = handle->resume;
	model->events[STMLOG_EVENT_WAIT_END]++;
}

static void add_unattached(struct stmlog_account *sums, const struct model_step *step)
{
	sums->blocked_unattached_ns += step->ns;
	sums->blocked_unattached++;
	sums->blocked_unattached_in_vain += step->ns % 2;
}

static void take_out(struct model *model, struct model_handle *handle, const struct model_step *step)
{
	enum model_state state = model_wait_state(step);
	uint64_t over_ns = step->at_ns != 0 ? step->at_ns : step->now_ns;
	uint64_t ns = earlier(step->ns, later(over_ns, handle->since_ns) - handle->since_ns);
	handle->since_ns += ns;
	add_wait(handle, state, ns);
	if (state != IS_WAITING_NONE)
		lose(handle, step->reason, step->contention, ns);
	model->events[STMLOG_EVENT_WAIT_BEGIN]++;
	model->events[STMLOG_EVENT_WAIT_END]++;
}

/* ---- the rest ---- */

static void deschedule(struct model_handle *handle, const struct model_step *step)
{
	uint64_t ns = earlier(step->ns, later(step->now_ns, handle->since_ns) - handle->since_ns);
	handle->since_ns += ns;
	handle->sums.descheduled_ns += ns;
	handle->sums.descheduled++;
}

static void release(struct model_handle *handle, uint64_t now_ns)
{
	handle->released_ns = later(now_ns, handle->since_ns);
	handle->is_idle = true;
}

static void claim(struct model_handle *handle, uint64_t now_ns)
{
	uint64_t idle_ns = later(now_ns, handle->released_ns) - handle->released_ns;
	handle->since_ns += idle_ns;
	handle->idle_ns += idle_ns;
	handle->is_idle = false;
}

static bool opens_span(unsigned kind)
{
	return kind == STMLOG_EVENT_TASK_START || kind == STMLOG_EVENT_TASK_RESUME ||
	       kind == STMLOG_EVENT_TOUCH_PAUSE || kind == STMLOG_EVENT_BLOCK_BEGIN ||
	       kind == STMLOG_EVENT_HANDLE_BEGIN;
}

static void work(struct model *model, struct model_handle *handle, const struct model_step *step)
{
	int at = model_closes(handle, step);
	if (opens_span(step->kind)) {
		REQUIRES(handle->nested_len < MODEL_NESTED);
		handle->nested[handle->nested_len].kind = step->kind;
		handle->nested[handle->nested_len++].task = step->ns;
	} else if (step->kind != STMLOG_EVENT_TASK_CREATE) {
		if (at < 0)
			return; /* as if it had begun before the timeline */
		for (size_t i = (size_t)at + 1; i < handle->nested_len; i++)
			handle->nested[i - 1] = handle->nested[i];
		handle->nested_len--;
	}
	model->events[step->kind]++;
}

static void end_region(struct model *model, struct model_handle *handle)
{
	if (handle->regions == 0)
		return;
	handle->regions--;
	model->events[STMLOG_EVENT_REGION_END]++;
}

static void apply_to_attempt(struct model *model, struct model_handle *handle, const struct model_step *step)
{
	switch (step->hook) {
	case HOOK_START:
		start(model, handle, step->now_ns);
		break;
	case HOOK_START_AT:
		start(model, handle, step->at_ns);
		break;
	case HOOK_RETRY:
	case HOOK_RETRY_AT:
		begin_attempt(model, handle);
		break;
	case HOOK_COMMIT:
		take_back(handle, step->now_ns);
		commit(model, handle, step->now_ns);
		break;
	case HOOK_COMMIT_AT:
		commit(model, handle, step->at_ns);
		look_back(handle, step->now_ns);
		break;
	case HOOK_FAILED:
		if (handle->failed_ns == 0)
			handle->failed_ns = step->now_ns;
		break;
	case HOOK_ABORT:
		fail_attempt(model, step);
		break;
	default:
		break;
	}
}

static void apply_to_waits(struct model *model, struct model_handle *handle, const struct model_step *step)
{
	switch (step->hook) {
	case HOOK_WAIT_BEGIN:
		interrupt(model, step);
		break;
	case HOOK_WAIT_END:
		resume(model, handle, step->now_ns);
		break;
	case HOOK_WAITED:
		take_out(model, handle, step);
		break;
	case HOOK_WAITED_UNMEASURED:
		handle->was_blocked = false;
		handle->weight = 1;
		take_out(model, handle, step);
		break;
	default:
		break;
	}
}

static void apply_the_rest(struct model *model, struct model_handle *handle, const struct model_step *step)
{
	switch (step->hook) {
	case HOOK_INEVITABLE:
		model->events[STMLOG_EVENT_INEVITABLE]++;
		break;
	case HOOK_ABORT_OTHER:
		model->events[STMLOG_EVENT_ABORT_OTHER]++;
		break;
	case HOOK_UNMEASURED:
		handle->sums.unmeasured_commits += step->ns;
		handle->sums.unmeasured_aborts += 1;
		break;
	case HOOK_WAS_BLOCKED:
		add_unattached(&handle->sums, step);
		break;
	case HOOK_SET_WEIGHT:
		handle->was_blocked &= handle->weight == step->weight;
		handle->weight = step->weight;
		break;
	case HOOK_DESCHEDULED:
		deschedule(handle, step);
		break;
	case HOOK_CLAIM:
		claim(handle, step->now_ns);
		break;
	case HOOK_RELEASE:
		release(handle, step->now_ns);
		break;
	case HOOK_MARK:
		model->events[STMLOG_EVENT_MARK]++;
		break;
	case HOOK_COUNTER:
		model->events[STMLOG_EVENT_COUNTER]++;
		break;
	case HOOK_REGION_BEGIN:
		handle->regions++;
		model->events[STMLOG_EVENT_REGION_BEGIN]++;
		break;
	case HOOK_REGION_END:
		end_region(model, handle);
		break;
	case HOOK_TASK:
		work(model, handle, step);
		break;
	default:
		break;
	}
}

/* Ends what is under way when an attempt begins, though its end was not reported. */
static void make_up(struct model *model, struct model_handle *handle, const struct model_step *step)
{
	bool is_first = step->hook == HOOK_START || step->hook == HOOK_START_AT;
	if (handle->resume == IS_ATTEMPT)
		model->events[STMLOG_EVENT_MISSING]++;
	handle->sums.other_ns += end_attempt(handle, step->now_ns, is_first ? IS_OUTSIDE : IS_ABORTED);
	handle->sums.others++;
	handle->failed_ns = 0;
	model->events[STMLOG_EVENT_WAIT_END]++;
}

void model_apply(struct model *model, const struct model_step *step)
{
	struct model_handle *handle = &model->handles[step->handle];
	if (model_makes_up(model, step))
		make_up(model, handle, step);
	if (model_ends_wait(model, step))
		resume(model, handle, step->now_ns);
	apply_to_attempt(model, handle, step);
	apply_to_waits(model, handle, step);
	apply_the_rest(model, handle, step);
	handle->last_ns = step->now_ns;
}

struct stmlog_account model_account(const struct model *model, unsigned number, uint64_t now_ns)
{
	const struct model_handle *handle = &model->handles[number];
	struct stmlog_account sums = handle->sums;
	uint64_t until_ns = handle->is_idle ? handle->released_ns : later(now_ns, handle->since_ns);
	uint64_t running_ns = until_ns - handle->since_ns;
	sums.attached_ns = until_ns - handle->attached_at_ns - handle->idle_ns;
	sums.open_ns = handle->attempt_ns;
	if (handle->state <= IS_ABORTED)
		sums.outside_ns += running_ns;
	else
		sums.open_ns += running_ns;
	return sums;
}
