/* SPDX-License-Identifier: MIT
 *
 * A register of votes. Two threads count votes, each in registers of its own, so that no two transactions have data in
 * common. The fault: each vote is a transaction that writes. Its commit waits for that of the other thread, which runs
 * the same code and has begun before. Without the fault a thread counts in local variables, and enters the sums at the
 * end.
 * usage: privatization with|without
 */
#include "program.h"

enum { THREADS = 2, CHOICES = 16, VOTES = 400, CHECKING = 50000, PATIENCE = 2000 };

static struct {
	_Alignas(64) uint64_t votes[CHOICES];
} registers[THREADS];

static bool enters_each;

/* The latest vote of each thread whose transaction is under way; not rolled back. */
static unsigned under_way[THREADS];

/* Waits until the other thread's transaction is under way, too. Then every second vote is checked for longer, so that
 * the other thread commits first, and waits for this one. */
static __attribute__((transaction_pure, noinline)) void check(unsigned thread, unsigned vote)
{
	unsigned *other = &under_way[1 - thread];
	__atomic_store_n(&under_way[thread], vote, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < PATIENCE && __atomic_load_n(other, __ATOMIC_ACQUIRE) < vote; i++)
		program_work(1000);
	if ((vote + thread) % 2 == 0)
		program_work(CHECKING);
}

static __attribute__((noinline)) void enter(unsigned thread, unsigned vote, uint64_t *votes, uint64_t number)
{
	__transaction_atomic
	{
		*votes += number;
		if (enters_each)
			check(thread, vote);
	}
}

static void count(unsigned number)
{
	uint64_t votes[CHOICES] = {0};
	/* A thread's time counts from its first transaction on. */
	if (!enters_each)
		enter(number, 0, &registers[number].votes[0], 0);
	for (unsigned i = 0; i < VOTES; i++) {
		if (enters_each) {
			enter(number, i + 1, &registers[number].votes[i % CHOICES], 1);
			continue;
		}
		program_work(CHECKING);
		votes[i % CHOICES]++;
	}
	for (unsigned i = 0; i < CHOICES; i++)
		enter(number, VOTES + 1, &registers[number].votes[i], votes[i]);
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;
	enters_each = program_has_fault(argc, argv);
	program_run(THREADS, count);
	for (unsigned i = 0; i < THREADS * CHOICES; i++)
		sum += registers[i / CHOICES].votes[i % CHOICES];
	return program_result(sum == THREADS * VOTES, sum);
}
