/* SPDX-License-Identifier: MIT
 *
 * The shelves of a warehouse. Goods are put on them and taken away, and now and then a thread shows how much there is
 * on all of them.
 */
#include "crew.h"

enum { SHELVES = 2000, BETWEEN = 19, THREADS = 2 };

static _Alignas(128) long shelves[SHELVES];
static struct {
	_Alignas(128) long shown;
} displays[MEMBERS_MAX];

#ifdef FIXED
/* What each thread has put on shelves, less what it has taken away. */
static struct {
	_Alignas(128) long goods;
} brought[MEMBERS_MAX];

TM_SAFE static long all_goods(void)
{
	long sum = 0;
	for (int i = 0; i < MEMBERS_MAX; i++)
		sum += brought[i].goods;
	return sum;
}
#else
TM_SAFE static long all_goods(void)
{
	long sum = 0;
	for (int i = 0; i < SHELVES; i++)
		sum += shelves[i];
	return sum;
}
#endif

static void move(struct member *me, long shelf, long goods)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		shelves[shelf] += goods;
#ifdef FIXED
		brought[me->number].goods += goods;
#endif
		stamp_last();
	}
	stamp_after();
	(void)me;
}

static long show(void)
{
	long sum;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		sum = all_goods();
		stamp_last();
	}
	stamp_after();
	return sum;
}

static void store(struct member *me)
{
	while (is_open()) {
		displays[me->number].shown = show();
		for (int i = 0; i < BETWEEN; i++)
			move(me, (long)member_random(me, SHELVES), (long)member_random(me, 21) - 10);
	}
}

int main(int argc, char **argv)
{
	int status = crew_run(argc, argv, THREADS, store);
	return displays[0].shown == -1 ? 1 : status;
}
