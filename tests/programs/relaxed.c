/* SPDX-License-Identifier: MIT
 *
 * Relaxed transactions become irrevocable in the middle: they write shared words, then do something that cannot be
 * undone (output, a volatile word), then write again. Atomic transactions run at the same time. Each line is printed
 * exactly once, whatever restarts.
 */
#include "program.h"

#include <stdio.h>

enum { ROUNDS = 60, LINES = 6 };

static struct {
	_Alignas(64) uint64_t value;
} before, after;

static volatile uint64_t device;

static __attribute__((noinline)) void say(unsigned number, unsigned line)
{
	__transaction_relaxed
	{
		before.value++;
		printf("thread %u line %u\n", number, line);
		after.value++;
	}
}

static __attribute__((noinline)) void touch_device(void)
{
	__transaction_relaxed
	{
		before.value++;
		device = device + 1;
		after.value++;
	}
}

static __attribute__((noinline)) void add(void)
{
	__transaction_atomic
	{
		before.value++;
		after.value++;
	}
}

static void body(unsigned number)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		if (i % (ROUNDS / LINES) == 0)
			say(number, i / (ROUNDS / LINES));
		else if (i % 2 == 0)
			touch_device();
		else
			add();
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	program_run(threads, body);
	uint64_t expected = (uint64_t)ROUNDS * threads;
	return program_result(before.value == expected && after.value == expected, device * 1000 + after.value);
}
