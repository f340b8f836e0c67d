/* SPDX-License-Identifier: MIT
 * Transactions that others wait for: irrevocable ones, and starved ones. */
#include "stories.h"

TEST(who_only_runs_alone_is_not_called_irrevocable)
{
	made_begin(&made);
	made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "BEGIN_WAIT", 3, LOST)->remote = at("read_all", 10);
	assert_null(finding_of(FINDING_IRREVOCABLE));
	/* With the option stacks=frames the second frame is a caller. */
	static const char *options[] = {"stacks", "frames"};
	made_begin(&made);
	made.recording.info.options = (struct recording_list){options, 2};
	lose_to_irrevocable(LOST);
	assert_null(finding_of(FINDING_IRREVOCABLE));
	/* Another runtime knows what it calls inevitable. */
	made_begin(&made);
	made.recording.info.runtime = "smallstm";
	made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "", 3, LOST)->remote = at("print", 10);
	assert_non_null(finding_of(FINDING_IRREVOCABLE));
}

TEST(the_wait_to_become_irrevocable_is_part_of_that_story)
{
	made_begin(&made);
	lose_to_irrevocable(LOST);
	struct stmlog_entry_record *entry =
		made_loss(&made, STMLOG_PAUSE, STMLOG_INEVITABLE, "UPGRADE_WAIT", 3, LOST / 2);
	entry->local = made.entries[0].remote;
	entry->site = made.words[made.traceback_at[made.entries[0].remote - 2] + 3];
	entry->remote = at("reader", 40);
	const struct copied *copied = finding_of(FINDING_IRREVOCABLE);
	assert_non_null(copied);
	assert_int_equal(copied->finding.lost.ns, LOST + LOST / 2);
	assert_null(finding_of(FINDING_ONE_PLACE));
}

TEST(a_starved_transaction_costs_its_own_failed_attempts_too)
{
	made_begin(&made);
	lose_to_starved(LOST);
	uint32_t begin = made.words[made.traceback_at[0] + 2];
	struct stmlog_entry_record *entry = abort_over_data(5);
	entry->site = begin;
	entry = made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "RESTART_WAIT", 3, 700);
	entry->site = begin;
	abort_over_data(5)->site = made_site(&made, "other", 90);
	assert_found(FINDING_STARVATION, 3 + 5 + 3, LOST + 5 * ABORT_NS + 700);
	assert_null(finding_of(FINDING_ONE_PLACE));
}

TEST(transactions_that_starve_each_other_cost_each_wait_once)
{
	made_begin(&made);
	uint32_t starved = made_site(&made, "(starved: runs alone after 101 failed attempts)", 0);
	uint32_t begin[2] = {made_site(&made, "sum", 10), made_site(&made, "list", 20)};
	for (size_t i = 0; i < 2; i++) {
		struct stmlog_entry_record *entry =
			made_loss(&made, STMLOG_WAIT, STMLOG_INEVITABLE, "BEGIN_WAIT", 3, (i + 1) * LOST);
		entry->site = begin[i];
		entry->remote = made_traceback(&made, begin[1 - i], starved);
	}
	finding_of(FINDING_STARVATION);
	assert_int_equal(found_len, 2);
	assert_int_equal(found[0].finding.lost.ns, 2 * LOST);
	assert_string_equal(found[0].where, "a.c:10 sum");
	assert_int_equal(found[1].finding.lost.ns, LOST);
}

/* The transaction has starved, and its attempts take so many times as long as those of others. */
static void starve_with_length(uint64_t times)
{
	made_begin(&made);
	lose_to_starved(LOST);
	struct stmlog_entry_record *entry = abort_over_data(5);
	entry->site = made.words[made.traceback_at[0] + 2];
	entry->remote = at("take", 50);
	made_time(&made, made_traceback(&made, entry->site, STMLOG_NO_SITE), 10, 1000 * 10 * times);
	made_time(&made, entry->remote, 90, 1000 * 90);
}

TEST(a_starved_transaction_is_to_be_shortened_if_it_is_long)
{
	starve_with_length(2);
	const struct copied *copied = finding_of(FINDING_STARVATION);
	assert_non_null(copied);
	assert_string_equal(copied->because, "a.c:50 take");
	assert_string_equal(copied->finding.advice, finding_rule_row(FINDING_STARVATION)->advice);
	starve_with_length(1);
	copied = finding_of(FINDING_STARVATION);
	assert_non_null(copied);
	assert_string_equal(copied->finding.advice, "it is short: shorten what aborts it");
}

/* Where no culprit is known: half of the transaction's aborts are at one place, and then less. */
TEST(a_starved_transaction_without_culprit_has_the_place_of_its_conflicts)
{
	for (uint64_t elsewhere = 5; elsewhere < 7; elsewhere++) {
		made_begin(&made);
		lose_to_starved(LOST);
		uint32_t begin = made.words[made.traceback_at[0] + 2];
		struct stmlog_entry_record *entry = abort_over_data(5);
		entry->site = begin;
		entry->local = at("touch", 44);
		for (uint64_t i = 0; i < elsewhere; i++) {
			entry = abort_over_data(1);
			entry->site = begin;
			entry->local = at("find", (uint32_t)(60 + i));
		}
		const struct copied *copied = finding_of(FINDING_STARVATION);
		assert_non_null(copied);
		assert_string_equal(copied->because, elsewhere == 5 ? "conflicts at a.c:44 touch" : "");
	}
}
