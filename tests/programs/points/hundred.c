/* SPDX-License-Identifier: MIT
 * A hundred threads that rest most of the time, so that the processors are idle. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 100, ROUNDS = 300, ADDITIONS = 20, REST_US = 3000 };

static struct sum {
	_Alignas(128) long own;
} sums[THREADS];
static long all;

__attribute__((noinline)) static void add(struct sum *sum, long n)
{
	__transaction_atomic
	{
		sum->own += n;
		if (n % 16 == 0)
			all++;
	}
}

static void *work(void *sum)
{
	for (int round = 0; round < ROUNDS; round++) {
		for (int n = 0; n < ADDITIONS; n++)
			add(sum, n);
		usleep(REST_US);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &sums[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", all);
}
