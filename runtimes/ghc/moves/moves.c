/* SPDX-License-Identifier: MIT
 * Follows TVars through collections: those of attempts under way, of the commits that may be their culprits, and those
 * that have numbers. No other is kept alive, and no other is looked at. */
#include "moves.h"

#include "capability.h"
#include "labels.h"
#include "lane.h"
#include "objects.h"
#include "real.h"

/* What is called once for each slot that holds the address of a TVar; it has the form of the compactor's function.
 * Slots that hold 0 are left out. */
struct visitor {
	void (*visit)(void *user, uintptr_t *slot);
	void *user;
};

/* ---- attempts ---- */

static void visit_records(struct ghc_lane *lane, void *arg)
{
	const struct visitor *visitor = arg;
	lane->stack.len = 0; /* it has addresses of closures */
	if (lane->wake.tvar != 0)
		visitor->visit(visitor->user, &lane->wake.tvar);
	for (uint32_t i = 0; i < lane->records.len; i++)
		if (lane->records.at[i].tvar != 0)
			visitor->visit(visitor->user, &lane->records.at[i].tvar);
}

static void find_oldest(struct ghc_lane *lane, void *oldest_ns)
{
	if (lane->began_ns < *(uint64_t *)oldest_ns)
		*(uint64_t *)oldest_ns = lane->began_ns;
}

/* ---- commits ---- */

static void visit_write(struct ring_write *write, const struct visitor *visitor)
{
	uintptr_t tvar = AO_load(&write->tvar);
	if (tvar != 0)
		visitor->visit(visitor->user, (uintptr_t *)&write->tvar);
}

/* Visits what was written since the oldest attempt under way began, and forgets the commits before, from one with a
 * time stamp on: no attempt will search for them, and so each commit is followed through few collections. */
static void visit_ring(struct ring *ring, uint64_t oldest_ns, const struct visitor *visitor)
{
	AO_t head = AO_load(&ring->writes_head), kept = AO_load(&ring->head);
	for (AO_t position = head; position-- != 0 && head - position <= RING_WRITES;) {
		struct ring_write *write = &ring->writes[position % RING_WRITES];
		AO_t commit = AO_load(&write->commit);
		if (commit < AO_load(&ring->tail) || AO_load(&ring->head) - commit > RING_COMMITS ||
			AO_load(&ring->commits[commit % RING_COMMITS].stamp) < oldest_ns)
			break;
		visit_write(write, visitor);
		kept = commit;
	}
	AO_store(&ring->tail, kept);
}

/* ---- all ---- */

static void visit_all(struct visitor visitor)
{
	uint64_t oldest_ns = UINT64_MAX;
	lanes_visit(find_oldest, &oldest_ns);
	lanes_visit(visit_records, &visitor);
	for (size_t i = 0; i < capabilities_len(); i++)
		visit_ring(&capability_at(i)->ring, oldest_ns, &visitor);
	objects_visit(visitor.visit, visitor.user);
	labels_visit(visitor.visit, visitor.user);
}

static void follow(void *unused, uintptr_t *slot)
{
	(void)unused;
	*slot = (uintptr_t)ghc_real.is_alive((struct hs_closure *)*slot);
}

volatile AO_t moves_have_just_ended;

void moves_collected(void)
{
	ghc_real.collected();
	AO_store(&moves_have_just_ended, 1);
	visit_all((struct visitor){.visit = follow});
}

/* The compactor leaves objects alone that lie where nothing is compacted. */
void moves_compacting(void (*announce)(void *user, uintptr_t *slot), void *user)
{
	ghc_real.compacting(announce, user);
	visit_all((struct visitor){announce, user});
}
