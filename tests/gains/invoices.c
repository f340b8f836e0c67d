/* SPDX-License-Identifier: MIT
 *
 * A shop writes invoices. An invoice is counted, its items are added up, and the sum goes to the customer's account.
 * Then it is printed.
 */
#include "crew.h"

enum { CUSTOMERS = 4096, ARTICLES = 8192, ITEMS = 48, PRINTING = 500, THREADS = 2 };

static struct customer {
	_Alignas(64) long invoices, owes, last;
} customers[CUSTOMERS];
static _Alignas(128) long prices[ARTICLES];

#ifdef FIXED
static struct {
	_Alignas(128) long invoices;
} books[MEMBERS_MAX];
#else
static struct {
	_Alignas(128) long invoices;
} book;
#endif

struct order {
	struct customer *customer;
	long articles[ITEMS];
};

static void write_invoice(struct member *me, const struct order *order)
{
	struct customer *customer = order->customer;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
#ifdef FIXED
		books[me->number].invoices++;
#else
		book.invoices++;
#endif
		long sum = 0;
		for (int i = 0; i < ITEMS; i++)
			sum += prices[order->articles[i]];
		customer->invoices++;
		customer->owes += sum;
		customer->last = sum;
		stamp_last();
	}
	stamp_after();
	(void)me;
}

static void sell(struct member *me)
{
	struct order order;
	for (int i = 0; i < ITEMS; i++)
		order.articles[i] = (long)member_random(me, ARTICLES);
	while (is_open()) {
		order.customer = &customers[member_random(me, CUSTOMERS)];
		order.articles[member_random(me, ITEMS)] = (long)member_random(me, ARTICLES);
		write_invoice(me, &order);
		idle(PRINTING);
	}
}

int main(int argc, char **argv)
{
	for (int i = 0; i < ARTICLES; i++)
		prices[i] = 1 + i % 500;
	return crew_run(argc, argv, THREADS, sell);
}
