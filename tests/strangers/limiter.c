/* SPDX-License-Identifier: MIT
 *
 * A rate limiter: each client has a bucket of tokens, which a request takes from. One thread adapts the rates to the
 * load. It raises a flag that keeps requests out while it does so, in the transaction that writes all rates. Fixed: it
 * writes the rate of one client in a transaction, and raises no flag.
 */
#include "crew.h"

enum { CLIENTS = 20000, ROUNDS = 8, THREADS = CREW_THREADS(2) };

static struct client {
	_Alignas(64) unsigned rate, tokens;
	unsigned long refilled, refused;
} clients[CLIENTS];

static struct {
	_Alignas(128) bool is_locked;
} rates;

static unsigned long now_seconds(void)
{
	static __thread unsigned long requests;
	return requests++ / 100;
}

TM_SAFE static unsigned adapted(unsigned rate, unsigned load)
{
	for (int i = 0; i < ROUNDS; i++)
		rate = (3 * rate + 10 + load % 100) / 4;
	return rate;
}

TM_SAFE __attribute__((noinline)) static void set_locked(bool is_locked)
{
#ifndef FIXED
	rates.is_locked = is_locked;
#else
	(void)is_locked;
#endif
}

/* Returns whether the request may pass; not while rates are written. */
NOINLINE static bool admit(struct client *client, unsigned long now)
{
	bool is_admitted = false;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		if (!rates.is_locked) {
			if (client->refilled < now) {
				client->refilled = now;
				client->tokens = client->rate;
			}
			is_admitted = client->tokens > 0;
			if (is_admitted)
				client->tokens--;
			else
				client->refused++;
		}
		stamp_last();
	}
	stamp_after();
	crew_count();
	return is_admitted;
}

NOINLINE static void adapt_rates(int first, int count, unsigned load)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		set_locked(true);
		for (int i = first; i < first + count; i++)
			clients[i].rate = adapted(clients[i].rate, load);
		set_locked(false);
		stamp_last();
	}
	stamp_after();
}

static void adapt(struct member *me)
{
	unsigned load = (unsigned)member_random(me, 1000);
#ifdef FIXED
	for (int i = 0; i < CLIENTS; i++) {
		adapt_rates(i, 1, load);
		idle(3000);
	}
#else
	adapt_rates(0, CLIENTS, load);
#endif
}

static void work(struct member *me)
{
	while (is_open()) {
		if (me->number == 0)
			adapt(me);
		else
			admit(&clients[member_random(me, CLIENTS)], now_seconds());
		idle(3000);
	}
}

int main(int argc, char **argv)
{
	for (int i = 0; i < CLIENTS; i++)
		clients[i].rate = 20;
	return crew_run(argc, argv, THREADS, work);
}
