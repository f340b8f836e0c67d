/* SPDX-License-Identifier: MIT
 *
 * With stacks=frames and stacks=full each write is put on record with its callers: their number
 * (context_tree.h) stands in itm_self.context, from where barriers.S takes it. Here it is set when a
 * transaction begins, measured or not; on top of the callers stands begin's return address.
 *
 *   frames   the callers are found by frame pointers (frame_pointers.h); what is called within the
 *            transaction is not known
 *   full     functions tell when they are entered and left (call_stack.h, function_hooks.c), also within
 *            the transaction; a thread none of whose functions does is treated as with frames
 */
#ifndef ITM_CALLERS_H
#define ITM_CALLERS_H

#include <stddef.h>
#include <stdint.h>

#include "frame_pointers.h"

/* For the calling thread, which has its ring; without memory its callers are not known. */
void itm_callers_create(void);
void itm_callers_destroy(void);

/* A transaction begins: `slot` is where begin's return address lies, `frame` what rbp is there. */
void itm_callers_note(const uintptr_t *slot, const struct itm_frame_pair *frame);

/* The callers of a write of another thread's, or of what else is on record with `context`,
 * innermost first: begin's return address among them. */
struct itm_ring;
size_t itm_callers_of(const struct itm_ring *ring, uint32_t context, uintptr_t *callers, size_t cap);

/* How often callers were not put on record since there were too many different ones. */
size_t itm_callers_dropped(void);

#endif
