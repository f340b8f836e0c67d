/* SPDX-License-Identifier: MIT
 *
 * A transaction prints, and so becomes irrevocable: all others wait until it is over, by construction. Thread 0 prints,
 * to /dev/null. usage: printing [THREADS [ROUNDS [MICROSECONDS]]]
 */
#include "meet.h"
#include "program.h"

#include <stdio.h>

#define PLACE __attribute__((noinline))

enum { MAX_THREADS = 64 };

static struct {
	_Alignas(64) uint64_t value;
} printed, counted[MAX_THREADS];

static unsigned threads, rounds, us;
static unsigned inside, come[MAX_THREADS], done[MAX_THREADS];
static FILE *log_file;

/* The condition is always true; but the compiler does not know, and so the transaction is not irrevocable when it
 * begins. */
static PLACE void print_total(unsigned round)
{
	__transaction_relaxed
	{
		printed.value++;
		if (printed.value != 0)
			fprintf(log_file, "%u\n", round);
		meet_say(&inside, round);
		meet_stay(&come[1], threads - 1, round, us);
	}
}

static PLACE void count_one(unsigned number)
{
	__transaction_atomic
	{
		counted[number].value++;
	}
}

static void body(unsigned number)
{
	for (unsigned round = 1; round <= rounds; round++) {
		if (number == 0) {
			print_total(round);
			for (unsigned other = 1; other < threads; other++)
				meet_await(&done[other], round);
			continue;
		}
		meet_await(&inside, round);
		meet_say(&come[number], round);
		count_one(number);
		meet_say(&done[number], round);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 3);
	us = program_number(argc, argv, 3, 1000);
	log_file = fopen("/dev/null", "w");
	if (log_file == NULL)
		return 3;
	program_run(threads, body);
	for (unsigned i = 0; i < threads; i++)
		sum += counted[i].value;
	fclose(log_file);
	return program_result(printed.value == rounds && sum == (uint64_t)rounds * (threads - 1), printed.value + sum);
}
