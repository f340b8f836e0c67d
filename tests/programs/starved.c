/* SPDX-License-Identifier: MIT
 *
 * A transaction that libitm rolls back again and again, until libitm runs it alone: each even thread reads a number,
 * and before it reads the number again the odd thread after it has written it. When the even thread runs alone, the odd
 * one has to wait, by construction. usage: starved [THREADS [ROUNDS [MICROSECONDS]]]
 */
#include "meet.h"
#include "program.h"

#include <time.h>

#define PLACE __attribute__((noinline))

enum { MAX_THREADS = 64, ATTEMPTS_MAX = 101, PATIENCE = 500 };

static struct {
	_Alignas(64) uint64_t value;
} pages[MAX_THREADS];

static unsigned threads, rounds, us;
/* Of each even thread: its attempts so far, and those of its transaction; and up to which attempt its partner has come
 * to write, and has written. Attempts that fail do not undo these. */
static unsigned has_read[MAX_THREADS], attempts[MAX_THREADS], come[MAX_THREADS], written[MAX_THREADS];
static unsigned done[MAX_THREADS];

/* The attempt has read, and stays until the partner has written, which some methods do not allow; or, if it runs alone,
 * until the partner waits. */
static __attribute__((transaction_pure, noinline)) void let_write(unsigned number)
{
	unsigned attempt = has_read[number] + 1;
	bool is_alone = ++attempts[number] > ATTEMPTS_MAX;
	meet_say(&has_read[number], attempt);
	for (unsigned i = 0; !is_alone && i < PATIENCE && __atomic_load_n(&written[number], __ATOMIC_ACQUIRE) < attempt;
		i++)
		nanosleep(&(struct timespec){0, 1000}, NULL);
	if (is_alone)
		meet_stay(&come[number], 1, attempt, us);
}

static PLACE uint64_t read_twice(unsigned number)
{
	uint64_t sum;
	__transaction_atomic
	{
		sum = pages[number].value;
		let_write(number);
		sum -= pages[number].value;
	}
	return sum;
}

static PLACE void write_between(unsigned number, unsigned attempt)
{
	__transaction_atomic
	{
		pages[number].value++;
		meet_say(&written[number], attempt);
	}
}

static void write_for(unsigned number, unsigned round)
{
	while (__atomic_load_n(&done[number], __ATOMIC_ACQUIRE) < round) {
		unsigned attempt = __atomic_load_n(&has_read[number], __ATOMIC_ACQUIRE);
		if (attempt == come[number])
			continue;
		meet_say(&come[number], attempt);
		write_between(number, attempt);
	}
}

static void body(unsigned number)
{
	for (unsigned round = 1; number + 1 < threads + number % 2 && round <= rounds; round++) {
		if (number % 2 != 0) {
			write_for(number - 1, round);
			continue;
		}
		attempts[number] = 0;
		pages[number + 1].value += read_twice(number);
		meet_say(&done[number], round);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 3);
	us = program_number(argc, argv, 3, 1000);
	program_run(threads, body);
	for (unsigned i = 1; i < threads; i += 2)
		sum += pages[i].value;
	return program_result(sum == 0, sum);
}
