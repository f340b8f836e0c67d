/* SPDX-License-Identifier: MIT
 *
 * Transactions in which the thread sleeps: it is off the processor, and waits for no transaction. One transaction in a
 * thousand sleeps for a millisecond; so do some loops outside of transactions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRANSACTIONS = 20000, EVERY = 1000 };

static long sum;

static void sleep_ms(void)
{
	struct timespec left = {.tv_nsec = 1000000};
	nanosleep(&left, NULL);
}

__attribute__((transaction_pure)) static void sleep_inside(int i)
{
	if (i % EVERY == 0)
		sleep_ms();
}

int main(void)
{
	for (int i = 0; i < TRANSACTIONS; i++) {
		__transaction_atomic
		{
			sum++;
			sleep_inside(i);
		}
		if (i % EVERY == EVERY / 2)
			sleep_ms();
	}
	fprintf(stderr, "times %d\n", TRANSACTIONS / EVERY);
	return sum == TRANSACTIONS ? 0 : 1;
}
