/* SPDX-License-Identifier: MIT
 *
 * A shop in which a regression can be planted: STMBENCH_LONGER=50 in the environment makes the critical section of
 * sell() 50 percent longer, and changes nothing else. Even threads sell from a stock that odd threads fill again; and
 * they lend from another stock, to which odd threads return. At each stock the two conflict.
 *
 * Critical sections sleep, as if they waited for a device. So the other thread runs meanwhile, however busy the machine
 * is, and loses the work that it has done before it comes to the stock. Each odd thread waits, outside of transactions,
 * until the even thread before it is at the stock; so the number of conflicts is the same in each run. usage: longer
 * [THREADS [ROUNDS]]
 */
#include "program.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum { HOLD_US = 8000, BETWEEN_US = 1000, LOOK_US = 100 };
enum { PAIRS = 32, LONGEST = 10000 };

/* libitm makes a transaction irrevocable after 100 attempts. So many attempts outlast two critical sections on any
 * machine. */
enum { WORK_US = 300 };

static struct stock {
	_Alignas(64) uint64_t out;
	uint64_t in;
} sold, lent;

static unsigned rounds, selling_us = HOLD_US;

__attribute__((transaction_pure)) static void take_time(unsigned us)
{
	nanosleep(&(struct timespec){.tv_nsec = (long)us * 1000}, NULL);
}

static uint64_t now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

__attribute__((transaction_pure)) static void work(unsigned us)
{
	for (uint64_t end_us = now_us() + us; now_us() < end_us;)
		;
}

/* How often the even thread of a pair has come to a stock. Relaxed: it orders nothing. */
static _Atomic unsigned arrivals[PAIRS];
static _Thread_local _Atomic unsigned *mine;
static _Thread_local unsigned visits;

/* Attempts that abort later count, too, but none counts twice. */
__attribute__((transaction_pure)) static void hold(unsigned us)
{
	atomic_store_explicit(mine, visits, memory_order_relaxed);
	take_time(us);
}

static void wait_for_partner(void)
{
	while (atomic_load_explicit(mine, memory_order_relaxed) < visits)
		take_time(LOOK_US);
}

#define TAKE(name, stock, us)                            \
	static __attribute__((noinline)) void name(void) \
	{                                                \
		__transaction_atomic                     \
		{                                        \
			(stock).out += 1;                \
			hold(us);                        \
		}                                        \
	}
#define PUT(name, stock)                                 \
	static __attribute__((noinline)) void name(void) \
	{                                                \
		__transaction_atomic                     \
		{                                        \
			work(WORK_US);                   \
			(stock).in += 1;                 \
		}                                        \
	}
/* Each on one line: a place is a function here. */
TAKE(sell, sold, selling_us)
TAKE(lend, lent, HOLD_US)
PUT(restock, sold)
PUT(give_back, lent)

static void visit(void (*transact)(void))
{
	visits++;
	transact();
}

static void meet(void (*transact)(void))
{
	visits++;
	wait_for_partner();
	transact();
}

static void body(unsigned number)
{
	bool takes = number % 2 == 0;
	mine = &arrivals[number / 2];
	prctl(PR_SET_TIMERSLACK, 1);
	for (unsigned i = 0; i < rounds; i++) {
		if (takes) {
			visit(sell);
			take_time(BETWEEN_US);
			visit(lend);
			take_time(BETWEEN_US);
		} else {
			meet(restock);
			meet(give_back);
		}
	}
}

/* So many percent more. */
static unsigned selling_us_of(const char *percent)
{
	char *end;
	unsigned long more = percent != NULL ? strtoul(percent, &end, 10) : 0;
	if (percent != NULL && (end == percent || *end != '\0' || more > LONGEST)) {
		fprintf(stderr, "longer: STMBENCH_LONGER is a number of percent from 0 to %d\n", LONGEST);
		exit(2);
	}
	return HOLD_US + (unsigned)(HOLD_US * more / 100);
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 3);
	selling_us = selling_us_of(getenv("STMBENCH_LONGER"));
	program_run(threads, body);
	uint64_t sum = sold.out + sold.in;
	return program_result(sum == (uint64_t)rounds * threads && lent.out + lent.in == sum, sum);
}
