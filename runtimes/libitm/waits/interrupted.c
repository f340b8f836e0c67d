/* SPDX-License-Identifier: MIT
 *
 * Finds the transaction for which a commit has waited, if the other threads' rings were not looked at before. Most
 * transactions are not measured, and their commits look at nothing. But a wait that is so long that the waiting thread
 * itself loses the processor is noticed after the commit (preemption.h), and so is each transaction whose thread was
 * off the processor within it: its thread records it in its ring. On a busy machine most of what is lost are such
 * waits, a few milliseconds each.
 *
 * A transaction may let go of the waiting thread before it has noticed its interruption: when it extends its snapshot.
 * Then it is still under way.
 */
#include "others.h"
#include "ticks.h"

/* What was found in the rings of the other threads. */
struct seen {
	struct itm_blocker longest;   /* the interrupted one; `ring` is NULL: there was none */
	uint64_t off_ns;              /* its time off the processor */
	bool is_asleep;               /* it has slept then */
	struct itm_blocker under_way; /* the last one that was found under way */
	uint32_t threads;             /* that transact */
	uint32_t running;             /* of these, in a transaction that has not called commit */
};

/* The owner stores the time directly after its commit, unless that takes long: it is interrupted again, or wakes up
 * other threads. Then it has let go of the waiting thread last of all, so it counts as off the processor during all of
 * the wait, which took `wait_ns`. */
static uint64_t off_ns_of(const struct itm_ring_interrupted *interrupted, uint64_t wait_ns)
{
	enum { LOOKS_MAX = 1000 };
	for (int looks = 0; looks < LOOKS_MAX; looks++) {
		AO_t off_ns = AO_load(&interrupted->off_ns);
		if ((off_ns & ~ITM_RING_ASLEEP) != ITM_RING_OFF_UNKNOWN)
			return off_ns;
		__builtin_ia32_pause();
	}
	return wait_ns | (AO_load(&interrupted->off_ns) & ITM_RING_ASLEEP);
}

static void see_interrupted(struct seen *seen, const struct itm_ring *ring, uint64_t from, uint64_t wait_ns)
{
	const struct itm_ring_interrupted *interrupted = &ring->interrupted;
	AO_t stamp = AO_load_acquire(&interrupted->seen); /* partner: itm_ring_interrupt() */
	struct itm_blocker found = {
		.ring = ring,
		.site = AO_load(&interrupted->site),
		.context = (uint32_t)AO_load(&interrupted->context),
		.grade = STMLOG_GRADE_CANDIDATE,
	};
	AO_t off_ns = stamp > from ? off_ns_of(interrupted, wait_ns) : 0;
	AO_nop_read();
	if (stamp <= from || AO_load(&interrupted->seen) != stamp || (off_ns & ~ITM_RING_ASLEEP) <= seen->off_ns)
		return;
	seen->longest = found;
	seen->off_ns = off_ns & ~ITM_RING_ASLEEP;
	seen->is_asleep = (off_ns & ITM_RING_ASLEEP) != 0;
}

static void see_under_way(struct seen *seen, const struct itm_ring *ring)
{
	if (AO_load(&ring->site) & (ITM_RING_IS_OVER | ITM_RING_IS_COMMITTING))
		return;
	seen->running++;
	seen->under_way = (struct itm_blocker){
		.ring = ring,
		.site = itm_ring_site(ring),
		.context = (uint32_t)AO_load(&ring->context),
		.grade = STMLOG_GRADE_CANDIDATE,
	};
}

/* How long the owner wanted a processor in its last commit, if it has noticed that since the time stamp `from`. */
static uint64_t off_ns_in_commit(const struct itm_ring *ring, uint64_t from)
{
	const struct itm_ring_interrupted *interrupted = &ring->interrupted;
	AO_t stamp = AO_load_acquire(&interrupted->commit_seen); /* partner: itm_ring_interrupt_commit() */
	AO_t off_ns = AO_load(&interrupted->commit_off_ns);
	AO_nop_read();
	bool is_same = stamp > from && AO_load(&interrupted->commit_seen) == stamp;
	return is_same && !(off_ns & ITM_RING_ASLEEP) ? off_ns : 0;
}

static bool is_half(const struct seen *seen, uint64_t wait_ns)
{
	return !seen->is_asleep && seen->off_ns >= wait_ns / 2;
}

/* The owner notices its interruption at the commit of the transaction, or after it: it lets go of the waiting thread
 * before. So that thread goes on looking for a small part of the time that it has waited. */
bool itm_interrupted_is_preempted(const struct itm_ring *ring, uint64_t from, uint64_t ns)
{
	enum { PARTS = 64, LOOKS_MAX = 1000 };
	uint64_t ended = itm_ticks_now(), until = ended + (ended - from) / PARTS;
	bool is_preempted = false;
	for (int looks = 0; looks < LOOKS_MAX && !is_preempted && itm_ticks_now() < until; looks++) {
		struct seen seen = {.off_ns = off_ns_in_commit(ring, from)};
		see_interrupted(&seen, ring, from, ns);
		is_preempted = is_half(&seen, ns);
		__builtin_ia32_pause();
	}
	return is_preempted;
}

bool itm_interrupted_has_slept(const struct itm_ring *ring, uint64_t from, uint64_t ns)
{
	struct seen seen = {.off_ns = 0};
	see_interrupted(&seen, ring, from, ns);
	return seen.is_asleep && seen.off_ns >= ns / 2;
}

struct itm_blocker itm_interrupted_find_blocker(const struct itm_ring *own, uint64_t from, uint64_t ns)
{
	struct seen seen = {.threads = 0};
	for (const struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring)) {
		if (ring == own || !AO_load(&ring->is_owned))
			continue;
		seen.threads++;
		see_interrupted(&seen, ring, from, ns);
		see_under_way(&seen, ring);
	}
	if (seen.longest.ring == NULL && seen.running == 1) {
		seen.under_way.is_preempted = itm_interrupted_is_preempted(seen.under_way.ring, from, ns);
		return seen.under_way;
	}
	seen.longest.is_preempted = is_half(&seen, ns);
	if (seen.threads == 1 && seen.off_ns >= ns / 2)
		seen.longest.grade = STMLOG_GRADE_CERTAIN;
	return seen.longest;
}
