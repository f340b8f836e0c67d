/* SPDX-License-Identifier: MIT
 * The list of all rings, which only grows, and the stack of those that have no owner. A thread that begins pops the
 * ring that was released last, or adds a new one. */
#include "ring.h"

#include "pages.h"
#include "requires.h"

_Static_assert(sizeof(struct itm_ring_entry) == 16 && offsetof(struct itm_ring, entries) == ITM_RING_HEADER &&
		       offsetof(struct itm_ring, site) == ITM_RING_SITE && offsetof(struct itm_ring, head) == 0,
	"asm_shared.h");
_Static_assert((ITM_RING_BYTES & (ITM_RING_BYTES - 1)) == 0, "positions are reduced by a mask");

struct itm_ring itm_ring_dummy;

volatile AO_t itm_rings, itm_rings_owned;
volatile AO_t itm_alone_count __attribute__((aligned(64))); /* apart, since threads change it all the time */

/* ---- rings without an owner ---- */

/* The ring on top of the stack in the low 48 bits. The bits above count its changes: a thread that was interrupted
 * within pop() notices that the same ring has been popped and pushed meanwhile. */
static volatile AO_t released;

#define CHANGE ((AO_t)ITM_RING_ADDRESS + 1)

static AO_t with_top(AO_t before, AO_t top)
{
	return before - (before & ITM_RING_ADDRESS) + CHANGE + top;
}

/* NULL: the stack is empty. Rings are never freed, so `below` can be loaded even if another thread has popped the ring.
 */
static struct itm_ring *pop(void)
{
	AO_t before;
	struct itm_ring *ring;
	do {
		before = AO_load_acquire(&released); /* partner: push() */
		ring = (struct itm_ring *)(before & ITM_RING_ADDRESS);
	} while (ring != NULL && !AO_compare_and_swap_full(&released, before, with_top(before, AO_load(&ring->below))));
	return ring;
}

static void push(struct itm_ring *ring)
{
	AO_t before;
	do {
		before = AO_load(&released);
		AO_store(&ring->below, before & ITM_RING_ADDRESS);
	} while (!AO_compare_and_swap_full(&released, before, with_top(before, (AO_t)ring)));
}

/* ---- all rings ---- */

/* Rings lie side by side in pieces of memory, because each alone would waste most of its last page. Here is the next
 * one that nobody has had yet, in the low 48 bits; how many there are from there on, above. 0: none. */
static volatile AO_t unused;

enum { PIECE = 8 };

/* Returns a zeroed ring. NULL: no memory. */
static struct itm_ring *alloc_ring(void)
{
	for (;;) {
		AO_t before = AO_load(&unused), left = before >> 48;
		struct itm_ring *ring = (struct itm_ring *)(before & ITM_RING_ADDRESS), *piece = NULL;
		if (left == 0) {
			ring = piece = native_pages(PIECE * sizeof *ring);
			left = PIECE;
		}
		if (ring == NULL ||
			AO_compare_and_swap_full(&unused, before, left > 1 ? (left - 1) << 48 | (AO_t)(ring + 1) : 0))
			return ring;
		native_pages_free(piece, PIECE * sizeof *piece); /* another thread was first */
	}
}

static struct itm_ring *make_new(void)
{
	struct itm_ring *ring = alloc_ring();
	if (ring == NULL)
		return NULL;
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
	AO_store(&ring->interrupted.off_ns, 0);
	AO_store(&ring->is_burst, 0);
	AO_store(&ring->site, itm_ring_site(ring) | ITM_RING_IS_OVER);
	AO_store_release(&ring->floor, head);
	AO_store_release(&ring->thread, thread);
}

struct itm_ring *itm_ring_acquire(uint32_t thread)
{
	struct itm_ring *ring = pop();
	if (ring == NULL)
		ring = make_new();
	if (ring == NULL)
		return NULL;
	AO_store(&ring->is_owned, 1);
	AO_fetch_and_add1(&itm_rings_owned);
	begin_anew(ring, thread);
	return ring;
}

void itm_ring_release(struct itm_ring *ring)
{
	REQUIRES(ring != &itm_ring_dummy && AO_load(&ring->is_owned) != 0);
	AO_store(&ring->is_burst, 0);
	AO_store_release(&ring->is_owned, 0);
	AO_fetch_and_sub1(&itm_rings_owned);
	push(ring);
}

void itm_rings_after_fork(const struct itm_ring *own)
{
	AO_store(&released, 0); /* another thread may have been about to push a ring, or have popped one */
	AO_store(&itm_rings_owned, 0);
	for (struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring))
		if (ring != own) {
			begin_anew(ring, 0);
			AO_store(&ring->is_owned, 0);
			push(ring);
		} else {
			AO_store(&itm_rings_owned, 1);
		}
}

void itm_ring_interrupt(struct itm_ring *ring, uint64_t off_ns, uint64_t stamp)
{
	struct itm_ring_interrupted *interrupted = &ring->interrupted;
	if (AO_load(&ring->site) & ITM_RING_IS_OVER) {
		if (itm_ring_has_unknown_off(ring))
			AO_store(&interrupted->off_ns, off_ns);
		return;
	}
	AO_store(&interrupted->seen, 0);
	AO_store_release(&interrupted->site, itm_ring_site(ring));
	AO_store(&interrupted->context, AO_load(&ring->context));
	AO_store(&interrupted->off_ns, off_ns);
	AO_store_release(&interrupted->seen, stamp); /* partner: itm_interrupted_find_blocker() */
}

void itm_ring_interrupt_commit(struct itm_ring *ring, uint64_t off_ns, uint64_t stamp)
{
	struct itm_ring_interrupted *interrupted = &ring->interrupted;
	AO_store(&interrupted->commit_seen, 0);
	AO_store_release(&interrupted->commit_off_ns, off_ns);
	AO_store_release(&interrupted->commit_seen, stamp); /* partner: itm_interrupted_is_preempted() */
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
