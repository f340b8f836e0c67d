/* SPDX-License-Identifier: MIT
 * Builds tracebacks. */
#include "trace.h"

#include "transaction_name.h"
#include "walk.h"

static size_t add(struct tb_site *sites, size_t len, const uintptr_t *from, size_t max)
{
	for (size_t i = 0; i < max && from[i] != 0; i++)
		sites[len++] = transaction_site(from[i]);
	return len;
}

struct tb_frame *trace_build(struct ghc_lane *lane, const uintptr_t *sites, uintptr_t code, const uintptr_t *callers)
{
	struct tb_site all[RING_SITES + 1 + RING_CALLERS];
	struct tb_stack *stack = stmlog_thread_stack(lane->log);
	size_t len = sites != NULL ? add(all, 0, sites, RING_SITES) : 0;
	len = add(all, len, &code, 1);
	len = add(all, len, callers, RING_CALLERS);
	return stack != NULL && len != 0 ? tb_build(stack, all, len, TB_EMPTY) : TB_UNKNOWN;
}

struct tb_frame *trace_own(struct ghc_lane *lane, const uintptr_t *sites)
{
	REQUIRES(lane->knows_callers);
	return trace_build(lane, sites, lane->code, lane->callers);
}

void trace_callers(struct ghc_lane *lane, const struct hs_tso *tso, uintptr_t *top)
{
	if (lane->knows_callers)
		return;
	uintptr_t *frame = walk_transaction(walk_top(tso, top));
	trace_callers_at(lane, frame != NULL ? walk_next(frame) : NULL);
}

void trace_callers_at(struct ghc_lane *lane, uintptr_t *frame)
{
	walk_callers(frame, lane->callers);
	lane->knows_callers = true;
}
