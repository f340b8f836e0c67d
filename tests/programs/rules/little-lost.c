/* SPDX-License-Identifier: MIT
 *
 * A histogram of random numbers. What the report is to say here is that there is little to gain: each thread has
 * buckets of its own, and computes much longer than it transacts. In the other form of the program both threads add to
 * one bucket at a time, and meet there. usage: little-lost with|without
 */
#include "meeting.h"
#include "program.h"

enum {
	THREADS = 2,
	BUCKETS = 16,
	DRAWS = 24000,
	MEETINGS_DRAWS = 250,
	COMPUTING = 50000,
	SORTING = 100000,
	NOTING = 100000
};

struct bucket {
	_Alignas(64) uint64_t count;
	uint64_t sum;
};

static struct histogram {
	struct bucket buckets[BUCKETS];
} histograms[THREADS];

static bool share_nothing;

/* Marsaglia's xorshift. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static __attribute__((noinline)) void add(struct bucket *bucket, uint64_t value)
{
	__transaction_atomic
	{
		bucket->count++;
		bucket->sum += value;
	}
}

static __attribute__((noinline)) void sort_and_add(struct bucket *bucket, uint64_t value)
{
	__transaction_atomic
	{
		meeting_enter();
		program_work(SORTING);
		bucket->count++;
		bucket->sum += value;
		meeting_hold();
		program_work(NOTING);
	}
}

static void draw_alone(unsigned number)
{
	uint64_t state = 88172645463325252u + number;
	for (unsigned i = 0; i < DRAWS; i++) {
		program_work(COMPUTING);
		uint64_t value = next_random(&state) % 1000;
		add(&histograms[number].buckets[value % BUCKETS], value);
	}
}

static void draw_together(unsigned number)
{
	meeting_join(number, THREADS, MEETINGS_DRAWS - 50);
	for (unsigned i = 0; i < MEETINGS_DRAWS; i++) {
		meeting_next();
		sort_and_add(&histograms[0].buckets[i % BUCKETS], i + number);
	}
}

static uint64_t count_all(void)
{
	uint64_t count = 0;
	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned k = 0; k < BUCKETS; k++)
			count += histograms[i].buckets[k].count;
	return count;
}

/* The mean of what fell into each bucket lies within the range of the numbers. */
static bool are_means_possible(void)
{
	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned k = 0; k < BUCKETS; k++)
			if (histograms[i].buckets[k].sum > histograms[i].buckets[k].count * 1000)
				return false;
	return true;
}

int main(int argc, char **argv)
{
	share_nothing = program_has_fault(argc, argv);
	program_run(THREADS, share_nothing ? draw_alone : draw_together);
	uint64_t count = count_all(), expected = THREADS * (share_nothing ? DRAWS : MEETINGS_DRAWS);
	return program_result(count == expected && are_means_possible(), count);
}
