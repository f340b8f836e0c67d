/* SPDX-License-Identifier: MIT
 * Rules about false conflicts: between variables of one stripe, or of two stripes that share a lock. */
#include <string.h>

#include <stmlog/read.h>

#include "cause.h"
#include "findings_search.h"
#include "report_memory.h"

static bool is_abort(const struct stmlog_entry_record *entry)
{
	return cause_is_abort(entry->reason) && entry->reason != STMLOG_USER_ABORT;
}

/* ---- names ---- */

/* `other` without the variable or structure that `object` is a part of, too: "+8" for "tallies" and "tallies+8",
 * ".asks" for "stats.bids" and "stats.asks"; otherwise the whole of `other`. */
static const char *behind(const char *object, const char *other)
{
	static const char marks[] = "+.[";
	size_t len = strlen(other);
	do
		len -= len > 0;
	while (len > 0 && strchr(marks, other[len]) == NULL);
	bool is_same =
		len > 0 && other[0] != '`' && strncmp(object, other, len) == 0 && strchr(marks, object[len]) != NULL;
	return is_same ? other + len : other;
}

static void name_objects(struct finding *finding, char *object, char *other)
{
	finding->objects[0] = object;
	finding->objects[1] = other;
	finding->where_text = memory_format("%s, %s", object, behind(object, other));
}

/* ---- false conflicts ---- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

/* The part of the entry's losses that are false conflicts of this kind and not claimed yet. */
static double false_part(const struct findings_search *search, size_t number, bool are_aliases)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	uint64_t aliases = smaller(entry->false_aliases, entry->false_conflicts);
	double near =
		findings_part_of(entry->false_conflicts - aliases, entry) * (1 - findings_same_part(search, number));
	double part = are_aliases ? findings_part_of(aliases, entry) : near;
	return is_abort(entry) ? lesser(part, search->rest[number].all) : 0;
}

/* Whether the slot has a false conflict of this kind: within one stripe, or between stripes that share a lock. */
static bool is_false_slot(
	const struct findings_search *search, const struct stmlog_entry_record *entry, size_t slot, bool are_aliases)
{
	size_t number = (size_t)(entry - search->recording->entries);
	if (!findings_is_false_slot(entry, slot) || findings_is_same_object(search, number, slot))
		return false;
	return findings_is_near(search, entry, slot) != are_aliases;
}

/* Counts first, so that no more rows than needed are allocated: rows are long. */
static size_t count_false_slots(const struct findings_search *search, bool are_aliases)
{
	size_t count = 0;
	for (size_t i = 0; i < search->recording->entry_count; i++)
		for (size_t slot = 0; slot < RECORDING_OBJECTS; slot++)
			count += is_false_slot(search, &search->recording->entries[i], slot, are_aliases);
	return count;
}

/* The stripes of the two variables. All pairs of variables in the same two stripes, or in the same stripe, are one
 * cause. */
struct stripes {
	uint64_t low, high;
};

static struct stripes stripes_of(const struct findings_search *search, struct findings_origin origin)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[origin.entry];
	uint64_t address = entry->objects[origin.slot].address, other = entry->object_others[origin.slot];
	uint64_t low = address < other ? address : other, high = address < other ? other : address;
	uint64_t stripe = search->recording->info.stripe_bytes != 0 ? search->recording->info.stripe_bytes : 1;
	return (struct stripes){low / stripe, high / stripe};
}

/* All slots of an entry together count at most the entry's own false conflicts of this kind. */
static void add_false_slots(
	const struct findings_search *search, struct findings_group *group, uint32_t number, bool are_aliases)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	struct tally_sum whole = tally_sum_of(entry);
	double left = false_part(search, number, are_aliases);
	for (uint32_t i = 0; i < RECORDING_OBJECTS && left > 0; i++) {
		if (!is_false_slot(search, entry, i, are_aliases))
			continue;
		double part = lesser(findings_part_of(entry->objects[i].count, entry), left);
		struct tally_sum sum = findings_part(&whole, part);
		struct findings_origin origin = {number, i};
		struct stripes stripes = stripes_of(search, origin);
		findings_group_add(group, stripes.low, stripes.high, &sum, origin);
		left -= part;
	}
}

/* The pairs of stripes of the latest findings. Empty if one finding has all false conflicts. */
struct found_pairs {
	struct stripes at[FINDINGS_PER_RULE_MAX];
	size_t len;
};

/* The number of the finding of this pair of stripes; SIZE_MAX: the pair has no finding. */
static size_t finding_for(
	const struct findings_search *search, const struct found_pairs *pairs, struct findings_origin origin)
{
	struct stripes stripes = stripes_of(search, origin);
	for (size_t i = 0; i < pairs->len; i++)
		if (pairs->at[i].low == stripes.low && pairs->at[i].high == stripes.high)
			return search->found.len - pairs->len + i;
	return SIZE_MAX;
}

/* Claims all false conflicts of the entry, those of pairs without a finding, too, so that no rule about true conflicts
 * counts them. */
static void claim_false(
	struct findings_search *search, const struct found_pairs *pairs, uint32_t number, bool are_aliases)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	double left = false_part(search, number, are_aliases);
	for (uint32_t slot = 0; slot < RECORDING_OBJECTS && left > 0; slot++) {
		size_t finding = is_false_slot(search, entry, slot, are_aliases)
					 ? finding_for(search, pairs, (struct findings_origin){number, slot})
					 : SIZE_MAX;
		if (finding == SIZE_MAX)
			continue;
		double part = lesser(findings_part_of(entry->objects[slot].count, entry), left);
		findings_claim_by(search, finding, number, part, false);
		left -= part;
	}
	if (pairs->len == 0)
		findings_claim_by(search, search->found.len - 1, number, left, false);
	else
		findings_claim_false(search, number, left);
}

static bool has_culprit(const struct findings_search *search, const struct stmlog_entry_record *entry)
{
	return recording_traceback(search->recording, entry->remote).len > 0;
}

/* The loss by which the finding is described: the costliest of the row whose culprit is known; if no culprit is known,
 * the costliest. */
static struct findings_origin example_of(const struct findings_search *search, const struct findings_group *group,
	const struct tally_row *row, bool are_aliases)
{
	const struct recording *recording = search->recording;
	struct findings_origin example = group->origin[row->first];
	if (has_culprit(search, &recording->entries[example.entry]))
		return example;
	for (uint32_t i = 0; i < recording->entry_count; i++)
		for (uint32_t slot = 0; slot < RECORDING_OBJECTS; slot++) {
			struct findings_origin origin = {i, slot};
			struct stripes stripes = stripes_of(search, origin);
			if (is_false_slot(search, &recording->entries[i], slot, are_aliases) &&
				stripes.low == row->key[0] && stripes.high == row->key[1] &&
				has_culprit(search, &recording->entries[i]))
				return origin;
		}
	return example;
}

/* The line at which the culprit wrote; "" if it is not known. */
static char *culprit_text(const struct findings_search *search, const struct stmlog_entry_record *entry)
{
	return has_culprit(search, entry) ? findings_frame_text(search, entry->remote, 0) : memory_text("");
}

static void describe_pair(struct findings_search *search, enum finding_rule rule, const struct tally_sum *sum,
	struct findings_origin origin)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[origin.entry];
	uint64_t address = entry->objects[origin.slot].address, other = entry->object_others[origin.slot];
	struct finding *finding = findings_add(search, rule, sum, NULL, culprit_text(search, entry));
	finding->where = entry->local;
	finding->because = entry->remote;
	finding->words[0] = address;
	finding->words[1] = other;
	name_objects(finding, findings_object_text(report_object_of(search->report, entry, address)),
		findings_object_text(report_other_of(search->report, other)));
}

/* Makes one finding of all false conflicts of this kind. Called if no pair of variables reaches the threshold. */
static void find_many_pairs(struct findings_search *search, enum finding_rule rule, bool are_aliases)
{
	const struct recording *recording = search->recording;
	struct tally_sum sum = {.count = 0};
	const struct stmlog_entry_record *example = NULL; /* the costliest, with a known culprit if there is any */
	uint64_t max_ns = 0;
	for (size_t i = 0; i < recording->entry_count; i++) {
		struct tally_sum whole = tally_sum_of(&recording->entries[i]);
		struct tally_sum part = findings_part(&whole, false_part(search, i, are_aliases));
		if (part.count == 0)
			continue;
		tally_sum_add(&sum, &part);
		bool has_example_culprit = example != NULL && has_culprit(search, example);
		bool has_own_culprit = has_culprit(search, &recording->entries[i]);
		if (example != NULL &&
			(has_example_culprit != has_own_culprit ? has_example_culprit : part.lost_ns <= max_ns))
			continue;
		example = &recording->entries[i];
		max_ns = part.lost_ns;
	}
	if (example == NULL || !findings_is_enough(search, rule, &sum))
		return;
	struct finding *finding =
		findings_add(search, rule, &sum, memory_text("many pairs of variables"), culprit_text(search, example));
	finding->where = example->local;
	finding->because = example->remote;
}

static struct found_pairs find_pairs(struct findings_search *search, enum finding_rule rule, bool are_aliases)
{
	struct found_pairs pairs = {.len = 0};
	struct findings_group group = findings_group_make(search, count_false_slots(search, are_aliases));
	for (size_t i = 0; i < search->recording->entry_count; i++)
		add_false_slots(search, &group, (uint32_t)i, are_aliases);
	findings_group_sort(&group);
	for (size_t i = 0; i < group.tally.len && pairs.len < FINDINGS_PER_RULE_MAX; i++) {
		const struct tally_row *row = group.tally.rows[i];
		if (!findings_is_enough(search, rule, &row->sum))
			continue;
		describe_pair(search, rule, &row->sum, example_of(search, &group, row, are_aliases));
		pairs.at[pairs.len++] = (struct stripes){row->key[0], row->key[1]};
	}
	findings_group_drop(&group);
	return pairs;
}

static void find_false(struct findings_search *search, enum finding_rule rule, bool are_aliases)
{
	size_t before = search->found.len;
	struct found_pairs pairs = find_pairs(search, rule, are_aliases);
	if (pairs.len == 0)
		find_many_pairs(search, rule, are_aliases);
	for (size_t i = 0; i < search->recording->entry_count && search->found.len > before; i++)
		claim_false(search, &pairs, (uint32_t)i, are_aliases);
}

void findings_false_sharing(struct findings_search *search)
{
	find_false(search, FINDING_FALSE_SHARING, false);
}

void findings_lock_alias(struct findings_search *search)
{
	find_false(search, FINDING_LOCK_ALIAS, true);
}
