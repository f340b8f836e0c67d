/* SPDX-License-Identifier: MIT
 * Waits at commits: for a reader that stands out, and for whatever runs. */
#include "stories.h"

TEST(two_readers_are_one_finding_that_names_both)
{
	made_begin(&made);
	lose_to_reader(LOST / 4);
	lose_to_reader(LOST / 2);
	made.entries[1].remote = at("list_all", 40);
	assert_found(FINDING_COMMIT_WAIT, 6, LOST / 4 + LOST / 2);
	assert_string_equal(finding_of(FINDING_COMMIT_WAIT)->because, "a.c:40 list_all, a.c:30 read_all");
	assert_int_equal(causes(), 1);
}

/* A quarter of each wait the waiting thread was off the processor itself. */
TEST(a_reader_is_accused_for_its_time_on_the_processor_alone)
{
	made_begin(&made);
	lose_to_reader(LOST);
	made.entries[0].count = 4;
	made.entries[0].descheduled_ns = LOST / 3;
	assert_found(FINDING_COMMIT_WAIT, 3, LOST / 4 * 3);
	assert_int_equal(causes(), 1);
	/* With more threads than processors the rest is the story of the holder. */
	lose_to_descheduled(0);
	assert_found(FINDING_COMMIT_WAIT, 3, LOST / 4 * 3);
	assert_found(FINDING_DESCHEDULED_HOLDER, 1, LOST / 4);
	assert_int_equal(causes(), 2);
}

/* One reader is so many times as long as the other transaction, and so are the waits for it. */
static void wait_for_reader(uint64_t times, uint64_t wait_times)
{
	enum { WAITS = 100, OTHER_NS = LOST / 10000 };
	made_begin(&made);
	lose_to_reader(wait_times * OTHER_NS * WAITS);
	made.entries[0].count = WAITS;
	made_time(&made, made.entries[0].remote, 10, 10 * OTHER_NS * times);
	made_time(&made, made.entries[0].local, 1000, 1000 * OTHER_NS);
}

TEST(a_reader_stands_out_by_its_length_and_by_the_waits_for_it)
{
	for (uint64_t less = 0; less < 2; less++) {
		wait_for_reader(8 - less, 50);
		assert_true((finding_of(FINDING_COMMIT_WAIT) != NULL) == (less == 0));
		assert_true((finding_of(FINDING_PRIVATIZATION) != NULL) == (less == 1));
		wait_for_reader(50, 4 - less);
		made.threads[0].attached_ns = LOST / 10;
		for (size_t i = 1; i < MADE_THREADS; i++)
			made.threads[i].attached_ns = 0;
		assert_true((finding_of(FINDING_COMMIT_WAIT) != NULL) == (less == 0));
		assert_true((finding_of(FINDING_PRIVATIZATION) != NULL) == (less == 1));
	}
}

TEST(waits_for_all_kinds_of_transactions_are_the_price_of_the_method)
{
	made_begin(&made);
	lose_to_reader(LOST / 4);
	lose_to_reader(LOST / 4);
	for (size_t i = 0; i < 2; i++)
		made_time(&made, made.entries[i].remote, 1000, 1000 * 1000);
	const struct copied *copied = finding_of(FINDING_PRIVATIZATION);
	assert_non_null(copied);
	assert_string_equal(copied->where, "waits at commits, 25.0 % of the time");
	assert_string_equal(copied->because, "");
	assert_string_equal(copied->finding.advice, "fewer or shorter transactions that write");
	assert_int_equal(copied->finding.lost.ns, LOST / 2);
	assert_int_equal(causes(), 1);
}

/* Although it costs more than the word. */
TEST(the_price_of_the_method_stands_behind_the_findings_about_places)
{
	made_begin(&made);
	lose_to_reader(LOST);
	made_time(&made, made.entries[0].remote, 1000, 1000 * 1000);
	abort_over_word(10);
	finding_of(FINDING_HOT_WORD);
	assert_int_equal(found_len, 2);
	assert_int_equal(found[0].finding.rule, FINDING_HOT_WORD);
	assert_int_equal(found[1].finding.rule, FINDING_PRIVATIZATION);
	assert_true(found[0].finding.lost.ns < found[1].finding.lost.ns);
}
