/* SPDX-License-Identifier: MIT
 *
 * Transactions that wait inside libitm while another one sleeps: at begin, because the other one is irrevocable; when
 * they become irrevocable themselves; and in commit, because the other one has read before. Arguments: threads,
 * milliseconds of each sleep, rounds. With a fourth one, prints the time that each kind has waited, as measured by the
 * program: "KIND NANOSECONDS".
 */
#include "program.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define PURE __attribute__((noinline, transaction_pure))
#define PLACE __attribute__((noinline))

enum { MAX_THREADS = 64 };

static struct {
	_Alignas(64) uint64_t value;
} alone, beside, read, committed;

static unsigned threads, sleep_ms, rounds;
static bool is_watched;
static unsigned inside[MAX_THREADS]; /* the last scene in which the thread has slept in a transaction */
static unsigned come[MAX_THREADS];   /* the last scene in which it was about to wait */
static uint64_t at_begin_ns, at_upgrade_ns, at_commit_ns;

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void add(uint64_t *sum, uint64_t more)
{
	__atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
}

/* ---- the transactions that sleep ---- */

static void await(const unsigned *reached, unsigned scene)
{
	struct timespec time = {0, 50000};
	while (__atomic_load_n(reached, __ATOMIC_ACQUIRE) < scene)
		nanosleep(&time, NULL);
}

/* For all threads but thread 0. */
static void await_others(const unsigned *reached, unsigned scene)
{
	for (unsigned other = 1; other < threads; other++)
		await(&reached[other], scene);
}

static void say_come(unsigned number, unsigned scene)
{
	__atomic_store_n(&come[number], scene, __ATOMIC_RELEASE);
}

static bool is_awaited(unsigned number, unsigned scene)
{
	if (number != 0)
		return __atomic_load_n(&come[0], __ATOMIC_ACQUIRE) >= scene;
	for (unsigned other = 1; other < threads; other++)
		if (__atomic_load_n(&come[other], __ATOMIC_ACQUIRE) < scene)
			return false;
	return true;
}

/* If waits are measured, sleeps once more after the threads that are to wait for it are about to come: thread 0 sleeps
 * for the others, the others for thread 0. But it does not wait for them for ever: thread 0 comes when all others are
 * inside, and libitm may let only one in at a time. */
static PURE void sleep_inside(unsigned number, unsigned scene)
{
	enum { SLEEPS_MAX = 5 };
	struct timespec time = {sleep_ms / 1000, (long)(sleep_ms % 1000) * 1000000};
	__atomic_store_n(&inside[number], scene, __ATOMIC_RELEASE);
	for (unsigned slept = 0; is_watched && slept < SLEEPS_MAX && !is_awaited(number, scene); slept++)
		nanosleep(&time, NULL);
	nanosleep(&time, NULL);
}

/* Not declared safe, so that a call makes the transaction irrevocable. */
static PLACE void touch_the_world(void)
{
	__asm__ volatile("" ::: "memory");
}

static PLACE void stay_alone(unsigned scene)
{
	__transaction_relaxed
	{
		touch_the_world();
		sleep_inside(0, scene);
		alone.value++;
	}
}

static PLACE uint64_t read_long(unsigned number, unsigned scene)
{
	uint64_t sum;
	__transaction_atomic
	{
		sum = read.value;
		sleep_inside(number, scene);
		sum += alone.value;
	}
	return sum;
}

/* ---- the transactions that wait ---- */

static PLACE void begin_beside(void)
{
	__transaction_atomic
	{
		beside.value++;
	}
}

static PLACE void become_alone(void)
{
	__transaction_relaxed
	{
		if (alone.value != 0)
			touch_the_world();
		alone.value++;
	}
}

static PLACE void commit_beside(void)
{
	__transaction_atomic
	{
		committed.value++;
	}
}

/* ---- the scenes ---- */

static void keep_waiting(unsigned round)
{
	stay_alone(3 * round + 1);
	await_others(inside, 3 * round + 2);
	say_come(0, 3 * round + 2);
	uint64_t began_ns = now_ns();
	become_alone();
	add(&at_upgrade_ns, now_ns() - began_ns);
	await_others(inside, 3 * round + 3);
	say_come(0, 3 * round + 3);
	began_ns = now_ns();
	commit_beside();
	add(&at_commit_ns, now_ns() - began_ns);
}

static void wait(unsigned number, unsigned round)
{
	await(&inside[0], 3 * round + 1);
	say_come(number, 3 * round + 1);
	uint64_t began_ns = now_ns();
	begin_beside();
	add(&at_begin_ns, now_ns() - began_ns);
	read_long(number, 3 * round + 2);
	read_long(number, 3 * round + 3);
}

static void body(unsigned number)
{
	for (unsigned round = 0; round < rounds; round++)
		if (number == 0)
			keep_waiting(round);
		else
			wait(number, round);
}

int main(int argc, char **argv)
{
	threads = program_threads(argc, argv);
	sleep_ms = program_number(argc, argv, 2, 2);
	rounds = program_number(argc, argv, 3, 3);
	is_watched = argc > 4;
	program_run(threads, body);
	if (is_watched)
		printf("at_begin %" PRIu64 "\nat_upgrade %" PRIu64 "\nat_commit %" PRIu64 "\n", at_begin_ns,
			at_upgrade_ns, at_commit_ns);
	bool is_right =
		alone.value == 2 * rounds && beside.value == rounds * (threads - 1) && committed.value == rounds;
	return program_result(is_right, alone.value + beside.value + committed.value);
}
