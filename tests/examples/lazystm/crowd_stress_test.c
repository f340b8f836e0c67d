/* SPDX-License-Identifier: MIT
 * Preemption is no contention in an STM that embeds the library: a bank on one processor, with two clerks and a thread
 * that has nothing to do with it. Nearly every attempt that aborts was preempted meanwhile, so without looking at the
 * processor the time off it, two thirds of all, would count as lost to the other clerk.
 * The test lets a quarter of that time pass: for interrupts, which the kernel does not count as the thread's time. Nor
 * does it count the time in which the host of a virtual machine takes the processor away (steal); no thread is
 * interrupted by that, and so the library cannot see it. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <atomic_ops.h>

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "stm_session.h"

enum { CLERKS = 2, ACCOUNTS = 4, MONEY = 1000, WORK = 20000, ABORTS = 20 };

struct clerk {
	struct stmlog_account account;
	uint64_t on_processor_ns, off_processor_ns; /* of its thread, from its first transaction to its last */
};

static struct stm_object *money[ACCOUNTS];
static volatile AO_t clerks_left;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The time that the host has taken from all processors, since the machine began; 0 where that is not known. */
static uint64_t stolen_ns(void)
{
	unsigned long long ticks = 0;
	FILE *stat = fopen("/proc/stat", "r");
	if (stat == NULL || fscanf(stat, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks) != 1)
		ticks = 0;
	if (stat != NULL)
		fclose(stat);
	return ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

static void work(void)
{
	for (volatile int i = 0; i < WORK; i++) {
	}
}

/* Reads all accounts first, so that any commit of the other clerk is a conflict. */
static void move_round(struct stm_thread *thread, void *unused)
{
	uint64_t all[ACCOUNTS];
	(void)unused;
	for (size_t i = 0; i < ACCOUNTS; i++)
		all[i] = stm_read(thread, money[i], 0);
	work();
	for (size_t i = 0; i < ACCOUNTS; i++)
		stm_write(thread, money[i], 0, all[(i + 1) % ACCOUNTS]);
}

static uint64_t aborts_of(const struct stmlog_account *account)
{
	uint64_t sum = 0;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		sum += account->aborts[c];
	return sum;
}

static void *serve(void *argument)
{
	struct clerk *clerk = argument;
	struct stm_thread *thread = stm_thread_begin();
	uint64_t began_ns = now_ns(CLOCK_MONOTONIC), before_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
	do {
		stm_run(thread, move_round, NULL);
		stmlog_account_read(stmlog_thread_self(), &clerk->account);
	} while (aborts_of(&clerk->account) < ABORTS);
	AO_fetch_and_add1(&clerks_left);
	while (AO_load(&clerks_left) < CLERKS) /* the other one is to be disturbed to its end */
		stm_run(thread, move_round, NULL);
	stmlog_account_read(stmlog_thread_self(), &clerk->account);
	clerk->on_processor_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns;
	clerk->off_processor_ns = now_ns(CLOCK_MONOTONIC) - began_ns - clerk->on_processor_ns;
	stm_thread_end(&thread);
	return NULL;
}

static void *be_busy(void *unused)
{
	while (AO_load(&clerks_left) < CLERKS)
		work();
	return unused;
}

static void use_one_processor(cpu_set_t *before)
{
	cpu_set_t one;
	size_t number = 0;
	assert_int_equal(sched_getaffinity(0, sizeof *before, before), 0);
	while (!CPU_ISSET(number, before))
		number++;
	CPU_ZERO(&one);
	CPU_SET(number, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

static void run_crowd(struct clerk clerks[CLERKS])
{
	pthread_t threads[CLERKS], busy;
	cpu_set_t before;
	use_one_processor(&before);
	for (size_t i = 0; i < ACCOUNTS; i++)
		money[i] = stm_object_create("an account", 1);
	assert_int_equal(pthread_create(&busy, NULL, be_busy, NULL), 0);
	for (size_t i = 0; i < CLERKS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, serve, &clerks[i]), 0);
	for (size_t i = 0; i < CLERKS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(busy, NULL);
	sched_setaffinity(0, sizeof before, &before);
}

/* In transactions and their waits. */
static uint64_t lost_or_used_ns(const struct stmlog_account *account)
{
	uint64_t sum = account->committed_ns + account->paused_ns + account->waiting_inevitable_ns +
		       account->waiting_none_ns + account->other_ns;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		sum += account->aborted_ns[c];
	return sum;
}

TEST_WITH(stm_session, time_off_the_processor_is_not_lost_to_the_other_clerk)
{
	struct clerk clerks[CLERKS];
	if (stmlog_interruption_word(NULL) == NULL)
		skip(); /* valgrind and old systems have no restartable sequences */
	uint64_t before_ns = stolen_ns();
	run_crowd(clerks);
	uint64_t stolen = stolen_ns() - before_ns;
	for (size_t i = 0; i < CLERKS; i++) {
		const struct stmlog_account *account = &clerks[i].account;
		print_message(
			"on the processor %zu us, off it %zu us; in transactions %zu us, descheduled %zu us; stolen "
			"%zu us\n",
			(size_t)clerks[i].on_processor_ns / 1000, (size_t)clerks[i].off_processor_ns / 1000,
			(size_t)lost_or_used_ns(account) / 1000, (size_t)account->descheduled_ns / 1000,
			(size_t)stolen / 1000);
		assert_in_range(clerks[i].off_processor_ns, clerks[i].on_processor_ns / 2, UINT64_MAX);
		assert_in_range(lost_or_used_ns(account), 1,
			clerks[i].on_processor_ns + clerks[i].off_processor_ns / 4 + stolen);
		assert_in_range(account->descheduled, 1, SIZE_MAX);
	}
}
