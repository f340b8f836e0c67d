/* SPDX-License-Identifier: MIT
 *
 * A store of records. Every now and then one thread writes a backup of a shelf to a slow device, which takes a while.
 */
#include "crew.h"

enum { SHELVES = 16, RECORDS = 64, FIELDS = 4, THREADS = CREW_THREADS(3) };

static struct shelf {
	_Alignas(128) struct record {
		long fields[FIELDS];
	} records[RECORDS];
	long changes;
} shelves[SHELVES];
static long device[RECORDS];

/* The device is slow. */
static void write_to_device(const long *sums, int len)
{
	memcpy(device, sums, sizeof(long) * (size_t)len);
	usleep(60000);
}

TM_SAFE static void sum_shelf(const struct shelf *shelf, long *sums)
{
	for (int i = 0; i < RECORDS; i++) {
		sums[i] = 0;
		for (int field = 0; field < FIELDS; field++)
			sums[i] += shelf->records[i].fields[field];
	}
}

static void back_up(struct shelf *shelf)
{
	long sums[RECORDS];
	stamp_before();
#ifdef FIXED
	__transaction_atomic
#else
	__transaction_relaxed
#endif
	{
		stamp_first();
		sum_shelf(shelf, sums);
		shelf->changes = 0;
#ifndef FIXED
		write_to_device(sums, RECORDS);
#endif
		stamp_last();
	}
	stamp_after();
#ifdef FIXED
	write_to_device(sums, RECORDS);
#endif
}

static void change(struct member *me)
{
	struct shelf *shelf = &shelves[member_random(me, SHELVES)];
	struct record *record = &shelf->records[member_random(me, RECORDS)];
	long value = (long)member_random(me, 100);
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (int field = 0; field < FIELDS; field++)
			record->fields[field] = value;
		shelf->changes++;
		stamp_last();
	}
	stamp_after();
	idle(2000);
}

static void keep(struct member *me)
{
	for (int i = 0; is_open(); i = (i + 1) % SHELVES) {
		if (me->number != 0) {
			change(me);
			continue;
		}
		usleep(140000);
		back_up(&shelves[i]);
	}
}

int main(int argc, char **argv)
{
	return crew_run(argc, argv, THREADS, keep);
}
