/* SPDX-License-Identifier: MIT
 *
 * Transactions of all kinds, many times, first unwatched and then watched (tests/helpers/watch.h): short ones that
 * write, ones that only read, ones that the program cancels, and ones that become irrevocable, by asking for it and
 * because they meet their own lock. With two threads they conflict. Threads wait for each other without system calls
 * that are counted.
 * usage: warm_transactions THREADS WARM WATCHED [plant]    how many rounds; plant: one system call, which must be found
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "watch.h"

enum { WORDS = 16, THREADS_MAX = 8 };

static uint64_t words[WORDS];
static struct record {
	uint64_t words[WORDS];
} record;
static unsigned long warm, watched;
static atomic_uint ready, done, go;

static __attribute__((noinline)) void add(unsigned at)
{
	__transaction_atomic
	{
		words[at % WORDS]++;
		words[(at + 1) % WORDS]--;
	}
}

static __attribute__((noinline)) uint64_t sum(void)
{
	uint64_t all = 0;
	__transaction_atomic
	{
		for (unsigned i = 0; i < WORDS; i++)
			all += words[i];
	}
	return all;
}

static __attribute__((noinline)) void cancel(unsigned at)
{
	__transaction_atomic
	{
		words[at % WORDS]++;
		__transaction_cancel;
	}
}

static __attribute__((noipa, transaction_unsafe)) void look(void)
{
}

static __attribute__((noinline)) void become_irrevocable(void)
{
	__transaction_relaxed
	{
		words[0]++;
		look();
		words[0]--;
	}
}

/* noipa: the compiler must not see that both are the same record. */
static __attribute__((noipa)) void assign(struct record *to, const struct record *from)
{
	__transaction_atomic
	{
		*to = *from;
	}
}

static void run(unsigned long rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		for (unsigned k = 0; k < 10; k++)
			add(i + k);
		if (sum() != 0)
			abort();
		cancel(i);
		if (i % 16 == 0)
			become_irrevocable();
		if (i % 64 == 0)
			assign(&record, &record);
	}
}

static void *work(void *arg)
{
	run(warm);
	ready++;
	while (!go)
		watch_yield();
	run(watched);
	done++;
	for (;;)
		watch_yield();
	return arg;
}

static void wait_for(atomic_uint *count, unsigned all)
{
	while (*count < all)
		watch_yield();
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	unsigned len = argc > 3 ? (unsigned)atoi(argv[1]) : 0;
	if (len < 1 || len > THREADS_MAX)
		return 2;
	warm = strtoul(argv[2], NULL, 10);
	watched = strtoul(argv[3], NULL, 10);
	for (unsigned i = 1; i < len; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	run(warm);
	wait_for(&ready, len - 1);
	watch_begin();
	go = 1;
	if (argc > 4)
		getppid();
	run(watched);
	wait_for(&done, len - 1);
	watch_end();
}
