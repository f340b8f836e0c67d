/* SPDX-License-Identifier: MIT
 *
 * Two transactions in a wait that ends only with the program's stdin: one has become irrevocable and reads it, the
 * other begins then, and so waits for the first. usage: hangs [THREADS]. Other threads only end.
 */
#include "program.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_bool is_reading;
static atomic_uint warm; /* threads that have made their first transaction */
static unsigned long counter;
static unsigned warm_threads;

/* Not transactional: a transaction that calls it runs alone from then on. */
static __attribute__((noinline)) void read_all(void)
{
	is_reading = true;
	while (getchar() != EOF)
		continue;
}

/* It becomes irrevocable when it calls read_all(). Without the condition the compiler would have it begin so. */
static __attribute__((noinline)) void reader(bool reads)
{
	__transaction_relaxed
	{
		counter++;
		if (reads)
			read_all();
	}
}

static __attribute__((noinline)) void waiter(void)
{
	__transaction_atomic
	{
		counter++;
	}
}

static void body(unsigned number)
{
	/* Each thread's first transaction runs alone. The reader waits for both, so that the waiter finds it reading.
	 */
	if (number < 2) {
		waiter();
		warm++;
	}
	while (number == 0 && warm < warm_threads)
		sched_yield();
	if (number == 0)
		reader(true);
	while (number == 1 && !is_reading)
		sched_yield();
	if (number == 1)
		waiter();
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	is_reading = threads == 1;
	warm_threads = threads == 1 ? 1 : 2;
	program_run(threads, body);
	return program_result(counter == (threads == 1 ? 2 : 4), counter);
}
