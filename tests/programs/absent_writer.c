/* SPDX-License-Identifier: MIT
 *
 * A writer stays in its transaction until a reader has failed FAILED times at the word that it has written, as a
 * transaction does that is off the processor. Between two such rounds stand transactions that never fail, so that a
 * sample has hardly any that fails. Conflicts need no luck, but libitm's method ml_wt: where the reader's transaction
 * waits for the writer's, the writer loses its patience. usage: absent_writer [ROUNDS [SHORT]]
 */
#include "program.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

/* libitm makes a transaction run alone after 100 failed attempts. */
enum { FAILED = 60, PATIENCE = 400 };

static _Alignas(64) uint64_t balance;
static _Alignas(64) uint64_t by_writer; /* of transactions that never fail */
static _Alignas(64) uint64_t by_reader;
static uint64_t shorts;
static atomic_ulong asked, inside; /* rounds */
static atomic_ulong attempts;      /* of the reader, in all rounds */

static void wait_for(atomic_ulong *word, unsigned long round)
{
	while (atomic_load(word) < round)
		sched_yield();
}

static void count_up(uint64_t *count)
{
	for (uint64_t i = 0; i < shorts; i++)
		__transaction_atomic
		{
			++*count;
		}
}

/* Looks at the word, so that the compiler does not move the write behind the call. */
__attribute__((transaction_pure, noinline)) static void be_absent(unsigned long round)
{
	if (*(volatile uint64_t *)&balance == 0)
		return;
	unsigned long until = atomic_load(&attempts) + FAILED;
	atomic_store(&inside, round);
	for (unsigned tries = 0; atomic_load(&attempts) < until && tries < PATIENCE; tries++)
		usleep(10);
}

static __attribute__((noinline)) void deposit(unsigned long round)
{
	__transaction_atomic
	{
		balance++;
		be_absent(round);
	}
}

static void *deposit_all(void *rounds)
{
	for (unsigned long round = 1; round <= *(const uint64_t *)rounds; round++) {
		count_up(&by_writer);
		wait_for(&asked, round);
		deposit(round);
	}
	return NULL;
}

__attribute__((transaction_pure, noinline)) static void begin_attempt(void)
{
	atomic_fetch_add(&attempts, 1);
}

static __attribute__((noinline)) uint64_t look_up(void)
{
	uint64_t found;
	__transaction_atomic
	{
		begin_attempt();
		found = balance;
	}
	return found;
}

int main(int argc, char **argv)
{
	pthread_t writer;
	uint64_t rounds = program_number(argc, argv, 1, 5), sum = 0;
	shorts = program_number(argc, argv, 2, 5000);
	pthread_create(&writer, NULL, deposit_all, &rounds);
	for (unsigned long round = 1; round <= rounds; round++) {
		count_up(&by_reader);
		atomic_store(&asked, round);
		wait_for(&inside, round);
		sum += look_up();
	}
	pthread_join(writer, NULL);
	return program_result(
		balance == rounds && by_writer == rounds * shorts && by_reader == by_writer && sum <= rounds * rounds,
		balance);
}
