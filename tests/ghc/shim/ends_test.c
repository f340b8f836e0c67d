/* SPDX-License-Identifier: MIT
 * Each way in which an attempt ends without a commit: its word, and what the library counts. */
#include <string.h>

#include "two_threads.h"

static void begin(void)
{
	begin_attempt();
	victim_reads(&thread, tvar);
}

static void assert_asked_in(const struct haskell_function *function, const char *word)
{
	struct seen_loss seen = losses_word(word);
	assert_int_equal(seen.entry.cause.reason, STMLOG_USER_ABORT);
	assert_int_equal(seen.entry.cause.contention, STMLOG_NONE);
	assert_frame(&seen.local, 0, haskell_code(function));
	assert_int_equal(seen.entry.objects[0].address, 0);
}

static void assert_asked(const char *word)
{
	assert_asked_in(&victim, word);
}

/* The attempt was lost to `poke`, the next one commits, and no other loss is there. */
static void assert_lost(const char *word)
{
	assert_true(haskell_commit(&thread));
	struct seen_loss seen = losses_word(word);
	assert_int_equal(seen.entry.cause.reason, STMLOG_SELF_ABORT);
	assert_int_equal(seen.entry.cause.contention, STMLOG_WRITE_READ);
	assert_int_equal(seen.entry.certain, 1);
	assert_frame(&seen.local, 0, haskell_code(&reader));
	assert_frame(&seen.remote, 0, haskell_code(&poke));
	assert_int_equal(haskell_account(&thread).commits, 1);
}

TEST_WITH(haskell_fixture, an_exception_leaves_the_transaction)
{
	begin();
	assert_true(haskell_throw(&thread));
	assert_asked("EXCEPTION");
	assert_int_equal(haskell_account(&thread).commits, 0);
}

TEST_WITH(haskell_fixture, an_exception_of_an_outdated_attempt_is_none)
{
	begin();
	haskell_poke(&other, &poke, tvar);
	assert_false(haskell_throw(&thread));
	assert_lost("EXCEPTION_INVALID");
}

TEST_WITH(haskell_fixture, a_thread_is_killed_in_the_middle_of_an_attempt)
{
	begin();
	haskell_kill(&thread);
	assert_asked("KILLED");
}

/* The scheduler validates, too, directly before, or another Haskell thread runs meanwhile. */
TEST_WITH(haskell_fixture, an_attempt_that_is_killed_when_it_is_outdated_has_raised_no_exception)
{
	for (int is_at_once = 0; is_at_once < 2; is_at_once++) {
		begin();
		haskell_poke(&other, &poke, tvar);
		struct haskell next = haskell_thread_on(thread.capability);
		if (!is_at_once)
			haskell_poke(&next, &serve, fake_tvar());
		haskell_kill(&thread);
		haskell_poke(&next, &serve, fake_tvar());
		assert_int_equal(haskell_account(&next).commits, 1); /* the other one had a spare lane */
	}
	assert_string_equal(losses_only(2).entry.cause.detail, "KILLED");
}

TEST_WITH(haskell_fixture, an_attempt_that_retries_sleeps)
{
	begin();
	assert_true(haskell_retry(&thread));
	assert_asked_in(&reader, "RETRY");
	haskell_kill(&thread);
}

TEST_WITH(haskell_fixture, what_has_led_to_retry_may_be_outdated)
{
	begin();
	haskell_poke(&other, &poke, tvar);
	assert_false(haskell_retry(&thread));
	assert_lost("RETRY_INVALID");
}

TEST_WITH(haskell_fixture, a_transaction_that_wakes_up_and_retries_was_woken_in_vain)
{
	struct seen_loss seen[2];
	begin();
	assert_true(haskell_retry(&thread));
	haskell_poke(&other, &poke, tvar);
	assert_true(haskell_wake(&thread));
	victim_reads(&thread, tvar);
	fake_clock_advance(US);
	assert_true(haskell_retry(&thread));
	haskell_kill(&thread);
	assert_int_equal(losses_see(seen, 2), 2);
	assert_string_equal(seen[0].entry.cause.detail, "RETRY_IN_VAIN");
	assert_string_equal(seen[1].entry.cause.detail, "RETRY");
	assert_int_equal(haskell_account(&thread).blocked_unattached, 2);
	assert_int_equal(haskell_account(&thread).blocked_unattached_in_vain, 1);
}

/* Of two TVars that it has read, either may be the one that was written; the commit is known if it was measured. */
TEST_WITH(haskell_fixture, a_wake_in_vain_names_the_tvar_and_the_commit_that_has_woken)
{
	for (int is_first = 0; is_first < 2; is_first++) {
		begin();
		struct hs_tvar *tvars[] = {tvar, fake_tvar()};
		victim_reads(&thread, tvars[1]);
		assert_true(haskell_retry(&thread));
		fake_clock_advance(US);
		haskell_poke(&other, &poke, tvars[!is_first]);
		assert_true(haskell_wake(&thread));
		victim_reads(&thread, tvars[0]);
		victim_reads(&thread, tvars[1]);
		fake_clock_advance(US);
		assert_true(haskell_retry(&thread));
		haskell_kill(&thread);
		struct seen_loss seen[2];
		assert_in_range(losses_see(seen, 2), 2, 2);
		const struct seen_loss *vain = &seen[strcmp(seen[0].entry.cause.detail, "RETRY_IN_VAIN") == 0 ? 0 : 1];
		assert_string_equal(vain->entry.cause.detail, "RETRY_IN_VAIN");
		assert_int_equal(vain->entry.count, is_first + 1);
		assert_int_equal(vain->entry.certain, is_first + 1);
		assert_frame(&vain->local, 0, haskell_code(&reader));
		assert_frame(&vain->remote, 0, haskell_code(&poke));
		assert_int_equal(vain->entry.objects[is_first].count, 1);
	}
}

/* Another thread may have taken what the first write has brought before the sleeper runs. */
TEST_WITH(haskell_fixture, the_first_write_since_a_transaction_fell_asleep_has_woken_it)
{
	begin();
	assert_true(haskell_retry(&thread));
	fake_clock_advance(US);
	haskell_poke(&other, &poke, tvar);
	haskell_poke(&other, &serve, tvar);
	assert_true(haskell_wake(&thread));
	victim_reads(&thread, tvar);
	fake_clock_advance(US);
	assert_true(haskell_retry(&thread));
	haskell_kill(&thread);
	struct seen_loss seen[2];
	assert_int_equal(losses_see(seen, 2), 2);
	assert_string_equal(seen[0].entry.cause.detail, "RETRY_IN_VAIN");
	assert_int_equal(seen[0].entry.certain, 1);
	assert_frame(&seen[0].remote, 0, haskell_code(&poke));
	assert_int_equal(losses_wakes_by(haskell_code(&poke)), 1);
	assert_int_equal(losses_wakes_by(haskell_code(&serve)), 0);
}

TEST_WITH(haskell_fixture, the_waker_is_known_of_a_transaction_that_commits_as_well)
{
	begin();
	assert_true(haskell_retry(&thread));
	fake_clock_advance(US);
	haskell_poke(&other, &poke, fake_tvar());
	haskell_poke(&other, &serve, tvar);
	assert_true(haskell_wake(&thread));
	victim_reads(&thread, tvar);
	assert_true(haskell_commit(&thread));
	assert_int_equal(losses_wakes_by(haskell_code(&poke)), 0);
	assert_int_equal(losses_wakes_by(haskell_code(&serve)), 1);
}

TEST_WITH(haskell_fixture, each_spurious_wake_has_a_waker_of_its_own)
{
	begin();
	uintptr_t value = tvar->value;
	assert_true(haskell_retry(&thread));
	for (int i = 0; i < 3; i++) {
		fake_clock_advance(US);
		haskell_poke(&other, &poke, tvar);
		tvar->value = value;
		assert_false(haskell_wake(&thread));
		assert_int_equal(losses_wakes_by(haskell_code(&poke)), i + 1);
	}
	haskell_poke(&other, &serve, tvar);
	assert_true(haskell_wake(&thread));
	assert_true(haskell_commit(&thread));
	assert_int_equal(losses_wakes_by(haskell_code(&poke)), 3);
	assert_int_equal(losses_wakes_by(haskell_code(&serve)), 1);
}

TEST_WITH(haskell_fixture, a_wake_without_a_write_has_no_waker)
{
	begin();
	haskell_poke(&other, &poke, fake_tvar());
	assert_true(haskell_retry(&thread));
	assert_false(haskell_wake(&thread));
	haskell_kill(&thread);
	assert_int_equal(losses_wakes_by(haskell_code(&poke)), 0);
}

TEST_WITH(haskell_single_fixture, with_one_os_thread_no_waker_is_known)
{
	begin_threads();
	other = haskell_thread_on(thread.capability);
	haskell_atomically(&thread, &victim);
	victim_reads(&thread, tvar);
	assert_true(haskell_retry(&thread));
	haskell_poke(&other, &poke, tvar);
	assert_true(haskell_wake(&thread));
	assert_true(haskell_commit(&thread));
	assert_int_equal(losses_wakes_by(haskell_code(&poke)), 0);
}

static void wake_in_vain(const struct haskell *sleeper)
{
	assert_true(haskell_wake(sleeper));
	victim_reads(sleeper, tvar);
	assert_true(haskell_retry(sleeper));
}

static uint64_t count_of(const char *word)
{
	struct seen_loss seen[4];
	size_t len = losses_see(seen, 4);
	for (size_t i = 0; i < len; i++)
		if (strcmp(seen[i].entry.cause.detail, word) == 0)
			return seen[i].entry.count;
	return 0;
}

/* Of three that a write wakes, the first one does not know that there will be others. */
TEST_WITH(haskell_fixture, transactions_that_one_write_wakes_in_vain_are_a_herd)
{
	struct haskell sleepers[3];
	begin();
	for (int i = 0; i < 3; i++) {
		sleepers[i] = haskell_thread();
		haskell_atomically(&sleepers[i], &victim);
		victim_reads(&sleepers[i], tvar);
		assert_true(haskell_retry(&sleepers[i]));
	}
	fake_clock_advance(US);
	haskell_poke(&other, &poke, tvar);
	for (int i = 0; i < 3; i++)
		wake_in_vain(&sleepers[i]);
	assert_int_equal(count_of("RETRY_IN_VAIN"), 1);
	assert_int_equal(count_of("RETRY_IN_HERD"), 2);
	fake_clock_advance(US);
	haskell_poke(&other, &poke, tvar);
	wake_in_vain(&sleepers[0]);
	assert_int_equal(count_of("RETRY_IN_VAIN"), 2);
	for (int i = 0; i < 3; i++)
		haskell_kill(&sleepers[i]);
	haskell_kill(&thread);
}

TEST_WITH(haskell_fixture, a_sleeping_transaction_that_is_killed_has_no_abort_more)
{
	begin();
	assert_true(haskell_retry(&thread));
	haskell_kill(&thread);
	struct stmlog_account account = haskell_account(&thread);
	assert_int_equal(account.aborts[STMLOG_NONE] + account.unmeasured_aborts, 1);
	assert_int_equal(account.blocked_unattached, 1);
}

/* The collector does it before any Haskell thread runs again. */
TEST_WITH(haskell_fixture, a_sleeping_transaction_that_is_ended_by_the_collector_has_slept_for_ever)
{
	for (int is_by_collector = 0; is_by_collector < 2; is_by_collector++) {
		begin();
		assert_true(haskell_retry(&thread));
		haskell_stop(&thread);
		haskell_collect();
		if (!is_by_collector)
			haskell_poke(&other, &poke, tvar);
		haskell_kill(&thread);
		assert_int_equal(losses_for_ever(), is_by_collector);
	}
}

TEST_WITH(haskell_fixture, a_transaction_may_be_killed_when_it_has_woken_up)
{
	begin();
	assert_true(haskell_retry(&thread));
	haskell_poke(&other, &poke, tvar);
	assert_true(haskell_wake(&thread));
	haskell_kill(&thread);
	assert_int_equal(haskell_account(&thread).blocked_unattached, 1);
	assert_int_equal(haskell_account(&thread).aborts[STMLOG_NONE], 2);
}

TEST_WITH(haskell_fixture, a_thread_goes_on_after_each_end)
{
	begin();
	haskell_throw(&thread);
	haskell_atomically(&thread, &victim);
	haskell_kill(&thread);
	haskell_atomically(&thread, &victim);
	haskell_retry(&thread);
	haskell_kill(&thread);
	haskell_poke(&thread, &victim, tvar);
	assert_int_equal(haskell_account(&thread).commits, 1);
	assert_int_equal(haskell_account(&thread).aborts[STMLOG_NONE], 3);
}
