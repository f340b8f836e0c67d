/* SPDX-License-Identifier: MIT
 *
 * A game world: its creatures are in a hash table, which grows and shrinks with their number. Waves of monsters come and
 * go, and with each wave the table grows and shrinks at once. Fixed: it shrinks when it is nearly empty only.
 */
#include "crew.h"

#include <vector>

namespace
{

constexpr int Threads = CREW_THREADS(2);
constexpr long Smallest = 16384, Residents = 16350, Wave = 60;
#ifdef FIXED
constexpr long Roominess = 8;
#else
constexpr long Roominess = 2;
#endif

struct Creature {
	alignas(64) Creature *next;
	long number, x, y;
};

struct Table {
	alignas(128) Creature **buckets;
	long size;
};

Table table;
alignas(128) long population; /* known to the thread that sends waves only */

/* Where the pointer to the creature is. */
TM_SAFE __attribute__((noinline)) Creature **find(long number)
{
	Creature **place = &table.buckets[number & (table.size - 1)];
	while (*place != nullptr && (*place)->number != number)
		place = &(*place)->next;
	return place;
}

TM_SAFE void put(Creature *creature, Creature **place)
{
	creature->next = *place;
	*place = creature;
}

NOINLINE void resize_table(long size)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		Table old = table;
		table.buckets = static_cast<Creature **>(calloc(size, sizeof(Creature *)));
		table.size = size;
		for (long i = 0; i < old.size; i++)
			while (Creature *creature = old.buckets[i]) {
				old.buckets[i] = creature->next;
				put(creature, &table.buckets[creature->number & (size - 1)]);
			}
		free(old.buckets);
		stamp_last();
	}
	stamp_after();
}

NOINLINE void spawn(Creature *creature)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		put(creature, find(creature->number));
		stamp_last();
	}
	stamp_after();
	if (++population > table.size)
		resize_table(2 * table.size);
	idle(3000);
}

NOINLINE void vanish(long number)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		Creature **place = find(number);
		*place = (*place)->next;
		stamp_last();
	}
	stamp_after();
	if (--population <= table.size / Roominess && table.size > Smallest)
		resize_table(table.size / 2);
	idle(3000);
}

NOINLINE void move(long number, long x, long y)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		Creature *creature = *find(number);
		creature->x += x;
		creature->y += y;
		stamp_last();
	}
	stamp_after();
	crew_count();
}

void send_wave(std::vector<Creature> &monsters)
{
	for (Creature &monster : monsters)
		spawn(&monster);
	for (const Creature &monster : monsters)
		vanish(monster.number);
	idle(20000);
}

void live(member *me)
{
	std::vector<Creature> monsters(me->number == 0 ? Wave : 0);
	for (long i = 0; i < static_cast<long>(monsters.size()); i++)
		monsters[i].number = Residents + i;
	while (is_open()) {
		if (me->number == 0)
			send_wave(monsters);
		else
			move(static_cast<long>(member_random(me, Residents)), 1, -1);
		idle(4000);
	}
}

} // namespace

int main(int argc, char **argv)
{
	std::vector<Creature> residents(Residents);
	table.size = Smallest;
	table.buckets = static_cast<Creature **>(calloc(Smallest, sizeof(Creature *)));
	for (Creature &resident : residents) {
		resident.number = population;
		spawn(&resident);
	}
	return crew_run(argc, argv, Threads, live);
}
