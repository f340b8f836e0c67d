/* SPDX-License-Identifier: MIT
 * One piece of memory, taken while the report is made: pairs, at most one for each group, and their index. */
#include "pairs.h"

#include <errno.h>
#include <string.h>

#include "mem.h"
#include "names.h"

static struct place place_of(const struct tb_frame *traceback)
{
	struct place place = {.kind = tb_is_unknown(traceback) ? PLACE_UNKNOWN : PLACE_NO_FRAMES};
	if (tb_is_frame(traceback)) {
		place.kind = PLACE_SITE;
		place.site = tb_site(traceback);
		place.hash = names_hash(place.site);
	}
	return place;
}

static bool same_place(const struct place *a, const struct place *b)
{
	return a->kind == b->kind && a->hash == b->hash && (a->kind != PLACE_SITE || names_same(a->site, b->site));
}

static uint64_t pair_hash(const struct pair *pair)
{
	uint64_t hash = pair->local.hash + 4 * pair->local.kind + pair->remote.kind;
	return (hash * 0x9e3779b97f4a7c15u ^ pair->remote.hash) * 0xbf58476d1ce4e5b9u;
}

/* The pair like `pair` that is there, or a new one without a sum. */
static struct pair *find_or_add(struct pairs *pairs, const struct pair *pair)
{
	uint64_t hash = pair_hash(pair);
	struct index_cursor cursor = index_find(&pairs->index, hash);
	uint32_t item;
	while (index_next(&cursor, &item)) {
		struct pair *found = &pairs->at[item];
		if (same_place(&found->local, &pair->local) && same_place(&found->remote, &pair->remote))
			return found;
	}
	index_add(&pairs->index, hash, (uint32_t)pairs->len);
	pairs->at[pairs->len] = *pair;
	return &pairs->at[pairs->len++];
}

static void add(struct pairs *pairs, const struct stmlog_entry *entry)
{
	struct pair pair = {.local = place_of(entry->local), .remote = place_of(entry->remote)};
	struct pair *sum = find_or_add(pairs, &pair);
	sum->sum.count += entry->count;
	sum->sum.lost_ns += entry->lost_ns;
	sum->sum.estimated_ns += entry->estimated_ns;
	sum->sum.variance_ns2 = stmlog_joint_variance(sum->sum.variance_ns2, entry->variance_ns2);
}

int pairs_make(struct pairs *pairs, struct stmlog_timelog *log)
{
	const struct group *group;
	size_t pairs_size = log->len * sizeof *pairs->at;
	*pairs = (struct pairs){.size = pairs_size + index_storage_size((uint32_t)log->len)};
	pairs->at = mem_take(pairs->size);
	if (pairs->at == NULL)
		return -ENOMEM;
	index_init(&pairs->index, (uint32_t)log->len, pairs->at + log->len);
	for (size_t rank = 0; (group = timelog_at(log, rank)) != NULL; rank++)
		if (group->entry.cause.contention != STMLOG_NONE)
			add(pairs, &group->entry);
	return 0;
}

void pairs_drop(struct pairs *pairs)
{
	mem_give(pairs->at, pairs->size);
	*pairs = (struct pairs){.at = NULL};
}

/* Equals in the order in which they stand. */
static bool comes_first(const struct pair *a, const struct pair *b)
{
	return a->sum.lost_ns != b->sum.lost_ns ? a->sum.lost_ns > b->sum.lost_ns : a < b;
}

const struct pair *pairs_after(const struct pairs *pairs, const struct pair *pair)
{
	const struct pair *next = NULL;
	for (size_t i = 0; i < pairs->len; i++) {
		const struct pair *candidate = &pairs->at[i];
		bool is_left = pair == NULL || comes_first(pair, candidate);
		if (is_left && (next == NULL || comes_first(candidate, next)))
			next = candidate;
	}
	return next;
}
