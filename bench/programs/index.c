/* SPDX-License-Identifier: MIT
 *
 * An index: a skip list of keys with values. Threads add up the values of all keys in a range, and move a value
 * from one key to another of the same range. Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * The possible keys are divided into ranges of 2 * range_len keys.
 * Invariants:  of each range, range_len keys are in the index; transactions see this, too;
 *              each level is strictly ascending, and is a sublist of the level below;
 *              outside transactions the sum of all values never changes.
 */
#include "run.h"
#include "stamps.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = 16 };
enum tally { SCANS, WRONG_SCANS, MOVED };

struct node {
	long key;
	long value;
	struct node *next[]; /* as many as the key has levels */
};

static struct node *head; /* a node before all keys, with LEVELS links */
static long range_len, ranges_len;
static uint64_t updates_percent;

/* 1 for half of all keys, 2 for a quarter, and so on. The key alone decides, so that no random number is drawn in a
 * transaction. */
__attribute__((transaction_safe)) static inline int levels_of(long key)
{
	uint64_t hash = (uint64_t)key * UINT64_C(0x9e3779b97f4a7c15);
	return 1 + __builtin_ctzll((hash ^ hash >> 32) | UINT64_C(1) << (LEVELS - 1));
}

/* The last node of this level whose key is below `key`. The search begins at `node`, whose key is below, too. */
__attribute__((transaction_safe)) static inline struct node *advance(struct node *node, int level, long key)
{
	while (node->next[level] != NULL && node->next[level]->key < key)
		node = node->next[level];
	return node;
}

/* The first node whose key is not below `key`, NULL where there is none. */
TM_SAFE static struct node *find(long key)
{
	struct node *node = head;
	for (int level = LEVELS; level-- > 0;)
		node = advance(node, level, key);
	return node->next[0];
}

TM_SAFE static struct node *make_node(long key, long value)
{
	struct node *node = malloc(sizeof(*node) + (size_t)levels_of(key) * sizeof(struct node *));
	if (node != NULL) {
		node->key = key;
		node->value = value;
	}
	return node;
}

/* Requires that the key of `added` is not in the index. */
TM_SAFE static void link_node(struct node *added)
{
	struct node *node = head;
	int levels = levels_of(added->key);
	for (int level = LEVELS; level-- > 0;) {
		node = advance(node, level, added->key);
		if (level < levels) {
			added->next[level] = node->next[level];
			node->next[level] = added;
		}
	}
}

TM_SAFE static void unlink_node(const struct node *gone)
{
	struct node *node = head;
	int levels = levels_of(gone->key);
	for (int level = LEVELS; level-- > 0;) {
		node = advance(node, level, gone->key);
		if (level < levels)
			node->next[level] = gone->next[level];
	}
}

/* Returns the number of keys in this range; *sum is the sum of their values. */
TM_RUNS static long scan(long range, long *sum)
{
	long len = 0, values = 0, begin = range * 2 * range_len, end = begin + 2 * range_len;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (const struct node *node = find(begin); node != NULL && node->key < end; node = node->next[0]) {
			len++;
			values += node->value;
		}
		stamp_last();
	}
	stamp_after();
	*sum = values;
	return len;
}

/* Moves the value of the first key that is not below `from` to the key `to`. False, and nothing is moved: there is no
 * such key below `end`, `to` is in the index already, or there is no memory. */
TM_RUNS static bool move(long from, long to, long end)
{
	bool is_moved = false;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct node *gone = find(from);
		const struct node *there = find(to);
		if (gone != NULL && gone->key < end && (there == NULL || there->key != to)) {
			struct node *added = make_node(to, gone->value);
			if (added != NULL) {
				unlink_node(gone);
				link_node(added);
				free(gone);
				is_moved = true;
			}
		}
		stamp_last();
	}
	stamp_after();
	return is_moved;
}

static void operate(struct worker *worker)
{
	long range = (long)worker_random(worker, (uint64_t)ranges_len);
	if (worker_random(worker, 100) >= updates_percent) {
		long sum;
		worker->tally[SCANS]++;
		worker->tally[WRONG_SCANS] += scan(range, &sum) != range_len;
		return;
	}
	long begin = range * 2 * range_len;
	long from = begin + (long)worker_random(worker, (uint64_t)(2 * range_len));
	long to = begin + (long)worker_random(worker, (uint64_t)(2 * range_len));
	worker->tally[MOVED] += move(from, to, begin + 2 * range_len);
}

/* Adds every second key, with the key as its value. There are no transactions here, for the main thread would be one
 * more thread to the STM. The highest key comes first, since then each goes directly behind the head. */
static void fill(void)
{
	head = calloc(1, sizeof(*head) + LEVELS * sizeof(struct node *));
	if (head == NULL)
		options_refuse("no memory for the index");
	head->key = -1;
	for (long key = 2 * range_len * ranges_len; (key -= 2) >= 0;) {
		struct node *node = make_node(key, key);
		if (node == NULL)
			options_refuse("no memory for %ld keys", range_len * ranges_len);
		link_node(node);
	}
}

/* Each level is strictly ascending, and no node is at a level that its key does not have. */
static bool are_levels_sorted(void)
{
	for (int level = 0; level < LEVELS; level++)
		for (const struct node *node = head; node->next[level] != NULL; node = node->next[level])
			if (node->next[level]->key <= node->key || levels_of(node->next[level]->key) <= level)
				return false;
	return true;
}

/* Every node is at each level that it has: the levels are as long as its keys say. */
static bool are_levels_whole(void)
{
	long missing[LEVELS] = {0};
	for (const struct node *node = head->next[0]; node != NULL; node = node->next[0])
		for (int level = 0; level < levels_of(node->key); level++)
			missing[level]++;
	for (int level = 0; level < LEVELS; level++)
		for (const struct node *node = head->next[level]; node != NULL; node = node->next[level])
			missing[level]--;
	for (int level = 0; level < LEVELS; level++)
		if (missing[level] != 0)
			return false;
	return true;
}

static bool are_ranges_full(void)
{
	const struct node *node = head->next[0];
	for (long range = 0; range < ranges_len; range++)
		for (long i = 0; i < range_len; i++, node = node->next[0])
			if (node == NULL || node->key / (2 * range_len) != range)
				return false;
	return node == NULL;
}

/* The sum of all keys that fill() put in. */
static bool are_values_conserved(void)
{
	long sum = 0, len = range_len * ranges_len;
	for (const struct node *node = head->next[0]; node != NULL; node = node->next[0])
		sum += node->value;
	return sum == len * (len - 1);
}

static void empty(void)
{
	for (struct node *node = head; node != NULL;) {
		struct node *next = node->next[0];
		free(node);
		node = next;
	}
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double size = 1024, range = 32, updates = 40;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"size", &size, 1, 1e8, true, "keys, rounded up to whole ranges"},
		{"range", &range, 1, 1e6, true, "keys that a scan finds"},
		{"updates", &updates, 0, 100, true, "percent of operations that move a value"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	range_len = (long)range;
	ranges_len = ((long)size + range_len - 1) / range_len;
	updates_percent = (uint64_t)updates;
	fill();

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, operate, &sum);
	bool is_ok = sum.tally[WRONG_SCANS] == 0 && are_levels_sorted() && are_levels_whole() && are_ranges_full() &&
		     are_values_conserved();
	run_print(&run, elapsed, &sum);
	printf("scans %lld\nmoved %lld\n", (long long)sum.tally[SCANS], (long long)sum.tally[MOVED]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	empty();
	return is_ok ? 0 : 1;
}
