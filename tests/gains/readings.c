/* SPDX-License-Identifier: MIT
 *
 * The meters of a town's houses. Each thread enters new readings, and the first one sums them all up for the power
 * station again and again.
 */
#include "crew.h"

enum { HOUSES = 16384, BETWEEN = 16, THREADS = 2 };

static _Alignas(128) long readings[HOUSES];
static _Alignas(128) long town;

#ifdef FIXED
/* What each thread has entered. */
static struct {
	_Alignas(128) long used;
} entered[MEMBERS_MAX];

TM_SAFE static long sum_houses(void)
{
	long sum = 0;
	for (int i = 0; i < MEMBERS_MAX; i++)
		sum += entered[i].used;
	return sum;
}
#else
TM_SAFE static long sum_houses(void)
{
	long sum = 0;
	for (long i = 0; i < HOUSES; i++)
		sum += readings[i];
	return sum;
}
#endif

static void sum_up(void)
{
	long sum;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		sum = sum_houses();
		stamp_last();
	}
	stamp_after();
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
#ifdef FIXED
		entered[me->number].used += used;
#endif
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
