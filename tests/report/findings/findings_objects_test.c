/* SPDX-License-Identifier: MIT
 * Two words of one object that both transactions use are no false sharing. */
#include "stories.h"

/* A hundred aborts of a transaction because of itself, at two lines or at one, between two words of `nodes` stripes. */
static struct stmlog_entry_record *abort_over_nodes(size_t nodes, bool is_one_line)
{
	made_begin(&made);
	struct stmlog_entry_record *entry = abort_over_data(ABORTS);
	uint32_t begin = made_site(&made, "touch", 50), read = made_site(&made, "touch", 51);
	entry->site = begin;
	entry->local = made_traceback(&made, read, begin);
	entry->remote = made_traceback(&made, is_one_line ? read : made_site(&made, "touch", 52), begin);
	entry->false_conflicts = ABORTS;
	for (size_t i = 0; i < nodes; i++) {
		entry->objects[i].address = WORD + 4096 * i;
		entry->objects[i].count = ABORTS / nodes;
		entry->object_others[i] = WORD + 4096 * i + 16;
	}
	return entry;
}

TEST(members_of_nodes_that_one_transaction_touches_are_no_neighbours)
{
	abort_over_nodes(4, false);
	assert_null(finding_of(FINDING_FALSE_SHARING));
	assert_non_null(finding_of(FINDING_HOT_WORD)); /* four words alike */
	assert_int_equal(causes(), 4);
	assert_int_equal(found[3].finding.rule, FINDING_SELF_CONFLICT);
	/* A line of its own for each thread's word is what ends conflicts at one line. */
	abort_over_nodes(4, true);
	assert_non_null(finding_of(FINDING_FALSE_SHARING));
	/* The distances differ: variables that lie side by side by chance. */
	abort_over_nodes(4, false)->object_others[2] -= 8;
	assert_non_null(finding_of(FINDING_FALSE_SHARING));
	/* Of two nodes it may be chance. */
	abort_over_nodes(2, false);
	assert_non_null(finding_of(FINDING_FALSE_SHARING));
	/* Another transaction. */
	abort_over_nodes(4, false)->remote = at("other", 60);
	assert_non_null(finding_of(FINDING_FALSE_SHARING));
}

TEST(members_of_a_small_block_are_no_neighbours)
{
	for (uint64_t more = 0; more < 2; more++) {
		struct stmlog_block_record block = {.address = WORD, .size = 64 + more};
		abort_over_nodes(1, false);
		made.recording.blocks = &block;
		made.recording.block_count = 1;
		assert_true((finding_of(FINDING_FALSE_SHARING) != NULL) == (more == 1));
		assert_true((finding_of(FINDING_HOT_WORD) != NULL) == (more == 0));
	}
}

/* As of a TVar: the runtime names it, and says where it was created. */
TEST(a_named_object_shows_where_it_was_created)
{
	struct stmlog_block_record block = {.address = WORD, .size = 8};
	struct stmlog_entry_record *entry = abort_over_nodes(1, false);
	block.traceback = at("makeBank", 12);
	entry->false_conflicts = entry->object_others[0] = 0;
	entry->object_names[0] = made_string(&made, "TVar #1");
	made.recording.blocks = &block;
	made.recording.block_count = 1;
	const struct copied *copied = finding_of(FINDING_HOT_WORD);
	assert_non_null(copied);
	assert_non_null(strstr(copied->text, "TVar #1, created at a.c:12 makeBank"));
}

/* So many of the transaction's hundred conflicts in the stripe are over the word that the other one wrote. */
TEST(a_stripe_of_which_a_transaction_uses_both_words_is_no_neighbourhood)
{
	for (uint64_t true_ones = 9; true_ones <= 10; true_ones++) {
		made_begin(&made);
		abort_over_neighbours(ABORTS - true_ones);
		struct stmlog_entry_record *entry = abort_over_data(true_ones);
		made.entries[0].site = entry->site = made_site(&made, "put", 50);
		entry->objects[0].address = WORD + 8;
		entry->objects[0].count = true_ones;
		assert_true((finding_of(FINDING_FALSE_SHARING) != NULL) == (true_ones == 9));
		entry->site = made_site(&made, "another", 60);
		assert_non_null(finding_of(FINDING_FALSE_SHARING));
	}
}
