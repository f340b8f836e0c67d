/* SPDX-License-Identifier: MIT
 * Measures the cost of a hook: starts and commits in turn, because nearly all hook calls are these two. The quickest of
 * several batches counts, because any disturbance only makes a batch slower. */
#include <stmlog/agent.h>

#include <string.h>

#include "clock.h"
#include "mem.h"
#include "off_processor.h"
#include "probe.h"

enum { BATCHES = 8, PAIRS = 128 };

/* What hooks take: all of a pair, and the part of it that counts as the time of the attempt between them. */
struct cost {
	uint64_t batch_ns, within_ns;
};

static struct cost quickest_batch(struct stmlog_thread *thread)
{
	struct cost quickest = {UINT64_MAX, 0};
	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t within_ns = AO_load(&thread->account.ns[COMMITTED_SLOT]), began = clock_monotonic_ns();
		for (int pair = 0; pair < PAIRS; pair++) {
			stmlog_start(thread);
			stmlog_commit(thread);
		}
		uint64_t took = clock_monotonic_ns() - began;
		if (took < quickest.batch_ns)
			quickest = (struct cost){took, AO_load(&thread->account.ns[COMMITTED_SLOT]) - within_ns};
	}
	return quickest;
}

/* All zero: not known. */
static struct cost measure(void)
{
	struct cost none = {0, 0};
	if (strcmp(clock_name(), "custom") == 0)
		return none;
	struct stmlog_thread *thread = mem_alloc(sizeof *thread);
	if (thread == NULL)
		return none;
	account_init(&thread->account, clock_now_ns());
	thread->distribution.last = &thread->distribution.others; /* as for a thread with one site; allocates no rows */
	off_processor_ignore(thread);
	struct cost cost = quickest_batch(thread);
	mem_free(thread, sizeof *thread);
	return cost;
}

uint64_t stmlog_probe_cost_ns(uint64_t events)
{
	return (uint64_t)((unsigned __int128)events * measure().batch_ns / (2 * PAIRS));
}

uint64_t probe_within_ns(void)
{
	return measure().within_ns / PAIRS;
}
