/* SPDX-License-Identifier: MIT
 * The hooks of attempts that end without a commit: by an exception, or by `retry`. */
#include "ghc_hooks.h"

#include "ghc_blame.h"
#include "blocked.h"
#include "sampling.h"
#include "tvars.h"
#include "walk.h"

/* ---- exceptions ---- */

/* The RTS validates in two cases: when an attempt has raised an exception, directly before the abort; and when a
 * Haskell thread has stopped running, where the capability has no current one. After that the RTS may find that the
 * thread is to be killed. */
uintptr_t hook_validate(struct hs_capability *real, struct hs_trec *trec, uintptr_t a, uintptr_t b)
{
	struct ghc_capability *mine = capability_find(real);
	uintptr_t is_valid = ghc_real.validate(real, trec, a, b);
	if (mine != NULL && real->current != NULL) {
		mine->validated = trec;
		mine->was_valid = is_valid != 0;
	}
	return is_valid;
}

/* After an exception that an attempt has raised because it had seen an inconsistent state, the RTS begins the attempt
 * again, and the Haskell thread has no TRec by which hook_start() could know it. */
static void restart(struct ghc_capability *mine, const struct hs_trec *trec)
{
	mine->is_restarting = true;
	mine->restarting = trec->mark;
	capability_await_start(mine);
}

/* A Haskell thread that is killed has stopped before, or kills itself. */
static void abort_measured(struct ghc_capability *mine, struct hs_trec *trec, bool is_raised, uintptr_t *top)
{
	struct ghc_lane *lane = lane_of(trec->mark);
	uint32_t slot = lane->slot;
	trace_callers(lane, mine->hooked->current, top);
	lane_claim(lane); /* the Haskell thread that is killed may not be running */
	if (is_raised && !mine->was_valid) {
		entries_note(lane, trec);
		blame_lost(lane, trec, "EXCEPTION_INVALID");
		restart(mine, trec);
		return;
	}
	blame_asked(lane, is_raised ? "EXCEPTION" : "KILLED");
	gap_begin(mine, stmlog_now_ns());
	if (lane_is_late(lane) && slot == 0)
		sampling_pass(mine);
	lane_free(lane, mine);
	if (slot != 0)
		blocked_end(mine, slot);
}

/* The attempt of a transaction that sleeps was counted when it fell asleep. */
static void abort_plain(struct ghc_capability *mine, const struct hs_trec *trec, bool is_raised)
{
	if (trec->state <= HS_CONDEMNED)
		gap_count_failed(mine);
	if (is_raised && !mine->was_valid) {
		restart(mine, trec);
		return;
	}
	if (!mark_is_slot(trec->mark))
		sampling_pass(mine);
	else if (trec->state > HS_CONDEMNED && AO_load(&moves_have_just_ended) != 0)
		blocked_is_for_ever(mine, trec->mark);
	if (trec->mark != 0)
		unmeasured_end(mine, trec->mark);
}

/* Aborts of nested TRecs are no aborts of attempts. */
void hook_abort(struct hs_capability *real, struct hs_trec *trec, uintptr_t a, uintptr_t b, uintptr_t *top)
{
	struct ghc_capability *mine = capability_find(real);
	if (trec->enclosing == ghc_rts.no_trec && mine != NULL) {
		bool is_raised = mine->validated == trec;
		if (mark_is_lane(trec->mark))
			abort_measured(mine, trec, is_raised, top);
		else
			abort_plain(mine, trec, is_raised);
		mine->validated = NULL;
	}
	trec->mark = 0;
	ghc_real.abort(real, trec, a, b);
}

/* ---- retry ----
 *
 * For the sampling a transaction that sleeps is over (sampling_pass()), as it may sleep for long: a thousand may fall
 * asleep before any of them commits, and one in N of them is to be measured. */

/* Whether it is found out who wakes the transaction of the TRec. In an RTS with one OS thread there are no versions. */
static bool is_waker_wanted(uint32_t mark)
{
	return ghc_rts.is_threaded && mark_is_slot(mark) && blocked_is_measured_next(mark);
}

/* The transaction sleeps from now on. */
static void expect_wake(struct hs_trec *trec)
{
	if (is_waker_wanted(trec->mark))
		entries_keep_versions(trec);
}

static void find_waker(struct ghc_capability *mine, struct hs_trec *trec)
{
	uint32_t slot = trec->mark;
	mine->wake.tvar = 0;
	if (!is_waker_wanted(slot))
		return;
	struct ring_wake wake;
	if (!blame_waker(trec, blocked_since_ns(slot), &wake))
		return;
	mine->wake = wake;
	blocked_woken_by(mine, slot, transaction_site(wake.waker.code));
}

static void sleep_measured(struct ghc_capability *mine, struct ghc_lane *lane, struct hs_trec *trec)
{
	struct tb_site site = lane->site;
	uint32_t slot = lane->slot;
	uint32_t every = lane->every;
	blame_retry(lane, slot != 0);
	uint64_t now_ns = stmlog_now_ns();
	gap_begin(mine, now_ns);
	if (lane_is_late(lane))
		late_note(mine, lane->records.len, now_ns);
	if (lane_is_late(lane) && slot == 0)
		sampling_pass(mine);
	lane_free(lane, mine);
	trec->mark = blocked_begin(mine, slot, site, every);
	expect_wake(trec);
}

static void sleep_plain(struct ghc_capability *mine, struct hs_tso *tso, struct hs_trec *trec, uintptr_t *top)
{
	uintptr_t *frame = walk_transaction(walk_top(tso, top));
	uintptr_t name = frame != NULL ? transaction_name(walk_next(frame)) : 0;
	uintptr_t code = name == 0 && frame != NULL ? walk_code_of(frame) : name;
	uint32_t slot = mark_is_slot(trec->mark) ? trec->mark : 0;
	late_forget(trec->mark);
	if (slot == 0)
		sampling_pass(mine);
	trec->mark = blocked_begin(mine, slot, transaction_site(code), 0);
	expect_wake(trec);
}

/* The attempt has called `retry`. Reports whether the transaction sleeps now, or the attempt has failed. */
static void wait_measured(struct ghc_capability *mine, struct hs_trec *trec, uintptr_t *top, bool sleeps)
{
	struct ghc_lane *lane = lane_of(trec->mark);
	trace_callers(lane, mine->hooked->current, top);
	if (sleeps)
		sleep_measured(mine, lane, trec);
	else
		blame_lost(lane, trec, "RETRY_INVALID");
}

uintptr_t hook_wait(struct hs_capability *real, struct hs_tso *tso, struct hs_trec *trec, uintptr_t a, uintptr_t *top)
{
	struct ghc_capability *mine = capability_find(real);
	if (mine == NULL)
		return ghc_real.wait(real, tso, trec, a);
	capability_await_start(mine);
	bool is_measured = mark_is_lane(trec->mark);
	if (is_measured)
		entries_note(lane_of(trec->mark), trec);
	uintptr_t sleeps = ghc_real.wait(real, tso, trec, a);
	if (is_measured) {
		wait_measured(mine, trec, top, sleeps != 0);
		return sleeps;
	}
	gap_count_failed(mine);
	if (sleeps)
		sleep_plain(mine, tso, trec, top);
	return sleeps;
}

uintptr_t hook_rewait(struct hs_capability *real, struct hs_tso *tso, uintptr_t a, uintptr_t b)
{
	struct ghc_capability *mine = capability_find(real);
	struct hs_trec *trec = hs_trec(tso);
	uint32_t slot = trec->mark;
	if (mine != NULL)
		find_waker(mine, trec);
	uintptr_t sleeps = ghc_real.rewait(real, tso, a, b);
	if (mine != NULL)
		capability_await_start(mine);
	if (sleeps && mark_is_slot(slot)) {
		blocked_again(mine, slot);
		expect_wake(trec);
	}
	return sleeps;
}
