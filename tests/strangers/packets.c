/* SPDX-License-Identifier: MIT
 *
 * Packets of a network are looked through for the signs of an intruder: a queue of packets, from which each thread
 * takes the next one, puts it into its flow, and looks for a sign.
 */
#include "crew.h"

enum { PACKETS = 4096, FLOWS = 512, PARTS = 64, THREADS = CREW_THREADS(3) };

struct flow {
	_Alignas(64) long parts[PARTS];
	long seen, signs;
};

static struct flow flows[FLOWS];
static long packets[PACKETS];
static struct {
	_Alignas(128) long head;
} queue;

/* The next packet of the queue, which begins anew at its end. */
TM_SAFE static long pop(void)
{
	long packet = packets[queue.head];
	queue.head = (queue.head + 1) % PACKETS;
	return packet;
}

TM_SAFE static void assemble(struct flow *flow, long packet)
{
	flow->parts[packet % PARTS] = packet;
	flow->seen++;
}

TM_SAFE static bool has_sign(const struct flow *flow)
{
	unsigned long hash = 0;
	for (int i = 0; i < PARTS; i++)
		hash = (hash ^ (unsigned long)flow->parts[i]) * 0x9e3779b97f4a7c15u;
	return hash >> 56 == 0;
}

TM_SAFE static void inspect(long packet)
{
	struct flow *flow = &flows[(unsigned long)packet * 2654435761u % FLOWS];
	assemble(flow, packet);
	if (has_sign(flow))
		flow->signs++;
}

static void process_packet(long own)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
#ifdef FIXED
		long packet = packets[own];
#else
		long packet = pop();
#endif
		inspect(packet);
		stamp_last();
	}
	stamp_after();
	(void)own;
}

/* Forgets a flow. */
static void expire(struct member *me)
{
	struct flow *flow = &flows[member_random(me, FLOWS)];
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (int i = 0; i < PARTS; i++)
			flow->parts[i] = 0;
		stamp_last();
	}
	stamp_after();
}

static void watch(struct member *me)
{
	for (long i = me->number; is_open(); i = (i + THREADS) % PACKETS) {
		process_packet(i);
		if (member_random(me, 20) == 0)
			expire(me);
	}
}

int main(int argc, char **argv)
{
	struct member setter = {0, 88172645463325252u, NULL};
	(void)pop;
	for (int i = 0; i < PACKETS; i++)
		packets[i] = (long)member_random(&setter, 1 << 20);
	return crew_run(argc, argv, THREADS, watch);
}
