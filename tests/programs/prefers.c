/* SPDX-License-Identifier: MIT
 *
 * Sleeps between its transactions: half a millisecond if libitm's method is the one that it prefers, else 25 ms. So
 * that method makes it faster, however busy the machine is. usage: prefers [THREADS [METHOD]]
 */
#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 10 };

static uint64_t counted;
static long sleep_ns;

static void body(unsigned number)
{
	(void)number;
	for (unsigned round = 0; round < ROUNDS; round++) {
		__transaction_atomic
		{
			counted++;
		}
		nanosleep(&(struct timespec){0, sleep_ns}, NULL);
	}
}

int main(int argc, char **argv)
{
	const char *method = getenv("ITM_DEFAULT_METHOD"), *preferred = argc > 2 ? argv[2] : "gl_wt";
	unsigned threads = program_threads(argc, argv);
	sleep_ns = method != NULL && strcmp(method, preferred) == 0 ? 500000 : 25000000;
	program_run(threads, body);
	return program_result(counted == (uint64_t)threads * ROUNDS, counted);
}
