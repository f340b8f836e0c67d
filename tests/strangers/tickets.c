/* SPDX-License-Identifier: MIT
 *
 * A help desk: each request gets a ticket with a number of its own, which is filed under the customer, and old tickets
 * are closed.
 */
#include "crew.h"

enum { CUSTOMERS = 2048, OPEN = 16, THREADS = CREW_THREADS(2) };

struct customer {
	long numbers[OPEN];
	long subjects[OPEN];
	long opened;
};

static struct customer customers[CUSTOMERS];

#ifdef FIXED
static struct {
	_Alignas(128) long next;
} ranges[THREADS];
#else
static struct {
	_Alignas(128) long last;
} ids;

TM_SAFE static long new_id(void)
{
	return ++ids.last;
}
#endif

TM_SAFE static int oldest_of(const struct customer *customer)
{
	int oldest = 0;
	for (int i = 1; i < OPEN; i++)
		if (customer->numbers[i] < customer->numbers[oldest])
			oldest = i;
	return oldest;
}

TM_SAFE static void file_ticket(struct customer *customer, long number, long subject)
{
	int place = oldest_of(customer);
	customer->numbers[place] = number;
	customer->subjects[place] = subject;
	customer->opened++;
}

static void open_ticket(struct member *me)
{
	struct customer *customer = &customers[member_random(me, CUSTOMERS)];
	long subject = (long)member_random(me, 100);
#ifdef FIXED
	long reserved = ranges[me->number].next++ * THREADS + me->number;
#endif
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
#ifdef FIXED
		long number = reserved;
#else
		long number = new_id();
#endif
		file_ticket(customer, number, subject);
		stamp_last();
	}
	stamp_after();
}

static void close_ticket(struct member *me)
{
	struct customer *customer = &customers[member_random(me, CUSTOMERS)];
	int place = (int)member_random(me, OPEN);
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		customer->numbers[place] = 0;
		customer->subjects[place] = 0;
		stamp_last();
	}
	stamp_after();
}

static void serve(struct member *me)
{
	while (is_open()) {
		open_ticket(me);
		if (member_random(me, 4) == 0)
			close_ticket(me);
	}
}

int main(int argc, char **argv)
{
	return crew_run(argc, argv, THREADS, serve);
}
