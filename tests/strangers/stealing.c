/* SPDX-License-Identifier: MIT
 *
 * Work stealing: each thread has tasks of its own in a ring, makes new ones, and when it has none left steals half of
 * another thread's.
 */
#include "crew.h"

enum { TASKS = 256, THREADS = CREW_THREADS(2) };

static struct ring {
	_Alignas(128) long first, len;
	long tasks[TASKS];
} rings[THREADS];
static long done[THREADS][16];

static void push(struct ring *ring, long task)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		if (ring->len < TASKS) {
			ring->tasks[(ring->first + ring->len) % TASKS] = task;
			ring->len++;
		}
		stamp_last();
	}
	stamp_after();
}

static bool pop(struct ring *ring, long *task)
{
	bool is_there = false;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		if (ring->len > 0) {
			*task = ring->tasks[ring->first];
			ring->first = (ring->first + 1) % TASKS;
			ring->len--;
			is_there = true;
		}
		stamp_last();
	}
	stamp_after();
	return is_there;
}

static void steal_half(struct ring *from, struct ring *to)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (long half = from->len / 2; half > 0; half--) {
			from->len--;
			to->tasks[(to->first + to->len) % TASKS] = from->tasks[(from->first + from->len) % TASKS];
			to->len++;
		}
		stamp_last();
	}
	stamp_after();
}

static void work(struct member *me)
{
	struct ring *own = &rings[me->number], *other = &rings[(me->number + 1) % THREADS];
	while (is_open()) {
		long task = 0;
		if (!pop(own, &task)) {
			steal_half(other, own);
			for (int i = 0; i < 100; i++)
				push(own, (long)member_random(me, 1000));
			continue;
		}
		idle(3000 + (unsigned)task);
		done[me->number][0] += task;
	}
}

int main(int argc, char **argv)
{
	return crew_run(argc, argv, THREADS, work);
}
