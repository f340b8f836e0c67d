/* SPDX-License-Identifier: MIT
 *
 * A bank whose accounts are in a list. One thread audits the bank again and again; the other ones transfer money.
 */
#include "crew.h"

enum { ACCOUNTS = 2000, SLICE = 20, THREADS = CREW_THREADS(2) };

static struct account {
	_Alignas(64) struct account *next;
	long balance;
} accounts[ACCOUNTS];

/* Adds up the balances of accounts, at most `len` of them, and moves on to the account after them. */
TM_SAFE static long sum_list(struct account **first, int len)
{
	long sum = 0;
	for (int i = 0; i < len && *first != NULL; i++) {
		sum += (*first)->balance;
		*first = (*first)->next;
	}
	return sum;
}

static long audit(void)
{
	struct account *next = accounts;
	long sum = 0;
#ifdef FIXED
	int len = SLICE;
#else
	int len = ACCOUNTS;
#endif
	while (next != NULL) {
		struct account *first;
		long part;
		stamp_before();
		__transaction_atomic
		{
			stamp_first();
			first = next;
			part = sum_list(&first, len);
			stamp_last();
		}
		stamp_after();
		next = first;
		sum += part;
	}
	return sum;
}

static void transfer(struct member *me)
{
	struct account *from = &accounts[member_random(me, ACCOUNTS)], *to = &accounts[member_random(me, ACCOUNTS)];
	long amount = 1 + (long)member_random(me, 10);
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		if (from->balance >= amount) {
			from->balance -= amount;
			to->balance += amount;
		}
		stamp_last();
	}
	stamp_after();
	idle(200);
}

static void work(struct member *me)
{
	while (is_open()) {
		if (me->number == 0)
			audit();
		else
			transfer(me);
	}
}

int main(int argc, char **argv)
{
	for (int i = 0; i < ACCOUNTS; i++) {
		accounts[i].balance = 1000;
		accounts[i].next = i + 1 < ACCOUNTS ? &accounts[i + 1] : NULL;
	}
	return crew_run(argc, argv, THREADS, work);
}
