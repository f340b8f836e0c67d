/* SPDX-License-Identifier: MIT
 * Allocates slots for transactions that sleep, and reports their sleeps. */
#include "blocked.h"

#include <pthread.h>

#include "requires.h"
#include "rts.h"
#include "pages.h"
#include "lane.h"
#include "sampling.h"

/* Further transactions sleep without a slot, and are not counted. */
#define SLOTS_MAX (1u << 20)

struct slot {
	uint64_t since_ns; /* when it has fallen asleep last */
	uint64_t slept_ns; /* how long it slept from then on, once it has woken up */
	struct tb_site site;
	uint32_t next; /* in the list of free ones; 0: none */
	uint32_t every, failures, futile;
	bool is_asleep;
	uint16_t forks; /* the variable `forks` when it has fallen asleep */
};

/* The number of forks from the first process to this one. Sleeps that began in a parent are not reported in the child.
 */
static uint16_t forks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot *slots; /* the first one is not used */
static uint32_t used, free_slot;
static volatile AO_t spurious;

static struct slot *slot_of(uint32_t mark)
{
	REQUIRES(mark_is_slot(mark) && slots != NULL);
	return &slots[mark & ~MARK_SLOT];
}

static uint32_t alloc_new(void)
{
	if (slots == NULL)
		slots = native_pages(SLOTS_MAX * sizeof *slots);
	return slots != NULL && used + 1 < SLOTS_MAX ? ++used : 0;
}

static uint32_t slot_alloc(void)
{
	pthread_mutex_lock(&lock);
	uint32_t number = free_slot;
	if (number != 0)
		free_slot = slots[number].next;
	else
		number = alloc_new();
	pthread_mutex_unlock(&lock);
	if (number == 0)
		return 0;
	watch_add(WATCH_OTHER);
	return number | MARK_SLOT;
}

static void slot_free(uint32_t mark)
{
	pthread_mutex_lock(&lock);
	slot_of(mark)->next = free_slot;
	free_slot = mark & ~MARK_SLOT;
	pthread_mutex_unlock(&lock);
	watch_add(-WATCH_OTHER);
}

/* Any lane of the capability may report it. Returns false if there is none. */
static bool report(struct ghc_capability *mine, const struct slot *slot, bool is_futile)
{
	struct ghc_lane *lane = mine != NULL && slot->forks == forks ? lane_alloc(mine) : NULL;
	if (lane == NULL)
		return false;
	stmlog_was_blocked(lane->log, slot->site, slot->slept_ns, is_futile);
	lane_free(lane, mine);
	return true;
}

uint32_t blocked_begin(struct ghc_capability *mine, uint32_t slot, struct tb_site site, uint32_t every)
{
	bool is_first = slot == 0;
	if (is_first)
		slot = slot_alloc();
	if (slot == 0)
		return 0;
	struct slot *own = slot_of(slot);
	if (!is_first)
		report(mine, own, true);
	*own = (struct slot){.since_ns = stmlog_now_ns(),
		.site = site,
		.futile = is_first ? 0 : late_count(mine, own->futile),
		.is_asleep = true,
		.every = every,
		.forks = forks};
	return slot;
}

static void wake(struct slot *slot)
{
	if (slot->is_asleep)
		slot->slept_ns = stmlog_now_ns() - slot->since_ns;
	slot->is_asleep = false;
}

uint64_t blocked_wake(uint32_t slot)
{
	struct slot *own = slot_of(slot);
	bool has_slept = own->is_asleep;
	wake(own);
	return has_slept ? own->since_ns + own->slept_ns : 0;
}

uint64_t blocked_since_ns(uint32_t slot)
{
	return slot_of(slot)->since_ns;
}

uint32_t blocked_every(uint32_t slot)
{
	return slot_of(slot)->every;
}

uint32_t *blocked_failures(uint32_t slot)
{
	return &slot_of(slot)->failures;
}

bool blocked_is_watched(uint32_t slot)
{
	return late_is_watched(slot_of(slot)->futile);
}

bool blocked_is_measured_next(uint32_t slot)
{
	return blocked_every(slot) != 0 || blocked_is_watched(slot);
}

void blocked_woken_by(struct ghc_capability *mine, uint32_t slot, struct tb_site waker)
{
	struct ghc_lane *lane = lane_alloc(mine);
	if (lane == NULL)
		return;
	stmlog_was_woken(lane->log, slot_of(slot)->site, waker);
	lane_free(lane, mine);
}

void blocked_is_for_ever(struct ghc_capability *mine, uint32_t slot)
{
	struct ghc_lane *lane = lane_alloc(mine);
	if (lane == NULL)
		return;
	stmlog_is_blocked_for_ever(lane->log, slot_of(slot)->site);
	lane_free(lane, mine);
}

void blocked_again(struct ghc_capability *mine, uint32_t slot)
{
	struct slot *own = slot_of(slot);
	wake(own);
	if (report(mine, own, true))
		AO_fetch_and_add1(&spurious);
	own->since_ns = stmlog_now_ns();
	own->is_asleep = true;
}

uint64_t blocked_spurious(void)
{
	return AO_load(&spurious);
}

void blocked_end(struct ghc_capability *mine, uint32_t slot)
{
	wake(slot_of(slot));
	report(mine, slot_of(slot), false);
	slot_free(slot);
}

void blocked_after_fork(void)
{
	forks++;
	AO_store(&spurious, 0);
	/* C code may fork while another OS thread holds the lock. What it guards is consistent after each store. */
	pthread_mutex_init(&lock, NULL);
}
