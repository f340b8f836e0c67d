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

static long now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Adds the time that it has slept for. */
static void sleep_ms(long *slept_ns)
{
	struct timespec left = {.tv_nsec = 1000000};
	long before_ns = now_ns();
	nanosleep(&left, NULL);
	*slept_ns += now_ns() - before_ns;
}

static long inside_ns, outside_ns;

__attribute__((transaction_pure)) static void sleep_inside(int i)
{
	if (i % EVERY == 0)
		sleep_ms(&inside_ns);
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
			sleep_ms(&outside_ns);
	}
	fprintf(stderr, "times %d\ninside_ns %ld\noutside_ns %ld\n", TRANSACTIONS / EVERY, inside_ns, outside_ns);
	return sum == TRANSACTIONS ? 0 : 1;
}
