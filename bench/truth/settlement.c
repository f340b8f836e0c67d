/* SPDX-License-Identifier: MIT
 *
 * A bank at the end of its days: once in some thousand transactions the first thread settles the day, which reads and
 * writes all of its accounts. Meanwhile the others enter late bookings, each to one of these accounts, one after the
 * other. Each makes one attempt of the settlement fail (rivals.h), so that this needs tens of attempts. All other
 * transactions are as short as the bookings, and hardly ever fail: the first thread books for the next day, and the
 * others look at balances. Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * Invariant, outside transactions: the balances and the fees add up to all that was booked.
 */
#include "rivals.h"
#include "run.h"
#include "stamps.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { NEXT_DAY = 4096 };
enum tally { BOOKED, MET, SETTLED };

struct account {
	_Alignas(64) long balance;
};

/* The accounts of the day; behind them those of the next day. */
static struct account *accounts;
static uint64_t day_len;
static uint64_t bookings_in_day;
static uint64_t late_min, late_max;

static struct {
	_Alignas(64) long sum;
} fees;

/* Takes the sum of balances that were read, so that the compiler does not leave the reading out. */
static _Thread_local volatile long seen;

TM_RUNS static void book(struct account *account, long amount)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		account->balance += amount;
		stamp_last();
	}
	stamp_after();
}

TM_RUNS static void book_late(struct account *account, long amount)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		account->balance += amount;
		rivals_answer();
		stamp_last();
	}
	stamp_after();
}

TM_RUNS static long look_at(const struct account *account)
{
	long balance;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		balance = account->balance;
		stamp_last();
	}
	stamp_after();
	return balance;
}

TM_SAFE static long sum_of_day(void)
{
	long sum = 0;
	for (uint64_t i = 0; i < day_len; i++)
		sum += accounts[i].balance;
	return sum;
}

/* Each account pays the same share of what all of them have. */
TM_SAFE static void charge(long fee)
{
	for (uint64_t i = 0; i < day_len; i++)
		accounts[i].balance -= fee;
	fees.sum += fee * (long)day_len;
}

TM_RUNS static void settle(void)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		long fee = sum_of_day() / (long)day_len / 100;
		rivals_await();
		charge(fee);
		stamp_last();
	}
	stamp_after();
}

static void book_or_settle(struct worker *worker)
{
	if (worker->operations % bookings_in_day == bookings_in_day / 2) {
		rivals_expect((unsigned)(late_min + worker_random(worker, late_max - late_min + 1)));
		settle();
		worker->tally[MET] += rivals_met();
		worker->tally[SETTLED]++;
		return;
	}
	long amount = 1 + (long)worker_random(worker, 1000);
	book(&accounts[day_len + worker_random(worker, NEXT_DAY)], amount);
	worker->tally[BOOKED] += amount;
}

static void serve(struct worker *worker)
{
	if (worker->number == 0) {
		book_or_settle(worker);
	} else if (rivals_is_called()) {
		long amount = 1 + (long)worker_random(worker, 1000);
		book_late(&accounts[worker_random(worker, day_len)], amount);
		worker->tally[BOOKED] += amount;
	} else {
		seen += look_at(&accounts[day_len + worker_random(worker, NEXT_DAY)]);
	}
}

static void open_accounts(void)
{
	uint64_t len = day_len + NEXT_DAY;
	accounts = aligned_alloc(_Alignof(struct account), len * sizeof(*accounts));
	if (accounts == NULL)
		options_refuse("no memory for %llu accounts", (unsigned long long)len);
	for (uint64_t i = 0; i < len; i++)
		accounts[i] = (struct account){.balance = 0};
}

static bool are_books_right(int64_t booked)
{
	booked -= fees.sum;
	for (uint64_t i = 0; i < day_len + NEXT_DAY; i++)
		booked -= accounts[i].balance;
	return booked == 0;
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double len = 400, bookings = 1000, late = 40;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"accounts", &len, 1, 1e6, true, "accounts that a settlement reads and writes"},
		{"bookings", &bookings, 1, 1e9, true, "of the first thread between settlements"},
		{"late", &late, 0, 90, true, "late bookings during a settlement, half as many more or less"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	day_len = (uint64_t)len;
	bookings_in_day = (uint64_t)bookings;
	late_min = (uint64_t)(run.threads > 1 ? late / 2 : 0);
	late_max = (uint64_t)(run.threads > 1 ? late + late / 2 : 0);
	open_accounts();

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, serve, &sum);
	bool is_ok = are_books_right(sum.tally[BOOKED]);
	run_print(&run, elapsed, &sum);
	printf("booked %lld\nmet %lld\nsettled %lld\n", (long long)sum.tally[BOOKED], (long long)sum.tally[MET],
		(long long)sum.tally[SETTLED]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	free(accounts);
	return is_ok ? 0 : 1;
}
