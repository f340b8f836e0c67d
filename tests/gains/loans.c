/* SPDX-License-Identifier: MIT
 *
 * A bank with a few branches lends money. A loan counts for its branch and its customer, and the monthly payment is
 * searched that pays the loan back in time.
 */
#include "crew.h"

enum { BRANCHES = 2, CUSTOMERS = 4096, STEPS = 18, THREADS = 2 };

static struct branch {
	_Alignas(128) long loans, lent, to_come;
} branches[BRANCHES];
static struct customer {
	_Alignas(64) long owes, pays;
} customers[CUSTOMERS];

TM_SAFE static long left_after(long lent, long rate, long months, long payment)
{
	for (long month = 0; month < months && lent > 0; month++)
		lent += (lent * rate >> 16) - payment;
	return lent;
}

/* The smallest payment that suffices. */
TM_SAFE static long payment_for(long lent, long rate, long months)
{
	long low = 0, high = lent;
	for (int step = 0; step < STEPS; step++) {
		long payment = (low + high) / 2;
		if (left_after(lent, rate, months, payment) > 0)
			low = payment;
		else
			high = payment;
	}
	return high;
}

static void lend(struct branch *branch, struct customer *customer, long lent, long rate, long months)
{
#ifdef FIXED
	long payment = payment_for(lent, rate, months);
#endif
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		branch->loans++;
		branch->lent += lent;
#ifndef FIXED
		long payment = payment_for(lent, rate, months);
#endif
		branch->to_come += payment * months;
		customer->owes += lent;
		customer->pays += payment;
		stamp_last();
	}
	stamp_after();
}

static void serve(struct member *me)
{
	while (is_open()) {
		struct branch *branch = &branches[member_random(me, BRANCHES)];
		struct customer *customer = &customers[member_random(me, CUSTOMERS)];
		long lent = 1000 + (long)member_random(me, 1000000), rate = 100 + (long)member_random(me, 400);
		lend(branch, customer, lent, rate, 12 + (long)member_random(me, 48));
	}
}

int main(int argc, char **argv)
{
	return crew_run(argc, argv, THREADS, serve);
}
