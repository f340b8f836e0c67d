/* SPDX-License-Identifier: MIT
 *
 * Who holds libitm's serial lock, for those who have to wait for it. The holder says so when it has got the lock, and
 * takes it back before it gives the lock back; so whoever is named held the lock while its name stood there. In
 * between, for some tens of nanoseconds at either end, nobody is named.
 *
 * Invariant: itm_holder is the ring of a thread that holds the lock, or 0.
 * Partners: itm_holder_set() releases, itm_holder_find() acquires: the ring's site is that of the transaction that
 * holds the lock, since that was stored before.
 */
#ifndef ITM_HOLDER_H
#define ITM_HOLDER_H

#include <stmlog/runtime.h>

#include "ring.h"

extern volatile AO_t itm_holder __attribute__((visibility("hidden"))); /* struct itm_ring * */

/* The calling thread's ring; NULL: it is about to let go. */
static inline void itm_holder_set(const struct itm_ring *ring)
{
	AO_store_release(&itm_holder, (AO_t)ring);
}

/* The number of the thread that holds the lock, and where its transaction began; 0: nobody is named. Where the
 * holder or its site changes meanwhile, nobody is named. */
static inline uint32_t itm_holder_find(uintptr_t *site)
{
	const struct itm_ring *ring = (const struct itm_ring *)AO_load_acquire(&itm_holder);
	if (ring == NULL)
		return 0;
	uint32_t thread = (uint32_t)AO_load(&ring->thread);
	*site = AO_load_acquire(&ring->site);
	bool is_same = AO_load_acquire(&itm_holder) == (AO_t)ring && AO_load(&ring->site) == *site;
	return is_same ? thread : 0;
}

/* Who was found, as the other side of a loss; nothing where that was nobody. loss->remote is owned then: for
 * tb_unref() with `stack`. */
void itm_holder_name(
	struct tb_stack *stack, uint32_t holder, uintptr_t site, enum stmlog_grade grade, struct stmlog_loss *loss);

#endif
