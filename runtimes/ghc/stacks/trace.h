/* SPDX-License-Identifier: MIT
 * Tracebacks for the library, from sites that were noted by number. */
#ifndef GHC_TRACE_H
#define GHC_TRACE_H

#include <stmlog/runtime.h>

#include "lane.h"

/* Where a transaction accesses a TVar: the sites of the access (NULL: not known), the code of the transaction, and its
 * callers. Returns an owned reference. */
struct tb_frame *trace_build(struct ghc_lane *lane, const uintptr_t *sites, uintptr_t code, const uintptr_t *callers);

/* The same, of the lane's own transaction. */
struct tb_frame *trace_own(struct ghc_lane *lane, const uintptr_t *sites);

/* Notes in the lane by whom its transaction was begun: `frame` is the first one outside of it. */
void trace_begin(struct ghc_lane *lane, uintptr_t code, uintptr_t *frame);

#endif
