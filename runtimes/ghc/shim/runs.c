/* SPDX-License-Identifier: MIT
 * The hook of StgRun: a Haskell thread begins to run on a capability, or stops. While it does not run, in the middle of
 * an attempt, its lane is idle: the attempt loses no time to what others do meanwhile. */
#include "hooks.h"

#include "tvars.h"
#include "walk.h"

static bool is_in_attempt(const struct hs_tso *tso)
{
	return tso != NULL && hs_trec(tso) != ghc_rts.no_trec;
}

/* The lane of the attempt that the current Haskell thread is in; NULL: none. */
static struct ghc_lane *lane_of_current(const struct hs_capability *real)
{
	const struct hs_tso *tso = real->current;
	return is_in_attempt(tso) && mark_is_lane(hs_trec(tso)->mark) ? lane_of(hs_trec(tso)->mark) : NULL;
}

static void begin_run(struct hs_capability *real)
{
	struct ghc_capability *mine = capability_find(real);
	moves_are_over();
	if (mine != NULL) {
		mine->validated = NULL;
		gap_run(mine, real->current, is_in_attempt(real->current));
		lane_attach_if_used(mine);
	}
	struct ghc_lane *lane = lane_of_current(real);
	if (lane != NULL)
		lane_claim(lane);
}

static void stop(struct ghc_capability *mine, const struct hs_tso *tso)
{
	if (!is_in_attempt(tso)) {
		gap_stop(mine, NULL);
		return;
	}
	const struct hs_trec *trec = hs_trec(tso);
	gap_stop(mine, !mark_is_lane(trec->mark) && trec->state <= HS_CONDEMNED ? tso : NULL);
}

static void end_run(struct hs_capability *real)
{
	struct ghc_capability *mine = capability_find(real);
	if (mine != NULL)
		stop(mine, real->current);
	struct ghc_lane *lane = lane_of_current(real);
	if (lane == NULL)
		return;
	trace_callers(lane, real->current, NULL);
	lane_stop(lane);
}

void *hook_run(void *code, void *registers)
{
	begin_run(hs_capability_of(registers));
	void *stopped = ghc_real.run(code, registers); /* a call of C may have moved the thread to another capability */
	end_run(hs_capability_of(stopped));
	return stopped;
}
