/* SPDX-License-Identifier: MIT
 *
 * Where the frames of all stacks come from and go to: a stack's own free list first,
 * the process's one depot behind it. Here is also the list of all stacks, without
 * which nobody could say how many frames are in use.
 *
 * Not re-entrant: a push has its frame in hand before the list knows that it is gone, and the
 * depot has a lock. So a signal handler may use no stack but one of its own, made beforehand, and
 * that only as long as it neither runs out of free frames nor exceeds its cap.
 */
#ifndef TRACEBACK_SUPPLY_H
#define TRACEBACK_SUPPLY_H

#include <stdbool.h>

#include <stmlog/traceback.h>

/* From join to leave the stack's spare frames count as free, and no frame's memory goes away. */
void supply_join(struct tb_stack *stack);

/* Gives the stack's free frames to the depot; the last stack to leave takes the memory with it,
 * if no frame is referenced any more. */
void supply_leave(struct tb_stack *stack);

/* Fetches free frames. Requires: none are left. Returns whether there are some now: false when memory
 * ran out. While pushes are being lost it fetches one frame, to be used at once. */
bool supply_refill(struct tb_stack *stack);

/* The way of supply_give() when the list may be full, or has to stay empty. */
void supply_give_slow(struct tb_stack *stack, struct tb_frame *frame);

/* Partner of both: tb_live_frames(), on any thread. */
static inline void supply_hold(struct tb_stack *stack, uint32_t held)
{
	STMLOG_STORE_RELAXED(&stack->held, held);
}

static inline void supply_list(struct tb_stack *stack, struct tb_frame *free)
{
	STMLOG_STORE_RELAXED(&stack->free, free);
}

/* How many free frames the stack has. Counts them. */
static inline uint32_t supply_spare(const struct tb_stack *stack)
{
	return (uint32_t)tb_depth(stack->free);
}

/* Returns a frame with refs == 1 and nothing else set, no longer held; NULL when memory ran out. */
static inline struct tb_frame *supply_take(struct tb_stack *stack)
{
	if (STMLOG_UNLIKELY(!tb_is_frame(stack->free)) && !supply_refill(stack))
		return NULL;
	struct tb_frame *frame = stack->free;
	supply_list(stack, frame->down);
	supply_hold(stack, stack->held - 1);
	return frame;
}

/* Takes in a frame with refs == 1 that was not held and nobody refers to any more. */
static inline void supply_give(struct tb_stack *stack, struct tb_frame *frame)
{
	if (STMLOG_UNLIKELY(stack->held >= stack->limit)) {
		supply_give_slow(stack, frame);
		return;
	}
	tb_frame_link(frame, stack->free);
	supply_list(stack, frame);
	supply_hold(stack, stack->held + 1);
}

#endif
