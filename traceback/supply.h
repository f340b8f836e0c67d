/* SPDX-License-Identifier: MIT
 *
 * The supply of frames: a stack allocates a frame from its own free list and, when that is empty, from the depot that
 * all stacks share. Free frames go back the same way. This file also has the list of all stacks, from which
 * tb_live_frames() counts the frames in use.
 *
 * Not re-entrant: a frame is read from the free list before it is removed there, and the depot has a lock. A signal
 * handler may use only a stack of its own that was created beforehand, and only while that stack neither runs out of
 * free frames nor exceeds its cap.
 */
#ifndef TRACEBACK_SUPPLY_H
#define TRACEBACK_SUPPLY_H

#include <stdbool.h>

#include <stmlog/traceback.h>

#include "check.h"

/* Adds a stack to the list of all stacks. While the list has a stack, no memory of frames is freed. */
void supply_join(struct tb_stack *stack);

/* Removes a stack from the list, and gives its free frames to the depot. If it was the last stack, and no frame has
 * references, all memory of frames is freed. */
void supply_leave(struct tb_stack *stack);

/* Gets free frames from the depot. Requires: the free list is empty. Returns false when there is no memory. */
bool supply_refill(struct tb_stack *stack);

/* Gives half the cap to the depot, or nothing in a signal handler that has interrupted a thread in the depot: then the
 * list grows beyond its cap until the next call. Requires: the free list is full. */
void supply_spill(struct tb_stack *stack);

/* Partner: tb_live_frames() on any thread. */
static inline void supply_count(struct tb_stack *stack, uint32_t spare)
{
	STMLOG_STORE_RELAXED(&stack->spare, spare);
}

/* Returns a frame with refs == 1 that the stack no longer holds; its other fields are not set. NULL: no memory. */
static inline struct tb_frame *supply_alloc(struct tb_stack *stack)
{
	if (STMLOG_UNLIKELY(!tb_is_frame(stack->free)) && !supply_refill(stack))
		return NULL;
	struct tb_frame *frame = stack->free;
	stack->free = frame->down;
	supply_count(stack, stack->spare - 1);
	return frame;
}

/* Puts a frame into the free list. Requires: refs == 1, no references to the frame, and the stack does not hold it. */
static inline void supply_free(struct tb_stack *stack, struct tb_frame *frame)
{
	REQUIRES(frame->refs == 1);
	if (STMLOG_UNLIKELY(stack->spare >= stack->cap))
		supply_spill(stack);
	tb_frame_link(frame, stack->free);
	stack->free = frame;
	supply_count(stack, stack->spare + 1);
}

#endif
