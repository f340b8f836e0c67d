/* SPDX-License-Identifier: MIT
 * The rule about transactions that read very much. It also names the function that reads. */
#include <string.h>

#include <stmlog/read.h>

#include "findings_search.h"
#include "report_memory.h"

/* A transaction reads very much if its attempts take at least READS_MIN_TIMES as long as those of others, if at least
 * READS_FUNCTION_PERCENT of its aborts at reads are in one function, and if no word has more than READS_WORD_PERCENT of
 * them. */
enum { READS_MIN_TIMES = 4, READS_FUNCTION_PERCENT = 75, READS_WORD_PERCENT = 15 };

/* At least this part of the aborts must be true conflicts, unless the conflicts look like those of nodes. A transaction
 * that walks over nodes fails at the first word that it reads of a stripe, mostly not the word that was written: such a
 * conflict is false, but no distance between the words ends it. If no conflict is true, and the two words are not at
 * the constant distance that members of nodes have, then the transaction reads words of its own that lie beside those
 * of others. */
enum { READS_TRUE_PERCENT = 10 };

/* The aborts at reads of the transaction that begins at `place` that are not claimed yet. */
static uint64_t reads_at(const struct findings_search *search, size_t number, uint32_t place)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[number];
	bool is_read = findings_is_data_abort(entry) && entry->contention == STMLOG_WRITE_READ;
	if (!is_read || findings_victim_place(search, entry) != place)
		return 0;
	return estimate_whole((double)entry->count * search->rest[number].all);
}

static bool shares_data(const struct findings_search *search, uint32_t place, uint64_t aborts)
{
	double true_ones = 0;
	bool are_nodes = false;
	for (size_t i = 0; i < search->recording->entry_count; i++)
		if (reads_at(search, i, place) > 0) {
			true_ones += (double)search->recording->entries[i].count * search->rest[i].true_ones;
			are_nodes = are_nodes || findings_are_like_nodes(search, i);
		}
	return are_nodes || true_ones * 100 >= (double)aborts * READS_TRUE_PERCENT;
}

/* ---- the function ---- */

static const char *function_of(const struct findings_search *search, uint32_t place)
{
	const struct symbol_frame *frame = places_frame(search->places, place);
	return frame != NULL && frame->function != NULL ? frame->function : "";
}

static const char *reading_function(const struct findings_search *search, size_t number)
{
	return function_of(search, places_innermost(search->places, search->recording->entries[number].local));
}

static uint64_t reads_in(const struct findings_search *search, uint32_t place, const char *function)
{
	uint64_t count = 0;
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		uint64_t more = reads_at(search, i, place);
		if (more > 0 && strcmp(reading_function(search, i), function) == 0)
			count += more;
	}
	return count;
}

size_t findings_reader_of(const struct findings_search *search, uint32_t place)
{
	uint64_t all = 0, max = 0;
	size_t reader = SIZE_MAX;
	for (size_t i = 0; i < search->recording->entry_count; i++) {
		uint64_t count = reads_at(search, i, place);
		all += count;
		if (count > max)
			max = count, reader = i;
	}
	if (reader == SIZE_MAX || reading_function(search, reader)[0] == '\0')
		return SIZE_MAX;
	uint64_t in = reads_in(search, place, reading_function(search, reader));
	return (double)in * 100 >= (double)all * READS_FUNCTION_PERCENT ? reader : SIZE_MAX;
}

char *findings_reader_text(const struct findings_search *search, uint32_t place)
{
	size_t reader = findings_reader_of(search, place);
	if (reader == SIZE_MAX || strcmp(reading_function(search, reader), function_of(search, place)) == 0)
		return memory_text("");
	char *where = findings_frame_text(search, search->recording->entries[reader].local, 0);
	char *text = memory_format("reads at %s", where);
	memory_free(where);
	return text;
}

/* ---- how many words ---- */

static uint64_t aborts_over(const struct findings_search *search, uint32_t place, uint64_t address)
{
	uint64_t count = 0;
	for (size_t i = 0; i < search->recording->entry_count; i++)
		for (size_t slot = 0; slot < RECORDING_OBJECTS && reads_at(search, i, place) > 0; slot++)
			if (search->recording->entries[i].objects[slot].address == address)
				count += search->recording->entries[i].objects[slot].count;
	return count;
}

/* How many entries are searched for words: the costliest. */
enum { ENTRIES_LOOKED_AT = 32 };

/* Whether the words are known, and none of them has a large part of the aborts. */
static bool are_many_words(const struct findings_search *search, uint32_t place, uint64_t aborts)
{
	uint64_t max = 0;
	size_t looked_at = 0;
	bool are_known = false;
	for (size_t i = 0; i < search->recording->entry_count && looked_at < ENTRIES_LOOKED_AT; i++) {
		if (reads_at(search, i, place) == 0)
			continue;
		looked_at++;
		for (size_t slot = 0; slot < RECORDING_OBJECTS; slot++) {
			uint64_t address = search->recording->entries[i].objects[slot].address;
			uint64_t over = address != 0 ? aborts_over(search, place, address) : 0;
			max = over > max ? over : max;
			are_known |= address != 0;
		}
	}
	return are_known && (double)max * 100 <= (double)aborts * READS_WORD_PERCENT;
}

/* ---- large-read-set ---- */

static struct findings_group readers_of(const struct findings_search *search)
{
	const struct recording *recording = search->recording;
	struct findings_group group = findings_group_make(search, recording->entry_count);
	for (size_t i = 0; i < recording->entry_count; i++) {
		uint32_t place = findings_victim_place(search, &recording->entries[i]);
		struct tally_sum whole = tally_sum_of(&recording->entries[i]);
		struct tally_sum sum = findings_part(&whole, search->rest[i].all);
		if (place >= PLACE_FIRST && reads_at(search, i, place) > 0 && sum.count > 0)
			findings_group_add(&group, place, 0, &sum, (struct findings_origin){(uint32_t)i, 0});
	}
	findings_group_sort(&group);
	return group;
}

static bool is_long(const struct findings_search *search, uint32_t place)
{
	double others_ns = findings_other_attempts_ns(search, place);
	return others_ns > 0 && findings_attempt_ns(search, place) >= others_ns * READS_MIN_TIMES;
}

/* Claims the true conflicts and the false ones. */
static void claim_reads(struct findings_search *search, size_t entry)
{
	size_t number = search->found.len - 1;
	double false_ones = search->rest[entry].all - search->rest[entry].true_ones;
	findings_claim_by(search, number, entry, search->rest[entry].true_ones, true);
	findings_claim_by(search, number, entry, false_ones, false);
}

static void describe(struct findings_search *search, const struct tally_sum *sum, uint32_t place, size_t reader)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[reader];
	struct finding *finding = findings_add(search, FINDING_LARGE_READ_SET, sum, findings_place_text(search, place),
		findings_reader_text(search, place));
	finding->where = entry->local;
	finding->because = entry->remote;
	for (size_t i = 0; i < search->recording->entry_count; i++)
		if (reads_at(search, i, place) > 0)
			claim_reads(search, i);
}

static bool make(struct findings_search *search, const struct tally_row *row, struct findings_origin origin)
{
	uint32_t place = (uint32_t)row->key[0];
	(void)origin;
	if (!is_long(search, place) || !are_many_words(search, place, row->sum.count) ||
		!shares_data(search, place, row->sum.count))
		return false;
	size_t reader = findings_reader_of(search, place);
	if (reader != SIZE_MAX)
		describe(search, &row->sum, place, reader);
	return reader != SIZE_MAX;
}

void findings_large_read_set(struct findings_search *search)
{
	findings_make_each(search, FINDING_LARGE_READ_SET, readers_of(search), make);
}
