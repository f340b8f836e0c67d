/* SPDX-License-Identifier: MIT
 * Follows TVars through collections: those of attempts under way, of the commits that may be their culprits, and those
 * that have numbers. No other is kept alive, and no other is looked at. */
#include "moves.h"

#include "capability.h"
#include "objects.h"
#include "real.h"

static uintptr_t moved(uintptr_t tvar)
{
	return tvar != 0 ? (uintptr_t)ghc_real.is_alive((struct hs_closure *)tvar) : 0;
}

static uintptr_t lost(uintptr_t tvar)
{
	(void)tvar;
	return 0;
}

/* ---- attempts ---- */

static void move_records(struct ghc_lane *lane, void *oldest_ns)
{
	for (uint32_t i = 0; i < lane->records.len; i++)
		lane->records.at[i].tvar = moved(lane->records.at[i].tvar);
	if (lane->began_ns < *(uint64_t *)oldest_ns)
		*(uint64_t *)oldest_ns = lane->began_ns;
}

static void drop_records(struct ghc_lane *lane, void *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < lane->records.len; i++)
		lane->records.at[i].tvar = 0;
}

/* ---- commits ---- */

/* Follows what was written since the oldest attempt under way began, and forgets the commits before: nobody will ask
 * for them, and so each commit is followed through few collections. */
static void move_ring(struct ring *ring, uint64_t oldest_ns)
{
	AO_t head = AO_load(&ring->writes_head), kept = AO_load(&ring->head);
	for (AO_t position = head; position-- != 0 && head - position <= RING_WRITES;) {
		struct ring_write *write = &ring->writes[position % RING_WRITES];
		AO_t commit = AO_load(&write->commit);
		if (commit < AO_load(&ring->tail) || AO_load(&ring->head) - commit > RING_COMMITS ||
			AO_load(&ring->commits[commit % RING_COMMITS].stamp) < oldest_ns)
			break;
		AO_store(&write->tvar, moved(AO_load(&write->tvar)));
		kept = commit;
	}
	AO_store(&ring->tail, kept);
}

void moves_collected(void)
{
	ghc_real.collected();
	uint64_t oldest_ns = UINT64_MAX;
	lanes_visit(move_records, &oldest_ns);
	for (size_t i = 0; i < capabilities_len(); i++) {
		move_ring(&capability_at(i)->ring, oldest_ns);
		capability_expect_fresh(capability_at(i));
	}
	objects_move(moved);
}

void moves_compact(void *a, void *b, void *c, void *d)
{
	lanes_visit(drop_records, NULL);
	for (size_t i = 0; i < capabilities_len(); i++)
		ring_forget(&capability_at(i)->ring);
	objects_move(lost);
	ghc_real.compact(a, b, c, d);
}
