/* SPDX-License-Identifier: MIT
 * Transactions that sleep: how long, how often, in vain. */
#include "two_threads.h"

#include <unistd.h>

#include "blocked.h"
#include "random.h"
#include "child.h"

static void fall_asleep(const struct haskell *sleeper)
{
	haskell_atomically(sleeper, &victim);
	victim_reads(sleeper, tvar);
	assert_true(haskell_retry(sleeper));
}

static void wake(const struct haskell *sleeper)
{
	haskell_poke(&other, &poke, tvar);
	assert_true(haskell_wake(sleeper));
	victim_reads(sleeper, tvar);
}

TEST_WITH(haskell_fixture, a_transaction_sleeps_until_it_has_woken_up)
{
	begin_threads();
	fall_asleep(&thread);
	haskell_stop(&thread);
	fake_clock_advance(50 * US);
	wake(&thread);
	fake_clock_advance(3 * US);
	assert_true(haskell_commit(&thread));
	struct stmlog_account account = haskell_account(&thread);
	assert_int_equal(account.blocked_unattached, 1);
	assert_int_equal(account.blocked_unattached_ns, 50 * US);
	assert_int_equal(account.blocked_unattached_in_vain, 0);
	assert_int_equal(account.committed_ns, 3 * US);
	assert_int_equal(account.commits, 1);
}

TEST_WITH(haskell_fixture, any_number_of_sleeps_may_be_in_vain)
{
	uint64_t before = blocked_spurious();
	begin_threads();
	fall_asleep(&thread);
	for (int i = 0; i < 4; i++) {
		fake_clock_advance(US);
		wake(&thread);
		assert_true(haskell_retry(&thread));
	}
	fake_clock_advance(US);
	wake(&thread);
	assert_true(haskell_commit(&thread));
	struct stmlog_account account = haskell_account(&thread);
	assert_int_equal(account.blocked_unattached, 5);
	assert_int_equal(account.blocked_unattached_ns, 5 * US);
	assert_int_equal(account.blocked_unattached_in_vain, 4);
	assert_int_equal(blocked_spurious() - before, 0);
}

/* The TVar has the same value again when the RTS looks. There is no attempt in between, and no abort. */
TEST_WITH(haskell_fixture, a_thread_that_sleeps_on_at_once_was_woken_in_vain)
{
	uint64_t before = blocked_spurious();
	begin_threads();
	fall_asleep(&thread);
	fake_clock_advance(2 * US);
	assert_false(haskell_wake(&thread));
	fake_clock_advance(3 * US);
	wake(&thread);
	assert_true(haskell_commit(&thread));
	struct stmlog_account account = haskell_account(&thread);
	assert_int_equal(account.blocked_unattached, 2);
	assert_int_equal(account.blocked_unattached_ns, 5 * US);
	assert_int_equal(account.blocked_unattached_in_vain, 1);
	assert_int_equal(blocked_spurious() - before, 1);
	losses_word("RETRY");
}

TEST_WITH(haskell_fixture, a_thread_may_wake_up_on_another_capability)
{
	begin_threads();
	fall_asleep(&thread);
	haskell_stop(&thread);
	fake_clock_advance(4 * US);
	struct haskell elsewhere = haskell_thread();
	thread.capability = elsewhere.capability;
	wake(&thread);
	assert_true(haskell_commit(&thread));
	assert_int_equal(haskell_account(&elsewhere).blocked_unattached_ns, 4 * US);
	assert_int_equal(haskell_account(&elsewhere).commits, 1);
}

TEST_WITH(haskell_fixture, an_attempt_that_is_lost_behind_a_sleep_ends_no_sleep)
{
	begin_threads();
	fall_asleep(&thread);
	wake(&thread);
	lose_once();
	assert_int_equal(haskell_account(&thread).blocked_unattached, 1);
	assert_int_equal(haskell_account(&thread).commits, 1);
}

/* The RTS ends in the child what sleeps. */
TEST_WITH(haskell_fixture, a_sleep_of_the_parent_is_not_reported_by_a_forked_child)
{
	begin_threads();
	fall_asleep(&thread);
	haskell_stop(&thread);
	if (in_forked_child()) {
		lanes_after_fork();
		capabilities_after_fork();
		blocked_after_fork();
		haskell_kill(&thread);
		bool is_silent = capability_find(thread.capability)->lanes[0]->log == NULL;
		fall_asleep(&thread);
		haskell_kill(&thread);
		_exit(is_silent && haskell_account(&thread).blocked_unattached == 1 ? 0 : 1);
	}
	haskell_kill(&thread);
	assert_int_equal(haskell_account(&thread).blocked_unattached, 1);
}

/* ---- many ---- */

TEST_WITH(haskell_fixture, very_many_may_sleep_at_a_time)
{
	enum { MANY = 1000 };
	static struct haskell sleepers[MANY];
	begin_threads();
	for (int i = 0; i < MANY; i++) {
		sleepers[i] = haskell_thread_on(thread.capability);
		fall_asleep(&sleepers[i]);
	}
	fake_clock_advance(US);
	for (int i = 0; i < MANY; i++) {
		wake(&sleepers[i]);
		assert_true(haskell_commit(&sleepers[i]));
	}
	assert_int_equal(haskell_account(&thread).blocked_unattached, MANY);
	assert_int_equal(haskell_account(&thread).blocked_unattached_ns, MANY * US);
	assert_int_equal(haskell_account(&thread).commits, MANY);
}

/* ---- in any order ---- */

enum { SLEEPERS = 12, STEPS = 2000 };

/* What each thread is about, and what there must be of all of them. */
static struct {
	struct haskell threads[SLEEPERS];
	enum { OUTSIDE, ASLEEP, AWAKE } states[SLEEPERS];
	uint64_t since[SLEEPERS], now;
	uint64_t sleeps, in_vain, slept_ns;
} model;

static void model_sleep(uint32_t i)
{
	model.states[i] = ASLEEP;
	model.since[i] = model.now;
	model.sleeps++;
}

static void model_end(uint32_t i, bool is_awake)
{
	if (model.states[i] == ASLEEP)
		model.slept_ns += model.now - model.since[i];
	model.states[i] = is_awake ? AWAKE : OUTSIDE;
}

/* Fails if another one has been woken up meanwhile. */
static void retry_or_commit(uint32_t i)
{
	if (haskell_retry(&model.threads[i])) {
		model.in_vain++;
		model_sleep(i);
		return;
	}
	assert_true(haskell_commit(&model.threads[i]));
	model_end(i, false);
}

static void step(uint32_t i, uint32_t what)
{
	const struct haskell *sleeper = &model.threads[i];
	if (model.states[i] == OUTSIDE) {
		fall_asleep(sleeper);
		model_sleep(i);
	} else if (what == 0) {
		haskell_kill(sleeper);
		model_end(i, false);
	} else if (model.states[i] == ASLEEP) {
		wake(sleeper);
		model_end(i, true);
	} else {
		retry_or_commit(i);
	}
}

static void assert_as_in_the_model(void)
{
	const struct ghc_capability *mine = capability_find(thread.capability);
	struct stmlog_account sum = {0};
	for (int i = 0; i < LANES_OF_CAPABILITY && mine->lanes[i] != NULL; i++) {
		struct stmlog_account account = {0};
		if (mine->lanes[i]->log != NULL)
			stmlog_account_read(mine->lanes[i]->log, &account);
		sum.blocked_unattached += account.blocked_unattached;
		sum.blocked_unattached_ns += account.blocked_unattached_ns;
		sum.blocked_unattached_in_vain += account.blocked_unattached_in_vain;
	}
	assert_int_equal(sum.blocked_unattached, model.sleeps);
	assert_int_equal(sum.blocked_unattached_ns, model.slept_ns);
	assert_int_equal(sum.blocked_unattached_in_vain, model.in_vain);
}

TEST_WITH(haskell_fixture, sleeps_add_up_in_any_order)
{
	struct random random = {7};
	begin_threads();
	for (uint32_t i = 0; i < SLEEPERS; i++)
		model.threads[i] = haskell_thread_on(thread.capability);
	for (uint32_t i = 0; i < STEPS; i++) {
		fake_clock_advance(US);
		model.now += US;
		step(random_below(&random, SLEEPERS), random_below(&random, 3));
	}
	for (uint32_t i = 0; i < SLEEPERS; i++)
		if (model.states[i] != OUTSIDE)
			step(i, 0);
	assert_in_range(model.in_vain, 20, model.sleeps);
	assert_as_in_the_model();
}
