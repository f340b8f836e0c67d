/* SPDX-License-Identifier: MIT
 *
 * A first-in, first-out queue with room for a fixed number of items. Any thread puts items in at one end and takes them
 * out at the other, or only counts the items between the ends. Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * Invariants: taken <= put <= taken + room, within transactions too. Whoever takes items gets those of each producer in
 * the order in which they were put in. Outside transactions all that was put in and not taken is in the queue.
 */
#include "run.h"
#include "stamps.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum tally { PUT, TAKEN, WRONG };

/* An item: from this bit on the number of its producer; below, how many items this producer has put in before. */
enum { PRODUCER_SHIFT = 48 };

/* On cache lines of their own: each end is written only by threads that put, or only by threads that take. Both read
 * both ends. */
static struct {
	_Alignas(128) uint64_t put;
	_Alignas(128) uint64_t taken;
} ends;

static uint64_t *items; /* item n of all that were put in is at n % room */
static uint64_t room;
static uint64_t updates_percent;

/* For each consumer (row) and producer (column): the lowest item of that producer that the consumer may take next. Only
 * the consumer uses its row. */
static uint64_t *earliest;
static uint64_t threads_len;

/* One for each worker: sums of the items that it has put in and taken out. Items are hashed by mix() before, so that a
 * wrong item does not leave a sum unchanged. is_all_there() compares the sums. */
static struct {
	_Alignas(128) uint64_t put;
	uint64_t taken;
	uint64_t made; /* items of this producer */
} * sums;

static uint64_t mix(uint64_t item)
{
	item *= UINT64_C(0x9e3779b97f4a7c15);
	return item ^ item >> 29;
}

/* Returns whether there was room. */
TM_RUNS static bool put(uint64_t item)
{
	bool has_room;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		has_room = ends.put - ends.taken < room;
		if (has_room) {
			items[ends.put % room] = item;
			ends.put++;
		}
		stamp_last();
	}
	stamp_after();
	return has_room;
}

/* Returns whether there was an item to take. */
TM_RUNS static bool take(uint64_t *item)
{
	bool is_there;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		is_there = ends.taken != ends.put;
		if (is_there) {
			*item = items[ends.taken % room];
			ends.taken++;
		}
		stamp_last();
	}
	stamp_after();
	return is_there;
}

TM_RUNS static uint64_t count(void)
{
	uint64_t len;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		len = ends.put - ends.taken;
		stamp_last();
	}
	stamp_after();
	return len;
}

static void produce(struct worker *worker)
{
	uint64_t item = (uint64_t)worker->number << PRODUCER_SHIFT | sums[worker->number].made;
	if (!put(item))
		return;
	sums[worker->number].made++;
	sums[worker->number].put += mix(item);
	worker->tally[PUT]++;
}

static void consume(struct worker *worker)
{
	uint64_t item;
	if (!take(&item))
		return;
	uint64_t producer = item >> PRODUCER_SHIFT;
	uint64_t *next = &earliest[worker->number * threads_len + producer];
	worker->tally[WRONG] += item < *next;
	*next = item + 1;
	sums[worker->number].taken += mix(item);
	worker->tally[TAKEN]++;
}

static void operate(struct worker *worker)
{
	if (worker_random(worker, 100) >= updates_percent)
		worker->tally[WRONG] += count() > room;
	else if (worker_random(worker, 2) == 0)
		produce(worker);
	else
		consume(worker);
}

/* Fills half of the queue. The items count as put in by the first worker. */
static void fill(void)
{
	for (; ends.put < room / 2; ends.put++) {
		items[ends.put] = ends.put;
		sums[0].put += mix(ends.put);
		sums[0].made++;
	}
}

static void make(uint64_t threads)
{
	threads_len = threads;
	items = calloc(room, sizeof(*items));
	earliest = calloc(threads * threads, sizeof(*earliest));
	sums = aligned_alloc(_Alignof(__typeof__(*sums)), threads * sizeof(*sums));
	if (items == NULL || earliest == NULL || sums == NULL)
		options_refuse("no memory for a queue of %llu items", (unsigned long long)room);
	for (uint64_t i = 0; i < threads; i++)
		sums[i] = (__typeof__(*sums)){0};
}

/* What was put in is what was taken out and what is left. */
static bool is_all_there(void)
{
	uint64_t missing = 0;
	for (uint64_t i = 0; i < threads_len; i++)
		missing += sums[i].put - sums[i].taken;
	for (uint64_t i = ends.taken; i != ends.put; i++)
		missing -= mix(items[i % room]);
	return missing == 0;
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double size = 1024, updates = 90;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"size", &size, 1, 1e8, true, "items that there is room for"},
		{"updates", &updates, 0, 100, true, "percent of operations that put one in or take one out"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	room = (uint64_t)size;
	updates_percent = (uint64_t)updates;
	make((uint64_t)run.threads);
	fill();

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, operate, &sum);
	bool is_ok = sum.tally[WRONG] == 0 && is_all_there() &&
		     ends.put - ends.taken == room / 2 + (uint64_t)(sum.tally[PUT] - sum.tally[TAKEN]);
	run_print(&run, elapsed, &sum);
	printf("put %lld\ntaken %lld\n", (long long)sum.tally[PUT], (long long)sum.tally[TAKEN]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	free(items);
	free(earliest);
	free(sums);
	return is_ok ? 0 : 1;
}
