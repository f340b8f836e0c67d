/* SPDX-License-Identifier: MIT
 *
 * Weather stations that have sent a temperature every minute for years. Each thread adds the values of a station, and
 * smooths them.
 */
#include "crew.h"

enum { MINUTES = 3605336, WINDOW = 24, THREADS = 2 };

struct station {
	long len, sum, coldest, warmest;
	long minutes[MINUTES];
#ifdef FIXED
	long spare[4];
#endif
};

static _Alignas(128) struct station stations[MEMBERS_MAX];

TM_SAFE static long smooth(const struct station *station, long end)
{
	long sum = 0;
	for (long i = end - WINDOW; i < end; i++)
		sum += station->minutes[i];
	return sum / WINDOW;
}

static void add_minute(struct station *station, long value)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		long end = station->len++;
		station->sum += value;
		if (value < station->coldest)
			station->coldest = value;
		if (value > station->warmest)
			station->warmest = value;
		station->minutes[end] = (smooth(station, end) + value) / 2;
		if (end + 1 == MINUTES)
			station->len = WINDOW;
		stamp_last();
	}
	stamp_after();
}

static void collect(struct member *me)
{
	struct station *station = &stations[me->number];
	station->len = WINDOW + (long)member_random(me, MINUTES / 2);
	while (is_open())
		add_minute(station, (long)member_random(me, 600) - 200);
}

int main(int argc, char **argv)
{
	return crew_run(argc, argv, THREADS, collect);
}
