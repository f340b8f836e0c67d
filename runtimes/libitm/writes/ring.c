/* SPDX-License-Identifier: MIT
 * The list of all rings. It only grows: a thread that begins takes a ring from one that has ended, or adds a new one.
 */
#include "ring.h"

#include "pages.h"

_Static_assert(sizeof(struct itm_ring_entry) == 16 && offsetof(struct itm_ring, entries) == ITM_RING_HEADER &&
		       offsetof(struct itm_ring, site) == ITM_RING_SITE && offsetof(struct itm_ring, head) == 0,
	"asm_shared.h");
_Static_assert((ITM_RING_BYTES & (ITM_RING_BYTES - 1)) == 0, "positions are reduced by a mask");

struct itm_ring itm_ring_dummy;

volatile AO_t itm_rings;

static struct itm_ring *acquire_released(void)
{
	struct itm_ring *ring = itm_ring_first();
	while (ring != NULL && !(AO_load(&ring->is_owned) == 0 && AO_compare_and_swap_full(&ring->is_owned, 0, 1)))
		ring = itm_ring_next(ring);
	return ring;
}

static struct itm_ring *make_new(void)
{
	struct itm_ring *ring = native_pages(sizeof *ring);
	if (ring == NULL)
		return NULL;
	AO_store(&ring->is_owned, 1);
	AO_t next;
	do {
		next = AO_load(&itm_rings);
		AO_store(&ring->next, next);
	} while (!AO_compare_and_swap_full(&itm_rings, next, (AO_t)ring));
	return ring;
}

/* The floor is stored before the number: a reader that finds the new owner's number does not take the entries of the
 * former owner for the new one's. */
static void begin_anew(struct itm_ring *ring, uint32_t thread)
{
	AO_t head = AO_load(&ring->head);
	AO_store(&ring->ended, head);
	AO_store(&ring->holder, 0);
	AO_store(&ring->context, 0);
	AO_store(&ring->alone.requested, 0);
	AO_store(&ring->interrupted.seen, 0);
	AO_store(&ring->is_burst, 0);
	AO_store(&ring->site, itm_ring_site(ring) | ITM_RING_IS_OVER);
	AO_store_release(&ring->floor, head);
	AO_store_release(&ring->thread, thread);
}

struct itm_ring *itm_ring_acquire(uint32_t thread)
{
	struct itm_ring *ring = acquire_released();
	if (ring == NULL)
		ring = make_new();
	if (ring != NULL)
		begin_anew(ring, thread);
	return ring;
}

void itm_ring_release(struct itm_ring *ring)
{
	AO_store(&ring->is_burst, 0);
	AO_store_release(&ring->is_owned, 0);
}

void itm_rings_after_fork(const struct itm_ring *own)
{
	for (struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring))
		if (ring != own) {
			begin_anew(ring, 0);
			itm_ring_release(ring);
		}
}

void itm_ring_interrupt(struct itm_ring *ring, uint64_t off_ns, uint64_t stamp)
{
	struct itm_ring_interrupted *interrupted = &ring->interrupted;
	if (AO_load(&ring->site) & ITM_RING_IS_OVER)
		return;
	AO_store(&interrupted->seen, 0);
	AO_store_release(&interrupted->site, itm_ring_site(ring));
	AO_store(&interrupted->context, AO_load(&ring->context));
	AO_store(&interrupted->off_ns, off_ns);
	AO_store_release(&interrupted->seen, stamp); /* partner: itm_interrupted_find_blocker() */
}

uintptr_t itm_ring_site_at(const struct itm_ring *ring, uint64_t head)
{
	uintptr_t site = itm_ring_site(ring);
	/* If the site loaded is that of a later transaction, the ends of those before it are visible now. */
	AO_nop_read();
	struct itm_ring_reader reader = itm_ring_read(ring);
	if (head < reader.floor)
		return 0;
	reader.floor = head;
	while (itm_ring_back(&reader))
		if (reader.is_end)
			site = reader.write.site;
	return itm_ring_was_whole(ring, head) ? site : 0;
}
