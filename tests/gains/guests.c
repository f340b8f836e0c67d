/* SPDX-License-Identifier: MIT
 *
 * The guests of a hotel, in a list by the number of the room. Drinks are put on a guest's bill, and porters look
 * whether a guest has left the key.
 */
#include "crew.h"

enum { ROOMS = 512, THREADS = 2 };

static struct guest {
	_Alignas(64) struct guest *next;
	long room;
	long bill;
	long has_key;
} guests[ROOMS];

#ifdef FIXED
static struct guest *index_of_rooms[ROOMS];

TM_SAFE static struct guest *find(long room)
{
	return index_of_rooms[room];
}
#else
static struct guest *first;

TM_SAFE static struct guest *find(long room)
{
	struct guest *guest = first;
	while (guest != NULL && guest->room < room)
		guest = guest->next;
	return guest;
}
#endif

static void charge(long room, long price)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct guest *guest = find(room);
		if (guest != NULL)
			guest->bill += price;
		stamp_last();
	}
	stamp_after();
}

/* The porter stands before the guest, and need not search. */
static void turn_key(struct guest *guest)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		guest->has_key = !guest->has_key;
		stamp_last();
	}
	stamp_after();
}

static void serve(struct member *me)
{
	while (is_open()) {
		charge((long)member_random(me, ROOMS), 3 + (long)member_random(me, 10));
		for (int i = 0; i < 4; i++)
			turn_key(&guests[member_random(me, ROOMS)]);
	}
}

int main(int argc, char **argv)
{
	for (int i = 0; i < ROOMS; i++) {
		guests[i].room = i;
		guests[i].next = i + 1 < ROOMS ? &guests[i + 1] : NULL;
#ifdef FIXED
		index_of_rooms[i] = &guests[i];
#endif
	}
#ifndef FIXED
	first = guests;
#endif
	return crew_run(argc, argv, THREADS, serve);
}
