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

/* The arguments of the real function, which are passed on as they came. */
struct start {
	struct hs_capability *real;
	struct hs_trec *outer;
	uintptr_t a, b;
};

static struct hs_trec *pass_on(const struct start *start, uint32_t mark)
{
	struct hs_trec *trec = ghc_real.start(start->real, start->outer, start->a, start->b);
	trec->mark = mark;
	return trec;
}

/* A nested TRec is given back before the one around it, or is not given back at all. */
static struct hs_trec *start_nested(const struct start *start)
{
	struct ghc_capability *mine = capability_find(start->real);
	if (mine != NULL)
		capability_expect_fresh(mine);
	return pass_on(start, start->outer->mark);
}

static void begin_attempt(struct ghc_lane *lane, uint64_t now_ns)
{
	lane->state = LANE_ATTEMPT;
	lane->records.len = 0;
	lane->began_ns = now_ns;
}

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

/* The transaction that begins is measured. `frame`: the first one outside of it. */
static struct hs_trec *measure(
	const struct start *start, struct ghc_capability *mine, uintptr_t code, uintptr_t *frame, uint32_t slot)
{
	struct ghc_lane *lane = lane_take(mine);
	if (lane == NULL)
		return pass_on(start, slot);
	lane->slot = slot;
	trace_begin(lane, code);
	struct tb_frame *place = TB_UNKNOWN;
	if (stmlog_wants_places()) {
		trace_callers_at(lane, frame);
		place = trace_own(lane, NULL);
	}
	begin_transaction(lane, mine, place);
	tb_unref(stmlog_thread_stack(lane->log), place);
	return pass_on(start, lane->number);
}

/* ---- another attempt ---- */

/* Its callers are known since the first one was lost. */
static struct hs_trec *retry(const struct start *start, struct ghc_lane *lane, uintptr_t *top)
{
	if (lane->state == LANE_ATTEMPT) { /* a failure that no hook has noticed */
		trace_callers(lane, start->real->current, top);
		blame_asked(lane, "UNKNOWN");
	}
	struct tb_frame *place = stmlog_wants_places() ? trace_own(lane, NULL) : TB_UNKNOWN;
	begin_attempt(lane, stmlog_now_ns());
	stmlog_retry_at(lane->log, place);
	tb_unref(stmlog_thread_stack(lane->log), place);
	return pass_on(start, lane->number);
}

/* A transaction that wakes up goes on as a new one of the library's. */
static struct hs_trec *wake(const struct start *start, struct ghc_capability *mine, uint32_t slot, uintptr_t *top)
{
	if (!blocked_wake(slot))
		return pass_on(start, slot);
	uintptr_t *frame = walk_transaction(walk_top(start->real->current, top));
	if (frame == NULL)
		return pass_on(start, slot);
	return measure(start, mine, walk_code_of(frame), walk_next(frame), slot);
}

static struct hs_trec *start_again(const struct start *start, struct ghc_capability *mine, uintptr_t *top)
{
	uint32_t mark = hs_trec(start->real->current)->mark;
	if (mark_is_lane(mark))
		return retry(start, lane_of(mark), top);
	return mark_is_slot(mark) ? wake(start, mine, mark, top) : pass_on(start, 0);
}

/* ---- which of them ---- */

/* An attempt that was lost to an exception begins again, or a transaction begins. */
static struct hs_trec *start_first(const struct start *start, struct ghc_capability *mine, uintptr_t *top, uintptr_t r1)
{
	struct ghc_lane *lane = mine->restarting;
	mine->restarting = NULL;
	if (lane != NULL)
		return retry(start, lane, top);
	if (!mine->is_due)
		return pass_on(start, 0);
	sampling_draw(mine);
	capability_attach(mine);
	return measure(start, mine, walk_code(r1), walk_top(start->real->current, top), 0);
}

struct hs_trec *hook_start(
	struct hs_capability *real, struct hs_trec *outer, uintptr_t a, uintptr_t b, uintptr_t *top, uintptr_t r1)
{
	struct start start = {real, outer, a, b};
	if (outer != ghc_rts.no_trec)
		return start_nested(&start);
	struct ghc_capability *mine = capability_find(real);
	if (mine == NULL)
		return pass_on(&start, 0);
	capability_begin(mine);
	if (hs_trec(real->current) != ghc_rts.no_trec)
		return start_again(&start, mine, top);
	return start_first(&start, mine, top, r1);
}
