/* SPDX-License-Identifier: MIT
 *
 * Detection of intruders in a stream of packets: threads take the next packet from the stream (a short transaction, and
 * all write the same), add it to the other packets of its flow (a long one), and when a flow is whole hand it on in a
 * queue (short again), from which it is taken and examined. Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * Invariants, outside transactions: the packets of a flow are ascending; all that were taken from the stream are in
 * flows that are not yet whole, or belong to flows in the queue or examined ones.
 */
#include "run.h"
#include "stamps.h"
#include "table.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Packets come in blocks: of FLOWS flows, in an order that looks random. */
enum { PARTS = 8, FLOWS = 64, BLOCK = PARTS * FLOWS, ROOM = 1024 };
enum tally { PACKETS, EXAMINED, WRONG };

struct packet {
	struct packet *next;
	long part;
	unsigned long load[8];
};

struct flow {
	struct table_entry entry;
	long parts;
	struct packet *packets;
};

static struct {
	_Alignas(128) long next;
} stream;

/* Whole flows, each as what its packets' loads come to. 0 <= put - taken <= ROOM. */
static struct {
	_Alignas(128) long put;
	_Alignas(128) long taken;
	_Alignas(128) unsigned long flows[ROOM];
} whole;

static struct table flows;
static uint64_t examine_rounds;

/* Returns the flow of the packet with this number in the stream; sets *part to its part of the flow. */
static long flow_of(long number, long *part)
{
	long place = (number * 181 + 77) % BLOCK;
	*part = place % PARTS;
	return number / BLOCK * FLOWS + place / PARTS;
}

TM_RUNS static long take_packet(void)
{
	long number;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		number = stream.next++;
		stamp_last();
	}
	stamp_after();
	return number;
}

TM_SAFE static bool add_part(struct flow *flow, long part)
{
	struct packet **link = &flow->packets;
	while (*link != NULL && (*link)->part < part)
		link = &(*link)->next;
	struct packet *packet = malloc(sizeof(*packet));
	if (packet == NULL)
		return false;
	packet->next = *link;
	packet->part = part;
	for (unsigned long i = 0; i < 8; i++)
		packet->load[i] = (unsigned long)part * 8 + i;
	*link = packet;
	flow->parts++;
	return true;
}

/* Frees the packets. The sum of their loads tells whether each was there once. */
TM_SAFE static unsigned long join_parts(struct flow *flow)
{
	unsigned long sum = 0;
	while (flow->packets != NULL) {
		struct packet *packet = flow->packets;
		flow->packets = packet->next;
		for (int i = 0; i < 8; i++)
			sum += packet->load[i];
		free(packet);
	}
	return sum;
}

/* The queue has room: at most ROOM threads each have one flow in it, and take one before they hand on the next. */
TM_SAFE static void hand_on(unsigned long sum)
{
	whole.flows[whole.put % ROOM] = sum;
	whole.put++;
}

/* Returns whether the packet made its flow whole. */
TM_RUNS static bool add_packet(long id, long part)
{
	bool is_whole = false;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct table_entry **link = table_find(&flows, id);
		struct flow *flow = *link != NULL ? (struct flow *)*link : table_add(link, id, sizeof(*flow));
		is_whole = flow != NULL && add_part(flow, part) && flow->parts == PARTS;
		if (is_whole) {
			hand_on(join_parts(flow));
			*link = flow->entry.next;
			free(flow);
		}
		stamp_last();
	}
	stamp_after();
	return is_whole;
}

/* Requires that the queue has a flow for each call. */
TM_RUNS static unsigned long take_flow(void)
{
	unsigned long sum;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		sum = whole.flows[whole.taken % ROOM];
		whole.taken++;
		stamp_last();
	}
	stamp_after();
	return sum;
}

/* Some work without a transaction. Returns whether the flow had each part once. */
__attribute__((noinline)) static bool examine(unsigned long sum)
{
	unsigned long hash = sum;
	for (uint64_t i = 0; i < examine_rounds; i++)
		hash = (hash ^ (hash >> 7)) * 0x9e3779b97f4a7c15ul;
	return sum == 8 * PARTS * (8 * PARTS - 1) / 2 && (hash != 0 || sum == 0);
}

/* Whoever has made a flow whole takes one: so there is one for each who takes. */
static void serve(struct worker *worker)
{
	long part, number = take_packet(), id = flow_of(number, &part);
	worker->tally[PACKETS]++;
	if (!add_packet(id, part))
		return;
	worker->tally[EXAMINED]++;
	worker->tally[WRONG] += !examine(take_flow());
}

static bool is_flow_ascending(const struct table_entry *entry)
{
	const struct flow *flow = (const struct flow *)entry;
	long parts = 0;
	for (const struct packet *packet = flow->packets; packet != NULL; packet = packet->next, parts++)
		if (packet->next != NULL && packet->next->part <= packet->part)
			return false;
	return parts == flow->parts && parts < PARTS;
}

/* Frees all packets. Returns how many there were. */
static int64_t empty_flows(void)
{
	int64_t packets = 0;
	for (size_t i = 0; i < flows.chains_len; i++)
		for (struct table_entry *entry = flows.chains[i]; entry != NULL; entry = entry->next) {
			packets += ((struct flow *)entry)->parts;
			join_parts((struct flow *)entry);
		}
	return packets;
}

static bool are_packets_there(const struct worker *sum)
{
	int64_t unused = 0;
	return table_check(&flows, is_flow_ascending, &unused) && stream.next == sum->tally[PACKETS] &&
	       whole.put == whole.taken && whole.put == sum->tally[EXAMINED] &&
	       empty_flows() + PARTS * sum->tally[EXAMINED] == sum->tally[PACKETS];
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double rounds = 500;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"work", &rounds, 0, 1e6, true, "rounds of work to examine a flow"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	examine_rounds = (uint64_t)rounds;
	table_open(&flows, FLOWS);

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, serve, &sum);
	bool is_ok = sum.tally[WRONG] == 0 && are_packets_there(&sum);
	run_print(&run, elapsed, &sum);
	printf("packets %lld\nexamined %lld\n", (long long)sum.tally[PACKETS], (long long)sum.tally[EXAMINED]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	table_close(&flows);
	return is_ok ? 0 : 1;
}
