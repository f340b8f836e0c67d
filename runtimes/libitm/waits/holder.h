/* SPDX-License-Identifier: MIT
 *
 * The holder of libitm's serial lock beside hardware transactions. It stores its ring here after it has got the lock,
 * and removes it before it releases the lock. So the thread named here holds the lock. For some tens of nanoseconds at
 * either end the lock is held and no thread is named. Without hardware transactions no thread is named here (alone.h).
 * itm_holder_name() is in wait.c.
 *
 * Invariant: itm_holder is the ring of the thread that holds the lock, or 0.
 * Partners: itm_holder_set() releases, itm_holder_find() acquires. The holder's ring has had the site of its
 * transaction stored before.
 */
#ifndef ITM_HOLDER_H
#define ITM_HOLDER_H

#include <stmlog/runtime.h>

#include "ring.h"

extern volatile AO_t itm_holder __attribute__((visibility("hidden"))); /* struct itm_ring * */

/* The ring of the thread that holds the lock; NULL: no thread is named. */
static inline const struct itm_ring *itm_holder_ring(void)
{
	return (const struct itm_ring *)AO_load_acquire(&itm_holder);
}

/* `ring` is the calling thread's, which has got the lock; NULL: it is about to release the lock. */
static inline void itm_holder_set(const struct itm_ring *ring)
{
	AO_store_release(&itm_holder, (AO_t)ring);
}

/* The number of the thread that holds the lock, and where its transaction began. 0: no thread is named, or the holder
 * or its site has changed meanwhile. */
static inline uint32_t itm_holder_find(uintptr_t *site)
{
	const struct itm_ring *ring = itm_holder_ring();
	if (ring == NULL)
		return 0;
	uint32_t thread = (uint32_t)AO_load(&ring->thread);
	*site = itm_ring_site(ring);
	AO_nop_read();
	bool is_same = AO_load_acquire(&itm_holder) == (AO_t)ring && itm_ring_site(ring) == *site;
	return is_same ? thread : 0;
}

/* Makes the result of itm_holder_find() the other side of *loss; does nothing if `holder` or `site` is 0. loss->remote
 * is owned afterwards: release it by tb_unref() with `stack`. */
void itm_holder_name(
	struct tb_stack *stack, uint32_t holder, uintptr_t site, enum stmlog_grade grade, struct stmlog_loss *loss);

#endif
