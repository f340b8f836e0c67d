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

/* ---- TVars that one transaction writes ---- */

/* In which function a word is written, in a transaction that begins where. */
struct writer {
	uint32_t begin;
	const struct symbol_frame *frame; /* of the function; NULL: not known, or there are several writers */
	bool is_access; /* the function is known by a write, and not only by the beginning of its transaction */
};

static bool is_same_writer(const struct writer *one, const struct writer *other)
{
	if (one->frame == NULL || other->frame == NULL || one->begin != other->begin)
		return false;
	const char *left = one->frame->function, *right = other->frame->function;
	return left != NULL && right != NULL && strcmp(left, right) == 0;
}

/* Of culprits known by the beginning alone nothing more is known where others are known by their writes. */
static struct writer writer_of(const struct findings_search *search, uint64_t word)
{
	struct writer writer = {PLACE_UNKNOWN, NULL, false};
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		uint32_t side = search->recording->entries[i].remote, place = places_innermost(search->places, side);
		if (place < PLACE_FIRST || !is_over_word(search, i, word))
			continue;
		struct writer found = {findings_begin_place(search, side), places_frame(search->places, place),
			!search->is_begin[place]};
		if (writer.frame != NULL && (writer.begin != found.begin || (writer.is_access == found.is_access &&
										    !is_same_writer(&writer, &found))))
			return (struct writer){PLACE_UNKNOWN, NULL, false};
		if (found.is_access || !writer.is_access)
			writer = found;
	}
	return writer;
}

/* Transactions that all begin in one helper function are distinguished by their accesses only. */
static bool are_of_one_transaction(const struct writer *one, const struct writer *other)
{
	return (one->is_access || other->is_access) && is_same_writer(one, other);
}

/* ---- findings ---- */

/* A word that is hot. In programs of GHC those that one transaction writes are one finding: that of the costliest. */
struct hot {
	uint64_t word;
	struct findings_origin origin;
	struct tally_sum sum; /* of the first word of a finding: of all its words */
	struct writer writer;
	size_t first;  /* the first word of its finding */
	size_t joined; /* of a first word: how many others its finding has */
	size_t finding;
};

enum { HOT_MAX = 8 };

static size_t first_of(const struct findings_search *search, const struct hot *hot, size_t number)
{
	size_t first = 0;
	while (first < number && !(recording_is_haskell(search->recording) && hot[first].first == first &&
					 are_of_one_transaction(&hot[first].writer, &hot[number].writer)))
		first++;
	return first;
}

/* The costliest first, for FINDINGS_PER_RULE_MAX findings. Returns how many there are. */
static size_t find_hot(const struct findings_search *search, struct hot hot[HOT_MAX])
{
	struct findings_group group = words_of(search);
	size_t len = 0, findings = 0;
	for (size_t i = 0; i < group.tally.len && len < HOT_MAX; i++) {
		const struct tally_row *row = group.tally.rows[i];
		hot[len] = (struct hot){.word = row->key[0], .origin = group.origin[row->first], .sum = row->sum};
		if (!findings_is_enough(search, FINDING_HOT_WORD, &row->sum))
			continue;
		hot[len].writer = writer_of(search, hot[len].word);
		hot[len].first = first_of(search, hot, len);
		bool joins = hot[len].first != len;
		if (joins) {
			tally_sum_add(&hot[hot[len].first].sum, &hot[len].sum);
			hot[hot[len].first].joined++;
		}
		findings += !joins;
		len += joins || findings <= FINDINGS_PER_RULE_MAX;
	}
	findings_group_drop(&group);
	return len;
}

static void name_word(
	const struct findings_search *search, struct finding *finding, size_t number, const struct hot *hot)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[hot->origin.entry];
	if (number >= FINDING_OBJECTS)
		return;
	finding->objects[number] = word_name(search, entry, hot->origin.slot);
	finding->words[number] = entry->objects[hot->origin.slot].address;
}

static struct finding *describe_word(struct findings_search *search, const struct hot *hot)
{
	uint32_t because;
	char *places = word_places(search, hot->word, &because);
	struct finding *finding = findings_add(search, FINDING_HOT_WORD, &hot->sum, NULL, places);
	finding->where = search->recording->entries[hot->origin.entry].local;
	finding->because = because;
	/* A TVar may have a whole map or record in it. */
	if (recording_is_haskell(search->recording))
		finding->advice = "split it, or write it less";
	name_word(search, finding, 0, hot);
	finding->where_text = hot->joined == 0
				      ? memory_text(finding->objects[0])
				      : memory_format("%s, and %zu more TVar%s that the same transaction writes",
						finding->objects[0], hot->joined, hot->joined == 1 ? "" : "s");
	return finding;
}

/* Makes the finding of the first word `number`, and adds the names of the words that join it. */
static void make(struct findings_search *search, struct hot *hot, size_t number, size_t len)
{
	struct finding *finding = describe_word(search, &hot[number]);
	size_t named = 1;
	for (size_t i = number; i < len; i++) {
		if (hot[i].first != number)
			continue;
		hot[i].finding = search->found.len - 1;
		if (i > number)
			name_word(search, finding, named++, &hot[i]);
	}
}

/* Claims the entry's conflicts over the words. */
static void claim_words(struct findings_search *search, size_t number, const struct hot *hot, size_t len)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	struct slots slots = true_slots(search, number);
	for (size_t i = 0; i < len; i++)
		findings_claim_by(search, hot[i].finding, number, part_over(entry, &slots, hot[i].word), true);
}

void findings_hot_word(struct findings_search *search)
{
	struct hot hot[HOT_MAX];
	size_t len = find_hot(search, hot);
	for (size_t i = 0; i < len; i++)
		if (hot[i].first == i)
			make(search, hot, i, len);
	for (size_t i = 0; i < search->recording->entry_count && len > 0; i++)
		claim_words(search, i, hot, len);
}
