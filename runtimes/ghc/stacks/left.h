/* SPDX-License-Identifier: MIT
 *
 * Code that has left the stack. In a program that is not optimized, what a do-block ends with leaves no frame, and may
 * be called by code that is known only while it runs. But at the attempt's previous access there was a frame that goes
 * on with it. If this frame is gone, and those around it are as they were, the code that it went on with has run, and
 * the access is what that code ends with.
 */
#ifndef GHC_LEFT_H
#define GHC_LEFT_H

#include "lane.h"

/* Adds to the sites of an access the code that has left the stack since the attempt's previous access and makes this
 * one: its address plus WALK_LEFT, in front of the frames that were there before. Keeps the stack in `stack` for the
 * next access; it is kept only up to STACK_WORDS. `top`: as for walk_access(), which has found the sites. */
void left_add(uintptr_t *top, struct lane_stack *stack, uintptr_t sites[RING_SITES]);

#endif
