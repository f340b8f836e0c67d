/* SPDX-License-Identifier: MIT
 * Measures the cost of a hook: starts and commits in turn, because nearly all hook calls are these two. The quickest of
 * several batches counts, because any disturbance only makes a batch slower. */
#include <stmlog/agent.h>

#include <string.h>

#include "clock.h"
#include "mem.h"
#include "off_processor.h"

enum { BATCHES = 8, PAIRS = 128 };

static uint64_t quickest_batch_ns(struct stmlog_thread *thread)
{
	uint64_t quickest = UINT64_MAX;
	for (int batch = 0; batch < BATCHES; batch++) {
		uint64_t began = clock_monotonic_ns();
		for (int pair = 0; pair < PAIRS; pair++) {
			stmlog_start(thread);
			stmlog_commit(thread);
		}
		uint64_t took = clock_monotonic_ns() - began;
		if (took < quickest)
			quickest = took;
	}
	return quickest;
}

uint64_t stmlog_probe_cost_ns(uint64_t events)
{
	if (strcmp(clock_name(), "custom") == 0)
		return 0;
	struct stmlog_thread *thread = mem_alloc(sizeof *thread);
	if (thread == NULL)
		return 0;
	account_init(&thread->account, clock_now_ns());
	thread->distribution.last = &thread->distribution.others; /* as for a thread with one site; allocates no rows */
	off_processor_ignore(thread);
	uint64_t batch_ns = quickest_batch_ns(thread);
	mem_free(thread, sizeof *thread);
	return (uint64_t)((unsigned __int128)events * batch_ns / (2 * PAIRS));
}
