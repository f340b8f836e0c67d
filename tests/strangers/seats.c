/* SPDX-License-Identifier: MIT
 *
 * Seats in trains are booked and given back, each in a short transaction. One in a thousand bookings is for a group,
 * which looks through all trains for the one with the most empty seats, and books there.
 */
#include "crew.h"

enum { TRAINS = 256, SEATS = 64, GROUP = 16, THREADS = CREW_THREADS(2) };

static struct train {
	_Alignas(128) long owner[SEATS];
	long empty;
} trains[TRAINS];

TM_SAFE static void book(struct train *train, int seat, long owner)
{
	if (train->owner[seat] == 0) {
		train->owner[seat] = owner;
		train->empty--;
	}
}

static void book_seat(struct member *me)
{
	struct train *train = &trains[member_random(me, TRAINS)];
	int seat = (int)member_random(me, SEATS);
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		book(train, seat, me->number + 1);
		stamp_last();
	}
	stamp_after();
}

static void give_back(struct member *me)
{
	struct train *train = &trains[member_random(me, TRAINS)];
	int seat = (int)member_random(me, SEATS);
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		if (train->owner[seat] != 0) {
			train->owner[seat] = 0;
			train->empty++;
		}
		stamp_last();
	}
	stamp_after();
}

TM_SAFE static long count_empty(const struct train *train)
{
	long empty = 0;
	for (int i = 0; i < SEATS; i++)
		empty += train->owner[i] == 0;
	return empty;
}

TM_SAFE static struct train *emptiest(int first, int last)
{
	struct train *best = &trains[first];
	long max = -1;
	for (int i = first; i < last; i++) {
		long empty = count_empty(&trains[i]);
		if (empty > max) {
			max = empty;
			best = &trains[i];
		}
	}
	return best;
}

/* With the fix, the group goes to one of a few trains. */
static void book_group(struct member *me)
{
#ifdef FIXED
	int first = (int)member_random(me, TRAINS - 2), last = first + 2;
#else
	int first = 0, last = TRAINS;
#endif
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct train *train = emptiest(first, last);
		for (int seat = 0; seat < GROUP; seat++)
			book(train, seat, me->number + 1);
		stamp_last();
	}
	stamp_after();
}

static void sell(struct member *me)
{
	while (is_open()) {
		uint64_t choice = member_random(me, 1000);
		if (choice == 0)
			book_group(me);
		else if (choice < 500)
			book_seat(me);
		else
			give_back(me);
	}
}

int main(int argc, char **argv)
{
	for (int i = 0; i < TRAINS; i++)
		trains[i].empty = SEATS;
	return crew_run(argc, argv, THREADS, sell);
}
