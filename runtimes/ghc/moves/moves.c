/* SPDX-License-Identifier: MIT
 * Follows TVars through collections: those of attempts under way, of the commits that may be their culprits, and those
 * that have numbers. No other is kept alive, and no other is looked at. */
#include "moves.h"

#include "capability.h"
#include "labels.h"
#include "lane.h"
#include "objects.h"
#include "real.h"

/* Is called once for each slot that holds the address of a TVar. Slots that hold 0 are left out. */
struct visitor {
	void (*visit)(uintptr_t *slot, void *arg);
	void *arg;
};

/* ---- attempts ---- */

static void visit_records(struct ghc_lane *lane, void *arg)
{
	const struct visitor *visitor = arg;
	lane->stack.len = 0; /* it has addresses of closures */
	if (lane->wake.tvar != 0)
		visitor->visit(&lane->wake.tvar, visitor->arg);
	for (uint32_t i = 0; i < lane->records.len; i++)
		if (lane->records.at[i].tvar != 0)
			visitor->visit(&lane->records.at[i].tvar, visitor->arg);
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
		visitor->visit((uintptr_t *)&write->tvar, visitor->arg);
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
	objects_visit(visitor.visit, visitor.arg);
	labels_visit(visitor.visit, visitor.arg);
}

static void follow(uintptr_t *slot, void *unused)
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

/* ---- compaction ---- */

struct compactor {
	void (*announce)(void *user, uintptr_t *slot);
	void *user;
};

/* The compactor leaves objects alone that lie where nothing is compacted. */
static void announce_slot(uintptr_t *slot, void *arg)
{
	const struct compactor *compactor = arg;
	compactor->announce(compactor->user, slot);
}

void moves_compacting(void (*announce)(void *user, uintptr_t *slot), void *user)
{
	struct compactor compactor = {announce, user};
	ghc_real.compacting(announce, user);
	visit_all((struct visitor){announce_slot, &compactor});
}
