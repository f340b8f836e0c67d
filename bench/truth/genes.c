/* SPDX-License-Identifier: MIT
 *
 * Genes, counted: each transaction compares a segment with the ones that have the same hash, and counts it. There are
 * so many segments that transactions hardly ever conflict; but from time to time all threads come to a stretch of
 * repeats at once, and conflict until they are through. Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * Invariants, outside transactions: a slot's bases are those of one segment that belongs there; all counts together are
 * the segments that threads have read.
 */
#include "run.h"
#include "stamps.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { BASES = 16, REPEATS = 4 };
enum tally { READ, REPEATED, FOUND };

/* The first segment that comes takes the slot. `others` counts those that came later and are not equal. */
struct slot {
	_Alignas(64) long equal;
	long others;
	unsigned long bases[BASES];
};

static struct slot *slots;
static uint64_t slots_len;
static uint64_t stretch, burst;

/* How often repeats have come. Relaxed: it orders nothing. */
static atomic_uint stretches;

/* The worker's own: the last stretch of repeats that it has come to, and how many are left of it. */
static _Thread_local unsigned seen;
static _Thread_local uint64_t left;

/* Segments with the same number are equal. */
static void read_segment(uint64_t number, unsigned long *bases)
{
	for (unsigned long i = 0; i < BASES; i++) {
		unsigned long hash = (number * BASES + i + 1) * 0x9e3779b97f4a7c15ul;
		bases[i] = hash ^ (hash >> 31);
	}
}

TM_SAFE static bool is_equal(const struct slot *slot, const unsigned long *bases)
{
	for (int i = 0; i < BASES; i++)
		if (slot->bases[i] != bases[i])
			return false;
	return true;
}

TM_SAFE static void take_slot(struct slot *slot, const unsigned long *bases)
{
	for (int i = 0; i < BASES; i++)
		slot->bases[i] = bases[i];
}

/* How alike the segment is to its neighbours: reads some of each. */
TM_SAFE static long compare_around(uint64_t at, const unsigned long *bases)
{
	long alike = 0;
	for (uint64_t i = 1; i <= 8; i++) {
		const struct slot *slot = &slots[(at + i) % slots_len];
		for (int j = 0; j < BASES; j += 2)
			alike += slot->bases[j] == bases[j];
	}
	return alike;
}

/* Returns whether the segment was known. */
TM_RUNS static bool count(uint64_t at, const unsigned long *bases)
{
	bool is_known;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct slot *slot = &slots[at];
		is_known = slot->equal != 0;
		if (!is_known)
			take_slot(slot, bases);
		if (compare_around(at, bases) < BASES && is_equal(slot, bases))
			slot->equal++;
		else
			slot->others++;
		stamp_last();
	}
	stamp_after();
	return is_known;
}

/* Whether the next segment is a repeat: for a while after any thread has come to a stretch of them. */
static bool is_repeat(const struct worker *worker)
{
	if (worker->operations % stretch == stretch - 1)
		atomic_fetch_add_explicit(&stretches, 1, memory_order_relaxed);
	unsigned now = atomic_load_explicit(&stretches, memory_order_relaxed);
	if (now != seen) {
		seen = now;
		left = burst;
	}
	return left != 0 && left-- != 0;
}

static void serve(struct worker *worker)
{
	unsigned long bases[BASES];
	bool is_hot = is_repeat(worker);
	uint64_t number = worker_random(worker, is_hot ? REPEATS : 2 * slots_len);
	read_segment(number, bases);
	worker->tally[READ]++;
	worker->tally[REPEATED] += is_hot;
	worker->tally[FOUND] += count(number % slots_len, bases);
}

static void open_slots(void)
{
	slots = aligned_alloc(_Alignof(struct slot), slots_len * sizeof(*slots));
	if (slots == NULL)
		options_refuse("no memory for %llu slots", (unsigned long long)slots_len);
	for (uint64_t i = 0; i < slots_len; i++)
		slots[i] = (struct slot){.equal = 0};
}

/* A slot that has been taken is that of segment `at`, or of the other one that belongs there. */
static bool is_slot_right(uint64_t at)
{
	unsigned long first[BASES], second[BASES];
	read_segment(at, first);
	read_segment(at + slots_len, second);
	return slots[at].equal == 0 || is_equal(&slots[at], first) || is_equal(&slots[at], second);
}

static bool are_counts_right(const struct worker *sum)
{
	int64_t counted = 0;
	for (uint64_t i = 0; i < slots_len; i++) {
		if (!is_slot_right(i))
			return false;
		counted += slots[i].equal + slots[i].others;
	}
	return counted == sum->tally[READ];
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double len = 16384, apart = 20000, repeats = 300;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"slots", &len, REPEATS, 1e8, true, "slots for segments"},
		{"stretch", &apart, 1, 1e9, true, "segments of a thread between two stretches of repeats"},
		{"repeats", &repeats, 0, 1e9, true, "in a stretch, for each thread"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	slots_len = (uint64_t)len;
	stretch = (uint64_t)apart;
	burst = (uint64_t)repeats;
	open_slots();

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, serve, &sum);
	bool is_ok = are_counts_right(&sum);
	run_print(&run, elapsed, &sum);
	printf("repeated %lld\nfound %lld\n", (long long)sum.tally[REPEATED], (long long)sum.tally[FOUND]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	free(slots);
	return is_ok ? 0 : 1;
}
