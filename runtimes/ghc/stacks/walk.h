/* SPDX-License-Identifier: MIT
 *
 * Walks the stack of a Haskell thread: finds the code that accesses a TVar, and the code that has begun the
 * transaction. A frame is named by the address of its code plus 1, as return addresses are looked up by the byte before
 * them, and before the code lies its info table.
 */
#ifndef GHC_WALK_H
#define GHC_WALK_H

#include <stmlog/agent.h>

#include "lane.h"
#include "ring.h"
#include "rts.h"

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
 * left.c. Returns whether any of them has WALK_NEXT. */
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
 * (transaction_name.h), the name stands in the place of this frame. The rest of `callers` is 0. */
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

/* ---- left.c ---- */

/* Code that has left the stack. In a program that is not optimized, what a do-block ends with leaves no frame, and may
 * be called by code that is known only while it runs. But at the attempt's previous access there was a frame that goes
 * on with it. If this frame is gone, and those around it are as they were, the code that it went on with has run, and
 * the access is what that code ends with. */

/* Adds to the sites of an access the code that has left the stack since the attempt's previous access and makes this
 * one: its address plus WALK_LEFT, in front of the frames that were there before. Keeps the stack in `stack` for the
 * next access; it is kept only up to STACK_WORDS. `top`: as for walk_access(), which has found the sites. */
void left_add(uintptr_t *top, struct lane_stack *stack, uintptr_t sites[RING_SITES]);

#endif
