/* SPDX-License-Identifier: MIT
 *
 * The callers of the measured transaction under way, as a number (context_tree.h): barriers.S records it with each
 * write, and the ring shows it to threads that wait. So a victim knows the callers of its culprit. Begin's return
 * address is the innermost of them; calls within the transaction are not known. Other transactions have the number 0.
 *
 * Callers are recorded where a part of the transactions is measured, and with paths, since both look up the traceback
 * of begin anyway or can afford it. Otherwise each transaction would have to.
 */
#ifndef ITM_CALLERS_H
#define ITM_CALLERS_H

#include <stddef.h>
#include <stdint.h>

#include "context_tree.h"
#include "ring.h"
#include "thread.h"

struct native_step;

/* To be called when the calling thread has its ring, and before it releases that. Without memory callers are not
 * recorded. */
void itm_callers_create(void);
void itm_callers_destroy(void);

/* The number of the calling thread's stack, innermost step first; 0 if callers are not recorded, or no number is left.
 */
uint32_t itm_callers_number(const struct native_step *steps, size_t len);

/* The measured transaction begins: before the ring has its site. */
static inline void itm_callers_show(struct itm_thread *self, uint32_t number)
{
	self->context = (uint16_t)number;
	AO_store(&self->ring->context, number);
}

/* It is over: before the ring says so. A thread that then finds the site of the next transaction does not find the
 * callers of this one. */
static inline void itm_callers_hide(struct itm_thread *self)
{
	itm_callers_show(self, 0);
}

/* Stores the return addresses of the callers `context` from another thread's ring, innermost first, at most `cap`.
 * Begin's return address is among them. Returns how many. */
size_t itm_callers_of(const struct itm_ring *ring, uint32_t context, uintptr_t *callers, size_t cap);

/* How often callers could not be recorded, because there were too many different ones. */
size_t itm_callers_dropped(void);

#endif
