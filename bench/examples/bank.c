/* SPDX-License-Identifier: MIT
 *
 * The bank of bench/programs on an STM of examples/, which calls the profiler's hooks itself. It has the same
 * parameters and the same figures. For each STM it is built twice: in the second build (bank-off) the hooks do nothing.
 *
 * Invariant: outside transactions the accounts add up to accounts * OPENING_BALANCE.
 */
#include "run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "stm.h"

enum { OPENING_BALANCE = 1000 };
enum tally { REFUSED, AUDITS, WRONG_AUDITS };
enum { BALANCE, TRANSFERS, WORDS };

static struct stm_object **accounts;
static size_t accounts_len;
static uint64_t updates_of_million;

/* The value is the thread's struct stm_thread. The key's destructor ends it with the thread. */
static pthread_key_t self_key;

struct transfer {
	struct stm_object *from, *to;
	uint64_t amount;
	bool is_covered;
};

/* The work of a transfer within its transaction: it takes some hundred nanoseconds. */
static uint64_t choose_discount(uint64_t transfers, uint64_t amount)
{
	uint64_t hash = transfers ^ amount;
	for (int i = 0; i < 100; i++)
		hash = (hash ^ hash >> 7) * UINT64_C(0x9e3779b97f4a7c15);
	return hash & 1;
}

static void transfer(struct stm_thread *thread, void *arg)
{
	struct transfer *wanted = arg;
	uint64_t balance = stm_read(thread, wanted->from, BALANCE);
	wanted->is_covered = balance >= wanted->amount;
	if (!wanted->is_covered)
		return;
	uint64_t transfers = stm_read(thread, wanted->from, TRANSFERS) + 1;
	stm_write(thread, wanted->from, BALANCE, balance - wanted->amount);
	stm_write(thread, wanted->from, TRANSFERS, transfers);
	uint64_t discount = choose_discount(transfers, wanted->amount);
	stm_write(thread, wanted->to, BALANCE, stm_read(thread, wanted->to, BALANCE) + wanted->amount - discount);
	stm_write(thread, wanted->to, TRANSFERS, stm_read(thread, wanted->to, TRANSFERS) + 1);
	stm_write(thread, wanted->from, BALANCE, balance - wanted->amount + discount);
}

static void audit(struct stm_thread *thread, void *arg)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < accounts_len; i++)
		sum += stm_read(thread, accounts[i], BALANCE);
	*(uint64_t *)arg = sum;
}

static void put_money(struct stm_thread *thread, void *account)
{
	stm_write(thread, account, BALANCE, OPENING_BALANCE);
}

static void end_self(void *self)
{
	struct stm_thread *thread = self;
	stm_thread_end(&thread);
}

/* The calling thread's struct stm_thread. Its first call creates it. */
static struct stm_thread *self(void)
{
	struct stm_thread *thread = pthread_getspecific(self_key);
	if (thread == NULL) {
		thread = stm_thread_begin();
		if (thread == NULL)
			options_refuse("no memory for a thread");
		pthread_setspecific(self_key, thread);
	}
	return thread;
}

static void serve(struct worker *worker)
{
	struct stm_thread *thread = self();
	if (worker_random(worker, 1000000) >= updates_of_million) {
		uint64_t sum;
		stm_run(thread, audit, &sum);
		worker->tally[AUDITS]++;
		worker->tally[WRONG_AUDITS] += sum != accounts_len * OPENING_BALANCE;
		return;
	}
	size_t from = worker_random(worker, accounts_len);
	size_t step = 1 + worker_random(worker, accounts_len - 1);
	struct transfer wanted = {
		accounts[from], accounts[(from + step) % accounts_len], 1 + worker_random(worker, 100), false};
	stm_run(thread, transfer, &wanted);
	worker->tally[REFUSED] += !wanted.is_covered;
}

static void open_accounts(struct stm_thread *thread, size_t len)
{
	accounts = calloc(len, sizeof(struct stm_object *));
	accounts_len = len;
	for (size_t i = 0; i < len; i++) {
		if (accounts == NULL || (accounts[i] = stm_object_create("an account", WORDS)) == NULL)
			options_refuse("no memory for %zu accounts", len);
		stm_run(thread, put_money, accounts[i]);
	}
}

static bool is_money_conserved(struct stm_thread *thread)
{
	uint64_t sum;
	stm_run(thread, audit, &sum);
	return sum == accounts_len * OPENING_BALANCE;
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double len = 8, updates = 99.9;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"accounts", &len, 2, 1e8, true, "accounts; fewer contend more"},
		{"updates", &updates, 0, 100, false, "percent of operations that are transfers"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	if (pthread_key_create(&self_key, end_self) != 0 || stm_open() != 0)
		options_refuse("no memory for the STM");
	open_accounts(self(), (size_t)len);
	updates_of_million = (uint64_t)(updates * 10000);

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, serve, &sum);
	bool is_ok = sum.tally[WRONG_AUDITS] == 0 && is_money_conserved(self());
	run_print(&run, elapsed, &sum);
	printf("audits %lld\nrefused %lld\n", (long long)sum.tally[AUDITS], (long long)sum.tally[REFUSED]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	end_self(self());
	stm_close();
	free(accounts);
	return is_ok ? 0 : 1;
}
