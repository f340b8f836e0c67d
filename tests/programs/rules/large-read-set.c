/* SPDX-License-Identifier: MIT
 *
 * A tree of customers. One thread moves money between two of them, the other one adds up all balances. The fault: it
 * walks over the whole tree in one transaction, and a transfer from a customer that it has read to one that it has not
 * read yet aborts it, each time at another customer. Without the fault it looks at each customer in a transaction of
 * its own. usage: large-read-set with|without
 */
#include "program.h"

#include <sched.h>
#include <stddef.h>

enum { CUSTOMERS = 1023, HALF = CUSTOMERS / 2, BALANCE = 1000, SUMS = 400, PATIENCE = 20000, BETWEEN = 30000 };

/* In the order in which a walk visits them. */
static struct customer {
	_Alignas(64) int64_t balance;
	struct customer *left, *right;
} customers[CUSTOMERS];

static bool walks;
static int64_t wrong_by;

/* None is rolled back: the sum that is waited for, and the last transfer that has written. */
static unsigned asked, written;

static bool has_come(const unsigned *word, unsigned number)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE) >= number;
}

/* Half of the customers are read: lets the other thread transfer, in the first attempt of each sum. */
static __attribute__((transaction_pure, noinline)) void let_transfer(const struct customer *customer, unsigned sum)
{
	if (customer != &customers[HALF] || has_come(&asked, sum))
		return;
	__atomic_store_n(&asked, sum, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < PATIENCE && !has_come(&written, sum); i++)
		program_work(1000);
}

static __attribute__((transaction_pure, noinline)) void tell_written(unsigned sum)
{
	__atomic_store_n(&written, sum, __ATOMIC_RELEASE);
}

static __attribute__((noinline, transaction_safe)) int64_t walk(const struct customer *customer, unsigned sum)
{
	if (customer == NULL)
		return 0;
	let_transfer(customer, sum);
	return customer->balance + walk(customer->left, sum) + walk(customer->right, sum);
}

static __attribute__((noinline)) int64_t add_up(unsigned sum)
{
	int64_t balances = 0;
	__transaction_atomic
	{
		balances = walk(customers, sum);
	}
	return balances;
}

static __attribute__((noinline)) int64_t balance_of(const struct customer *customer)
{
	int64_t balance = 0;
	__transaction_atomic
	{
		balance = customer->balance;
	}
	return balance;
}

/* The transfer has written both customers when it says so: whichever it reads, the walk meets its lock or its version.
 */
static __attribute__((noinline)) void transfer(struct customer *from, struct customer *to, unsigned sum)
{
	__transaction_atomic
	{
		from->balance--;
		to->balance++;
		tell_written(sum);
	}
}

static void add_up_all(void)
{
	for (unsigned sum = 1; sum <= SUMS; sum++) {
		program_work(BETWEEN);
		if (walks)
			wrong_by += add_up(sum) - (int64_t)CUSTOMERS * BALANCE;
		for (unsigned i = 0; i < CUSTOMERS && !walks; i++) {
			let_transfer(&customers[i], sum);
			balance_of(&customers[i]);
		}
	}
}

static void transfer_all(void)
{
	for (unsigned sum = 1; sum <= SUMS; sum++) {
		while (!has_come(&asked, sum))
			sched_yield();
		transfer(&customers[sum], &customers[HALF + 1 + sum], sum);
	}
}

static void work(unsigned number)
{
	number == 0 ? add_up_all() : transfer_all();
}

/* So many customers, the first of which is the root. */
static struct customer *plant(struct customer *root, unsigned count)
{
	unsigned half = (count - 1) / 2;
	if (count == 0)
		return NULL;
	root->balance = BALANCE;
	root->left = plant(root + 1, half);
	root->right = plant(root + 1 + half, count - 1 - half);
	return root;
}

int main(int argc, char **argv)
{
	int64_t sum = 0;
	walks = program_has_fault(argc, argv);
	plant(customers, CUSTOMERS);
	program_run(2, work);
	for (unsigned i = 0; i < CUSTOMERS; i++)
		sum += customers[i].balance;
	return program_result(sum == (int64_t)CUSTOMERS * BALANCE && wrong_by == 0, (uint64_t)sum);
}
