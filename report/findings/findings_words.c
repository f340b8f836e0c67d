/* SPDX-License-Identifier: MIT
 * The rule about hot words: words over which many aborts happen. */
#include <string.h>

#include "findings_search.h"
#include "report_memory.h"

static uint64_t word_of(const struct stmlog_entry_record *entry, size_t slot)
{
	return entry->objects[slot].address / sizeof(uint64_t);
}

/* The part of the entry's losses over the word of each slot. The sum is at most the part of the entry that is left. */
struct slots {
	double part[RECORDING_OBJECTS];
};

static struct slots true_slots(const struct findings_search *search, size_t number)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	double left = findings_is_data_abort(entry) ? search->rest[number].true_ones : 0;
	struct slots slots = {{0}};
	for (size_t i = 0; i < RECORDING_OBJECTS; i++) {
		uint64_t other = entry->object_others[i], address = entry->objects[i].address;
		if (address != 0 && (other == 0 || other == address || findings_is_same_object(search, number, i)))
			slots.part[i] = findings_part_of(entry->objects[i].count, entry);
		if (slots.part[i] > left)
			slots.part[i] = left;
		left -= slots.part[i];
	}
	return slots;
}

static size_t count_true_slots(const struct findings_search *search)
{
	size_t count = 0;
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		struct slots slots = true_slots(search, i);
		for (size_t slot = 0; slot < RECORDING_OBJECTS; slot++)
			count += slots.part[slot] > 0;
	}
	return count;
}

static struct findings_group words_of(const struct findings_search *search)
{
	const struct recording *recording = search->recording;
	struct findings_group group = findings_group_make(search, count_true_slots(search));
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		struct tally_sum whole = tally_sum_of(entry);
		struct slots slots = true_slots(search, i);
		for (uint32_t slot = 0; slot < RECORDING_OBJECTS; slot++) {
			struct tally_sum sum = findings_part(&whole, slots.part[slot]);
			if (slots.part[slot] > 0)
				findings_group_add(&group, word_of(entry, slot), 0, &sum,
					(struct findings_origin){(uint32_t)i, slot});
		}
	}
	findings_group_sort(&group);
	return group;
}

/* The part of the entry's losses that were over the word. */
static double part_over(const struct stmlog_entry_record *entry, const struct slots *slots, uint64_t word)
{
	double part = 0;
	for (size_t slot = 0; slot < RECORDING_OBJECTS; slot++)
		part += word_of(entry, slot) == word ? slots->part[slot] : 0;
	return part;
}

double findings_part_over_word(const struct findings_search *search, size_t number, uint64_t address)
{
	struct slots slots = true_slots(search, number);
	return part_over(&search->recording->entries[number], &slots, address / sizeof(uint64_t));
}

/* Claims the entry's conflicts over `words`, which are the words of the `len` latest findings. */
static void claim_words(struct findings_search *search, size_t number, const uint64_t *words, size_t len)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	struct slots slots = true_slots(search, number);
	for (size_t i = 0; i < len; i++)
		findings_claim_by(
			search, search->found.len - len + i, number, part_over(entry, &slots, words[i]), true);
}

/* A side of a conflict over the word: the traceback that says most, and the innermost place of it. */
struct toucher {
	uint32_t place, traceback;
};

static uint32_t side_of(const struct stmlog_entry_record *entry, bool is_culprit)
{
	return is_culprit ? entry->remote : entry->local;
}

static bool is_over_word(const struct findings_search *search, size_t number, uint64_t word)
{
	struct slots slots = true_slots(search, number);
	return part_over(&search->recording->entries[number], &slots, word) > 0;
}

/* The costliest traceback over the word, of a culprit or else of a victim, whose transaction begins at `begin` and that
 * has the access, too. 0: none has. */
static uint32_t find_access(const struct findings_search *search, uint64_t word, uint32_t begin)
{
	for (int is_culprit = 1; is_culprit >= 0; is_culprit--)
		for (size_t i = 0; i < search->recording->entry_count; i++) {
			uint32_t side = side_of(&search->recording->entries[i], is_culprit);
			if (findings_begin(search, side) > 0 && findings_begin_place(search, side) == begin &&
				is_over_word(search, i, word))
				return side;
		}
	return 0;
}

/* The traceback of a culprit that was not measured has only the place where its transaction begins. The place of the
 * access is then that of the same transaction elsewhere, if it is known. */
static struct toucher toucher_of(const struct findings_search *search, uint64_t word, uint32_t traceback)
{
	uint32_t place = places_innermost(search->places, traceback);
	uint32_t access = search->is_begin[place] ? find_access(search, word, place) : 0;
	return access != 0 ? (struct toucher){places_innermost(search->places, access), access}
			   : (struct toucher){place, traceback};
}

/* Finds two transactions that touched the word at different places, by the costliest losses over it: of culprits, or of
 * victims. Returns how many were found. */
static size_t find_touchers(
	const struct findings_search *search, uint64_t word, bool are_culprits, struct toucher touchers[2])
{
	size_t len = 0;
	uint32_t last = PLACE_UNKNOWN; /* what it stands for has been found already */
	for (size_t i = 0; i < search->recording->entry_count && len < 2; i++) {
		uint32_t side = side_of(&search->recording->entries[i], are_culprits);
		uint32_t place = places_innermost(search->places, side);
		if (place < PLACE_FIRST || place == last || !is_over_word(search, i, word))
			continue;
		last = place;
		touchers[len] = toucher_of(search, word, side);
		len += len == 0 || touchers[0].place != touchers[1].place;
	}
	return len;
}

/* "bank.c:61 transfer, bank.c:85 audit": where others wrote the word; if that is not known, where attempts failed at
 * it. Sets *because to a traceback of the others, 0 if none is known. */
static char *word_places(const struct findings_search *search, uint64_t word, uint32_t *because)
{
	struct toucher touchers[2] = {{PLACE_UNKNOWN, 0}, {PLACE_UNKNOWN, 0}};
	size_t len = find_touchers(search, word, true, touchers);
	*because = len > 0 ? touchers[0].traceback : 0;
	len = len > 0 ? len : find_touchers(search, word, false, touchers);
	char *first = findings_place_text(search, touchers[0].place);
	char *second = len == 2 ? findings_place_text(search, touchers[1].place) : NULL;
	char *both = second != NULL ? memory_format("%s, %s", first, second) : memory_text(first);
	memory_free(first);
	memory_free(second);
	return both;
}

/* The name of the word. If the variable is larger than the word, the name says where in the variable the word lies,
 * with "+0" at its beginning, too. */
static char *word_name(const struct findings_search *search, const struct stmlog_entry_record *entry, size_t slot)
{
	uint64_t address = entry->objects[slot].address;
	char *name = findings_object_text(report_object_of(search->report, entry, address));
	bool is_given = entry->object_names[slot] != 0;
	if (is_given || symbols_object_size(search->report->symbols, address) <= sizeof(uint64_t) ||
		strchr(name, '+') != NULL)
		return name;
	char *text = memory_format("%s+0", name);
	memory_free(name);
	return text;
}

static void describe_word(struct findings_search *search, const struct tally_row *row, struct findings_origin origin)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[origin.entry];
	uint32_t because;
	char *places = word_places(search, row->key[0], &because);
	struct finding *finding = findings_add(search, FINDING_HOT_WORD, &row->sum, NULL, places);
	finding->where = entry->local;
	finding->because = because;
	/* A TVar may have a whole map or record in it. */
	if (recording_is_haskell(search->recording))
		finding->advice = "split it, or write it less";
	finding->objects[0] = word_name(search, entry, origin.slot);
	finding->words[0] = entry->objects[origin.slot].address;
	finding->where_text = memory_text(finding->objects[0]);
}

void findings_hot_word(struct findings_search *search)
{
	struct findings_group group = words_of(search);
	uint64_t words[FINDINGS_PER_RULE_MAX];
	size_t made = 0;
	for (size_t i = 0; i < group.tally.len && made < FINDINGS_PER_RULE_MAX; i++) {
		const struct tally_row *row = group.tally.rows[i];
		if (!findings_is_enough(search, FINDING_HOT_WORD, &row->sum))
			continue;
		describe_word(search, row, group.origin[row->first]);
		words[made++] = row->key[0];
	}
	for (size_t i = 0; i < search->recording->entry_count && made > 0; i++)
		claim_words(search, i, words, made);
	findings_group_drop(&group);
}
