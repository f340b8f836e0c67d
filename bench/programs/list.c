/* SPDX-License-Identifier: MIT
 *
 * A set of integers: a sorted list, or, with more than one bucket, a hash table of
 * them. Threads insert, remove and look up; nodes are allocated and freed within
 * transactions. Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * Invariants: each chain is strictly ascending; a key is in chain key % buckets;
 * outside transactions the set has as many keys as were inserted less those removed.
 */
#include "meeting.h"
#include "run.h"
#include "stamps.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum tally { INSERTED, REMOVED, FOUND };

struct node {
	struct node *next;
	long key;
};

static struct node **buckets;
static size_t buckets_len;
static uint64_t key_limit; /* keys are below it: half of them are in the set */
static uint64_t updates_percent;
static struct {
	_Alignas(64) unsigned long times;
} met[512];

/* The link to the first node whose key is not below `key`. */
TM_SAFE static struct node **find(long key)
{
	struct node **link = &buckets[(size_t)key % buckets_len];
	while (*link != NULL && (*link)->key < key)
		link = &(*link)->next;
	return link;
}

TM_RUNS static bool contains(long key)
{
	bool is_found;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct node *node = *find(key);
		is_found = node != NULL && node->key == key;
		stamp_last();
	}
	stamp_after();
	return is_found;
}

TM_RUNS static bool insert(long key)
{
	bool is_new = false;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct node **link = find(key);
		struct node *node = *link;
		if (node == NULL || node->key != key) {
			struct node *added = malloc(sizeof(*added));
			if (added != NULL) {
				added->key = key;
				added->next = node;
				*link = added;
				is_new = true;
			}
		}
		stamp_last();
	}
	stamp_after();
	return is_new;
}

TM_RUNS static bool take(long key)
{
	bool is_found;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct node **link = find(key);
		struct node *node = *link;
		is_found = node != NULL && node->key == key;
		if (is_found) {
			*link = node->next;
			free(node);
		}
		stamp_last();
	}
	stamp_after();
	return is_found;
}

/* A transaction in which two threads are certain to conflict (meeting.h). */
TM_RUNS static void meet(unsigned long *times)
{
	meeting_next();
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		meeting_enter();
		++*times;
		meeting_hold();
		stamp_last();
	}
	stamp_after();
}

static void operate(struct worker *worker)
{
	if (is_meeting(worker)) {
		meet(&met[worker->number / 2 % 512].times);
		return;
	}
	long key = (long)worker_random(worker, key_limit);
	if (worker_random(worker, 100) >= updates_percent)
		worker->tally[FOUND] += contains(key);
	else if (worker_random(worker, 2) == 0)
		worker->tally[INSERTED] += insert(key);
	else
		worker->tally[REMOVED] += take(key);
}

/* Every second key, highest first, so that each goes to the front of its chain. No
 * transactions: the main thread would be one more thread to the STM, and it picks
 * another method for one thread than for two. */
static void fill(size_t buckets_wanted, size_t size)
{
	buckets = calloc(buckets_wanted, sizeof(struct node *));
	if (buckets == NULL)
		options_refuse("no memory for %zu buckets", buckets_wanted);
	buckets_len = buckets_wanted;
	key_limit = 2 * size;
	for (size_t i = size; i-- > 0;) {
		struct node **link = &buckets[2 * i % buckets_len];
		struct node *node = malloc(sizeof(*node));
		if (node == NULL)
			options_refuse("no memory for %zu keys", size);
		*node = (struct node){.next = *link, .key = (long)(2 * i)};
		*link = node;
	}
}

/* Returns the number of keys, or -1 where a chain is out of order or a key in the wrong one. */
static int64_t count_checked(void)
{
	int64_t len = 0;
	for (size_t i = 0; i < buckets_len; i++)
		for (const struct node *node = buckets[i]; node != NULL; node = node->next, len++)
			if ((size_t)node->key % buckets_len != i || (node->next && node->next->key <= node->key))
				return -1;
	return len;
}

static void empty(void)
{
	for (size_t i = 0; i < buckets_len; i++)
		for (struct node *node = buckets[i]; node != NULL;) {
			struct node *next = node->next;
			free(node);
			node = next;
		}
	free(buckets);
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double size = 128, updates = 50, buckets_wanted = 1;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		MEET_OPTION(&run),
		{"size", &size, 1, 1e8, true, "keys at the start, of twice as many possible ones"},
		{"updates", &updates, 0, 100, true, "percent of operations that insert or remove"},
		{"buckets", &buckets_wanted, 1, 1e8, true, "chains; 1 is a list, more a hash table"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	fill((size_t)buckets_wanted, (size_t)size);
	updates_percent = (uint64_t)updates;

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, operate, &sum);
	bool is_ok = count_checked() == (int64_t)size + sum.tally[INSERTED] - sum.tally[REMOVED];
	run_print(&run, elapsed, &sum);
	printf("inserted %lld\nremoved %lld\nfound %lld\n", (long long)sum.tally[INSERTED],
		(long long)sum.tally[REMOVED], (long long)sum.tally[FOUND]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	empty();
	return is_ok ? 0 : 1;
}
