/* SPDX-License-Identifier: MIT
 *
 * A function that has returned made the read because of which a transaction fails at its commit: between the read and
 * the commit another thread writes the word. This needs libitm's method ml_wt: where only one transaction runs at a
 * time, the reader loses its patience. usage: stale_read [ROUNDS]
 */
#include "program.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

enum { PATIENCE = 2000 };

static _Alignas(64) uint64_t listed;
static _Alignas(64) uint64_t sum;
static atomic_ulong reading, written; /* rounds */
static atomic_ulong known;            /* threads that libitm knows: for each new one it waits until none transacts */
static unsigned rounds;

static void wait_until(atomic_ulong *word, unsigned long round)
{
	while (atomic_load(word) < round)
		sched_yield();
}

/* The writer has its lock until its transaction ends, and then the word is newer: the reader's commit fails at both. */
__attribute__((transaction_pure, noinline)) static void let_write(unsigned long round)
{
	static unsigned tries;
	atomic_store(&reading, round);
	for (; atomic_load(&written) < round && tries < PATIENCE; tries++)
		usleep(100);
	tries = tries < PATIENCE ? 0 : PATIENCE; /* once only */
}

__attribute__((transaction_pure, noinline)) static void note_written(unsigned long round)
{
	atomic_store(&written, round);
}

__attribute__((transaction_safe, noinline)) static uint64_t look_up(void)
{
	return listed; /* the read */
}

static __attribute__((noinline)) void add_up(unsigned long round)
{
	__transaction_atomic
	{
		uint64_t found = look_up();
		let_write(round);
		sum += found;
	}
}

static __attribute__((noinline)) void list_next(unsigned long round)
{
	__transaction_atomic
	{
		listed = round;
		note_written(round);
	}
}

static void work(unsigned number)
{
	list_next(0);
	atomic_fetch_add(&known, 1);
	wait_until(&known, 2);
	for (unsigned long round = 1; round <= rounds; round++) {
		if (number == 0) {
			add_up(round);
		} else {
			wait_until(&reading, round);
			list_next(round);
		}
	}
}

int main(int argc, char **argv)
{
	rounds = program_number(argc, argv, 1, 200);
	program_run(2, work);
	return program_result(listed == rounds && sum <= (uint64_t)rounds * rounds, rounds);
}
