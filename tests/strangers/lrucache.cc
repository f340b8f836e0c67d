/* SPDX-License-Identifier: MIT
 *
 * A cache that throws out what was not used for the longest time: entries in sets, each with the time of its last use.
 */
#include "crew.h"

namespace
{

constexpr int Threads = CREW_THREADS(2), Sets = 512, Ways = 8, Len = 64;

struct Entry {
	long key;
	long used;
	long value[Len];
};

struct Cache {
	alignas(128) long clock;
	alignas(128) Entry sets[Sets][Ways];

	TM_SAFE Entry *find(long key)
	{
		for (Entry &entry : sets[key % Sets])
			if (entry.key == key)
				return &entry;
		return nullptr;
	}

	TM_SAFE Entry *oldest(long key)
	{
		Entry *oldest = &sets[key % Sets][0];
		for (Entry &entry : sets[key % Sets])
			if (entry.used < oldest->used)
				oldest = &entry;
		return oldest;
	}
};

Cache cache;

TM_SAFE __attribute__((unused)) void touch(Entry *entry)
{
	entry->used = ++cache.clock;
}

TM_SAFE long sum_of(const Entry *entry)
{
	long sum = 0;
	for (long value : entry->value)
		sum += value;
	return sum;
}

bool get(long key, long *sum)
{
	bool is_there = false;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		Entry *entry = cache.find(key);
		if (entry != nullptr) {
#ifndef FIXED
			touch(entry);
#endif
			*sum = sum_of(entry);
			is_there = true;
		}
		stamp_last();
	}
	stamp_after();
	return is_there;
}

/* With the fix, the time of the last use is that of the insertion. */
void put(long key, long time)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		Entry *entry = cache.oldest(key);
		entry->key = key;
		for (int i = 0; i < Len; i++)
			entry->value[i] = key + i;
#ifdef FIXED
		entry->used = time;
#else
		touch(entry);
#endif
		stamp_last();
	}
	stamp_after();
	(void)time;
}

void serve(member *me)
{
	long sum = 0;
	for (long time = 1; is_open(); time++) {
		long key = static_cast<long>(member_random(me, Sets * Ways));
		if (!get(key, &sum))
			put(key, time);
	}
}

} // namespace

int main(int argc, char **argv)
{
	return crew_run(argc, argv, Threads, serve);
}
