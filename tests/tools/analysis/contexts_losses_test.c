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
	assert_int_equal(sum.committed_ns, made.recording.row_ns[STMLOG_ACCOUNT_COMMITTED]);
	drop(&made);
}
