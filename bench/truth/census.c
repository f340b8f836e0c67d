/* SPDX-License-Identifier: MIT
 *
 * A census: the first thread counts the inhabitants of a region of towns again and again, in long transactions that
 * only read. The other threads are families, who move between towns in short transactions, mostly between towns that
 * are in no region. So movers wait at commit for the census, and now and then the census has to begin again. Plain `gcc
 * -fgnu-tm`; it knows of no profiler.
 *
 * Invariants: a town has at least 0 inhabitants, and the sum of its ages' counts, in transactions, too; outside
 * transactions, all towns together have as many as at the start.
 */
#include "run.h"
#include "stamps.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { AGES = 4, INHABITANTS = 1000 };
enum tally { COUNTED, WRONG, MOVED };

struct town {
	_Alignas(64) long inhabitants;
	long of_age[AGES];
};

static struct town *towns;
static uint64_t towns_len;  /* with the region */
static uint64_t region_len; /* the first of all towns */
static uint64_t region_per_mille;

/* Adds up a region: returns whether each town's ages are its inhabitants. */
TM_RUNS static bool count_region(long *sum)
{
	long inhabitants = 0, ages = 0;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (uint64_t i = 0; i < region_len; i++) {
			inhabitants += towns[i].inhabitants;
			for (int age = 0; age < AGES; age++)
				ages += towns[i].of_age[age];
		}
		stamp_last();
	}
	stamp_after();
	*sum = inhabitants;
	return inhabitants == ages;
}

TM_SAFE static bool leave(struct town *town, int age)
{
	if (town->of_age[age] == 0)
		return false;
	town->of_age[age]--;
	town->inhabitants--;
	return true;
}

TM_SAFE static void settle(struct town *town, int age)
{
	town->of_age[age]++;
	town->inhabitants++;
}

TM_RUNS static bool move(struct town *from, struct town *to, const int *family, int len)
{
	bool has_moved = false;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (int i = 0; i < len; i++)
			if (leave(from, family[i])) {
				settle(to, family[i]);
				has_moved = true;
			}
		stamp_last();
	}
	stamp_after();
	return has_moved;
}

/* Within the region, now and then, and then the census must begin again if it has counted one of the towns, but not the
 * other one; else between towns that are in no region. */
static void move_family(struct worker *worker)
{
	int family[5], len = 1 + (int)worker_random(worker, 5);
	for (int i = 0; i < len; i++)
		family[i] = (int)worker_random(worker, AGES);
	bool is_within = worker_random(worker, 1000) < region_per_mille;
	struct town *first = is_within ? towns : &towns[region_len];
	uint64_t choice = is_within ? region_len : towns_len - region_len;
	struct town *from = &first[worker_random(worker, choice)], *to = &first[worker_random(worker, choice)];
	worker->tally[MOVED] += move(from, to, family, len);
}

static void operate(struct worker *worker)
{
	if (worker->number != 0) {
		move_family(worker);
		return;
	}
	long sum;
	worker->tally[COUNTED]++;
	worker->tally[WRONG] += !count_region(&sum) || sum < 0;
}

static void settle_all(void)
{
	towns = aligned_alloc(_Alignof(struct town), towns_len * sizeof(*towns));
	if (towns == NULL)
		options_refuse("no memory for %llu towns", (unsigned long long)towns_len);
	for (uint64_t i = 0; i < towns_len; i++) {
		towns[i] = (struct town){.inhabitants = INHABITANTS};
		for (int age = 0; age < AGES; age++)
			towns[i].of_age[age] = INHABITANTS / AGES;
	}
}

static bool are_all_there(void)
{
	long sum = 0;
	for (uint64_t i = 0; i < towns_len; i++) {
		long ages = 0;
		for (int age = 0; age < AGES; age++)
			ages += towns[i].of_age[age];
		if (ages != towns[i].inhabitants || ages < 0)
			return false;
		sum += ages;
	}
	return sum == (long)towns_len * INHABITANTS;
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double len = 1024, region = 256, share = 300;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"towns", &len, 1, 1e6, true, "towns that are in no region"},
		{"region", &region, 1, 1e6, true, "towns that the census counts"},
		{"share", &share, 0, 1000, true, "per mille of moves that are within the region"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	region_len = (uint64_t)region;
	towns_len = region_len + (uint64_t)len;
	region_per_mille = (uint64_t)share;
	settle_all();

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, operate, &sum);
	bool is_ok = sum.tally[WRONG] == 0 && are_all_there();
	run_print(&run, elapsed, &sum);
	printf("counted %lld\nmoved %lld\n", (long long)sum.tally[COUNTED], (long long)sum.tally[MOVED]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	free(towns);
	return is_ok ? 0 : 1;
}
