/* SPDX-License-Identifier: MIT
 *
 * A bank: threads move money between few accounts, and now and then one of them
 * adds up all accounts. Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * Invariant: outside transactions the accounts add up to accounts * OPENING_BALANCE.
 */
#include "meeting.h"
#include "run.h"
#include "stamps.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPENING_BALANCE = 1000 };
enum tally { REFUSED, AUDITS, WRONG_AUDITS };

/* 32 bytes: accounts share no lock of the STM, so conflicts are true ones. */
struct account {
	_Alignas(32) long balance;
	unsigned long transfers;
};

static struct account *accounts;
static size_t accounts_len;
static uint64_t updates_of_million; /* how many of a million operations are transfers */

/* The work of a transfer within its transaction: it takes some hundred nanoseconds. */
static inline long choose_discount(unsigned long transfers, long amount)
{
	unsigned long hash = transfers ^ (unsigned long)amount;
	for (int i = 0; i < 100; i++)
		hash = (hash ^ (hash >> 7)) * 0x9e3779b97f4a7c15ul;
	return (long)(hash & 1);
}

/* Returns whether there was enough money. */
TM_RUNS static bool transfer(struct account *from, struct account *to, long amount)
{
	bool is_covered;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		is_covered = from->balance >= amount;
		if (is_covered) {
			from->balance -= amount;
			from->transfers++;
			long discount = choose_discount(from->transfers, amount);
			to->balance += amount - discount;
			to->transfers++;
			from->balance += discount;
		}
		stamp_last();
	}
	stamp_after();
	return is_covered;
}

TM_RUNS static long audit(void)
{
	long sum = 0;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (size_t i = 0; i < accounts_len; i++)
			sum += accounts[i].balance;
		stamp_last();
	}
	stamp_after();
	return sum;
}

/* A transaction in which two threads are certain to conflict (meeting.h). */
TM_RUNS static void meet(struct account *account)
{
	meeting_next();
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		meeting_enter();
		account->transfers++;
		meeting_hold();
		stamp_last();
	}
	stamp_after();
}

static void serve(struct worker *worker)
{
	if (is_meeting(worker)) {
		meet(&accounts[worker->number / 2 % accounts_len]);
		return;
	}
	if (worker_random(worker, 1000000) >= updates_of_million) {
		worker->tally[AUDITS]++;
		worker->tally[WRONG_AUDITS] += audit() != (long)accounts_len * OPENING_BALANCE;
		return;
	}
	size_t from = worker_random(worker, accounts_len);
	size_t step = 1 + worker_random(worker, accounts_len - 1);
	long amount = 1 + (long)worker_random(worker, 100);
	worker->tally[REFUSED] += !transfer(&accounts[from], &accounts[(from + step) % accounts_len], amount);
}

static void open_accounts(size_t len)
{
	accounts = aligned_alloc(_Alignof(struct account), len * sizeof(*accounts));
	if (accounts == NULL)
		options_refuse("no memory for %zu accounts", len);
	accounts_len = len;
	for (size_t i = 0; i < len; i++)
		accounts[i] = (struct account){.balance = OPENING_BALANCE};
}

static bool is_money_conserved(void)
{
	long sum = 0;
	for (size_t i = 0; i < accounts_len; i++)
		sum += accounts[i].balance;
	return sum == (long)accounts_len * OPENING_BALANCE;
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double len = 8, updates = 99.9;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		MEET_OPTION(&run),
		{"accounts", &len, 2, 1e8, true, "accounts; fewer contend more"},
		{"updates", &updates, 0, 100, false, "percent of operations that are transfers"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	open_accounts((size_t)len);
	updates_of_million = (uint64_t)(updates * 10000);

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, serve, &sum);
	bool is_ok = sum.tally[WRONG_AUDITS] == 0 && is_money_conserved();
	run_print(&run, elapsed, &sum);
	printf("audits %lld\nrefused %lld\n", (long long)sum.tally[AUDITS], (long long)sum.tally[REFUSED]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	free(accounts);
	return is_ok ? 0 : 1;
}
