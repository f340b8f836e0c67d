/* SPDX-License-Identifier: MIT
 *
 * A router that meters its traffic: each thread serves a port, and adds up the bytes of it up to a limit, from which on
 * the port begins anew.
 */
#include "crew.h"

enum { ROUTING = 200, LIMIT = 1 << 30, THREADS = 2 };

#ifdef FIXED
struct meter {
	_Alignas(128) long bytes;
	long rounds;
};
#else
struct meter {
	long bytes;
	long rounds;
};
#endif

static _Alignas(128) struct meter meters[MEMBERS_MAX];

static void count_packet(struct meter *meter, long bytes)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		meter->bytes += bytes;
		if (meter->bytes > LIMIT) {
			meter->bytes -= LIMIT;
			meter->rounds++;
		}
		stamp_last();
	}
	stamp_after();
}

static void forward(struct member *me)
{
	struct meter *meter = &meters[me->number];
	while (is_open()) {
		idle(ROUTING);
		count_packet(meter, 64 + (long)member_random(me, 1436));
	}
}

int main(int argc, char **argv)
{
	return crew_run(argc, argv, THREADS, forward);
}
