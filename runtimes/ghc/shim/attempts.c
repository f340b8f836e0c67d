/* SPDX-License-Identifier: MIT
 * The hook of an attempt's begin: of the first attempt of a transaction, or of another one after a failure, a sleep or
 * an exception. */
#include "ghc_hooks.h"

#include "ghc_blame.h"
#include "blocked.h"
#include "sampling.h"
#include "walk.h"

static void begin_attempt(struct ghc_lane *lane, uint64_t now_ns)
{
	lane->state = LANE_ATTEMPT;
	lane->records.len = 0;
	lane->stack.len = 0;
	lane->began_ns = now_ns;
}

/* The functions below return the mark of the attempt's TRec (rts.h). */

/* ---- the first attempt ---- */

static inline void weigh(struct ghc_lane *lane, uint32_t weight)
{
	if (lane->weight != weight)
		stmlog_set_weight(lane->log, weight);
	lane->weight = weight;
}

static void begin_transaction(
	struct ghc_lane *lane, struct ghc_capability *mine, uint32_t weight, struct tb_frame *place)
{
	uint64_t now_ns = gap_end_clean(mine);
	lane_claim(lane);
	weigh(lane, weight);
	if (STMLOG_UNLIKELY(lane_is_late(lane)))
		stmlog_start_late(lane->log, now_ns, lane->site, place, late_failed(lane->failures));
	else
		stmlog_start_at(lane->log, now_ns, lane->site, place);
	begin_attempt(lane, now_ns);
}

/* A transaction is measured in the lane from now on, and stands for `weight` transactions. `frame`: the first frame
 * outside of the transaction. */
static uint32_t measure(
	struct ghc_lane *lane, struct ghc_capability *mine, uint32_t weight, uintptr_t code, uintptr_t *frame)
{
	trace_begin(lane, code, frame);
	lane->haskell = hs_id(mine->hooked->current);
	if (STMLOG_LIKELY(!stmlog_wants_places())) {
		begin_transaction(lane, mine, weight, TB_UNKNOWN);
		return lane->number;
	}
	trace_callers_at(lane, frame);
	struct tb_frame *place = trace_own(lane, NULL);
	begin_transaction(lane, mine, weight, place);
	tb_unref(stmlog_thread_stack(lane->log), place);
	return lane->number;
}

/* ---- another attempt ---- */

/* Begins another attempt of the lane's transaction. Its callers are known since the first attempt has failed. */
static uint32_t retry(struct ghc_capability *mine, struct ghc_lane *lane, uintptr_t *top)
{
	if (lane->state == LANE_ATTEMPT) { /* a failure that no hook has noticed */
		trace_callers(lane, mine->hooked->current, top);
		blame_asked(lane, "UNKNOWN");
	}
	uint64_t now_ns = stmlog_now_ns();
	if (lane_is_late(lane))
		late_note(mine, lane->records.len, now_ns);
	lane->failures = late_count(mine, lane->failures);
	if (late_is_due(lane->failures))
		weigh(lane, 1);
	struct tb_frame *place = stmlog_wants_places() ? trace_own(lane, NULL) : TB_UNKNOWN;
	gap_begin(mine, now_ns);
	begin_attempt(lane, now_ns);
	stmlog_retry_at(lane->log, place);
	tb_unref(stmlog_thread_stack(lane->log), place);
	return lane->number;
}

/* What is known of a transaction that is measured from an attempt on which is not its first one. */
struct joined {
	uint32_t slot;     /* 0: none */
	uint32_t failures; /* late_count() */
	uint32_t every;    /* of its lane */
	uint32_t weight;
	struct ring_wake *wake; /* NULL: it has not woken up just now */
};

/* The transaction is measured from this attempt on; for the library it is a new transaction. Returns `mark` if there is
 * no lane for it, so that it goes on unmeasured. */
static uint32_t measure_from_now(struct ghc_capability *mine, uint32_t mark, struct joined joined, uintptr_t *top)
{
	uintptr_t *frame = walk_transaction(walk_top(mine->hooked->current, top));
	struct ghc_lane *lane = frame != NULL ? lane_alloc(mine) : NULL;
	if (lane == NULL)
		return mark;
	late_forget(mark);
	lane->slot = joined.slot;
	lane->failures = joined.failures;
	lane->every = joined.every;
	lane->wake.tvar = 0;
	if (joined.wake != NULL)
		lane->wake = *joined.wake;
	return measure(lane, mine, joined.weight, walk_code_of(frame), walk_next(frame));
}

/* A transaction that was blocked has failed since it has woken up. */
static uint32_t retry_after_sleep(struct ghc_capability *mine, uint32_t slot, uintptr_t *top)
{
	uint32_t *failures = blocked_failures(slot);
	*failures = late_count(mine, *failures);
	return late_is_due(*failures) ? measure_from_now(mine, slot, (struct joined){slot, *failures, 0, 1, NULL}, top)
				      : slot;
}

/* A transaction that was blocked has woken up, or has failed since. */
static uint32_t retry_awake(struct ghc_capability *mine, uint32_t slot, uintptr_t *top)
{
	uint64_t woken_ns = blocked_wake(slot);
	uint32_t every = blocked_every(slot);
	bool is_watched = blocked_is_watched(slot);
	struct joined joined = {slot, 0, every, is_watched ? 1 : every, woken_ns != 0 ? &mine->wake : NULL};
	if (woken_ns != 0)
		gap_begin(mine, woken_ns); /* its Haskell thread has just begun to run */
	if (every != 0 || (woken_ns != 0 && is_watched))
		return measure_from_now(mine, slot, joined, top);
	return woken_ns != 0 ? slot : retry_after_sleep(mine, slot, top);
}

static uint32_t retry_unmeasured(struct ghc_capability *mine, uint32_t mark, uintptr_t *top)
{
	mark = late_mark(mine, mark);
	uint32_t failures = mark & ~MARK_FAILED;
	return late_is_due(failures) ? measure_from_now(mine, mark, (struct joined){0, failures, 0, 1, NULL}, top)
				     : mark;
}

static uint32_t start_again(struct ghc_capability *mine, uint32_t mark, uintptr_t *top)
{
	if (mark_is_lane(mark))
		return retry(mine, lane_of(mark), top);
	return mark_is_slot(mark) ? retry_awake(mine, mark, top) : retry_unmeasured(mine, mark, top);
}

/* ---- which of them ---- */

/* A lane for the transaction that is due. Where each one is measured the next one stays due. */
static inline struct ghc_lane *alloc_due(struct ghc_capability *mine)
{
	if (mine->every == 1)
		return lane_alloc(mine);
	struct ghc_lane *lane = lane_alloc_due(mine);
	sampling_draw(mine);
	return lane;
}

static uint32_t start_due(struct ghc_capability *mine, uintptr_t *top, uintptr_t r1)
{
	struct ghc_lane *lane = alloc_due(mine);
	if (lane == NULL)
		return 0;
	lane->slot = 0;
	lane->failures = 0;
	lane->wake.tvar = 0;
	lane->every = mine->every;
	return measure(lane, mine, mine->every, walk_code(r1), walk_top(mine->hooked->current, top));
}

/* An attempt that was lost to an exception begins again, or a transaction begins. */
static uint32_t start_first(struct ghc_capability *mine, uintptr_t *top, uintptr_t r1)
{
	if (STMLOG_UNLIKELY(mine->is_restarting)) {
		mine->is_restarting = false;
		return start_again(mine, mine->restarting, top);
	}
	return mine->is_due ? start_due(mine, top, r1) : 0;
}

/* The Haskell thread of a transaction that starts again still has the TRec of the attempt before. */
static uint32_t start(struct ghc_capability *mine, uintptr_t *top, uintptr_t r1)
{
	const struct hs_trec *before = hs_trec(mine->hooked->current);
	lane_begin(mine);
	return before != ghc_rts.no_trec ? start_again(mine, before->mark, top) : start_first(mine, top, r1);
}

struct hs_trec *hook_start(
	struct hs_capability *real, struct hs_trec *outer, uintptr_t a, uintptr_t b, uintptr_t *top, uintptr_t r1)
{
	struct ghc_capability *mine = capability_find(real);
	uint32_t mark = 0;
	if (outer != ghc_rts.no_trec)
		mark = outer->mark;
	else if (mine != NULL)
		mark = start(mine, top, r1);
	struct hs_trec *trec = ghc_real.start(real, outer, a, b);
	trec->mark = mark;
	return trec;
}
