/* SPDX-License-Identifier: MIT
 *
 * A reader is off the processor in some of its transactions: it sleeps there until another thread's commit waits for
 * it, and SLEEP_US longer. The waiting thread is interrupted meanwhile, by a signal, as a busy machine interrupts it
 * by other programs. Between two such waits stand transactions that wait for nothing, so that a sample has hardly any
 * that waits. Conflicts need no luck, but libitm's method ml_wt: where only one transaction runs at a time, the reader
 * loses its patience. usage: absent_reader [ROUNDS [SHORT]]
 */
#include "program.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SLEEP_US = 2000, PATIENCE = 400, COMMITTING_NS = 100000 };

static _Alignas(64) uint64_t listed;
static _Alignas(64) uint64_t written;
static _Alignas(64) uint64_t own;
static atomic_ulong inside, committing, returned; /* rounds */
static pthread_t writer;

static void ignore(int number)
{
	(void)number;
}

static void spin_until(atomic_ulong *word, unsigned long round)
{
	while (atomic_load(word) < round)
		usleep(10);
}

static uint64_t writer_cpu_ns(void)
{
	clockid_t clock;
	struct timespec cpu;
	if (pthread_getcpuclockid(writer, &clock) != 0 || clock_gettime(clock, &cpu) != 0)
		abort();
	return (uint64_t)cpu.tv_sec * 1000000000 + (uint64_t)cpu.tv_nsec;
}

/* The writer's commit waits for this transaction: after it said that it commits, the writer has nothing else to spend
 * processor time on. */
static void meet_commit(unsigned long round)
{
	for (unsigned tries = 0; atomic_load(&committing) < round && tries < PATIENCE; tries++)
		usleep(10);
	uint64_t since_ns = writer_cpu_ns();
	for (unsigned tries = 0; writer_cpu_ns() - since_ns < COMMITTING_NS && tries < PATIENCE; tries++)
		usleep(100);
}

__attribute__((transaction_pure, noinline)) static void be_absent(unsigned long round)
{
	atomic_store(&inside, round);
	meet_commit(round);
	usleep(SLEEP_US / 2);
	pthread_kill(writer, SIGUSR1);
	usleep(SLEEP_US / 2);
}

static __attribute__((noinline)) uint64_t list(unsigned long round)
{
	uint64_t sum;
	__transaction_atomic
	{
		sum = listed;
		be_absent(round);
	}
	return sum;
}

__attribute__((transaction_pure, noinline)) static void say_committing(unsigned long round)
{
	atomic_store(&committing, round);
}

static __attribute__((noinline)) void enter(unsigned long round)
{
	__transaction_atomic
	{
		written++;
		say_committing(round);
	}
}

static __attribute__((noinline)) void pass_time(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		__transaction_atomic
		{
			own++;
		}
}

static unsigned rounds, count;

static void *write_each_round(void *unused)
{
	for (unsigned long round = 1; round <= rounds; round++) {
		pass_time(count);
		atomic_store(&returned, round);
		spin_until(&inside, round);
		enter(round);
	}
	return unused;
}

int main(int argc, char **argv)
{
	rounds = program_number(argc, argv, 1, 20);
	count = program_number(argc, argv, 2, 20000);
	uint64_t sum = 0;
	signal(SIGUSR1, ignore);
	if (pthread_create(&writer, NULL, write_each_round, NULL) != 0)
		return 2;
	for (unsigned long round = 1; round <= rounds; round++) {
		spin_until(&returned, round);
		sum += list(round);
	}
	pthread_join(writer, NULL);
	return program_result(sum == 0 && written == rounds && own == (uint64_t)rounds * count, written);
}
