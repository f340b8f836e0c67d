/* SPDX-License-Identifier: MIT
 *
 * An auction house: bidders bid for lots. After forty bids a thread closes the round: it pays the sellers of all lots,
 * and opens the lots again, in one transaction. Fixed: a thread closes the lots for which it has bid, each in a
 * transaction of its own.
 */
#include "crew.h"

enum { LOTS = 1500, BIDDERS = 5000, BIDS = 40 };

static struct lot {
	_Alignas(64) long price, bids;
	int bidder, seller;
} lots[LOTS];

static struct bidder {
	_Alignas(64) long money, bought;
} bidders[BIDDERS];

/* Returns whether the bid is the highest. */
NOINLINE static bool bid(struct lot *lot, int bidder, long price)
{
	bool is_highest;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		is_highest = price > lot->price;
		if (is_highest) {
			lot->price = price;
			lot->bidder = bidder;
		}
		lot->bids++;
		stamp_last();
	}
	stamp_after();
	crew_count();
	return is_highest;
}

TM_SAFE static void settle(struct lot *lot)
{
	struct bidder *buyer = &bidders[lot->bidder];
	buyer->money -= lot->price;
	buyer->bought++;
	bidders[lot->seller].money += lot->price;
	lot->price = 0;
	lot->bids = 0;
}

NOINLINE static void close_lots(int first, int count)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (int i = first; i < first + count; i++)
			settle(&lots[i]);
		stamp_last();
	}
	stamp_after();
}

static void close_round(const int *bid_for)
{
#ifdef FIXED
	for (int i = 0; i < BIDS; i++)
		close_lots(bid_for[i], 1);
#else
	(void)bid_for;
	close_lots(0, LOTS);
#endif
}

static void trade(struct member *me)
{
	while (is_open()) {
		int bid_for[BIDS];
		for (int i = 0; i < BIDS; i++) {
			bid_for[i] = (int)member_random(me, LOTS);
			bid(&lots[bid_for[i]], (int)member_random(me, BIDDERS), 1 + (long)member_random(me, 1000));
			idle(20000);
		}
		close_round(bid_for);
	}
}

int main(int argc, char **argv)
{
	for (int i = 0; i < LOTS; i++)
		lots[i].seller = i % BIDDERS;
	return crew_run(argc, argv, crew_twice(), trade);
}
