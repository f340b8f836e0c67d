/* SPDX-License-Identifier: MIT
 * When lock holders count as off the processor, and when little is lost. */
#include "stories.h"

#include <stmlog/agent.h>

TEST(holders_are_on_the_processor_unless_all_speaks_against_it)
{
	for (int i = 0; i < 7; i++) {
		made_begin(&made);
		lose_to_descheduled(LOST);
		if (i == 1)
			made.recording.info.processors = MADE_THREADS;
		else if (i == 2)
			made.recording.info.descheduled_known = 0;
		else if (i == 3)
			made.entries[0].count = LOST / 1000000 + 1; /* less than a millisecond each */
		else if (i == 4)
			made.threads[0].descheduled_ns -= 4;
		else if (i == 5) /* a thread that only waits for the others to end */
			made.threads[0].outside_ns = made.threads[0].attached_ns;
		else if (i == 6)
			made.threads[0].flags |= STMLOG_THREAD_SPARE;
		assert_true((finding_of(FINDING_DESCHEDULED_HOLDER) != NULL) == (i == 0));
	}
}

TEST(little_is_lost_below_its_part_of_the_threads_time)
{
	static const uint64_t limit_ns = (uint64_t)MADE_THREADS_NS / 20;
	for (uint64_t less = 0; less < 2; less++) {
		made_begin(&made);
		lose_elsewhere(1, limit_ns - less);
		assert_true((finding_of(FINDING_LITTLE_LOST) != NULL) == (less == 1));
	}
	made_begin(&made);
	const struct copied *copied = finding_of(FINDING_LITTLE_LOST);
	assert_non_null(copied);
	assert_int_equal(copied->finding.lost.ns, 0);
}

/* A sample in which 40 of 10,000 transactions were measured, each of 10 us, and none of their aborts. */
static void measure_some(uint64_t unmeasured_aborts)
{
	made_begin(&made);
	made.has_own_account = true;
	made.recording.info.sampled = 1;
	made.recording.info.counters_known = 1;
	for (size_t i = 0; i < MADE_THREADS; i++) {
		struct stmlog_thread_record *thread = &made.threads[i];
		thread->commits = 10;
		thread->unmeasured_commits = 2490;
		thread->committed_ns = 10 * 10000;
		thread->estimated_committed_ns = 2500 * 10000;
		thread->unmeasured_aborts = made_part(unmeasured_aborts, i);
	}
}

/* Each may have lost 10 us of 200 ms: 1,000 are a twentieth. */
TEST(counted_aborts_that_were_not_measured_speak_against_little_lost)
{
	measure_some(0);
	assert_null(finding_of(FINDING_LITTLE_LOST)); /* 3 in 40 transactions may wait */
	measure_some(900);
	made.recording.info.timed_commits = 1000;
	assert_non_null(finding_of(FINDING_LITTLE_LOST));
	measure_some(1000);
	made.recording.info.timed_commits = 1000;
	assert_null(finding_of(FINDING_LITTLE_LOST));
}

TEST(the_upper_end_must_be_below_the_threshold)
{
	for (int i = 0; i < 2; i++) {
		measure_some(0);
		made.recording.info.timed_commits = 1000;
		made.threads[0].row_doubt_ns[STMLOG_ACCOUNT_PAUSED] = MADE_THREADS_NS / 20 - (i == 0);
		assert_true((finding_of(FINDING_LITTLE_LOST) != NULL) == (i == 0));
	}
}

/* Half of the threads' time is off the processor. */
TEST(time_off_the_processor_does_not_make_a_loss_little)
{
	for (uint64_t less = 0; less < 2; less++) {
		made_begin(&made);
		lose_elsewhere(10, MADE_THREADS_NS / 40 - less);
		for (size_t i = 0; i < MADE_THREADS; i++)
			made.threads[i].descheduled_ns = made.threads[i].attached_ns / 2;
		assert_true((finding_of(FINDING_LITTLE_LOST) != NULL) == (less == 1));
	}
}

/* In the account or in the list, whichever has more of it. */
TEST(what_is_under_way_speaks_against_little_lost)
{
	static const uint64_t limit_ns = (uint64_t)MADE_THREADS_NS / 20;
	struct stmlog_open_record open = {.thread = 1, .kind = STMLOG_OPEN_WAIT, .site = STMLOG_NO_SITE};
	for (uint64_t less = 0; less < 2; less++) {
		made_begin(&made);
		made.threads[1].open_ns = limit_ns - less;
		assert_true((finding_of(FINDING_LITTLE_LOST) != NULL) == (less == 1));
		made_begin(&made);
		open.open_ns = limit_ns - less;
		made.recording.open = &open;
		made.recording.open_count = 1;
		assert_true((finding_of(FINDING_LITTLE_LOST) != NULL) == (less == 1));
	}
}
