/* SPDX-License-Identifier: MIT
 * Tracebacks for the library, from sites that were noted by number. */
#ifndef GHC_TRACE_H
#define GHC_TRACE_H

#include <stmlog/agent.h>

#include "lane.h"
#include "transaction_name.h"

/* Where a transaction accesses a TVar: the sites of the access (NULL: not known), the code of the transaction, and its
 * callers. Returns an owned reference. */
struct tb_frame *trace_build(struct ghc_lane *lane, const uintptr_t *sites, uintptr_t code, const uintptr_t *callers);

/* As trace_build(), for the lane's own transaction. Requires trace_callers(). */
struct tb_frame *trace_own(struct ghc_lane *lane, const uintptr_t *sites);

/* A transaction of this code begins in the lane. `frame`: the first one outside of it. Its site is its name, if the
 * program has given one. */
static inline void trace_begin(struct ghc_lane *lane, uintptr_t code, const uintptr_t *frame)
{
	uintptr_t name = transaction_name(frame);
	lane->code = code;
	lane->site = transaction_site(name != 0 ? name : code);
	lane->knows_callers = false;
}

/* Finds the callers of the lane's transaction, unless they are known: for most transactions they are never needed.
 * `tso`: the Haskell thread, which is in that transaction. `top`: as for walk_top(). */
void trace_callers(struct ghc_lane *lane, const struct hs_tso *tso, uintptr_t *top);

/* As trace_callers(), for a transaction that is about to begin. `frame`: the first frame outside of it. */
void trace_callers_at(struct ghc_lane *lane, uintptr_t *frame);

#endif
