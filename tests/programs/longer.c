/* SPDX-License-Identifier: MIT
 *
 * A shop, with a regression to be planted: STMBENCH_LONGER=50 in the environment makes the critical section of sell()
 * 50 percent longer, and nothing else. Even threads sell from one stock, which odd ones fill again, and lend from
 * another one, to which those return; at each stock the two are in each other's way.
 *
 * Critical sections take their time asleep, as those that wait for a device: however busy the machine is, whoever else
 * wants the stock gets to run meanwhile, and loses what it has worked for before it comes to the stock. Between two
 * transactions it is as random as customers are: threads that fall into step would meet always or never.
 * usage: longer [THREADS [ROUNDS]]
 */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum { HOLD_US = 1000, EVEN_BETWEEN_US = 2000, ODD_BETWEEN_US = 3000 };
enum { LONGEST = 10000 };

/* Of program_work(), some ten microseconds: libitm gives up after 100 attempts, and these outlast a critical section. */
enum { WORK = 15000 };

static struct stock {
	_Alignas(64) uint64_t out;
	uint64_t in;
} sold, lent;

static unsigned rounds, selling_us = HOLD_US;

__attribute__((transaction_pure)) static void take_time(unsigned us)
{
	nanosleep(&(struct timespec){.tv_nsec = (long)us * 1000}, NULL);
}

#define TAKE(name, stock, us)                            \
	static __attribute__((noinline)) void name(void) \
	{                                                \
		__transaction_atomic                     \
		{                                        \
			(stock).out += 1;                \
			take_time(us);                   \
		}                                        \
	}
#define PUT(name, stock)                                 \
	static __attribute__((noinline)) void name(void) \
	{                                                \
		__transaction_atomic                     \
		{                                        \
			program_work(WORK);              \
			(stock).in += 1;                 \
		}                                        \
	}
/* One line each: a place is a function here. */
TAKE(sell, sold, selling_us)
TAKE(lend, lent, HOLD_US)
PUT(restock, sold)
PUT(give_back, lent)

/* Up to so long. */
static void wait_for_customer(uint64_t *random, unsigned longest_us)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	take_time((unsigned)(*random % longest_us));
}

static void body(unsigned number)
{
	uint64_t random = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
	bool takes = number % 2 == 0;
	unsigned between_us = takes ? EVEN_BETWEEN_US : ODD_BETWEEN_US;
	prctl(PR_SET_TIMERSLACK, 1);
	for (unsigned i = 0; i < rounds; i++) {
		wait_for_customer(&random, between_us);
		(takes ? sell : restock)();
		wait_for_customer(&random, between_us);
		(takes ? lend : give_back)();
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
	rounds = program_number(argc, argv, 2, 20);
	selling_us = selling_us_of(getenv("STMBENCH_LONGER"));
	program_run(threads, body);
	uint64_t sum = sold.out + sold.in;
	return program_result(sum == (uint64_t)rounds * threads && lent.out + lent.in == sum, sum);
}
