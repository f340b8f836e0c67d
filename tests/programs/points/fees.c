/* SPDX-License-Identifier: MIT
 *
 * One transaction with two hot words: transfers from business accounts add a fee to one of them, those from private
 * accounts use up an allowance in the other.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 2, ACCOUNTS = 4096, CHAIN = 20, TRANSFERS = 100 };

static struct {
	_Alignas(64) long balance;
} accounts[ACCOUNTS];

static struct {
	_Alignas(128) long fees;
	_Alignas(128) long used;
} bank;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static void transfer(unsigned from, unsigned to)
{
	__transaction_atomic
	{
		if (from % 2 == 0)
			bank.fees += 1;
		else
			bank.used += 2;
		for (unsigned i = 0; i < CHAIN; i++)
			accounts[(from + i) % ACCOUNTS].balance -= 1;
		accounts[to].balance += CHAIN;
	}
}

static void *work(void *arg)
{
	unsigned seed = *(unsigned *)arg;
	double end = now() + 1;
	while (now() < end)
		for (int i = 0; i < TRANSFERS; i++) {
			seed = seed * 1103515245 + 12345;
			transfer(seed >> 8 & (ACCOUNTS - 1), seed >> 19 & (ACCOUNTS - 1));
		}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned seeds[THREADS] = {1, 78};
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &seeds[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld %ld\n", bank.fees, bank.used);
}
