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

/* What was found in the rings of the other threads. */
struct seen {
	struct itm_blocker longest;   /* the interrupted one; `ring` is NULL: there was none */
	uint64_t off_ns;              /* its time off the processor */
	struct itm_blocker under_way; /* the last one that was found under way */
	uint32_t threads;             /* that transact */
	uint32_t running;             /* of these, in a transaction that has not called commit */
};

/* The owner stores the time directly after its commit, unless it is interrupted again. Then it has let go of the
 * waiting thread last of all, so it counts as off the processor during all of the wait, which took `wait_ns`. */
static uint64_t off_ns_of(const struct itm_ring_interrupted *interrupted, uint64_t wait_ns)
{
	enum { LOOKS_MAX = 1000 };
	for (int looks = 0; looks < LOOKS_MAX; looks++) {
		AO_t off_ns = AO_load(&interrupted->off_ns);
		if (off_ns != ITM_RING_OFF_UNKNOWN)
			return off_ns;
		__builtin_ia32_pause();
	}
	return wait_ns;
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
	uint64_t off_ns = stamp > from ? off_ns_of(interrupted, wait_ns) : 0;
	AO_nop_read();
	if (stamp <= from || AO_load(&interrupted->seen) != stamp || off_ns <= seen->off_ns)
		return;
	seen->longest = found;
	seen->off_ns = off_ns;
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
	if (seen.longest.ring == NULL)
		return seen.running == 1 ? seen.under_way : seen.longest;
	if (seen.threads == 1 && seen.off_ns >= ns / 2)
		seen.longest.grade = STMLOG_GRADE_CERTAIN;
	return seen.longest;
}
