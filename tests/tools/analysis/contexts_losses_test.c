/* SPDX-License-Identifier: MIT
 * Calling contexts of a recording without paths: of its losses. */
#include "made_contexts.h"

#include <stmlog/read.h>

#include "recorded_account.h"

static uint64_t lost_of(const struct context *sum)
{
	return sum->aborted_ns + sum->paused_ns + sum->waiting_ns;
}

TEST(without_paths_losses_stand_where_they_were_and_commits_at_the_root)
{
	struct made made;
	recording_sample(&writer);
	make(&made);
	struct context sum = sum_of(&made.contexts);
	assert_int_equal(lost_of(&sum), recording_total(&made.recording).lost_ns);
	assert_int_equal(sum.calls, recording_total(&made.recording).count + 60000 + 1234);
	struct recorded_account account = account_total(&made.recording);
	assert_int_equal(sum.aborted_ns, account.aborted_ns);
	assert_int_equal(sum.paused_ns, account.paused_ns);
	assert_int_equal(sum.committed_ns, account.committed_ns);
	assert_int_equal(made.contexts.at[0].committed_ns, account.committed_ns);
	const struct context *overflow = &made.contexts.at[made.contexts.len - 1];
	assert_int_equal(overflow->aborted_ns, 100000);
	assert_int_equal(overflow->calls, 6);
	drop(&made);
}

TEST(without_paths_of_some_transactions_estimates_are_told)
{
	struct made made;
	recording_sample_weighed(&writer);
	make(&made);
	struct context sum = sum_of(&made.contexts);
	assert_int_equal(lost_of(&sum), (uint64_t)recording_total(&made.recording).estimated_ns);
	assert_int_equal(sum.calls, recording_total(&made.recording).count + 60000 + 1234);
	assert_int_equal(sum.committed_ns, account_estimate_total(&made.recording).committed_ns);
	drop(&made);
}

/* Time that an entry may have taken over from others is not counted twice. */
TEST(what_an_entry_overstates_is_in_the_overflow)
{
	writer_init(&writer);
	uint32_t site = place("f");
	writer_entry(&writer, &(struct stmlog_entry_record){.reason = STMLOG_WAIT,
				      .contention = STMLOG_NONE,
				      .local = writer_traceback(&writer, &site, 1, 0),
				      .count = 3,
				      .lost_ns = 100,
				      .overstated_ns = 40});
	writer_total(&writer, STMLOG_WAIT, STMLOG_NONE, 5, 107);
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 2, 47);
	expect_contexts("(root) 0 0/0/0/0\n0 f:1 3 0/0/60/0\n(overflow) 2 0/0/47/0\n");
}
