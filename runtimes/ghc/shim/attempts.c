/* SPDX-License-Identifier: MIT
 * An attempt begins: the first one of a transaction, or another one behind a failure, a sleep or an exception. */
#include "hooks.h"

#include "blame.h"
#include "blocked.h"
#include "capability.h"
#include "mark.h"
#include "sampling.h"
#include "trace.h"
#include "walk.h"

static void begin_attempt(struct ghc_lane *lane, uint64_t now_ns)
{
	lane->state = LANE_ATTEMPT;
	lane->records.len = 0;
	lane->began_ns = now_ns;
}

/* The functions below return the mark of the attempt's TRec (mark.h). */

/* ---- the first attempt ---- */

static void begin_transaction(struct ghc_lane *lane, const struct ghc_capability *mine, struct tb_frame *place)
{
	uint64_t now_ns = stmlog_now_ns();
	lane_claim(lane);
	if (lane->weight != mine->every)
		stmlog_set_weight(lane->log, mine->every);
	lane->weight = mine->every;
	stmlog_start_at(lane->log, now_ns, lane->site, place);
	begin_attempt(lane, now_ns);
}

/* A measured transaction begins in the lane. `frame`: the first one outside of it. */
static uint32_t measure(struct ghc_lane *lane, const struct ghc_capability *mine, uintptr_t code, uintptr_t *frame)
{
	trace_begin(lane, code);
	if (STMLOG_LIKELY(!stmlog_wants_places())) {
		begin_transaction(lane, mine, TB_UNKNOWN);
		return lane->number;
	}
	trace_callers_at(lane, frame);
	struct tb_frame *place = trace_own(lane, NULL);
	begin_transaction(lane, mine, place);
	tb_unref(stmlog_thread_stack(lane->log), place);
	return lane->number;
}

/* ---- another attempt ---- */

/* Its callers are known since the first one was lost. */
static uint32_t retry(const struct hs_capability *real, struct ghc_lane *lane, uintptr_t *top)
{
	if (lane->state == LANE_ATTEMPT) { /* a failure that no hook has noticed */
		trace_callers(lane, real->current, top);
		blame_asked(lane, "UNKNOWN");
	}
	struct tb_frame *place = stmlog_wants_places() ? trace_own(lane, NULL) : TB_UNKNOWN;
	begin_attempt(lane, stmlog_now_ns());
	stmlog_retry_at(lane->log, place);
	tb_unref(stmlog_thread_stack(lane->log), place);
	return lane->number;
}

/* A transaction that wakes up goes on as a new one of the library's. */
static uint32_t wake(struct ghc_capability *mine, uint32_t slot, uintptr_t *top)
{
	if (!blocked_wake(slot))
		return slot;
	uintptr_t *frame = walk_transaction(walk_top(mine->hooked->current, top));
	struct ghc_lane *lane = frame != NULL ? lane_take(mine) : NULL;
	if (lane == NULL)
		return slot;
	lane->slot = slot;
	return measure(lane, mine, walk_code_of(frame), walk_next(frame));
}

static uint32_t start_again(struct ghc_capability *mine, uint32_t mark, uintptr_t *top)
{
	if (mark_is_lane(mark))
		return retry(mine->hooked, lane_of(mark), top);
	return mark_is_slot(mark) ? wake(mine, mark, top) : 0;
}

/* ---- which of them ---- */

static uint32_t start_due(struct ghc_capability *mine, uintptr_t *top, uintptr_t r1)
{
	struct ghc_lane *lane = lane_take_due(mine);
	sampling_draw(mine);
	if (lane == NULL)
		return 0;
	lane->slot = 0;
	return measure(lane, mine, walk_code(r1), walk_top(mine->hooked->current, top));
}

/* An attempt that was lost to an exception begins again, or a transaction begins. */
static uint32_t start_first(struct ghc_capability *mine, uintptr_t *top, uintptr_t r1)
{
	struct ghc_lane *lane = mine->restarting;
	if (STMLOG_UNLIKELY(lane != NULL)) {
		mine->restarting = NULL;
		return retry(mine->hooked, lane, top);
	}
	return mine->is_due ? start_due(mine, top, r1) : 0;
}

/* The Haskell thread of a transaction that starts again still has the TRec of the attempt before. */
static uint32_t start(struct ghc_capability *mine, uintptr_t *top, uintptr_t r1)
{
	const struct hs_trec *before = hs_trec(mine->hooked->current);
	capability_begin(mine);
	return before != ghc_rts.no_trec ? start_again(mine, before->mark, top) : start_first(mine, top, r1);
}

/* A nested TRec is given back before the one around it, or is not given back at all. */
static uint32_t start_nested(struct ghc_capability *mine, const struct hs_trec *outer)
{
	if (mine != NULL)
		capability_expect_fresh(mine);
	return outer->mark;
}

struct hs_trec *hook_start(
	struct hs_capability *real, struct hs_trec *outer, uintptr_t a, uintptr_t b, uintptr_t *top, uintptr_t r1)
{
	struct ghc_capability *mine = capability_find(real);
	uint32_t mark = 0;
	if (outer != ghc_rts.no_trec)
		mark = start_nested(mine, outer);
	else if (mine != NULL)
		mark = start(mine, top, r1);
	struct hs_trec *trec = ghc_real.start(real, outer, a, b);
	trec->mark = mark;
	return trec;
}
