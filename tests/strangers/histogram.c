/* SPDX-License-Identifier: MIT
 *
 * A histogram of samples: each thread has an array of bins of its own and counts how many samples it has seen, so that
 * no two threads write the same word; and the ranges are merged at times.
 */
#include "crew.h"

enum { BINS = 256, BATCH = 96, THREADS = CREW_THREADS(2) };

#ifdef FIXED
struct seen {
	_Alignas(128) long count;
};
#else
struct seen {
	long count;
};
#endif

static struct bins {
	_Alignas(128) long of[BINS];
} bins[THREADS];
static _Alignas(128) struct seen samples_seen[THREADS];
static _Alignas(128) long merged[BINS];

static void add_samples(struct member *me)
{
	long batch[BATCH];
	long *own = bins[me->number].of;
	for (int i = 0; i < BATCH; i++)
		batch[i] = (long)(member_random(me, BINS) + member_random(me, BINS)) / 2;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		samples_seen[me->number].count += BATCH;
		for (int i = 0; i < BATCH; i++)
			own[batch[i]]++;
		stamp_last();
	}
	stamp_after();
}

/* One bin of this thread. */
static void merge_bin(struct member *me)
{
	uint64_t bin = member_random(me, BINS);
	long *own = bins[me->number].of;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		merged[bin] += own[bin];
		own[bin] = 0;
		stamp_last();
	}
	stamp_after();
}

static void sample(struct member *me)
{
	while (is_open()) {
		add_samples(me);
		if (member_random(me, 10) == 0)
			merge_bin(me);
	}
}

int main(int argc, char **argv)
{
	return crew_run(argc, argv, THREADS, sample);
}
