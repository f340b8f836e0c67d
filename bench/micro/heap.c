/* SPDX-License-Identifier: MIT
 *
 * The cost of a new group for the heap of a full timelog: the new group replaces the lowest group (accept), or it is
 * found to be lower still (reject). Both against one reading of the clock, which each recorded loss costs anyway.
 */
#include <heap.h>

#include "bench.h"

#define NOISE 4096 /* a power of two */

static uint64_t noise[NOISE];

struct trial {
	struct heap heap;
	uint64_t kept; /* so that no reject is optimised away */
};

static void make_noise(void)
{
	uint64_t state = 1;
	for (int i = 0; i < NOISE; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		noise[i] = state >> 44;
	}
}

/* Each newcomer costs somewhat more than the lowest, so all are accepted and the lowest goes up. */
static void accept_all(uint64_t times, void *arg)
{
	struct heap *heap = &((struct trial *)arg)->heap;
	for (uint64_t i = 0; i < times; i++)
		heap_replace_min(heap, heap_min_key(heap) + noise[i % NOISE]);
}

static void reject_all(uint64_t times, void *arg)
{
	struct trial *trial = bench_opaque(arg);
	for (uint64_t i = 0; i < times; i++) {
		trial->kept += noise[i % NOISE] > heap_min_key(&trial->heap);
		bench_barrier();
	}
}

static void read_clock(uint64_t times, void *arg)
{
	struct timespec now;
	(void)arg;
	for (uint64_t i = 0; i < times; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		bench_opaque(&now);
	}
}

static int run(uint32_t capacity)
{
	char accept[32], reject[32];
	struct bench_side clock = {"clock", read_clock, NULL};
	struct trial trial = {.kept = 0};
	void *storage = calloc(1, heap_storage_size(capacity));
	if (storage == NULL)
		return 1;
	heap_init(&trial.heap, capacity, storage);
	for (uint32_t i = 0; i < capacity; i++)
		heap_push(&trial.heap, (UINT64_C(1) << 32) + noise[i % NOISE], i);
	snprintf(accept, sizeof accept, "heap of %u, accept", capacity);
	snprintf(reject, sizeof reject, "heap of %u, reject", capacity);
	bench_against(reject, (struct bench_side){"heap", reject_all, &trial}, clock);
	bench_against(accept, (struct bench_side){"heap", accept_all, &trial}, clock);
	free(storage);
	return 0;
}

int main(void)
{
	make_noise();
	return run(32) || run(128) || run(1024);
}
