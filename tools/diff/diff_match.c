/* SPDX-License-Identifier: MIT
 * Matches keys of equal names on two sides by their lines (diff_keys.h says how), by dynamic programming. */
#include <stdlib.h>

#include "diff_keys.h"
#include "memory.h"

/* A limit for the steps of one matching, since a file chooses the number of keys. Beyond it keys are matched simply in
 * order. */
enum { MAX_STEPS = 10000000 };

/* ---- lines ---- */

static size_t depth_of(const struct diff_key *key)
{
	return key->local.len + key->remote.len;
}

static const struct diff_frame *frame_of(const struct diff_key *key, size_t frame)
{
	return frame < key->local.len ? &key->local.frames[frame] : &key->remote.frames[frame - key->local.len];
}

static int compare_lines(const struct diff_key *left, const struct diff_key *right)
{
	for (size_t i = 0; i < depth_of(left); i++) {
		const struct diff_frame *one = frame_of(left, i), *other = frame_of(right, i);
		if (one->line != other->line)
			return one->line < other->line ? -1 : 1;
		if (one->last_line != other->last_line)
			return one->last_line < other->last_line ? -1 : 1;
	}
	return 0;
}

/* Keys of equal names have equally many frames. */
static int compare_keys(const void *a, const void *b)
{
	const struct diff_key *left = *(const struct diff_key *const *)a, *right = *(const struct diff_key *const *)b;
	int names = diff_keys_compare(left, right);
	return names != 0 ? names : compare_lines(left, right);
}

static int64_t moved_by(const struct diff_key *few, const struct diff_key *many, size_t frame)
{
	return (int64_t)frame_of(many, frame)->line - (int64_t)frame_of(few, frame)->line;
}

/* ---- keys of equal names ---- */

struct group {
	const struct diff_key *const *keys;
	size_t len;
};

/* The number of edits, the sum of the changes of distance, and the sum of distances (diff_keys.h). */
struct cost {
	uint64_t edits;
	uint64_t apart;
	uint64_t moved;
};

/* The best way to match few[0..i] if few[i] is matched with many[j]; few[i - 1] is then matched with many[before]. */
struct way {
	struct cost cost;
	size_t before;
};

static bool is_no_worse(const struct cost *one, const struct cost *other)
{
	if (one->edits != other->edits)
		return one->edits < other->edits;
	return one->apart != other->apart ? one->apart < other->apart : one->moved <= other->moved;
}

static uint64_t distance(int64_t a, int64_t b)
{
	return (uint64_t)(a > b ? a - b : b - a);
}

/* The cost of matching few[i] with many[j] if few[i - 1] is matched with many[before]. The neighbour of the first key
 * is the top of the file, which has not moved. */
static struct cost step(const struct group *few, const struct group *many, size_t i, size_t j, size_t before)
{
	struct cost cost = {0, 0, 0};
	for (size_t frame = 0; frame < depth_of(few->keys[i]); frame++) {
		int64_t moved = moved_by(few->keys[i], many->keys[j], frame);
		int64_t neighbour = i > 0 ? moved_by(few->keys[i - 1], many->keys[before], frame) : 0;
		cost.edits += moved != neighbour;
		cost.apart += distance(moved, neighbour);
		cost.moved += distance(moved, 0);
	}
	return cost;
}

static struct way best_way(
	const struct way *ways, const struct group *few, const struct group *many, size_t i, size_t j)
{
	struct way best = {{UINT64_MAX, UINT64_MAX, UINT64_MAX}, 0};
	if (i == 0)
		return (struct way){step(few, many, i, j, 0), 0};
	for (size_t before = i - 1; before < j; before++) {
		const struct cost *so_far = &ways[(i - 1) * many->len + before].cost;
		struct cost cost = step(few, many, i, j, before);
		cost.edits += so_far->edits;
		cost.apart += so_far->apart;
		cost.moved += so_far->moved;
		if (is_no_worse(&cost, &best.cost))
			best = (struct way){cost, before};
	}
	return best;
}

/* Finds the best matching: to[i] is the index in `many` of few[i]. */
static void align(const struct group *few, const struct group *many, size_t *to)
{
	struct way *ways = memory_zeroed(few->len * many->len, sizeof *ways);
	size_t spare = many->len - few->len;
	for (size_t i = 0; i < few->len; i++) {
		for (size_t j = i; j <= i + spare; j++)
			ways[i * many->len + j] = best_way(ways, few, many, i, j);
	}
	size_t last = few->len - 1, best = last;
	for (size_t j = last; j <= last + spare; j++) {
		if (is_no_worse(&ways[last * many->len + j].cost, &ways[last * many->len + best].cost))
			best = j;
	}
	for (size_t i = few->len; i-- > 0; best = ways[i * many->len + best].before)
		to[i] = best;
	free(ways);
}

static bool is_too_much(const struct group *few, const struct group *many)
{
	double spare = (double)(many->len - few->len + 1);
	return (double)few->len * (double)many->len > MAX_STEPS ||
	       (double)few->len * spare * spare * (double)depth_of(few->keys[0]) > MAX_STEPS;
}

static void assign(const struct group *few, const struct group *many, size_t *to)
{
	for (size_t i = 0; i < few->len; i++)
		to[i] = i;
	if (few->len > 0 && few->len < many->len && !is_too_much(few, many))
		align(few, many, to);
}

/* ---- both sides ---- */

static const struct diff_key **sorted(const struct diff_keys *keys)
{
	const struct diff_key **copy = memory_zeroed(keys->len, sizeof(struct diff_key *));
	for (size_t i = 0; i < keys->len; i++)
		copy[i] = keys->at[i];
	qsort(copy, keys->len, sizeof(struct diff_key *), compare_keys);
	return copy;
}

/* The keys at the front of `len` keys that have the names of `first`. */
static struct group group_of(const struct diff_key *const *keys, size_t len, const struct diff_key *first)
{
	struct group group = {keys, 0};
	while (group.len < len && diff_keys_compare(keys[group.len], first) == 0)
		group.len++;
	return group;
}

/* Writes the matches of the two groups. Returns their number. */
static size_t match_groups(const struct group groups[2], struct diff_match *matches)
{
	size_t fewer = groups[0].len <= groups[1].len ? 0 : 1, more = 1 - fewer, next = 0;
	const struct group *few = &groups[fewer], *many = &groups[more];
	size_t *to = memory_zeroed(few->len, sizeof *to);
	assign(few, many, to);
	for (size_t j = 0; j < many->len; j++) {
		matches[j] = (struct diff_match){{NULL, NULL}};
		matches[j].key[more] = many->keys[j];
		if (next < few->len && to[next] == j)
			matches[j].key[fewer] = few->keys[next++];
	}
	free(to);
	return many->len;
}

struct diff_match *diff_keys_match(const struct diff_keys *old, const struct diff_keys *new, size_t *len)
{
	const struct diff_key **keys[2] = {sorted(old), sorted(new)};
	size_t lens[2] = {old->len, new->len}, at[2] = {0, 0};
	struct diff_match *matches = memory_zeroed(old->len + new->len, sizeof *matches);
	*len = 0;
	while (at[0] < lens[0] || at[1] < lens[1]) {
		struct group groups[2];
		size_t side_of_first =
			at[0] >= lens[0] || (at[1] < lens[1] && diff_keys_compare(keys[1][at[1]], keys[0][at[0]]) < 0);
		const struct diff_key *first = keys[side_of_first][at[side_of_first]];
		for (size_t side = 0; side < 2; side++) {
			groups[side] = group_of(keys[side] + at[side], lens[side] - at[side], first);
			at[side] += groups[side].len;
		}
		*len += match_groups(groups, matches + *len);
	}
	free(keys[0]);
	free(keys[1]);
	return matches;
}
