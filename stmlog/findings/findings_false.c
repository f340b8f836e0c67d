/* SPDX-License-Identifier: MIT
 * Rules about false conflicts: between variables of one stripe, or of two stripes that share a lock. */
#include <string.h>

#include <stmlog/stmlog.h>

#include "cause.h"
#include "findings_search.h"
#include "report_memory.h"

enum { MOST_OF_RULE = 3 };

static bool is_abort(const struct stmlog_entry_record *entry)
{
	return cause_is_abort(entry->reason) && entry->reason != STMLOG_USER_ABORT;
}

/* ---- names ---- */

/* "+8" of "tallies+8" behind "tallies", which is where the other one lies, too; otherwise the whole name. */
static const char *behind(const char *object, const char *other)
{
	const char *plus = strrchr(other, '+');
	size_t len = plus != NULL ? (size_t)(plus - other) : 0;
	bool is_same = len > 0 && strncmp(object, other, len) == 0 && (object[len] == '\0' || object[len] == '+');
	return is_same ? plus : other;
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

/* The false conflicts of the kind, as a part of the entry's losses. */
static double false_part(const struct findings_search *search, size_t number, bool are_aliases)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	uint64_t aliases = smaller(entry->false_aliases, entry->false_conflicts);
	double part = findings_part_of(are_aliases ? aliases : entry->false_conflicts - aliases, entry);
	return is_abort(entry) ? lesser(part, search->rest[number].all) : 0;
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

/* The pairs of variables in the same two stripes, or in the same one, are one cause. */
static void add_pair(struct findings_group *group, const struct findings_search *search, uint64_t address,
	uint64_t other, const struct tally_sum *sum, struct findings_origin origin)
{
	uint64_t stripe = search->recording->info.stripe_bytes;
	uint64_t low = address < other ? address : other, high = address < other ? other : address;
	findings_group_add(group, stripe != 0 ? low / stripe : low, stripe != 0 ? high / stripe : high, sum, origin);
}

/* One entry may count at most its own losses of the kind, however many its slots claim. */
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
		add_pair(group, search, entry->objects[i].address, entry->object_others[i], &sum,
			(struct findings_origin){number, i});
		left -= part;
	}
}

/* Those of pairs that are not shown, too: no rule about true conflicts may have them. */
static void claim_false(struct findings_search *search, bool are_aliases)
{
	for (size_t i = 0; i < search->recording->entry_count; i++)
		findings_claim_false(search, i, false_part(search, i, are_aliases));
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
	name_objects(finding, findings_object_text(report_object_of(search->report, entry, address)),
		findings_object_text(report_other_of(search->report, other)));
}

/* All false conflicts of the kind, where no pair of variables stands out. */
static void find_many_pairs(struct findings_search *search, enum finding_rule rule, bool are_aliases)
{
	const struct recording *recording = search->recording;
	struct tally_sum sum = {.count = 0};
	size_t costliest = recording->entry_count;
	uint64_t most_ns = 0;
	for (size_t i = 0; i < recording->entry_count; i++) {
		struct tally_sum whole = tally_sum_of(&recording->entries[i]);
		struct tally_sum part = findings_part(&whole, false_part(search, i, are_aliases));
		if (part.count == 0)
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
		claim_false(search, are_aliases);
}

void findings_false_sharing(struct findings_search *search)
{
	find_false(search, FINDING_FALSE_SHARING, false);
}

void findings_lock_alias(struct findings_search *search)
{
	find_false(search, FINDING_LOCK_ALIAS, true);
}
