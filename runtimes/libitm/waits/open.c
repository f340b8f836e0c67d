/* SPDX-License-Identifier: MIT
 *
 * Finds the transactions that are under way, for a snapshot, in the rings of all threads. Most transactions take no
 * time stamp when they begin, so each is known to be open since the first snapshot that has found it. A transaction
 * that no earlier snapshot has found is left out: it may be as short as any. Only of waits for the serial lock the
 * beginning is known: such a wait sleeps in the kernel, so the clock can be read before it.
 *
 * For which transaction another one waits is not known as long as both are open, but for which it may wait: a commit,
 * and a transaction that asks to run alone, waits for transactions that have not called commit; and before a
 * transaction begins it waits for one that has asked.
 */
#include "others.h"

#include <atomic_ops.h>

#include <stmlog/agent.h>

#include "libitm_layout.h"
#include "ring.h"

enum { SEEN_MAX = 64 };

/* A transaction, or its commit. It is the same as in the snapshot before if ring, `completed` and is_committing are. */
struct seen {
	const struct itm_ring *ring;
	AO_t completed;
	bool is_committing; /* its commit was called */
	bool has_requested; /* to run alone */
	bool is_waiting;    /* for the serial lock */
	uint64_t since_ns;
};

/* The thread that has set is_locked uses the lists. Snapshots come one after the other; a recording that the program
 * asks for during one finds the lists taken, and has no open transactions. */
static volatile AO_t is_locked;
static struct seen before[SEEN_MAX], now[SEEN_MAX];
static size_t before_len, now_len;

/* ---- looking ---- */

/* Returns false if none is under way. `completed` is loaded before and after the other words: if it is the same, they
 * are all of one transaction. */
static bool snapshot_of(struct seen *seen, const struct itm_ring *ring)
{
	AO_t completed = AO_load_acquire(&ring->completed); /* partner: itm_ring_note_end() */
	AO_t site = AO_load_acquire(&ring->site);
	AO_t waits_since_ns = AO_load(&ring->alone.waits_since_ns);
	*seen = (struct seen){
		.ring = ring,
		.completed = completed,
		.is_committing = site & ITM_RING_IS_COMMITTING,
		.has_requested = AO_load(&ring->alone.requested) == completed + 1,
		.is_waiting = waits_since_ns != 0,
		.since_ns = waits_since_ns,
	};
	AO_nop_read();
	return !(site & ITM_RING_IS_OVER) && AO_load(&ring->is_owned) && AO_load(&ring->completed) == completed;
}

/* The time of the first snapshot that has found the transaction. */
static uint64_t since(const struct seen *seen, uint64_t now_ns)
{
	for (size_t i = 0; i < before_len; i++)
		if (before[i].ring == seen->ring && before[i].completed == seen->completed &&
			before[i].is_committing == seen->is_committing)
			return before[i].since_ns;
	return now_ns;
}

static void snapshot(uint64_t now_ns)
{
	now_len = 0;
	for (const struct itm_ring *ring = itm_ring_first(); ring != NULL && now_len < SEEN_MAX;
		ring = itm_ring_next(ring))
		if (snapshot_of(&now[now_len], ring)) {
			if (!now[now_len].is_waiting)
				now[now_len].since_ns = since(&now[now_len], now_ns);
			now_len++;
		}
}

/* ---- who is in the way ---- */

static bool may_wait_for(const struct seen *seen, const struct seen *other)
{
	bool is_serial = itm_locks.serial == NULL || *itm_locks.serial != 0;
	if (seen->is_committing)
		return !other->is_committing;
	return is_serial && (seen->has_requested ? seen->is_waiting && !other->is_waiting : other->has_requested);
}

/* Whether `other` may be named at all: an earlier snapshot has found it; or `seen` waits for the serial lock, and
 * `other` has asked to run alone, however short it may be. */
static bool is_known(const struct seen *seen, const struct seen *other, uint64_t now_ns)
{
	return other->since_ns != now_ns || (seen->is_waiting && other->has_requested);
}

/* Of the transactions for which this one may wait, the one that has been open longest; NULL: there is none. */
static const struct seen *in_the_way_of(const struct seen *seen, uint64_t now_ns)
{
	const struct seen *found = NULL;
	for (size_t i = 0; i < now_len; i++) {
		const struct seen *other = &now[i];
		if (other == seen || !is_known(seen, other, now_ns) || !may_wait_for(seen, other))
			continue;
		if (found == NULL || other->since_ns < found->since_ns)
			found = other;
	}
	return found;
}

static struct stmlog_open_transaction described(const struct seen *seen, uint64_t now_ns)
{
	const struct seen *other = in_the_way_of(seen, now_ns);
	struct stmlog_open_transaction open = {
		.thread = (uint32_t)AO_load(&seen->ring->thread),
		.kind = seen->is_waiting      ? STMLOG_OPEN_WAIT
			: seen->is_committing ? STMLOG_OPEN_COMMIT
					      : STMLOG_OPEN_TRANSACTION,
		.since_ns = seen->since_ns,
		.site = tb_site_make(TB_CODE_ADDRESS, itm_ring_site(seen->ring)),
	};
	if (other == NULL)
		return open;
	uintptr_t place = other->has_requested ? AO_load(&other->ring->alone.requested_place) : 0;
	if (place == 0)
		place = itm_ring_site(other->ring);
	open.other_thread = (uint32_t)AO_load(&other->ring->thread);
	open.other_site = tb_site_make(TB_CODE_ADDRESS, place);
	open.grade = STMLOG_GRADE_CANDIDATE;
	return open;
}

size_t itm_open_find(struct stmlog_open_transaction *open, size_t max, void *unused)
{
	size_t len = 0;
	(void)unused;
	if (!AO_compare_and_swap_full(&is_locked, 0, 1))
		return 0;
	uint64_t now_ns = stmlog_now_ns();
	snapshot(now_ns);
	for (size_t i = 0; i < now_len && len < max; i++)
		if (now[i].since_ns != now_ns)
			open[len++] = described(&now[i], now_ns);
	for (size_t i = 0; i < now_len; i++)
		before[i] = now[i];
	before_len = now_len;
	AO_store_release(&is_locked, 0);
	return len;
}
