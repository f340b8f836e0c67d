/* SPDX-License-Identifier: MIT
 *
 * Transactions that want to become irrevocable at the same time, by construction: libitm lets one of them, and rolls
 * back the others. usage: upgrades [THREADS [ROUNDS [MICROSECONDS]]]
 */
#include "meet.h"
#include "program.h"

#include <stdio.h>

enum { MAX_THREADS = 64 };

static struct {
	_Alignas(64) uint64_t value;
} printed[MAX_THREADS];

static unsigned threads, rounds, us;
static unsigned inside[MAX_THREADS], ended[MAX_THREADS];
static FILE *log_file;

/* Only the first attempt of a round meets the other threads. */
static __attribute__((transaction_pure, noinline)) void meet(unsigned number, unsigned round)
{
	if (inside[number] == round)
		return;
	meet_say(&inside[number], round);
	meet_stay(inside, threads, round, us);
}

static __attribute__((noinline)) void print_together(unsigned number, unsigned round)
{
	__transaction_relaxed
	{
		printed[number].value++;
		meet(number, round);
		if (printed[number].value != 0)
			fprintf(log_file, "%u %u\n", number, round);
	}
}

/* A thread that was rolled back may get a processor late. Until it has run alone nobody else does so again: so only one
 * transaction can have been in its way. */
static void await_others(unsigned round)
{
	for (unsigned i = 0; i < threads; i++)
		meet_await(&ended[i], round);
}

static void body(unsigned number)
{
	for (unsigned round = 1; round <= rounds; round++) {
		print_together(number, round);
		meet_say(&ended[number], round);
		await_others(round);
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
		sum += printed[i].value;
	fclose(log_file);
	return program_result(sum == (uint64_t)rounds * threads, sum);
}
