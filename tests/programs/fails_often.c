/* SPDX-License-Identifier: MIT
 *
 * Few transactions have all the loss: each of ROUNDS long ones fails FAILS times, because another thread writes a word
 * that it has read, in each of these attempts; between two of them stand SHORT transactions that never fail. Writes to
 * the file that the environment's FIGURES names the processor's time of all failed attempts, and how many attempts
 * failed and transactions committed: while the other thread commits, an attempt may fail once more. Conflicts need no
 * luck, but libitm's method ml_wt. usage: fails_often [FAILS [ROUNDS [SHORT]]]
 */
#include "program.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Timing attempts as long as this takes much less than its share of the time (late.c). If the other thread waits for
 * this transaction, an attempt does not wait for ever. */
enum { ATTEMPT_NS = 200000, PATIENCE_NS = 20000000 };

static _Alignas(64) uint64_t shared;
static _Alignas(64) uint64_t own;
static _Alignas(64) uint64_t warm;
static atomic_ulong asked;
static atomic_bool is_ready, is_over;

/* Of the long transaction under way. */
static uint64_t attempts, began_ns, fails;
static uint64_t lost_ns, failed;

static volatile uint64_t seen; /* so that the compiler keeps the reads */

/* An interruption is no part of it. */
static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

__attribute__((transaction_pure, noinline)) static void attempt_begins(void)
{
	uint64_t at_ns = now_ns();
	if (attempts++ != 0) {
		lost_ns += at_ns - began_ns;
		failed++;
	}
	began_ns = at_ns;
}

/* ml_wt writes in place, so this thread sees the other one's write before its commit, which waits for this attempt. */
__attribute__((transaction_pure, noinline)) static void meet(void)
{
	uint64_t until_ns = now_ns() + ATTEMPT_NS;
	while (now_ns() < until_ns)
		continue;
	if (attempts > fails)
		return;
	uint64_t wanted = atomic_fetch_add(&asked, 1) + 1;
	for (uint64_t end_ns = now_ns() + PATIENCE_NS; *(volatile uint64_t *)&shared < wanted && now_ns() < end_ns;)
		sched_yield();
}

static void *write_when_asked(void *unused)
{
	uint64_t done = 0;
	/* A thread's first transaction runs alone. */
	__transaction_atomic
	{
		warm++;
	}
	atomic_store(&is_ready, true);
	while (!atomic_load(&is_over)) {
		if (atomic_load(&asked) == done) {
			sched_yield();
			continue;
		}
		__transaction_atomic
		{
			shared++;
		}
		done++;
	}
	return unused;
}

static uint64_t run_long(void)
{
	uint64_t sum = 0;
	attempts = 0;
	__transaction_atomic
	{
		attempt_begins();
		sum = shared;
		meet();
		sum += shared;
		own++;
	}
	return sum;
}

static void write_figures(void)
{
	const char *name = getenv("FIGURES");
	FILE *file = name != NULL ? fopen(name, "w") : NULL;
	if (file == NULL)
		return;
	fprintf(file, "lost_ns %llu\nfailed %llu\ncommits %llu\n", (unsigned long long)lost_ns,
		(unsigned long long)failed, (unsigned long long)(own + shared + warm));
	fclose(file);
}

int main(int argc, char **argv)
{
	pthread_t other;
	uint64_t rounds = program_number(argc, argv, 2, 20), shorts = program_number(argc, argv, 3, 5000);
	fails = program_number(argc, argv, 1, 50);
	pthread_create(&other, NULL, write_when_asked, NULL);
	while (!atomic_load(&is_ready))
		sched_yield();
	for (uint64_t round = 0; round < rounds; round++) {
		for (uint64_t i = 0; i < shorts; i++)
			__transaction_atomic
			{
				own++;
			}
		seen = run_long();
	}
	atomic_store(&is_over, true);
	pthread_join(other, NULL);
	write_figures();
	return program_result(own == rounds * (shorts + 1), own);
}
