/* SPDX-License-Identifier: MIT
 * Transactions that were not sampled, and fail: from their third attempt on they are measured. */
#include "two_threads.h"

#include "clock.h"
#include "fake_interruption.h"
#include "sampling.h"

/* So that each attempt of the tests has a length of its own. */
static uint64_t length_ns(uint32_t attempt)
{
	return (attempt + 1) * US;
}

static void one_in_eight(void)
{
	haskell_set_up_with("sample=8");
	begin_threads();
}

static const struct test_fixture late_fixture = {one_in_eight, haskell_tear_down};

static bool is_measured(void)
{
	return mark_is_lane(hs_trec(thread.tso)->mark);
}

/* Begins transactions, and commits them, until one is sampled or not, as is wanted. */
static void begin(bool is_sampled)
{
	haskell_atomically(&thread, &victim);
	while (is_measured() != is_sampled) {
		assert_true(haskell_commit(&thread));
		haskell_atomically(&thread, &victim);
	}
}

static void lose_attempt(uint32_t attempt)
{
	victim_reads(&thread, tvar);
	fake_clock_advance(length_ns(attempt));
	haskell_poke(&other, &poke, tvar);
	assert_false(haskell_commit(&thread));
}

static uint64_t fail_from_to(uint32_t from, uint32_t to)
{
	uint64_t sum_ns = 0;
	for (uint32_t attempt = from; attempt < to; attempt++) {
		lose_attempt(attempt);
		sum_ns += length_ns(attempt);
	}
	return sum_ns;
}

static uint64_t sum(const uint64_t *of_contentions)
{
	uint64_t sum = 0;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		sum += of_contentions[c];
	return sum;
}

static uint64_t transactions(const struct stmlog_account *account)
{
	return account->commits + account->unmeasured_commits;
}

/* ---- k failures ---- */

static void assert_failures(uint32_t failures)
{
	uint32_t late = failures > 2 ? failures - 2 : 0;
	begin(false);
	uint64_t before = 0;
	if (capability_find(thread.capability)->lanes[0]->log != NULL) {
		struct stmlog_account account = haskell_account(&thread);
		before = transactions(&account);
	}
	uint64_t early_ns = fail_from_to(0, failures - late);
	assert_int_equal(is_measured(), failures >= 2);
	uint64_t late_ns = fail_from_to(failures - late, failures);
	assert_true(haskell_commit(&thread));
	struct stmlog_account account = haskell_account(&thread);
	assert_int_equal(transactions(&account), before + 1);
	assert_int_equal(account.unmeasured_aborts, failures - late);
	assert_int_equal(sum(account.aborts), late);
	assert_int_equal(sum(account.aborted_ns), late_ns);
	assert_int_equal(sum(account.estimated_aborted_ns), early_ns + late_ns); /* nothing else took any time */
	if (late == 0) {
		assert_int_equal(losses_see(NULL, 0), 0);
		return;
	}
	struct seen_loss seen = losses_to_one(late);
	assert_int_equal(seen.entry.lost_ns, late_ns);
	assert_true(seen.entry.variance_ns2 <= 0);
	assert_int_equal(seen.entry.certain, late);
	assert_frame(&seen.local, 0, haskell_code(&reader));
	assert_frame(&seen.local, 1, haskell_code(&victim));
	assert_frame(&seen.remote, 0, haskell_code(&poke));
}

#define AFTER(failures, claim)             \
	TEST_WITH(late_fixture, claim)     \
	{                                  \
		assert_failures(failures); \
	}
AFTER(0, without_a_failure_a_transaction_is_counted)
AFTER(1, one_failure_is_counted)
AFTER(2, behind_two_failures_the_commit_is_measured)
AFTER(3, the_third_failure_is_known_with_time_and_culprit)
AFTER(101, each_failure_from_the_third_on_is_known_with_time_and_culprit)

/* ---- no loss counts twice ---- */

TEST_WITH(late_fixture, a_sampled_transaction_stands_for_others_up_to_its_second_failure)
{
	begin(true);
	uint64_t early_ns = fail_from_to(0, 2), late_ns = fail_from_to(2, 7);
	assert_true(haskell_commit(&thread));
	fake_clock_advance(US * 1000);
	struct stmlog_account account = haskell_account(&thread);
	assert_int_equal(account.unmeasured_aborts, 0);
	assert_int_equal(sum(account.aborts), 7);
	assert_int_equal(sum(account.estimated_aborted_ns), 8 * early_ns + late_ns);
	begin(true);
	assert_true(haskell_commit(&thread));
	assert_int_equal(capability_find(thread.capability)->lanes[0]->weight, 8);
}

/* Each transaction fails twice, so that each is measured sooner or later. */
TEST_WITH(late_fixture, one_transaction_in_n_is_sampled_wherever_others_are_late)
{
	uint32_t sampled = 0;
	for (int i = 0; i < 800; i++) {
		haskell_atomically(&thread, &victim);
		sampled += is_measured();
		fail_from_to(0, 2);
		assert_true(is_measured());
		assert_true(haskell_commit(&thread));
	}
	assert_in_range(sampled, 99, 101);
	assert_int_equal(haskell_account(&thread).commits, 800);
}

/* It was not drawn by chance: if it stood for others from then on, it would stand for too many. */
TEST_WITH(late_fixture, a_late_transaction_that_sleeps_wakes_up_unmeasured)
{
	begin(false);
	fail_from_to(0, 3);
	victim_reads(&thread, tvar);
	assert_true(haskell_retry(&thread));
	haskell_poke(&other, &poke, tvar);
	assert_true(haskell_wake(&thread));
	assert_false(is_measured());
	fail_from_to(0, 2);
	assert_true(is_measured());
	assert_true(haskell_commit(&thread));
	assert_int_equal(capability_find(thread.capability)->lanes[0]->weight, 1);
	assert_int_equal(haskell_account(&thread).unmeasured_aborts, 4);
}

/* So a herd is known, however seldom transactions are sampled; and one that is woken for ever takes no time for ever.
 */
TEST_WITH(late_fixture, behind_its_second_wake_in_vain_each_transaction_is_measured_for_a_while)
{
	for (int is_sampled = 0; is_sampled < 2; is_sampled++) {
		begin(is_sampled);
		victim_reads(&thread, tvar);
		assert_true(haskell_retry(&thread));
		for (int wakes = 0; wakes < 30; wakes++) {
			haskell_poke(&other, &poke, tvar);
			assert_true(haskell_wake(&thread));
			bool is_watched = wakes >= 2 && wakes < 2 + LATE_WAKES;
			assert_int_equal(is_measured(), is_watched || is_sampled);
			assert_true(
				!is_measured() || lane_of(hs_trec(thread.tso)->mark)->weight == (is_watched ? 1 : 8));
			victim_reads(&thread, tvar);
			assert_true(haskell_retry(&thread));
		}
		haskell_kill(&thread);
	}
}

/* ---- ways to fail ---- */

TEST_WITH(late_fixture, an_attempt_that_is_outdated_at_an_exception_has_failed)
{
	begin(false);
	for (int i = 0; i < 2; i++) {
		assert_false(is_measured());
		victim_reads(&thread, tvar);
		haskell_poke(&other, &poke, tvar);
		assert_false(haskell_throw(&thread));
	}
	assert_true(is_measured());
	assert_true(haskell_commit(&thread));
	assert_int_equal(haskell_account(&thread).unmeasured_aborts, 2);
}

TEST_WITH(late_fixture, an_attempt_that_is_outdated_at_a_retry_or_in_an_alternative_has_failed)
{
	begin(false);
	victim_reads(&thread, tvar);
	haskell_poke(&other, &poke, tvar);
	assert_false(haskell_retry(&thread));
	assert_false(is_measured());
	haskell_or_else(&thread);
	victim_reads(&thread, tvar);
	haskell_poke(&other, &poke, tvar);
	assert_false(haskell_or_else_end(&thread));
	assert_true(is_measured());
	assert_true(haskell_commit(&thread));
}

static void count_lane(struct ghc_lane *lane, void *sum)
{
	(void)lane;
	*(AO_t *)sum += WATCH_LANE;
}

/* What is watched for besides lanes and flags of capabilities. */
static AO_t watched_besides(void)
{
	AO_t sum = 0;
	lanes_visit(count_lane, &sum);
	for (size_t i = 0; i < capabilities_len(); i++)
		sum += (AO_t)(capability_at(i)->is_due + capability_at(i)->awaits_start) * WATCH_OTHER;
	return AO_load(&watched) - sum;
}

static void commit(void)
{
	assert_true(haskell_commit(&thread));
}

static void leave_by_exception(void)
{
	assert_true(haskell_throw(&thread));
}

static void be_killed(void)
{
	haskell_kill(&thread);
}

static void be_killed_asleep(void)
{
	assert_true(haskell_retry(&thread));
	haskell_kill(&thread);
}

/* Otherwise each transaction of the process would go the slower way for good. */
TEST_WITH(late_fixture, however_a_transaction_that_has_failed_ends_nothing_is_watched_for)
{
	void (*const ends[])(void) = {commit, leave_by_exception, be_killed, be_killed_asleep};
	AO_t before = watched_besides();
	for (uint32_t failures = 1; failures < 4; failures++)
		for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
			begin(false);
			fail_from_to(0, failures);
			victim_reads(&thread, tvar);
			ends[i]();
			assert_int_equal(watched_besides(), before);
		}
}

/* ---- what it costs ---- */

/* Each reading of the clock takes 10 ns, so the module finds that measuring is not free. Each attempt makes 1,000
 * accesses, which take as long as 10 us of readings. */
static uint32_t late_after(int attempts, uint64_t period_ns)
{
	struct ghc_capability *mine = capability_find(thread.capability);
	fake_clock_set_reading(10);
	sampling_open();
	for (int i = 0; i < attempts; i++) {
		fake_clock_advance(period_ns);
		late_note(mine, 1000, stmlog_now_ns());
	}
	return mine->late_after;
}

TEST_WITH(late_fixture, where_it_takes_much_time_later_transactions_are_measured_from_a_later_attempt_on)
{
	assert_int_equal(late_after(90, 20 * US), 2);
	assert_int_equal(late_after(20, 20 * US), 4);
	assert_int_equal(late_after(100, 20 * US), 8);
	assert_int_equal(late_after(10000, 20 * US), 64);
}

TEST_WITH(late_fixture, where_it_takes_little_time_the_third_attempt_is_measured)
{
	assert_int_equal(late_after(10000, 3 * 1000 * US), 2);
}

/* ---- how long unmeasured attempts took ---- */

/* Other commits of the gap take 2 us each. The clock is read at the beginning of a sampled transaction. */
TEST_WITH(late_fixture, a_failed_attempt_took_what_commits_do_not_explain)
{
	struct stmlog_unmeasured_counts counts;
	struct ghc_capability *mine = capability_find(thread.capability);
	for (int i = 0; i < 100; i++) {
		haskell_atomically(&thread, &victim);
		fake_clock_advance(2 * US);
		assert_true(haskell_commit(&thread));
	}
	begin(false);
	lose_attempt(499);
	assert_true(haskell_commit(&thread));
	assert_true(capability_read_counts(mine, &counts));
	assert_int_equal(counts.aborts, 1);
	assert_in_range(counts.aborted_ns, length_ns(499) - 16 * US, length_ns(499) + 16 * US);
}

static uint64_t failed_ns(void)
{
	struct stmlog_unmeasured_counts counts;
	assert_true(capability_read_counts(capability_find(thread.capability), &counts));
	return counts.aborted_ns;
}

/* The gap begins with a measured transaction. */
static void begin_in_known_gap(void)
{
	begin(true);
	assert_true(haskell_commit(&thread));
	begin(false);
}

TEST_WITH(late_fixture, a_failed_attempt_did_not_take_the_time_for_which_its_thread_was_stopped)
{
	begin_in_known_gap();
	victim_reads(&thread, tvar);
	fake_clock_advance(7 * US);
	haskell_stop(&thread);
	fake_clock_advance(1000 * US);
	lose_attempt(0);
	assert_int_equal(failed_ns(), 7 * US + length_ns(0));
}

/* On a clock that can be compared with the kernel's, an attempt has not taken the time for which its thread slept. */
static void assert_on_processor(void (*end)(void))
{
	clock_use(NULL);
	begin_in_known_gap();
	victim_reads(&thread, tvar);
	haskell_poke(&other, &poke, tvar); /* on the same OS thread: so before the sleep */
	fake_clock_advance(7 * US);
	fake_sleep(400 * 1000 * US);
	end();
	assert_int_equal(failed_ns(), 7 * US);
}

static void fail_now(void)
{
	assert_false(haskell_commit(&thread));
}

static void stop_and_fail(void)
{
	haskell_stop(&thread);
	fail_now();
}

TEST_WITH(late_fixture, a_failed_attempt_took_no_time_off_the_processor)
{
	assert_on_processor(fail_now);
}

TEST_WITH(late_fixture, nor_did_it_before_its_thread_was_stopped)
{
	assert_on_processor(stop_and_fail);
}

/* The Haskell thread begins to run when it wakes up, and so does the attempt. (From the third one on it is measured.)
 */
TEST_WITH(late_fixture, an_attempt_behind_a_sleep_took_the_time_since_then)
{
	begin(true);
	assert_true(haskell_commit(&thread));
	begin(false);
	victim_reads(&thread, tvar);
	fake_clock_advance(400 * US);
	assert_true(haskell_retry(&thread));
	uint64_t before_ns = failed_ns();
	assert_in_range(before_ns, 400 * US, 500 * US);
	for (uint64_t i = 1; i <= 2; i++) {
		haskell_stop(&thread);
		fake_clock_advance(1000 * US);
		haskell_poke(&other, &poke, tvar);
		assert_true(haskell_wake(&thread));
		victim_reads(&thread, tvar);
		fake_clock_advance(7 * US);
		assert_true(haskell_retry(&thread));
		assert_int_equal(failed_ns() - before_ns, i * 7 * US);
	}
	haskell_kill(&thread);
}
