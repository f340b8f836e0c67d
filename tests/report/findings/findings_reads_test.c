/* SPDX-License-Identifier: MIT
 * Which transactions read too much, and which function reads. */
#include "stories.h"

enum { WORDS = 8 };

/* The transaction has a hundred aborts at reads in a function, at so many words alike. Its attempts are `times` as long
 * as those of others. */
static uint32_t read_much(uint64_t words, uint64_t times)
{
	made_begin(&made);
	uint32_t begin = made_site(&made, "count_all", 80),
		 local = made_traceback(&made, made_site(&made, "walk", 7), begin);
	uint32_t remote = at("bump", 40);
	for (uint64_t i = 0; i < words; i++) {
		struct stmlog_entry_record *entry = abort_over_data(ABORTS / words);
		entry->site = begin;
		entry->local = local;
		entry->remote = remote;
		entry->objects[0].address = WORD + i * 4096;
		entry->objects[0].count = entry->count;
	}
	made_time(&made, made_traceback(&made, begin, STMLOG_NO_SITE), 10, 10 * 1000 * times);
	made_time(&made, remote, 1000, 1000 * 1000);
	return begin;
}

TEST(a_long_transaction_that_fails_at_many_words_reads_too_much)
{
	read_much(WORDS, 4);
	assert_found(FINDING_LARGE_READ_SET, ABORTS / WORDS * WORDS, ABORTS / WORDS * WORDS * (uint64_t)ABORT_NS);
	const struct copied *copied = finding_of(FINDING_LARGE_READ_SET);
	assert_string_equal(copied->where, "a.c:80 count_all");
	assert_string_equal(copied->because, "reads at a.c:7 walk");
	assert_int_equal(causes(), 1);
	read_much(WORDS, 3);
	assert_null(finding_of(FINDING_LARGE_READ_SET));
}

TEST(words_that_have_all_been_forgotten_were_many)
{
	for (int are_known = 0; are_known < 2; are_known++) {
		read_much(WORDS, 4);
		for (size_t i = 0; i < WORDS; i++) {
			made.entries[i].objects[0].address *= (uint64_t)are_known;
			made.entries[i].objects[0].count = 0;
		}
		assert_true((finding_of(FINDING_LARGE_READ_SET) != NULL) == (are_known == 1));
	}
}

TEST(aborts_over_few_words_or_in_several_functions_are_another_story)
{
	for (int i = 0; i < 3; i++) {
		uint32_t begin = read_much(i == 1 ? 6 : WORDS, 4);
		for (size_t k = 0; k < 3 && i == 2; k++) /* of eight */
			made.entries[k].local = made_traceback(&made, made_site(&made, "look", 9), begin);
		const struct copied *copied = finding_of(FINDING_LARGE_READ_SET);
		assert_true((copied != NULL) == (i == 0));
	}
}

TEST(aborts_of_which_less_than_a_tenth_are_true_conflicts_are_another_story)
{
	for (uint64_t true_ones = 1; true_ones <= 2; true_ones++) {
		read_much(WORDS, 4);
		for (size_t i = 0; i < WORDS; i++)
			made.entries[i].false_conflicts = made.entries[i].count - true_ones; /* of twelve */
		assert_int_equal(made.entries[0].count, 12);
		assert_true((finding_of(FINDING_LARGE_READ_SET) != NULL) == (true_ones == 2));
	}
}

/* The objects of one entry: `nodes` of them with members of 8 and 16 bytes, and one whose other word is elsewhere. */
static void fail_beside(struct stmlog_entry_record *entry, size_t nodes, uint64_t elsewhere)
{
	for (size_t slot = 0; slot < nodes; slot++) {
		entry->objects[slot].address = WORD + 8 + slot * 4096;
		entry->objects[slot].count = 1;
		made.entries[0].object_others[slot] = WORD + 16 + slot * 4096;
	}
	made.entries[0].object_others[0] += elsewhere;
}

TEST(members_of_three_nodes_at_one_distance_are_data_that_both_use)
{
	for (int i = 0; i < 3; i++) {
		read_much(WORDS, 4);
		for (size_t k = 0; k < WORDS; k++)
			made.entries[k].false_conflicts = made.entries[k].count;
		fail_beside(&made.entries[0], i == 1 ? 2 : 3, i == 2 ? 4 : 0);
		assert_true((finding_of(FINDING_LARGE_READ_SET) != NULL) == (i == 0));
	}
}

TEST(so_are_examples_of_very_many_nodes_whose_counts_are_0)
{
	read_much(WORDS, 4);
	for (size_t k = 0; k < WORDS; k++)
		made.entries[k].false_conflicts = made.entries[k].count;
	fail_beside(&made.entries[0], 4, 0);
	for (size_t slot = 0; slot < 4; slot++)
		made.entries[0].objects[slot].count = 0;
	assert_non_null(finding_of(FINDING_LARGE_READ_SET));
}

TEST(waits_for_a_reader_that_starves_are_part_of_what_it_reads)
{
	uint32_t begin = read_much(WORDS, 4);
	struct stmlog_entry_record *entry = made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "BEGIN_WAIT", 3, LOST);
	entry->remote =
		made_traceback(&made, begin, made_site(&made, "(starved: runs alone after 101 failed attempts)", 0));
	const struct copied *copied = finding_of(FINDING_LARGE_READ_SET);
	assert_non_null(copied);
	assert_non_null(strstr(copied->text, "% by starvation"));
	assert_int_equal(causes(), 1);
}

TEST(a_conflict_of_a_transaction_with_itself_names_the_function_that_reads)
{
	for (int is_own = 0; is_own < 2; is_own++) {
		made_begin(&made);
		abort_because_of_itself(ABORTS);
		uint32_t begin = made.entries[0].site;
		made.entries[0].local = made_traceback(&made, made_site(&made, is_own ? "take" : "find", 33), begin);
		const struct copied *copied = finding_of(FINDING_SELF_CONFLICT);
		assert_non_null(copied);
		assert_string_equal(copied->because, is_own ? "" : "reads at a.c:33 find");
	}
}
