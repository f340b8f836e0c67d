/* SPDX-License-Identifier: MIT
 * Rules about pairs of transactions: which transaction aborts which. */
#include <stmlog/read.h>

#include "findings_search.h"
#include "report_memory.h"

/* How many rows are searched for pairs: the costliest. */
enum { PAIRS_LOOKED_AT = 64 };

/* Two transactions are a pair if each aborts the other in at least PAIR_MIN_PERCENT of the aborts between them, and if
 * at least PAIR_ALONE_PERCENT of the aborts of each are because of the other. */
enum { PAIR_MIN_PERCENT = 10, PAIR_ALONE_PERCENT = 90 };

/* The entry's true conflicts over data that are not claimed yet; none if the culprit is not known. */
static struct tally_sum true_conflicts(const struct findings_search *search, size_t number)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	struct tally_sum sum = tally_sum_of(entry);
	bool is_known = findings_is_data_abort(entry) && findings_begin_place(search, entry->remote) >= PLACE_FIRST;
	return findings_part(&sum, is_known ? search->rest[number].true_ones : 0);
}

/* Aborts over data whose culprit is known: key[0] is where the victim's transaction began, key[1] the culprit's. */
static struct findings_group pairs_of(const struct findings_search *search)
{
	const struct recording *recording = search->recording;
	struct findings_group group = findings_group_make(search, recording->entry_count);
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		struct tally_sum sum = true_conflicts(search, i);
		if (sum.count > 0)
			findings_group_add(&group, findings_victim_place(search, entry),
				findings_begin_place(search, entry->remote), &sum,
				(struct findings_origin){(uint32_t)i, 0});
	}
	findings_group_sort(&group);
	return group;
}

static struct finding *add(struct findings_search *search, enum finding_rule rule, const struct tally_sum *sum,
	uint32_t where, uint32_t because, struct findings_origin origin)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[origin.entry];
	struct finding *finding = findings_add(search, rule, sum, findings_place_text(search, where),
		because != where ? findings_place_text(search, because) : findings_reader_text(search, where));
	finding->where = entry->local;
	finding->because = entry->remote;
	return finding;
}

/* Claims, for the latest finding, the true conflicts that `victim` lost to `culprit`. */
static void claim(struct findings_search *search, uint64_t victim, uint64_t culprit)
{
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		if (true_conflicts(search, i).count > 0 && findings_victim_place(search, entry) == victim &&
			findings_begin_place(search, entry->remote) == culprit)
			findings_claim_by(search, search->found.len - 1, i, search->rest[i].true_ones, true);
	}
}

/* ---- self-conflict ---- */

static bool make_self(struct findings_search *search, const struct tally_row *row, struct findings_origin origin)
{
	uint32_t place = (uint32_t)row->key[0];
	if (row->key[0] != row->key[1])
		return false;
	add(search, FINDING_SELF_CONFLICT, &row->sum, place, place, origin);
	claim(search, place, place);
	return true;
}

void findings_self_conflict(struct findings_search *search)
{
	findings_make_each(search, FINDING_SELF_CONFLICT, pairs_of(search), make_self);
}

/* ---- mutual-pair ---- */

static const struct tally_row *row_of(const struct findings_group *pairs, uint64_t victim, uint64_t culprit)
{
	for (size_t i = 0; i < pairs->tally.len; i++)
		if (pairs->tally.rows[i]->key[0] == victim && pairs->tally.rows[i]->key[1] == culprit)
			return pairs->tally.rows[i];
	return NULL;
}

/* The true conflicts of the transaction that begins at `place`, because of any known transaction. */
static uint64_t aborts_at(const struct findings_search *search, uint64_t place)
{
	uint64_t count = 0;
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		if (findings_victim_place(search, &search->recording->entries[i]) == place)
			count += true_conflicts(search, i).count;
	}
	return count;
}

static bool is_part(uint64_t part, uint64_t whole, unsigned percent)
{
	return (double)part * 100 >= (double)whole * percent;
}

static bool are_alone(const struct findings_search *search, const struct tally_row *one, const struct tally_row *other)
{
	uint64_t both = one->sum.count + other->sum.count;
	return is_part(one->sum.count, both, PAIR_MIN_PERCENT) && is_part(other->sum.count, both, PAIR_MIN_PERCENT) &&
	       is_part(one->sum.count, aborts_at(search, one->key[0]), PAIR_ALONE_PERCENT) &&
	       is_part(other->sum.count, aborts_at(search, other->key[0]), PAIR_ALONE_PERCENT);
}

/* A pair is looked for at its costlier direction only. A place can be alone with one other place only, so it has one
 * pair. */
void findings_mutual_pair(struct findings_search *search)
{
	struct findings_group pairs = pairs_of(search);
	size_t made = 0;
	for (size_t i = 0; i < pairs.tally.len && i < PAIRS_LOOKED_AT && made < FINDINGS_PER_RULE_MAX; i++) {
		const struct tally_row *one = pairs.tally.rows[i];
		struct tally_sum both = one->sum;
		if (one->key[0] == one->key[1])
			continue;
		const struct tally_row *other = row_of(&pairs, one->key[1], one->key[0]);
		if (other == NULL || other->first < one->first)
			continue;
		tally_sum_add(&both, &other->sum);
		if (!findings_is_enough(search, FINDING_MUTUAL_PAIR, &both) || !are_alone(search, one, other))
			continue;
		add(search, FINDING_MUTUAL_PAIR, &both, (uint32_t)one->key[0], (uint32_t)one->key[1],
			pairs.origin[one->first]);
		claim(search, one->key[0], one->key[1]);
		claim(search, one->key[1], one->key[0]);
		made++;
	}
	findings_group_drop(&pairs);
}

/* ---- one-place ---- */

/* The losses that no other rule has claimed, by the place where the culprit's transaction begins. */
static struct findings_group culprits_of(const struct findings_search *search)
{
	const struct recording *recording = search->recording;
	struct findings_group group = findings_group_make(search, recording->entry_count);
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		uint32_t culprit = findings_begin_place(search, entry->remote);
		struct tally_sum sum = tally_sum_of(entry), part = findings_part(&sum, findings_rest(search, i));
		if (entry->contention != STMLOG_NONE && culprit >= PLACE_FIRST && part.count > 0)
			findings_group_add(&group, culprit, 0, &part, (struct findings_origin){(uint32_t)i, 0});
	}
	findings_group_sort(&group);
	return group;
}

void findings_one_place(struct findings_search *search)
{
	struct findings_group group = culprits_of(search);
	for (size_t i = 0; i < group.tally.len; i++) {
		const struct tally_row *row = group.tally.rows[i];
		uint32_t place = (uint32_t)row->key[0];
		if (!findings_is_enough(search, FINDING_ONE_PLACE, &row->sum))
			continue;
		add(search, FINDING_ONE_PLACE, &row->sum, place, place, group.origin[row->first]);
		break;
	}
	findings_group_drop(&group);
}
