/* SPDX-License-Identifier: MIT
 * Reports the kept tries of a transaction to the library: their aborts, causes and waits. */
#include "hardware.h"

#include "agent.h"
#include "alone.h"
#include "cause.h"
#include "explore.h"
#include "thread.h"
#include "trace.h"
#include "wait.h"

/* The same moment on both clocks, to convert other stamps. */
struct moment {
	uint64_t stamp;
	uint64_t ns;
};

static uint64_t ns_between(uint64_t from, uint64_t to)
{
	uint64_t stamps = to > from ? to - from : 0;
	return itm_agent.has_steady_tsc ? itm_ticks_to_ns(stamps) : stamps;
}

static uint64_t at_ns(const struct moment *now, uint64_t stamp)
{
	uint64_t ago_ns = ns_between(stamp, now->stamp);
	return ago_ns < now->ns ? now->ns - ago_ns : 0;
}

/* A thread that takes the serial lock aborts all hardware transactions under way, by a conflict like any other. So if
 * the lock was held directly after an abort by a conflict, that was most likely the reason. */
static void find_reason(struct itm_thread *self, const struct itm_hardware_try *try, struct stmlog_loss *loss)
{
	enum itm_hardware_cause which = itm_hardware_cause(try->status);
	bool is_held = which == ITM_HARDWARE_LOCK_HELD;
	loss->cause = itm_cause_of_hardware(which);
	if (which == ITM_HARDWARE_CONFLICT && !try->was_held) {
		itm_explore_blame(self, loss);
	} else if (which == ITM_HARDWARE_CONFLICT || is_held) {
		loss->cause.contention = STMLOG_INEVITABLE;
		itm_holder_name(
			try->holder, try->holder_site, is_held ? STMLOG_GRADE_CERTAIN : STMLOG_GRADE_CANDIDATE, loss);
	}
}

static void report_abort(
	struct itm_thread *self, const struct itm_hardware_try *try, struct tb_frame *place, uint64_t ns)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_NONE, NULL);
	loss.local = place;
	find_reason(self, try, &loss);
	loss.at_ns = ns;
	stmlog_abort(self->thread, &loss);
	stmlog_retry_at(self->thread, place);
}

/* Even if the lock is free, libitm may take up to ITM_WAIT_MIN_BEGIN to get it. */
static bool is_wait(const struct itm_hardware_try *try)
{
	uint64_t min = try->was_held ? ITM_WAIT_MIN : ITM_WAIT_MIN_BEGIN;
	return !itm_agent.has_steady_tsc || try->resumed - try->failed >= min;
}

/* The transaction waited for the serial lock, and the thread that was named when the try failed held it. */
static void report_wait(struct itm_thread *self, const struct itm_hardware_try *try, struct tb_frame *place)
{
	struct stmlog_cause cause = itm_cause_of_wait(ITM_WAIT_RESTART, itm_agent.method, true);
	struct stmlog_loss loss = stmlog_loss_make(cause.reason, cause.contention, cause.detail);
	if (!is_wait(try))
		return;
	loss.local = place;
	itm_holder_name(try->holder, try->holder_site, STMLOG_GRADE_CERTAIN, &loss);
	stmlog_waited(self->thread, &loss, ns_between(try->failed, try->resumed));
}

void itm_hardware_report(struct itm_thread *self)
{
	struct itm_hardware_tries *tries = &self->tries;
	const struct moment now = {itm_hardware_now(), stmlog_now_ns()};
	itm_pace_abort_begin(&self->sampling.pace, true);
	struct tb_frame *place = itm_trace_begin();
	for (uint32_t i = 0; i < tries->len; i++) {
		if (STMLOG_UNLIKELY(tb_is_unknown(place)))
			stmlog_count_unavailable_traceback(self->thread);
		report_abort(self, &tries->items[i], place, at_ns(&now, tries->items[i].failed));
		report_wait(self, &tries->items[i], place);
	}
	if (tries->dropped != 0)
		stmlog_unmeasured(self->thread, 0, tries->dropped);
	itm_pace_abort_end(&self->sampling.pace, true);
	stmlog_commit_at(self->thread, now.ns);
	tries->len = tries->dropped = 0;
}
