/* SPDX-License-Identifier: MIT
 * When a transaction polls. */
#include "stories.h"

/* The transaction has been cancelled so often, and has committed so often. */
static void cancel(uint64_t cancelled, uint64_t committed)
{
	made_begin(&made);
	struct stmlog_entry_record *entry = made_loss(&made, STMLOG_USER_ABORT, STMLOG_NONE, "cancel", cancelled, LOST);
	entry->local = at("take", 51);
	entry->site = made_site(&made, "take", 50);
	made_time(&made, made_traceback(&made, entry->site, STMLOG_NO_SITE), committed, 1000);
}

TEST(a_transaction_that_is_mostly_cancelled_polls)
{
	cancel(ABORTS, ABORTS);
	assert_found(FINDING_POLLING, ABORTS, LOST);
	const struct copied *copied = finding_of(FINDING_POLLING);
	assert_string_equal(copied->where, "a.c:50 take");
	assert_string_equal(copied->because, "");
	assert_string_equal(copied->share, "50 % cancelled, 50.0 % of the time");
	assert_int_equal(causes(), 1);
	cancel(ABORTS, ABORTS + 1);
	assert_null(finding_of(FINDING_POLLING));
	cancel(10, 0);
	assert_non_null(finding_of(FINDING_POLLING));
	cancel(9, 0);
	assert_null(finding_of(FINDING_POLLING));
}

TEST(each_transaction_that_polls_is_a_finding)
{
	cancel(ABORTS, 0);
	struct stmlog_entry_record *entry = made_loss(&made, STMLOG_USER_ABORT, STMLOG_NONE, "cancel", 10, LOST / 2);
	entry->site = made_site(&made, "poll", 70);
	assert_found(FINDING_POLLING, ABORTS, LOST);
	assert_int_equal(causes(), 2);
	assert_string_equal(found[1].where, "a.c:70 poll");
}

/* Three quarters of its attempts are cancelled. */
TEST(waits_at_commits_for_a_transaction_that_polls_are_part_of_that_story)
{
	cancel(ABORTS, ABORTS / 3);
	lose_to_reader(LOST);
	made.entries[1].count = 4;
	made.entries[1].remote = made_traceback(&made, made.entries[0].site, STMLOG_NO_SITE);
	const struct copied *copied = finding_of(FINDING_POLLING);
	assert_non_null(copied);
	assert_in_range(copied->finding.lost.ns, LOST + LOST / 100 * 75, LOST + LOST / 100 * 76);
	assert_int_equal(copied->finding.count, ABORTS);
}
