/* SPDX-License-Identifier: MIT
 *
 * A transaction with which a function begins that is inlined: some compilers give its begin the line of the call. And a
 * transaction behind a function that is inlined: some give its begin the line of that function.
 */
#include "program.h"

static long cells[64];
static volatile int rounds = 1000;

__attribute__((transaction_safe)) static long sum_from(int from)
{
	long sum = 0;
	for (int i = from; i < 64; i++)
		sum += cells[i];
	return sum;
}

static void enter(int from)
{
	__transaction_atomic
	{
		cells[from] = sum_from(from); /* the first line */
	}
}

struct chance {
	uint64_t state;
};

static inline uint64_t choose(struct chance *chance, uint64_t limit)
{
	chance->state ^= chance->state << 13;
	chance->state ^= chance->state >> 7;
	chance->state ^= chance->state << 17;
	return (chance->state >> 11) % limit;
}

static struct chance chances[64];

static long draw(struct chance *chance)
{
	long *cell = &cells[choose(chance, 32)], sum;
	__transaction_atomic /* the line of draw() */
	{
		sum = *cell;
	}
	return sum;
}

static void work(unsigned number)
{
	struct chance *chance = &chances[number & 63];
	chance->state = number + 1;
	for (int i = 0; i < rounds; i++) {
		enter(i & 31);
		chance->state += (uint64_t)draw(chance);
	}
}

int main(int argc, char **argv)
{
	program_run(program_threads(argc, argv), work);
	return program_result(cells[0] == 0, 0);
}
