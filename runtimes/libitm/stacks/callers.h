/* SPDX-License-Identifier: MIT
 *
 * The callers that are recorded with each write, with stacks=frames. They are found by frame pointers
 * (frame_pointers.h). barriers.S takes their number (context_tree.h) from itm_self.context. It is set here when a
 * transaction begins, measured or not. Begin's return address is the innermost of them; calls within the transaction
 * are not known.
 */
#ifndef ITM_CALLERS_H
#define ITM_CALLERS_H

#include <stddef.h>
#include <stdint.h>

#include "frame_pointers.h"

/* Create and destroy the calling thread's memory for its callers. The thread must have its ring. Without memory its
 * callers are not recorded. */
void itm_callers_create(void);
void itm_callers_destroy(void);

/* A transaction begins: `slot` is where begin's return address lies, `frame` the value of rbp there. */
void itm_callers_note(const uintptr_t *slot, const struct itm_frame_pair *frame);

/* Stores the return addresses of the callers `context` from another thread's ring, innermost first, at most `cap`.
 * Begin's return address is among them. Returns how many. */
struct itm_ring;
size_t itm_callers_of(const struct itm_ring *ring, uint32_t context, uintptr_t *callers, size_t cap);

/* How often callers could not be recorded, because there were too many different ones. */
size_t itm_callers_dropped(void);

#endif
