/* SPDX-License-Identifier: MIT
 *
 * A warehouse with far more clerks than processors. An order takes some pieces of several goods from their shelves, and
 * fills up a shelf that has become low. Between orders a clerk packs, which takes some 6 % of the time. Plain
 * `gcc -fgnu-tm`; it knows of no profiler.
 *
 * Invariant, outside transactions: of each shelf, the stock plus all that was taken equals all that was delivered.
 */
#include "run.h"
#include "stamps.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { GOODS = 16, PIECES = 4, DELIVERY = 100, HISTORY = 32 };
enum tally { ORDERS, TAKEN, PLANNED };

/* `history` is how many pieces the last orders took, by which a delivery is planned. */
struct shelf {
	_Alignas(64) long there;
	long taken;
	long delivered;
	unsigned long orders;
	unsigned char history[HISTORY];
};

struct order {
	size_t goods[GOODS];
	long pieces[GOODS];
};

static struct shelf *shelves;
static uint64_t shelves_len;
static uint64_t packing;

/* Takes the result of packing, so that the compiler does not leave packing out. */
static _Thread_local volatile unsigned long packed;

/* Not inlined, so that the loop stays whole: some nanoseconds a round. */
__attribute__((noinline)) static unsigned long pack(unsigned long hash)
{
	for (uint64_t i = 0; i < packing; i++)
		hash = (hash ^ (hash >> 7)) * 0x9e3779b97f4a7c15ul;
	return hash;
}

/* So many pieces as the last orders took, or a usual delivery. */
TM_SAFE static long plan_delivery(const struct shelf *shelf)
{
	long wanted = 0;
	for (int i = 0; i < HISTORY; i++)
		wanted += shelf->history[i];
	return wanted > DELIVERY ? wanted : DELIVERY;
}

TM_SAFE static void fill_up(struct shelf *shelf)
{
	long delivery = plan_delivery(shelf);
	shelf->there += delivery;
	shelf->delivered += delivery;
}

/* Returns how many were there to be taken. */
TM_SAFE static long take(struct shelf *shelf, long pieces)
{
	if (shelf->there < pieces)
		fill_up(shelf);
	shelf->history[shelf->orders % HISTORY] = (unsigned char)pieces;
	shelf->orders++;
	shelf->there -= pieces;
	shelf->taken += pieces;
	return pieces;
}

TM_RUNS static long deliver(const struct order *order)
{
	long taken = 0;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (int i = 0; i < GOODS; i++)
			taken += take(&shelves[order->goods[i]], order->pieces[i]);
		stamp_last();
	}
	stamp_after();
	return taken;
}

/* How much would have to be delivered for an order. Only reads. */
TM_RUNS static long plan(const struct order *order)
{
	long wanted = 0;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (int i = 0; i < GOODS; i++)
			if (shelves[order->goods[i]].there < DELIVERY / 2)
				wanted += plan_delivery(&shelves[order->goods[i]]);
		stamp_last();
	}
	stamp_after();
	return wanted;
}

static void serve(struct worker *worker)
{
	struct order order;
	for (int i = 0; i < GOODS; i++) {
		order.goods[i] = worker_random(worker, shelves_len);
		order.pieces[i] = 1 + (long)worker_random(worker, PIECES);
	}
	if (worker_random(worker, 4) == 0) {
		worker->tally[PLANNED] += plan(&order);
		return;
	}
	worker->tally[ORDERS]++;
	worker->tally[TAKEN] += deliver(&order);
	packed += pack(worker->random);
}

static void fill(void)
{
	shelves = aligned_alloc(_Alignof(struct shelf), shelves_len * sizeof(*shelves));
	if (shelves == NULL)
		options_refuse("no memory for %llu shelves", (unsigned long long)shelves_len);
	for (uint64_t i = 0; i < shelves_len; i++)
		shelves[i] = (struct shelf){.there = DELIVERY, .delivered = DELIVERY};
}

static bool is_stock_right(const struct worker *sum)
{
	int64_t taken = 0, orders = 0;
	for (uint64_t i = 0; i < shelves_len; i++) {
		const struct shelf *shelf = &shelves[i];
		if (shelf->there < 0 || shelf->there + shelf->taken != shelf->delivered)
			return false;
		taken += shelf->taken;
		orders += (int64_t)shelf->orders;
	}
	return taken == sum->tally[TAKEN] && orders == GOODS * sum->tally[ORDERS];
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double len = 256, pause = 6000;
	run.threads = 64;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"shelves", &len, 1, 1e6, true, "shelves; fewer contend more"},
		{"packing", &pause, 0, 1e6, true, "rounds of work after an order"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	shelves_len = (uint64_t)len;
	packing = (uint64_t)pause;
	fill();

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, serve, &sum);
	bool is_ok = is_stock_right(&sum);
	run_print(&run, elapsed, &sum);
	printf("orders %lld\ntaken %lld\n", (long long)sum.tally[ORDERS], (long long)sum.tally[TAKEN]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	free(shelves);
	return is_ok ? 0 : 1;
}
