/* SPDX-License-Identifier: MIT
 *
 * The stock of several warehouses, each in a process of its own. Sales, deliveries and the stocktaking change
 * quantities by the same helper, adjust(). The stocktaking corrects all items in one transaction; fixed, one item in a
 * transaction.
 */
#include "workers.h"

enum { ITEMS = 20000, THREADS = CREW_THREADS(2) };

static struct item {
	_Alignas(64) long quantity;
	long changes, corrections;
} items[ITEMS];

static long counted[ITEMS];

/* By which the quantity of the item changes. */
TM_SAFE __attribute__((noinline)) static void adjust(struct item *item, long difference)
{
	item->quantity += difference;
	item->changes++;
}

NOINLINE static bool sell(struct item *item)
{
	bool is_sold;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		is_sold = item->quantity > 0;
		if (is_sold)
			adjust(item, -1);
		stamp_last();
	}
	stamp_after();
	crew_count();
	return is_sold;
}

NOINLINE static void deliver(struct item *one, struct item *other)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		adjust(one, 2);
		adjust(other, 2);
		stamp_last();
	}
	stamp_after();
	crew_count();
}

/* Corrects `count` items from the `first` one on. */
NOINLINE static void take_stock(int first, int count)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (int i = first; i < first + count; i++) {
			long difference = counted[i] - items[i].quantity;
			items[i].corrections += difference != 0;
			adjust(&items[i], difference);
		}
		stamp_last();
	}
	stamp_after();
}

static void trade(struct member *me)
{
	struct item *item = &items[member_random(me, ITEMS)];
	if (member_random(me, 3) == 0)
		deliver(item, &items[member_random(me, ITEMS)]);
	else if (!sell(item))
		deliver(item, item);
	idle(1500);
}

static void count_all(struct member *me)
{
	for (int i = 0; i < ITEMS; i++)
		counted[i] = (long)member_random(me, 20);
#ifdef FIXED
	for (int i = 0; i < ITEMS; i++) {
		take_stock(i, 1);
		idle(4000);
	}
#else
	take_stock(0, ITEMS);
#endif
}

static void work(struct member *me)
{
	while (is_open()) {
		if (me->number == 0)
			count_all(me);
		else
			trade(me);
	}
}

int main(int argc, char **argv)
{
	for (int i = 0; i < ITEMS; i++)
		items[i].quantity = 10;
	return workers_run(argc, argv, workers_pairs(), THREADS, work);
}
