/* SPDX-License-Identifier: MIT
 * Rules about hardware transactions. */
#include "cause.h"
#include "findings_search.h"
#include "hardware.h"
#include "report_memory.h"

/* ---- aborts of a transaction by itself ---- */

static bool is_abort_at(const struct findings_search *search, size_t number, const char *word, uint32_t place)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	return cause_is_abort(entry->reason) && findings_has_detail(search, entry, word) &&
	       places_innermost(search->places, entry->local) == place;
}

static void add(struct findings_search *search, enum finding_rule rule, const struct tally_row *row,
	struct findings_origin origin, const char *word)
{
	uint32_t place = (uint32_t)row->key[0];
	struct finding *finding =
		findings_add(search, rule, &row->sum, findings_place_text(search, place), memory_text(""));
	finding->where = search->recording->entries[origin.entry].local;
	for (size_t i = 0; i < search->recording->entry_count; i++)
		if (is_abort_at(search, i, word, place))
			findings_claim_rest(search, i);
}

/* Aborts whose detail is this word, by place. */
static struct findings_group aborts_of(const struct findings_search *search, const char *word)
{
	struct findings_group group = findings_group_make(search, search->recording->entry_count);
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		struct tally_sum whole = tally_sum_of(entry), sum = findings_part(&whole, findings_rest(search, i));
		if (sum.count > 0 && cause_is_abort(entry->reason) && findings_has_detail(search, entry, word))
			findings_group_add(&group, places_innermost(search->places, entry->local), 0, &sum,
				(struct findings_origin){(uint32_t)i, 0});
	}
	findings_group_sort(&group);
	return group;
}

/* Takes the aborts without a reason (HTM_UNFRIENDLY) only: other aborts at the place have other causes. */
void findings_lazy_binding(struct findings_search *search)
{
	static const char word[] = "HTM_UNFRIENDLY";
	struct lazy_places lazy = lazy_places_of(search->recording, search->report->symbols, search->places);
	struct findings_group group = aborts_of(search, word);
	for (size_t i = 0; i < lazy.len && i < FINDINGS_PER_RULE_MAX; i++) {
		for (size_t k = 0; k < group.tally.len; k++) {
			const struct tally_row *row = group.tally.rows[k];
			if (row->key[0] == lazy.at[i].place &&
				findings_is_enough(search, FINDING_LAZY_BINDING, &row->sum))
				add(search, FINDING_LAZY_BINDING, row, group.origin[row->first], word);
		}
	}
	findings_group_drop(&group);
	lazy_places_fini(&lazy);
}

static const char over_capacity[] = "HTM_CAPACITY";

static bool make_capacity(struct findings_search *search, const struct tally_row *row, struct findings_origin origin)
{
	add(search, FINDING_CAPACITY, row, origin, over_capacity);
	return true;
}

void findings_capacity(struct findings_search *search)
{
	findings_make_each(search, FINDING_CAPACITY, aborts_of(search, over_capacity), make_capacity);
}

/* ---- lock-held ---- */

/* Whether the entry is an abort because the serial lock was held, or a wait until it is free again. */
static bool is_lock_held(const struct findings_search *search, const struct stmlog_entry_record *entry)
{
	return cause_is_abort(entry->reason) ? findings_has_detail(search, entry, "HTM_LOCK_HELD")
					     : entry->contention == STMLOG_INEVITABLE;
}

/* The aborts, or the waits, by the place where the transaction begins that ran alone; PLACE_UNKNOWN if it is not known.
 */
static struct findings_group held_by(const struct findings_search *search, bool are_aborts)
{
	struct findings_group group = findings_group_make(search, search->recording->entry_count);
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		struct tally_sum whole = tally_sum_of(entry), sum = findings_part(&whole, findings_rest(search, i));
		if (sum.count > 0 && is_lock_held(search, entry) && cause_is_abort(entry->reason) == are_aborts)
			findings_group_add(&group, findings_begin_place(search, entry->remote), 0, &sum,
				(struct findings_origin){(uint32_t)i, 0});
	}
	findings_group_sort(&group);
	return group;
}

static void claim_held(struct findings_search *search, uint64_t holder)
{
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		if (is_lock_held(search, entry) && findings_begin_place(search, entry->remote) == holder)
			findings_claim_rest(search, i);
	}
}

/* Only the aborts decide whether there is a finding, but the waits are most of its cost. */
static void add_held(struct findings_search *search, const struct tally_row *aborts, struct findings_origin origin,
	const struct findings_group *waits)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[origin.entry];
	struct tally_sum sum = aborts->sum;
	for (size_t i = 0; i < waits->tally.len; i++)
		if (waits->tally.rows[i]->key[0] == aborts->key[0])
			tally_sum_add(&sum, &waits->tally.rows[i]->sum);
	bool is_known = aborts->key[0] >= PLACE_FIRST;
	char *where = is_known ? findings_place_text(search, (uint32_t)aborts->key[0])
			       : memory_text("by unknown transactions");
	struct finding *finding = findings_add(search, FINDING_LOCK_HELD, &sum, where, memory_text(""));
	finding->count = aborts->sum.count;
	finding->where = is_known ? entry->remote : entry->local;
	finding->because = is_known ? 0 : entry->remote;
	claim_held(search, aborts->key[0]);
}

void findings_lock_held(struct findings_search *search)
{
	struct findings_group aborts = held_by(search, true), waits = held_by(search, false);
	size_t made = 0;
	for (size_t i = 0; i < aborts.tally.len && made < FINDINGS_PER_RULE_MAX; i++) {
		const struct tally_row *row = aborts.tally.rows[i];
		if (!findings_is_enough(search, FINDING_LOCK_HELD, &row->sum))
			continue;
		add_held(search, row, aborts.origin[row->first], &waits);
		made++;
	}
	findings_group_drop(&aborts);
	findings_group_drop(&waits);
}
