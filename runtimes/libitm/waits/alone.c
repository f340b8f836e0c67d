/* SPDX-License-Identifier: MIT
 * Records transactions that run alone, and finds them again. */
#include "alone.h"

#include "agent.h"
#include "entries.h"
#include "plain.h"
#include "stamp.h"

/* ---- recording ---- */

void itm_alone_record(struct itm_thread *self, uintptr_t place, enum itm_way way)
{
	struct itm_ring *ring = self->ring;
	struct itm_ring_alone *alone = &ring->alone;
	AO_t number = AO_load(&itm_alone_count) + 1;
	AO_store(&alone->number, 0);
	AO_store_release(&alone->site, itm_ring_site(ring));
	AO_store(&alone->context, AO_load(&ring->context));
	AO_store(&alone->place, place);
	AO_store(&alone->way, way);
	AO_store(&alone->stamp, itm_time_stamp());
	AO_store_release(&alone->number, number);
	AO_store_release(&itm_alone_count, number);
}

/* The failed attempts of the transaction under way. If it is measured, the agent has counted them; otherwise libitm's
 * own count is read, which follows its restart counters. */
static uint32_t failures_of(const struct itm_thread *self)
{
	const uint32_t *counters = itm_agent.has_counters ? itm_counters() : NULL;
	if (self->flags & ITM_MEASURED)
		return self->failures;
	return counters != NULL ? counters[ITM_REASONS] : 0;
}

/* Under the other methods libitm tells only of irrevocable transactions. One that may be cancelled runs alone, and is
 * not irrevocable, if it has starved. */
static bool is_alone(const struct itm_thread *self)
{
	if (itm_locks.dispatch != NULL && itm_agent.method == ITM_METHOD_LOCKS)
		return true;
	return itm_agent.method == ITM_METHOD_SERIAL || itm_real_in_transaction() == ITM_IS_IRREVOCABLE ||
	       failures_of(self) > ITM_FAILURES_MAX;
}

/* The return address of the transaction's first write; 0: none is recorded. */
static uintptr_t first_write(const struct itm_ring *ring)
{
	struct itm_ring_reader reader = itm_ring_read(ring);
	uintptr_t place = 0;
	while (itm_ring_back(&reader) && !reader.is_end)
		place = reader.write.site;
	return place;
}

void itm_alone_record_at_end_slow(struct itm_thread *self)
{
	struct itm_ring *ring = self->ring;
	if (itm_agent.method == ITM_METHOD_HARDWARE || ring == &itm_ring_dummy)
		return;
	if (!itm_rings_are_several()) {
		itm_plain_solo();
		return;
	}
	if (!is_alone(self))
		return;
	if (AO_load(&ring->alone.requested) == AO_load(&ring->completed) + 1)
		itm_alone_record(
			self, AO_load(&ring->alone.requested_place), (enum itm_way)AO_load(&ring->alone.requested_way));
	else if (failures_of(self) > ITM_FAILURES_MAX)
		itm_alone_record(self, 0, ITM_WAY_STARVED);
	else if (itm_agent.method == ITM_METHOD_SERIAL_ON_WRITE && itm_ring_has_writes(ring))
		itm_alone_record(self, first_write(ring), ITM_WAY_WROTE);
	else
		itm_alone_record(self, 0, ITM_WAY_OTHER);
}

/* ---- finding ---- */

/* The ring's transaction that ran alone last; `ring` is NULL if there was none, or if the record is just being changed.
 */
static struct itm_blocker read_alone(const struct itm_ring *ring, AO_t *number)
{
	const struct itm_ring_alone *alone = &ring->alone;
	*number = AO_load_acquire(&alone->number);
	struct itm_blocker found = {
		.ring = ring,
		.site = AO_load(&alone->site),
		.context = (uint32_t)AO_load(&alone->context),
		.place = AO_load(&alone->place),
		.way = (enum itm_way)AO_load(&alone->way),
		.ended = AO_load(&alone->stamp),
	};
	AO_nop_read();
	if (*number == 0 || AO_load(&alone->number) != *number)
		found.ring = NULL;
	return found;
}

/* The first transaction that was recorded after number `after`, of those that are still known. */
static struct itm_blocker first_after(AO_t after)
{
	struct itm_blocker first = {.ring = NULL};
	AO_t lowest = 0;
	for (const struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring)) {
		AO_t number;
		struct itm_blocker found = read_alone(ring, &number);
		if (found.ring == NULL || number <= after || (lowest != 0 && number > lowest))
			continue;
		first = found;
		lowest = number;
	}
	return first;
}

/* Of several transactions, finds the first: that one had the lock when the wait began. */
struct itm_blocker itm_alone_find_blocker(AO_t before)
{
	AO_t recorded = itm_alone_so_far() - before;
	struct itm_blocker found = {.ring = NULL};
	if (recorded != 0)
		found = first_after(before);
	found.grade = recorded == 1 ? STMLOG_GRADE_CERTAIN : STMLOG_GRADE_CANDIDATE;
	return found;
}
