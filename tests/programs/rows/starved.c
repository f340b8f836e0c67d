/* SPDX-License-Identifier: MIT
 *
 * A bank. One thread transfers money, the other one prints statements of all accounts, each in a long transaction. The
 * fault: some transfers ask for the customer's credit while they hold the accounts, for so long that a statement fails
 * until libitm lets it run alone, and then the transfers wait for it. Without the fault the credit is asked for before
 * the transaction. usage: starved with|without
 */
#include "program.h"

#include <sched.h>
#include <time.h>

enum { ACCOUNTS = 64, SALDO = 1000, STATEMENTS = 25, TRIES_BEFORE_ALONE = 101 };
enum { PATIENCE = 20000, PRINTER_NS = 3000000 };

static struct account {
	_Alignas(64) int64_t saldo;
} accounts[ACCOUNTS];

static bool asks_within;
static int64_t wrong_by;

/* None is rolled back: the last statement for which a transfer holds accounts, and the last that is printed; and how
 * often the present one was tried. */
static unsigned held, printed, tries;

static bool has_come(const unsigned *word, unsigned number)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE) >= number;
}

/* The bank that knows the credit answers slowly: not before the statement has failed as often as it may. */
static __attribute__((transaction_pure, noinline)) void ask_for_credit(unsigned statement)
{
	__atomic_store_n(&held, statement, __ATOMIC_RELEASE);
	for (unsigned i = 0; asks_within && i < PATIENCE && !has_come(&tries, statement * 1000 + TRIES_BEFORE_ALONE);
		i++)
		program_work(1000);
}

static __attribute__((transaction_pure, noinline)) void count_try(void)
{
	__atomic_add_fetch(&tries, 1, __ATOMIC_RELEASE);
}

/* It has no effect that would have to be undone. */
static __attribute__((transaction_pure, noinline)) void print_out(void)
{
	nanosleep(&(struct timespec){.tv_nsec = PRINTER_NS}, NULL);
}

static __attribute__((noinline)) int64_t add_up(void)
{
	int64_t sum = 0;
	__transaction_atomic
	{
		count_try();
		for (unsigned i = 0; i < ACCOUNTS; i++)
			sum += accounts[i].saldo;
		print_out();
	}
	return sum;
}

static __attribute__((noinline)) void transfer_on_credit(unsigned from, unsigned to, unsigned statement)
{
	__transaction_atomic
	{
		accounts[from].saldo -= 100;
		accounts[to].saldo += 100;
		if (asks_within)
			ask_for_credit(statement);
	}
}

static __attribute__((noinline)) void transfer(unsigned from, unsigned to, int64_t amount)
{
	__transaction_atomic
	{
		accounts[from].saldo -= amount;
		accounts[to].saldo += amount;
	}
}

/* For each statement a transfer on credit, and an ordinary one, which then has to wait if the statement runs alone. */
static void serve_customers(void)
{
	for (unsigned statement = 1; statement <= STATEMENTS; statement++) {
		if (!asks_within)
			ask_for_credit(statement);
		transfer_on_credit(statement, ACCOUNTS - statement, statement);
		transfer(statement + 1, ACCOUNTS - statement - 1, 1 + statement % 50);
		while (!has_come(&printed, statement))
			sched_yield();
	}
}

static void print_statements(void)
{
	for (unsigned statement = 1; statement <= STATEMENTS; statement++) {
		__atomic_store_n(&tries, statement * 1000, __ATOMIC_RELEASE);
		while (!has_come(&held, statement))
			sched_yield();
		wrong_by += add_up() - ACCOUNTS * SALDO;
		__atomic_store_n(&printed, statement, __ATOMIC_RELEASE);
	}
}

static void work(unsigned number)
{
	number == 0 ? serve_customers() : print_statements();
}

int main(int argc, char **argv)
{
	int64_t sum = 0;
	asks_within = program_has_fault(argc, argv);
	for (unsigned i = 0; i < ACCOUNTS; i++)
		accounts[i].saldo = SALDO;
	program_run(2, work);
	for (unsigned i = 0; i < ACCOUNTS; i++)
		sum += accounts[i].saldo;
	return program_result(sum == ACCOUNTS * SALDO && wrong_by == 0, (uint64_t)sum);
}
