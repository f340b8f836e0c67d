/* SPDX-License-Identifier: MIT
 * Which words are hot, and that no other rule counts their aborts. */
#include "stories.h"

/* Aborts of a place because of itself, of which so many are over one word. */
static void abort_because_of_itself_over(uint64_t count, uint64_t over_word)
{
	abort_because_of_itself(count);
	struct stmlog_entry_record *entry = &made.entries[made.recording.entry_count - 1];
	entry->objects[0].address = WORD;
	entry->objects[0].count = over_word;
}

TEST(aborts_over_a_hot_word_are_no_conflict_of_a_place_with_itself)
{
	made_begin(&made);
	abort_because_of_itself_over(ABORTS, ABORTS);
	assert_found(FINDING_HOT_WORD, ABORTS, ABORTS * ABORT_NS);
	assert_int_equal(causes(), 1);
	made_begin(&made);
	abort_because_of_itself_over(ABORTS, 60);
	assert_found(FINDING_HOT_WORD, 60, 60 * ABORT_NS);
	assert_found(FINDING_SELF_CONFLICT, 40, 40 * ABORT_NS);
	assert_int_equal(causes(), 2);
	/* A word that is not hot takes nothing away. */
	made_begin(&made);
	abort_because_of_itself_over(ABORTS, 14);
	assert_found(FINDING_SELF_CONFLICT, ABORTS, ABORTS * ABORT_NS);
	assert_int_equal(causes(), 1);
}

TEST(a_word_is_hot_among_all_aborts_of_its_entry)
{
	for (uint64_t count = 14; count <= 15; count++) {
		made_begin(&made);
		abort_over_data(ABORTS)->objects[0].address = WORD;
		made.entries[0].objects[0].count = count;
		assert_true((finding_of(FINDING_HOT_WORD) != NULL) == (count == 15));
	}
}
