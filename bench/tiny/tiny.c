/* SPDX-License-Identifier: MIT
 *
 * One thread repeats a transaction of two reads and two writes. Prints how many nanoseconds the transaction takes, with
 * its loop: the fastest hundredth of many short slices, so that an interrupt or another process in a slice does not
 * count. Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * usage: tiny [SLICES [clocks]]. With `clocks` the program itself reads the clock before and after each transaction:
 * no profiler that measures each transaction can cost less.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRANSACTIONS = 1000, SLICES = 2000, SLICES_MAX = 100000 };

static struct {
	_Alignas(64) long balance;
} accounts[2];
static unsigned slices = SLICES;
static bool reads_clock;

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) void transfer(long amount)
{
	__transaction_atomic
	{
		accounts[0].balance += amount;
		accounts[1].balance -= amount;
	}
}

static uint64_t transfer_between_clocks(long amount)
{
	uint64_t start = now_ns();
	transfer(amount);
	return now_ns() - start;
}

static double run_slice(void)
{
	static volatile uint64_t sum_ns;
	uint64_t start = now_ns();
	for (long i = 0; i < TRANSACTIONS; i++)
		if (reads_clock)
			sum_ns += transfer_between_clocks(i);
		else
			transfer(i);
	return (double)(now_ns() - start) / TRANSACTIONS;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* libitm takes the first thread that transacts for the program's only one; main does not transact. */
static void *body(void *unused)
{
	static double took_ns[SLICES_MAX];
	for (unsigned i = 0; i < slices; i++)
		took_ns[i] = run_slice();
	qsort(took_ns, slices, sizeof *took_ns, compare);
	printf("%.2f\n", took_ns[slices / 100]);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	slices = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : SLICES;
	reads_clock = argc > 2 && strcmp(argv[2], "clocks") == 0;
	if (slices == 0 || slices > SLICES_MAX || (argc > 2 && !reads_clock)) {
		fprintf(stderr, "usage: tiny [SLICES [clocks]]\n");
		return 2;
	}
	if (pthread_create(&thread, NULL, body, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	return accounts[0].balance + accounts[1].balance != 0;
}
