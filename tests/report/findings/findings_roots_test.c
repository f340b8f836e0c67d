/* SPDX-License-Identifier: MIT
 * Losses that follow from others belong to the finding about these. */
#include "findings_search.h"
#include "stories.h"

enum { FAILED = 40 };

/* A transaction starves: of its aborts so many are over one word, and the others over a word each. */
static void starve(uint64_t over_word)
{
	made_begin(&made);
	lose_to_starved(LOST);
	uint32_t begin = made.words[made.traceback_at[0] + 2];
	for (uint64_t i = 0; i < 2; i++) {
		uint64_t count = i == 0 ? over_word : FAILED - over_word;
		struct stmlog_entry_record *entry = abort_over_data(count);
		entry->site = begin;
		entry->remote = at("write", 60 + (uint32_t)i);
		entry->objects[0].address = i == 0 ? WORD : 0;
		entry->objects[0].count = i == 0 ? count : 0;
	}
}

TEST(starvation_by_a_hot_word_belongs_to_the_word)
{
	starve(FAILED / 2);
	const struct copied *copied = finding_of(FINDING_HOT_WORD);
	assert_non_null(copied);
	assert_int_equal(copied->finding.lost.ns, LOST + FAILED / 2 * ABORT_NS);
	assert_int_equal(copied->finding.count, FAILED / 2);
	assert_string_equal(copied->text, "hot word: 0x10000, because of a.c:60 write; 120.0 ms lost, of this 83 % by "
					  "starvation, 50 % of aborts");
	assert_null(finding_of(FINDING_STARVATION));
}

TEST(starvation_of_which_a_word_has_the_smaller_part_is_its_own_story)
{
	starve(FAILED / 2 - 1);
	assert_found(FINDING_HOT_WORD, FAILED / 2 - 1, (FAILED / 2 - 1) * ABORT_NS);
	assert_non_null(finding_of(FINDING_STARVATION));
}

/* The word is another transaction's: this one has starved for reasons that are not recorded. */
TEST(starvation_of_a_transaction_without_known_aborts_is_its_own_story)
{
	made_begin(&made);
	lose_to_starved(LOST);
	abort_over_word(ABORTS);
	assert_found(FINDING_HOT_WORD, ABORTS, LOST);
	assert_found(FINDING_STARVATION, 3, LOST);
}

/* What the word costs by itself would be no finding. */
TEST(a_word_is_worth_a_finding_by_what_follows_from_it)
{
	starve(FAILED);
	made.entries[1].lost_ns = made.entries[1].longest_ns = 1000;
	made.entries[1].estimated_ns = 1000;
	assert_found(FINDING_HOT_WORD, FAILED, LOST + 1000);
	assert_int_equal(causes(), 1);
	made.recording.entry_count = 0;
	made.recording.total_count = 0;
	abort_over_word(FAILED);
	for (size_t i = 0; i < 2; i++)
		made.entries[i].lost_ns = 1000, made.entries[i].estimated_ns = 1000;
	assert_null(finding_of(FINDING_HOT_WORD));
}

TEST(starvation_by_false_sharing_and_by_the_same_transaction_belongs_to_these)
{
	for (int i = 0; i < 2; i++) {
		made_begin(&made);
		lose_to_starved(LOST);
		uint32_t begin = made.words[made.traceback_at[0] + 2];
		if (i == 0)
			abort_over_neighbours(FAILED);
		else
			abort_because_of_itself(FAILED);
		made.entries[1].site = begin;
		if (i == 1)
			made.entries[1].remote = made_traceback(&made, begin, STMLOG_NO_SITE);
		assert_found(i == 0 ? FINDING_FALSE_SHARING : FINDING_SELF_CONFLICT, FAILED, LOST + FAILED * ABORT_NS);
		assert_int_equal(causes(), 1);
	}
}

/* Three quarters of the reader's time are failed attempts, all over one word. */
TEST(waits_for_a_reader_that_restarts_belong_to_what_makes_it_restart)
{
	made_begin(&made);
	lose_to_reader(LOST);
	made.entries[0].count = 4;
	struct stmlog_entry_record *entry = abort_over_data(10);
	entry->site = made.words[made.traceback_at[made.entries[0].remote - 2] + 2];
	entry->objects[0].address = WORD;
	entry->objects[0].count = 10;
	struct stmlog_transaction_record *record = made_time(&made, made.entries[0].remote, 10, 1000);
	record->attempts = 20;
	record->lost_ns = 3000;
	const struct copied *copied = finding_of(FINDING_HOT_WORD);
	assert_non_null(copied);
	assert_int_equal(copied->finding.lost.ns, LOST / 4 * 3 + 10 * ABORT_NS);
	assert_non_null(strstr(copied->text, "of this 88 % by commit waits"));
	assert_found(FINDING_PRIVATIZATION, 1, LOST / 4);
}

/* ---- a disturbed run ---- */

/* Aborts over a word, which cost `word_ns`, and as many because of the same transaction, which cost `itself_ns`. The
 * threads were off the processors for `off_ns`. */
static void lose_little(uint64_t word_ns, uint64_t itself_ns, uint64_t off_ns)
{
	made_begin(&made);
	abort_over_word(FAILED);
	abort_because_of_itself(FAILED);
	for (size_t i = 0; i < 3; i++) {
		struct stmlog_entry_record *entry = &made.entries[i];
		entry->lost_ns = entry->longest_ns = i < 2 ? word_ns / 2 : itself_ns;
		entry->estimated_ns = (double)entry->lost_ns;
		made.totals[i].lost_ns = entry->lost_ns;
		made.totals[i].estimated_ns = entry->estimated_ns;
	}
	made.threads[0].descheduled_ns = off_ns;
}

enum { OFF_NS = MADE_THREADS_NS / 100 * FINDINGS_UNCERTAIN_PERCENT };

TEST(of_a_disturbed_run_the_costliest_cheap_conflict_is_kept)
{
	for (uint64_t less = 0; less < 2; less++) {
		lose_little(3000, 2000, OFF_NS - less);
		const struct copied *copied = finding_of(FINDING_HOT_WORD);
		assert_true((copied != NULL) == (less == 0));
		assert_true(copied == NULL || (copied->finding.is_cheap && copied->finding.lost.ns == 3000));
		assert_null(finding_of(FINDING_SELF_CONFLICT));
	}
	lose_little(2000, 3000, OFF_NS);
	assert_found(FINDING_SELF_CONFLICT, FAILED, 3000);
	assert_null(finding_of(FINDING_HOT_WORD));
}

TEST(of_a_disturbed_run_with_a_costly_conflict_no_cheap_one_is_kept)
{
	lose_little(3000, LOST, OFF_NS);
	const struct copied *copied = finding_of(FINDING_SELF_CONFLICT);
	assert_non_null(copied);
	assert_false(copied->finding.is_cheap);
	assert_null(finding_of(FINDING_HOT_WORD));
}

TEST(a_cheap_conflict_stands_behind_waits_at_commits)
{
	lose_little(3000, 2000, OFF_NS);
	made_loss(&made, STMLOG_PAUSE, STMLOG_WRITE_READ, "COMMIT_WAIT", 10, LOST);
	assert_non_null(finding_of(FINDING_PRIVATIZATION));
	assert_int_equal(found[found_len - 1].finding.rule, FINDING_HOT_WORD);
}
