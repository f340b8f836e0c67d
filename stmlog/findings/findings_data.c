/* SPDX-License-Identifier: MIT
 * Rules about the data that transactions conflict over: false conflicts, and words that most conflicts are over. */
#include <string.h>

#include <stmlog/stmlog.h>

#include "cause.h"
#include "findings_search.h"
#include "number.h"
#include "report_memory.h"
#include "short_name.h"
#include "utf8.h"

enum { MOST_OF_RULE = 3 };

static bool is_abort(const struct stmlog_entry_record *entry)
{
	return cause_is_abort(entry->reason) && entry->reason != STMLOG_USER_ABORT;
}

/* ---- names ---- */

/* Of a bare address without the stripe that it lies in. */
static char *object_text(char *name)
{
	char *text = utf8_cleaned(short_name(name)), *space = strchr(text, ' ');
	if (strncmp(text, "0x", 2) == 0 && space != NULL)
		*space = '\0';
	memory_free(name);
	return text;
}

/* "+8" of "tallies+8" behind "tallies", which is where the other one lies, too; otherwise the whole name. */
static const char *behind(const char *object, const char *other)
{
	const char *plus = strrchr(other, '+');
	size_t len = plus != NULL ? (size_t)(plus - other) : 0;
	bool is_same = len > 0 && strncmp(object, other, len) == 0 && (object[len] == '\0' || object[len] == '+');
	return is_same ? plus : other;
}

/* Sets the finding's objects and the texts that name them; `other` may be NULL. */
static void name_objects(struct finding *finding, char *object, char *other)
{
	finding->objects[0] = object;
	finding->objects[1] = other;
	memory_free(finding->where_text);
	finding->where_text =
		other != NULL ? memory_format("%s, %s", object, behind(object, other)) : memory_text(object);
}

/* ---- false conflicts ---- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t false_aborts(const struct stmlog_entry_record *entry, bool are_aliases)
{
	uint64_t aliases = smaller(entry->false_aliases, entry->false_conflicts);
	uint64_t found = are_aliases ? aliases : entry->false_conflicts - aliases;
	return is_abort(entry) ? smaller(found, entry->count) : 0;
}

/* Whether the slot has a false conflict of this kind: within one stripe, or between stripes that share a lock. */
static bool is_false_slot(
	const struct findings_search *search, const struct stmlog_entry_record *entry, size_t slot, bool are_aliases)
{
	uint64_t stripe = search->recording->info.stripe_bytes;
	uint64_t address = entry->objects[slot].address, other = entry->object_others[slot];
	if (address == 0 || other == 0 || address == other || entry->objects[slot].count == 0)
		return false;
	bool is_near = stripe != 0 ? address / stripe == other / stripe : entry->false_aliases == 0;
	return is_near != are_aliases;
}

/* Rows are long: room is made for those that there will be. */
static size_t count_false_slots(const struct findings_search *search, bool are_aliases)
{
	size_t count = 0;
	for (size_t i = 0; i < search->recording->entry_count; i++)
		for (size_t slot = 0; slot < RECORDING_OBJECTS; slot++)
			count += is_false_slot(search, &search->recording->entries[i], slot, are_aliases);
	return count;
}

/* One entry may count at most its own losses of the kind, however many its slots claim. */
static void add_false_slots(
	const struct findings_search *search, struct findings_group *group, uint32_t number, bool are_aliases)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	struct tally_sum sum = tally_sum_of(entry);
	uint64_t left = false_aborts(entry, are_aliases);
	for (uint32_t i = 0; i < RECORDING_OBJECTS && left > 0; i++) {
		if (!is_false_slot(search, entry, i, are_aliases))
			continue;
		uint64_t count = smaller(entry->objects[i].count, left);
		uint64_t address = entry->objects[i].address, other = entry->object_others[i];
		struct tally_sum part = findings_part(&sum, count, entry->count);
		findings_group_add(group, address < other ? address : other, address < other ? other : address, &part,
			(struct findings_origin){number, i});
		left -= count;
	}
}

static void explain_false(struct findings_search *search, bool are_aliases)
{
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		uint64_t count = false_aborts(entry, are_aliases);
		if (count > 0)
			search->explained[i] += (double)count / (double)entry->count;
	}
}

static void describe_pair(struct findings_search *search, enum finding_rule rule, const struct tally_sum *sum,
	struct findings_origin origin)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[origin.entry];
	uint64_t address = entry->objects[origin.slot].address, other = entry->object_others[origin.slot];
	char *because = findings_frame_text(search, entry->local, 0);
	struct finding *finding = findings_add(search, rule, sum, NULL, because);
	finding->where = entry->local;
	finding->because = entry->remote;
	name_objects(finding, object_text(report_object_of(search->report, entry, address)),
		object_text(report_other_of(search->report, other)));
}

/* All false conflicts of the kind, where no pair of variables stands out. */
static void find_many_pairs(struct findings_search *search, enum finding_rule rule, bool are_aliases)
{
	const struct recording *recording = search->recording;
	struct tally_sum sum = {.count = 0};
	size_t costliest = recording->entry_count;
	uint64_t most_ns = 0;
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		uint64_t count = false_aborts(entry, are_aliases);
		struct tally_sum whole = tally_sum_of(entry), part = findings_part(&whole, count, entry->count);
		if (count == 0)
			continue;
		tally_sum_add(&sum, &part);
		if (costliest == recording->entry_count || part.lost_ns > most_ns)
			costliest = i, most_ns = part.lost_ns;
	}
	if (!findings_is_enough(search, rule, &sum))
		return;
	const struct stmlog_entry_record *entry = &recording->entries[costliest];
	struct finding *finding = findings_add(search, rule, &sum, memory_text("many pairs of variables"),
		findings_frame_text(search, entry->local, 0));
	finding->where = entry->local;
	finding->because = entry->remote;
}

static void find_false(struct findings_search *search, enum finding_rule rule, bool are_aliases)
{
	size_t before = search->found.len;
	struct findings_group group = findings_group_make(search, count_false_slots(search, are_aliases));
	for (size_t i = 0; i < search->recording->entry_count; i++)
		add_false_slots(search, &group, (uint32_t)i, are_aliases);
	findings_group_sort(&group);
	for (size_t i = 0; i < group.tally.len && search->found.len < before + MOST_OF_RULE; i++) {
		const struct tally_row *row = group.tally.rows[i];
		if (findings_is_enough(search, rule, &row->sum))
			describe_pair(search, rule, &row->sum, group.origin[row->first]);
	}
	findings_group_drop(&group);
	if (search->found.len == before)
		find_many_pairs(search, rule, are_aliases);
	if (search->found.len > before)
		explain_false(search, are_aliases);
}

/* ---- hot words ---- */

static uint64_t true_aborts(const struct stmlog_entry_record *entry, size_t slot)
{
	uint64_t other = entry->object_others[slot], address = entry->objects[slot].address;
	bool is_true = address != 0 && (other == 0 || other == address) && findings_is_data_abort(entry);
	uint64_t false_ones = smaller(entry->false_conflicts, entry->count);
	return is_true ? smaller(entry->objects[slot].count, entry->count - false_ones) : 0;
}

static size_t count_true_slots(const struct recording *recording)
{
	size_t count = 0;
	for (size_t i = 0; i < recording->entry_count; i++)
		for (size_t slot = 0; slot < RECORDING_OBJECTS; slot++)
			count += true_aborts(&recording->entries[i], slot) > 0;
	return count;
}

static struct findings_group words_of(const struct findings_search *search)
{
	const struct recording *recording = search->recording;
	struct findings_group group = findings_group_make(search, count_true_slots(recording));
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		struct tally_sum whole = tally_sum_of(entry);
		for (uint32_t slot = 0; slot < RECORDING_OBJECTS; slot++) {
			uint64_t count = true_aborts(entry, slot);
			struct tally_sum part = findings_part(&whole, count, entry->count);
			if (count > 0)
				findings_group_add(&group, entry->objects[slot].address / sizeof(uint64_t), 0, &part,
					(struct findings_origin){(uint32_t)i, slot});
		}
	}
	findings_group_sort(&group);
	return group;
}

/* The places of the entry and of the next one at another place that lose over the word: "bank.c:61 transfer, bank.c:85
 * audit". */
static char *word_places(const struct findings_search *search, uint64_t word)
{
	uint32_t places[2] = {PLACE_UNKNOWN, PLACE_UNKNOWN};
	size_t len = 0;
	for (size_t i = 0; i < search->recording->entry_count && len < 2; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		uint32_t place = places_innermost(search->places, entry->local);
		for (size_t slot = 0; slot < RECORDING_OBJECTS && len < 2; slot++)
			if (true_aborts(entry, slot) > 0 && entry->objects[slot].address / sizeof(uint64_t) == word &&
				place >= PLACE_FIRST && (len == 0 || places[0] != place))
				places[len++] = place;
	}
	char *first = findings_place_text(search, places[0]);
	char *second = len == 2 ? findings_place_text(search, places[1]) : NULL;
	char *both = second != NULL ? memory_format("%s, %s", first, second) : memory_text(first);
	memory_free(first);
	memory_free(second);
	return both;
}

static void describe_word(struct findings_search *search, const struct tally_row *row, struct findings_origin origin)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[origin.entry];
	uint64_t address = entry->objects[origin.slot].address;
	struct finding *finding =
		findings_add(search, FINDING_HOT_WORD, &row->sum, NULL, word_places(search, row->key[0]));
	finding->where = entry->local;
	finding->because = entry->remote;
	name_objects(finding, object_text(report_object_of(search->report, entry, address)), NULL);
}

static void explain_word(struct findings_search *search, uint64_t word)
{
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &search->recording->entries[i];
		for (size_t slot = 0; slot < RECORDING_OBJECTS; slot++) {
			uint64_t count = true_aborts(entry, slot);
			if (count > 0 && entry->objects[slot].address / sizeof(uint64_t) == word)
				search->explained[i] += (double)count / (double)entry->count;
		}
	}
}

static void find_words(struct findings_search *search)
{
	struct findings_group group = words_of(search);
	size_t made = 0;
	for (size_t i = 0; i < group.tally.len && made < MOST_OF_RULE; i++) {
		const struct tally_row *row = group.tally.rows[i];
		if (!findings_is_enough(search, FINDING_HOT_WORD, &row->sum))
			continue;
		describe_word(search, row, group.origin[row->first]);
		explain_word(search, row->key[0]);
		made++;
	}
	findings_group_drop(&group);
}

void findings_of_data(struct findings_search *search)
{
	find_false(search, FINDING_FALSE_SHARING, false);
	find_false(search, FINDING_LOCK_ALIAS, true);
	find_words(search);
}
