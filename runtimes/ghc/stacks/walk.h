/* SPDX-License-Identifier: MIT
 *
 * The stack of a Haskell thread: finds the code that accesses a TVar, the code that has begun the transaction and its
 * name, and makes tracebacks of them. A frame is named by the address of its code plus 1, as return addresses are
 * looked up by the byte before them, and before the code lies its info table.
 */
#ifndef GHC_WALK_H
#define GHC_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include <stmlog/agent.h>

#include "lane.h"
#include "ring.h"
#include "rts.h"

/* ---- frames ---- */

/* The top of the thread's stack: `top`, Haskell's stack pointer at the call of a hook, if the call came from Haskell.
 * A caller in C has used that register for something else. */
static inline uintptr_t *walk_top(const struct hs_tso *tso, uintptr_t *top)
{
	struct hs_stack *stack = tso->stack;
	return STMLOG_LIKELY(top >= stack->words && top < stack->words + stack->size) ? top : stack->top;
}

/* The innermost frames within the transaction. The rest of `sites` is 0. In a program that is not optimized the code of
 * most frames is that of >>= in the library, which goes on with code of the program. Then the site is the address of
 * that code plus WALK_NEXT, so that the command can tell it from others. What a transaction ends with leaves no frame:
 * the site of such an access is the address of the transaction's code plus WALK_LAST. WALK_TOP is added to the address
 * of the innermost frame's code: that one makes the access itself, or has called what ends with it. WALK_LEFT: see
 * left_add(). Returns whether any of them has WALK_NEXT. */
enum { WALK_NEXT = 2, WALK_LAST = 3, WALK_TOP = 4, WALK_LEFT = 5 };
bool walk_access(uintptr_t *top, uintptr_t sites[RING_SITES]);

/* Whether the frame is a place in the program. */
bool walk_is_site(const uintptr_t *frame);

/* The program's code that the frame goes on with, if the frame's own code is that of >>= in the library; or 0. */
uintptr_t walk_next_code(const uintptr_t *frame);

/* The frame with which the transaction began; NULL: not found. */
uintptr_t *walk_transaction(uintptr_t *top);

/* Code of the transaction: the function that was given to `atomically`. */
uintptr_t walk_code(uintptr_t closure);
static inline uintptr_t walk_code_of(const uintptr_t *transaction)
{
	return walk_code(transaction[1]);
}

/* The frames from here outwards, of which the first one is directly outside of a transaction. If that has a name
 * (transaction_name()), the name stands in the place of this frame. The rest of `callers` is 0. */
void walk_callers(uintptr_t *frame, uintptr_t callers[RING_CALLERS]);

/* The next frame outwards of a frame whose layout word has its size. */
static inline uintptr_t *walk_next_plain(uintptr_t *frame)
{
	return frame + 1 + (hs_layout(*frame) & 63);
}

/* The next frame outwards; NULL: none. Nearly all frames of transactions are of one type. */
uintptr_t *walk_next_unusual(uintptr_t *frame);
static inline uintptr_t *walk_next(uintptr_t *frame)
{
	return STMLOG_LIKELY(hs_type(*frame) == HS_RET_SMALL) ? walk_next_plain(frame) : walk_next_unusual(frame);
}

/* ---- code that has left the stack ----
 *
 * In a program that is not optimized, what a do-block ends with leaves no frame, and may be called by code that is
 * known only while it runs. But at the attempt's previous access there was a frame that goes on with it. If this frame
 * is gone, and those around it are as they were, the code that it went on with has run, and the access is what that
 * code ends with.
 */

/* Adds to the sites of an access the code that has left the stack since the attempt's previous access and makes this
 * one: its address plus WALK_LEFT, in front of the frames that were there before. Keeps the stack in `stack` for the
 * next access; it is kept only up to STACK_WORDS. `top`: as for walk_access(), which has found the sites. */
void left_add(uintptr_t *top, struct lane_stack *stack, uintptr_t sites[RING_SITES]);

/* ---- names that the program has given to transactions (atomicallyNamed in haskell/StmlogNames.hs) ---- */

/* Whether the program gives names. Set before the first one, and never cleared. */
extern bool transaction_names;

uintptr_t transaction_name_slow(const uintptr_t *frame);

/* The name of a transaction, as a number of tb_code_intern(); 0: it has none. `frame`: the first one outside of the
 * transaction; NULL: not known. */
static inline uintptr_t transaction_name(const uintptr_t *frame)
{
	return STMLOG_UNLIKELY(transaction_names) && frame != NULL ? transaction_name_slow(frame) : 0;
}

/* The site of a word that is a number of tb_code_intern() or an address; such numbers are no addresses. A name has
 * no line: the position, of which the lower 32 bits are the line, is not 0, by which the library knows sites that are
 * not known. */
static inline struct tb_site transaction_site(uintptr_t word)
{
	return word > TB_CODE_UNKNOWN ? tb_site_make(word, (uintptr_t)1 << 32) : tb_site_make(TB_CODE_ADDRESS, word);
}

/* ---- tracebacks for the library, from sites that were noted by number ---- */

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
