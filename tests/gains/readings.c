/* SPDX-License-Identifier: MIT
 *
 * The meters of a town's houses. Each thread enters new readings, and the first one sums them all up for the power
 * station again and again.
 */
#include "crew.h"

enum { HOUSES = 16384, PART = 256, BETWEEN = 16, THREADS = 2 };

static _Alignas(128) long readings[HOUSES];
static _Alignas(128) long town;

TM_SAFE static long sum_houses(long first, long len)
{
	long sum = 0;
	for (long i = first; i < first + len; i++)
		sum += readings[i];
	return sum;
}

static void sum_up(void)
{
	long sum = 0;
#ifdef FIXED
	long len = PART;
#else
	long len = HOUSES;
#endif
	for (long first = 0; first < HOUSES; first += len) {
		long part;
		stamp_before();
		__transaction_atomic
		{
			stamp_first();
			part = sum_houses(first, len);
			stamp_last();
		}
		stamp_after();
		sum += part;
	}
	town = sum;
}

static void enter_reading(struct member *me)
{
	long house = (long)member_random(me, HOUSES), used = (long)member_random(me, 10);
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		readings[house] += used;
		stamp_last();
	}
	stamp_after();
}

static void read_meters(struct member *me)
{
	while (is_open()) {
		if (me->number == 0)
			sum_up();
		for (int i = 0; i < BETWEEN; i++)
			enter_reading(me);
	}
}

int main(int argc, char **argv)
{
	int status = crew_run(argc, argv, THREADS, read_meters);
	return town < 0 ? 1 : status;
}
