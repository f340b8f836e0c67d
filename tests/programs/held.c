/* SPDX-License-Identifier: MIT
 *
 * A program that goes on for as long as its stdin: two threads conflict over a counter, then it prints lines, and waits
 * for the end of its stdin. usage: held [THREADS [ROUNDS [LINES]]]. Without LINES it prints none and does not wait.
 */
#include "meeting.h"
#include "program.h"

#include <stdio.h>

static uint64_t counter;
static unsigned threads, rounds;

static void body(unsigned number)
{
	meeting_join(number, threads, program_meetings());
	for (unsigned i = 0; i < rounds; i++) {
		meeting_next();
		__transaction_atomic
		{
			meeting_enter();
			counter++;
			program_work(100);
			meeting_hold();
		}
	}
}

static void hold(unsigned lines)
{
	for (unsigned i = 1; i <= lines; i++) {
		printf("line %u of the program\n", i);
		fflush(stdout);
	}
	while (getchar() != EOF)
		continue;
}

int main(int argc, char **argv)
{
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 1000);
	program_run(threads, body);
	if (argc > 3)
		hold(program_number(argc, argv, 3, 1));
	return program_result(counter == (uint64_t)rounds * threads, counter);
}
