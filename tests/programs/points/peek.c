/* SPDX-License-Identifier: MIT
 *
 * A market: a helper sums up a book of prices. A watcher calls it all the time, a trader once in a hundred trades. The
 * trader's commits wait for it.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { LEVELS = 400, TRADES = 50 };

static long prices[LEVELS];

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static long peek(void)
{
	long sum = 0;
	__transaction_atomic
	{
		for (int i = 0; i < LEVELS; i++)
			sum += prices[i];
	}
	return sum;
}

__attribute__((noinline)) static long watch(void)
{
	return peek();
}

__attribute__((noinline)) static void set_price(int level, long price)
{
	__transaction_atomic
	{
		prices[level] = price;
	}
}

__attribute__((noinline)) static long trade(int i)
{
	set_price(i * 7 % LEVELS, i);
	return i % (2 * TRADES) == 0 ? peek() : 0;
}

static void *watcher(void *seen)
{
	double end = now() + 1;
	while (now() < end)
		for (int i = 0; i < TRADES; i++)
			*(volatile long *)seen += watch();
	return NULL;
}

static void *trader(void *seen)
{
	double end = now() + 1;
	for (int day = 0; now() < end; day = !day)
		for (int i = 0; i < TRADES; i++)
			*(volatile long *)seen += trade(day * TRADES + i);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	static volatile long seen[2];
	pthread_create(&threads[0], NULL, watcher, (void *)&seen[0]);
	pthread_create(&threads[1], NULL, trader, (void *)&seen[1]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%ld %ld\n", seen[0], seen[1]);
}
