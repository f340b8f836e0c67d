/* SPDX-License-Identifier: MIT
 * Which transactions are measured, and that all others are counted. */
#include "two_threads.h"

#include <string.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "blocked.h"
#include "sampling.h"
#include "child.h"

static void one_in_eight(void)
{
	haskell_set_up_with("sample=8");
}

static const struct test_fixture sampled_fixture = {one_in_eight, haskell_tear_down};

/* Runs so many transactions, and returns how many of them were measured. */
static uint64_t run(uint32_t transactions)
{
	uint64_t before = haskell_account(&thread).commits;
	for (uint32_t i = 0; i < transactions; i++)
		haskell_poke(&thread, &poke, tvar);
	return haskell_account(&thread).commits - before;
}

static void begin(void)
{
	begin_threads();
	haskell_poke(&thread, &poke, tvar);
}

TEST_WITH(sampled_fixture, each_transaction_is_measured_or_counted)
{
	begin();
	run(1000);
	struct stmlog_account account = haskell_account(&thread);
	assert_int_equal(account.commits + account.unmeasured_commits, 1001);
}

/* One lies in each interval of eight. */
TEST_WITH(sampled_fixture, one_transaction_in_n_is_measured)
{
	begin();
	for (int i = 0; i < 20; i++)
		assert_in_range(run(8), 0, 2);
	assert_in_range(run(800), 99, 101);
}

TEST_WITH(sampled_fixture, a_measured_transaction_stands_for_n)
{
	begin();
	run(100);
	assert_int_equal(capability_find(thread.capability)->lanes[0]->weight, 8);
}

/* Among so many capabilities, each of the first eight transactions is the measured one as often as the others. */
TEST_WITH(sampled_fixture, where_in_the_interval_is_up_to_chance)
{
	enum { CAPABILITIES = 200, EVERY = 8 };
	uint32_t first[EVERY] = {0};
	tvar = fake_tvar();
	for (int i = 0; i < CAPABILITIES; i++) {
		thread = haskell_thread();
		for (int k = 0; k < EVERY; k++) {
			haskell_poke(&thread, &poke, tvar);
			if (haskell_account(&thread).commits == 1) {
				first[k]++;
				break;
			}
		}
	}
	uint32_t sum = 0;
	for (int k = 0; k < EVERY; k++) {
		assert_in_range(first[k], 8, 45); /* 25 are expected */
		sum += first[k];
	}
	assert_int_equal(sum, CAPABILITIES);
}

static void by_itself(void)
{
	haskell_set_up_with("sample=auto");
}

static const struct test_fixture auto_fixture = {by_itself, haskell_tear_down};

/* So many that each interval is chosen anew some times. */
TEST_WITH(auto_fixture, of_transactions_that_are_rare_each_is_measured)
{
	begin();
	assert_int_equal(haskell_account(&thread).commits, 1);
	for (int i = 0; i < 5 * SAMPLING_WINDOW; i++) {
		assert_int_equal(run(1), 1);
		fake_clock_advance(1000 * US);
	}
}

/* ... although measuring them would take only a small part of the time. */
TEST_WITH(auto_fixture, of_transactions_that_are_frequent_one_in_eight_is_measured)
{
	enum { TRANSACTIONS = 8000 };
	uint64_t measured = 0;
	begin();
	for (int i = 0; i < TRANSACTIONS; i++) {
		measured += run(1);
		fake_clock_advance(50 * US);
	}
	assert_in_range(measured, TRANSACTIONS / 8, TRANSACTIONS / 8 + SAMPLING_WINDOW + 8);
}

/* ---- transactions that are not measured ---- */

static void wait_for_an_unmeasured_one(void)
{
	while (true) {
		haskell_atomically(&thread, &victim);
		if (hs_trec(thread.tso)->mark == 0)
			return;
		assert_true(haskell_commit(&thread));
	}
}

/* An attempt that is not measured has read the TVar. */
static void read_unmeasured(void)
{
	wait_for_an_unmeasured_one();
	victim_reads(&thread, tvar);
}

TEST_WITH(sampled_fixture, aborts_that_are_not_measured_are_counted)
{
	begin();
	for (int i = 0; i < 10; i++) {
		read_unmeasured();
		lose_once();
		wait_for_an_unmeasured_one();
		assert_true(haskell_throw(&thread));
		wait_for_an_unmeasured_one();
		haskell_or_else(&thread);
		victim_reads(&thread, tvar);
		haskell_poke(&other, &poke, tvar);
		assert_false(haskell_or_else_end(&thread));
		assert_true(haskell_commit(&thread));
	}
	assert_int_equal(haskell_account(&thread).unmeasured_aborts, 30);
	assert_int_equal(losses_see(NULL, 0), 0);
}

TEST_WITH(sampled_fixture, sleeps_that_are_not_measured_are_reported)
{
	begin();
	for (int i = 0; i < 10; i++) {
		read_unmeasured();
		assert_true(haskell_retry(&thread));
		fake_clock_advance(3 * US);
		haskell_poke(&other, &poke, tvar);
		assert_true(haskell_wake(&thread));
		assert_true(haskell_commit(&thread));
	}
	assert_int_equal(haskell_account(&thread).blocked_unattached, 10);
	assert_int_equal(haskell_account(&thread).blocked_unattached_ns, 30 * US);
	assert_int_equal(haskell_account(&thread).unmeasured_aborts, 10);
}

/* They begin, and none commits. For the sampling each is over when it sleeps. */
TEST_WITH(sampled_fixture, of_many_that_sleep_one_in_n_is_measured)
{
	enum { SLEEPERS = 80 };
	struct haskell sleepers[SLEEPERS];
	uint32_t sampled = 0;
	begin();
	for (int i = 0; i < SLEEPERS; i++) {
		sleepers[i] = haskell_thread_on(thread.capability);
		haskell_atomically(&sleepers[i], &victim);
		victim_reads(&sleepers[i], tvar);
		assert_true(haskell_retry(&sleepers[i]));
		sampled += blocked_every(hs_trec(sleepers[i].tso)->mark) != 0;
	}
	assert_in_range(sampled, 9, 11);
	haskell_poke(&other, &poke, tvar);
	for (int i = 0; i < SLEEPERS; i++) {
		assert_true(haskell_wake(&sleepers[i]));
		assert_true(haskell_commit(&sleepers[i]));
	}
	struct stmlog_account account = haskell_account(&thread);
	assert_int_equal(account.commits + account.unmeasured_commits, SLEEPERS + 1);
	assert_in_range(run(800), 98, 102);
}

/* One or two of the commits are measured. */
static AO_t published_of(struct hs_tvar *written)
{
	const struct ring *ring = &capability_find(other.capability)->ring;
	AO_t before = AO_load(&ring->head);
	for (int i = 0; i < 1280; i++)
		haskell_poke(&other, &poke, written);
	return AO_load(&ring->head) - before;
}

static void one_in_thousand(void)
{
	haskell_set_up_with("sample=1000");
}

static const struct test_fixture rare_fixture = {one_in_thousand, haskell_tear_down};

/* What sleeps may be woken in vain, and then looks for the commit that has woken it. */
TEST_WITH(rare_fixture, of_the_commits_that_may_wake_a_transaction_some_are_published)
{
	begin_threads();
	assert_in_range(published_of(tvar), 0, 2);
	read_unmeasured();
	assert_true(haskell_retry(&thread));
	assert_in_range(published_of(tvar), 5, 15);
	assert_in_range(published_of(fake_tvar()), 0, 2);
	haskell_kill(&thread);
}

/* Loses 400 attempts to `poke`, and returns how many of them were measured. */
static uint32_t lose_to_poke(void)
{
	uint32_t lost = 0;
	other = haskell_thread();
	for (int i = 0; i < 400; i++) {
		haskell_atomically(&thread, &victim);
		victim_reads(&thread, tvar);
		bool is_measured = hs_trec(thread.tso)->mark != 0;
		lose_once();
		lost += is_measured;
	}
	return lost;
}

/* The culprit is known by its transaction; the place of its write is not. */
TEST_WITH(sampled_fixture, a_culprit_need_not_be_measured)
{
	begin();
	uint32_t lost = lose_to_poke();
	assert_true(lost > 40);
	struct seen_loss seen = losses_to_one(lost);
	assert_int_equal(seen.entry.certain, lost);
	assert_frame(&seen.remote, 0, haskell_code(&poke));
}

/* The RTS ends in the child what other Haskell threads of the parent were about. */
TEST_WITH(sampled_fixture, culprits_are_known_in_a_forked_child_too)
{
	begin();
	do
		haskell_atomically(&thread, &victim);
	while (hs_trec(thread.tso)->mark == 0 && haskell_commit(&thread));
	haskell_stop(&thread);
	if (in_forked_child()) {
		lanes_after_fork();
		capabilities_after_fork();
		haskell_kill(&thread);
		uint32_t lost = lose_to_poke();
		_exit(losses_to_one(lost).entry.certain == lost ? 0 : 1);
	}
	assert_true(haskell_commit(&thread));
}

/* ---- the option ---- */

TEST_WITH(sampled_fixture, an_option_that_makes_no_sense_is_said_and_not_followed)
{
	char text[256];
	session_open_with("sample=many");
	capture_stderr_begin();
	sampling_open();
	capture_stderr_end(text, sizeof text);
	assert_non_null(strstr(text, "sample=many is not a number"));
	assert_null(strchr(strchr(text, '\n') + 1, '\n'));
}
