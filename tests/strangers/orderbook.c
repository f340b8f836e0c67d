/* SPDX-License-Identifier: MIT
 *
 * An order book for a thousand symbols. Orders are matched level by level; quotes look at the best price of a symbol.
 */
#include "crew.h"

enum { SYMBOLS = 1024, LEVELS = 64, THREADS = CREW_THREADS(2) };

struct book {
	long bids[LEVELS], asks[LEVELS];
	long last_price;
};

static struct book books[SYMBOLS];
#ifdef FIXED
static struct {
	_Alignas(128) long orders, volume;
} totals_of[THREADS];
#else
static struct {
	_Alignas(128) long orders, volume;
} totals;
#endif
static long prices_seen[THREADS];

/* Fills the order from the levels of the other side; what is left stays in the book. */
TM_SAFE static long match(struct book *book, int limit, long amount)
{
	for (int level = 0; level < LEVELS && amount > 0; level++) {
		long part = book->asks[level] < amount ? book->asks[level] : amount;
		if (level > limit || part == 0)
			continue;
		book->asks[level] -= part;
		book->last_price = level;
		amount -= part;
	}
	book->bids[limit] += amount;
	return amount;
}

TM_SAFE static void refill(struct book *book)
{
	for (int level = 0; level < LEVELS; level++)
		if (book->asks[level] == 0)
			book->asks[level] = 3;
}

static void place_order(struct member *me)
{
	struct book *book = &books[member_random(me, SYMBOLS)];
	long amount = 1 + (long)member_random(me, 120);
	int limit = (int)member_random(me, LEVELS);
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
#ifndef FIXED
		totals.orders++;
		totals.volume += amount;
#endif
		if (match(book, limit, amount) > 0)
			refill(book);
		stamp_last();
	}
	stamp_after();
#ifdef FIXED
	totals_of[me->number].orders++;
	totals_of[me->number].volume += amount;
#endif
}

static long quote(struct member *me)
{
	struct book *book = &books[member_random(me, SYMBOLS)];
	long price;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		price = book->last_price;
		stamp_last();
	}
	stamp_after();
	return price;
}

static void trade(struct member *me)
{
	while (is_open()) {
		place_order(me);
		prices_seen[me->number] += quote(me);
	}
}

int main(int argc, char **argv)
{
	return crew_run(argc, argv, THREADS, trade);
}
