/* SPDX-License-Identifier: MIT
 *
 * An auction with more bidders than processors, many of whom change their mind. A bid looks through the last bids for a
 * lot, works out what the lot is worth, enters the bid, and cancels its transaction if it is not higher than the price.
 * About half of the bids are cancelled. Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * Invariants, outside transactions: a lot has as many bids as the bidders count accepted ones for it; its price is the
 * amount of its last bid; and of the last BIDS amounts since the lot began anew each is higher than the one before.
 */
#include "run.h"
#include "stamps.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { BIDS = 16, STEP_LIMIT = 100 };
enum tally { ACCEPTED, CANCELLED };

/* On cache lines of its own. Bid n is at amounts[n % BIDS]; amounts start anew at every bid of which n % 4096 is 0. */
struct lot {
	_Alignas(64) long bids;
	long price;
	long amounts[BIDS];
};

static struct lot *lots;
static uint64_t lots_len;
static uint64_t think_rounds;

/* What takes the bidder a microsecond or so: the result depends on all rounds. */
static inline unsigned long think(unsigned long hash)
{
	for (uint64_t i = 0; i < think_rounds; i++)
		hash = (hash ^ (hash >> 7)) * 0x9e3779b97f4a7c15ul;
	return hash;
}

/* The highest of the last bids; 0 where there is none. */
TM_SAFE static long highest_of(const struct lot *lot)
{
	long highest = 0;
	for (int i = 0; i < BIDS; i++)
		if (lot->amounts[i] > highest)
			highest = lot->amounts[i];
	return highest;
}

TM_SAFE static void start_anew(struct lot *lot)
{
	lot->price = 0;
	for (int i = 0; i < BIDS; i++)
		lot->amounts[i] = 0;
}

/* Enters the bid before it is checked: what a cancel has to undo. */
TM_SAFE static void enter_bid(struct lot *lot, long amount)
{
	if (lot->bids % 4096 == 0)
		start_anew(lot);
	lot->amounts[lot->bids % BIDS] = amount;
	lot->bids++;
}

/* Returns whether the bid is accepted. `patience` is how far the bidder goes beyond the price that was seen. */
TM_RUNS static bool bid(struct lot *lot, long patience, unsigned long seed)
{
	bool is_accepted = false;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		long highest = lot->bids % 4096 == 0 ? 0 : highest_of(lot);
		long amount = highest + patience - (long)(think(seed) % 50);
		enter_bid(lot, amount);
		if (amount <= highest)
			__transaction_cancel;
		lot->price = amount;
		is_accepted = true;
		stamp_last();
	}
	stamp_after();
	return is_accepted;
}

/* Half of the bids are for the first quarter of the lots, the others for any lot. */
static void serve(struct worker *worker)
{
	uint64_t some = worker_random(worker, 2) == 0 ? (lots_len + 3) / 4 : lots_len;
	struct lot *lot = &lots[worker_random(worker, some)];
	long patience = (long)worker_random(worker, STEP_LIMIT) - 25;
	bool is_accepted = bid(lot, patience, worker_random(worker, UINT32_MAX));
	worker->tally[is_accepted ? ACCEPTED : CANCELLED]++;
}

static void open_lots(void)
{
	lots = aligned_alloc(_Alignof(struct lot), lots_len * sizeof(*lots));
	if (lots == NULL)
		options_refuse("no memory for %llu lots", (unsigned long long)lots_len);
	for (uint64_t i = 0; i < lots_len; i++)
		lots[i] = (struct lot){.bids = 0};
}

/* The bids since the lot has started anew, the last BIDS of them. */
static bool is_lot_right(const struct lot *lot)
{
	long since = lot->bids == 0 ? 0 : (lot->bids - 1) % 4096 + 1;
	long len = since < BIDS ? since : BIDS;
	for (long i = 1; i < len; i++) {
		long n = lot->bids - i;
		if (lot->amounts[n % BIDS] <= lot->amounts[(n - 1) % BIDS])
			return false;
	}
	return len == 0 || lot->price == lot->amounts[(lot->bids - 1) % BIDS];
}

static bool are_lots_right(int64_t accepted)
{
	for (uint64_t i = 0; i < lots_len; i++) {
		if (!is_lot_right(&lots[i]))
			return false;
		accepted -= lots[i].bids;
	}
	return accepted == 0;
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double len = 8, rounds = 300;
	run.threads = 8;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"lots", &len, 1, 1e6, true, "lots; fewer contend more"},
		{"work", &rounds, 0, 1e6, true, "rounds of work in a bid"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	lots_len = (uint64_t)len;
	think_rounds = (uint64_t)rounds;
	open_lots();

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, serve, &sum);
	bool is_ok = are_lots_right(sum.tally[ACCEPTED]);
	run_print(&run, elapsed, &sum);
	printf("accepted %lld\ncancelled %lld\n", (long long)sum.tally[ACCEPTED], (long long)sum.tally[CANCELLED]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	free(lots);
	return is_ok ? 0 : 1;
}
