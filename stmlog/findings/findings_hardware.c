/* SPDX-License-Identifier: MIT
 * Rules about hardware transactions. */
#include "cause.h"
#include "findings_search.h"
#include "lazy.h"
#include "report_memory.h"

enum { MOST_OF_RULE = 3 };

/* Of the place, the costliest entry with this word. NULL: there is none. */
static const struct stmlog_entry_record *entry_at(
	const struct findings_search *search, const char *word, uint32_t place)
{
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		if (cause_is_abort(entry->reason) && findings_has_detail(search, entry, word) &&
			places_innermost(search->places, entry->local) == place)
			return entry;
	}
	return NULL;
}

static void describe(struct findings_search *search, enum finding_rule rule, const struct tally_sum *sum,
	const char *word, uint32_t place)
{
	const struct stmlog_entry_record *entry = entry_at(search, word, place);
	bool has_culprit = entry != NULL && recording_traceback(search->recording, entry->remote).len > 0;
	char *because = has_culprit ? findings_frame_text(search, entry->remote, 0) : memory_text("");
	struct finding *finding = findings_add(search, rule, sum, findings_place_text(search, place), because);
	finding->where = entry != NULL ? entry->local : 0;
	finding->because = has_culprit ? entry->remote : 0;
}

/* Aborts with this word, by place. */
static struct findings_group aborts_of(const struct findings_search *search, const char *word)
{
	struct findings_group group = findings_group_make(search, search->recording->entry_count);
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		struct tally_sum sum = tally_sum_of(entry);
		if (cause_is_abort(entry->reason) && findings_has_detail(search, entry, word))
			findings_group_add(&group, places_innermost(search->places, entry->local), 0, &sum,
				(struct findings_origin){(uint32_t)i, 0});
	}
	findings_group_sort(&group);
	return group;
}

static void find_by_word(struct findings_search *search, enum finding_rule rule, const char *word)
{
	struct findings_group group = aborts_of(search, word);
	size_t made = 0;
	for (size_t i = 0; i < group.tally.len && made < MOST_OF_RULE; i++) {
		const struct tally_row *row = group.tally.rows[i];
		if (!findings_is_enough(search, rule, &row->sum))
			continue;
		describe(search, rule, &row->sum, word, (uint32_t)row->key[0]);
		made++;
	}
	findings_group_drop(&group);
}

/* The unfriendly aborts alone: other aborts at the place have other causes. */
static void find_lazy(struct findings_search *search)
{
	struct lazy_places lazy = lazy_places_of(search->recording, search->report->symbols, search->places);
	struct findings_group group = aborts_of(search, "HTM_UNFRIENDLY");
	for (size_t i = 0; i < lazy.len && i < MOST_OF_RULE; i++) {
		for (size_t k = 0; k < group.tally.len; k++) {
			const struct tally_row *row = group.tally.rows[k];
			if (row->key[0] == lazy.at[i].place &&
				findings_is_enough(search, FINDING_LAZY_BINDING, &row->sum))
				describe(search, FINDING_LAZY_BINDING, &row->sum, "HTM_UNFRIENDLY", lazy.at[i].place);
		}
	}
	findings_group_drop(&group);
	lazy_places_fini(&lazy);
}

void findings_of_hardware(struct findings_search *search)
{
	if (search->of[FINDING_OF_HARDWARE] == 0)
		return;
	find_lazy(search);
	find_by_word(search, FINDING_CAPACITY, "HTM_CAPACITY");
	find_by_word(search, FINDING_LOCK_HELD, "HTM_LOCK_HELD");
}
