/* SPDX-License-Identifier: MIT
 * Beginnings of attempts: of transactions and of parts of them, with any contents of the TRec, and without memory. */
#include "two_threads.h"

#include "mem.h"

static struct ghc_capability *capability(void)
{
	return capability_find(thread.capability);
}

TEST_WITH(haskell_fixture, a_part_of_an_attempt_belongs_to_its_lane)
{
	begin_attempt();
	uint32_t mark = hs_trec(thread.tso)->mark;
	assert_int_equal(mark, capability()->lanes[0]->number);
	haskell_or_else(&thread);
	assert_int_equal(hs_trec(thread.tso)->mark, mark);
	haskell_catch(&thread);
	assert_int_equal(hs_trec(thread.tso)->mark, mark);
	assert_true(haskell_catch_end(&thread));
	assert_true(haskell_or_else_end(&thread));
	assert_true(haskell_commit(&thread));
	assert_int_equal(haskell_account(&thread).commits, 1);
}

TEST_WITH(haskell_fixture, each_attempt_begins_when_the_one_before_has_ended)
{
	begin_attempt();
	victim_reads(&thread, tvar);
	fake_clock_advance(2 * US);
	haskell_poke(&other, &poke, tvar);
	assert_false(haskell_commit(&thread));
	fake_clock_advance(5 * US);
	assert_true(haskell_commit(&thread));
	fake_clock_advance(7 * US);
	struct stmlog_account account = haskell_account(&thread);
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_READ], 2 * US);
	assert_int_equal(account.committed_ns, 5 * US);
	assert_int_equal(account.outside_ns, 7 * US);
}

/* What has been accessed by the attempt before is forgotten. */
TEST_WITH(haskell_fixture, a_new_attempt_has_accessed_nothing)
{
	begin_attempt();
	victim_reads(&thread, tvar);
	haskell_poke(&other, &poke, tvar);
	assert_false(haskell_commit(&thread));
	victim_writes(&thread, tvar);
	fake_clock_advance(US);
	lose_once();
	struct seen_loss seen[2];
	assert_int_equal(losses_see(seen, 2), 2);
	assert_frame(&seen[0].local, 0, haskell_code(&writer));
	assert_int_equal(seen[0].entry.cause.contention, STMLOG_WRITE_WRITE);
}

/* One with another lane's attempt at the same time, on the same capability, over and over. */
TEST_WITH(haskell_fixture, attempts_of_preempted_threads_are_kept_apart)
{
	enum { ROUNDS = 20 };
	begin_threads();
	struct haskell second = haskell_thread_on(thread.capability);
	for (int i = 0; i < ROUNDS; i++) {
		haskell_atomically(&thread, &victim);
		haskell_atomically(&second, &poke);
		victim_reads(&thread, tvar);
		haskell_change(&second, tvar);
		assert_true(haskell_commit(&second));
		fail_once();
	}
	struct seen_loss seen = losses_only(ROUNDS);
	assert_int_equal(seen.entry.certain, ROUNDS);
	assert_frame(&seen.remote, 0, haskell_code(&poke));
}

/* ---- calls of C ---- */

static void set_up_rare(void)
{
	haskell_set_up_with("sample=1000000");
	begin_threads();
}

static const struct test_fixture rare_fixture = {set_up_rare, haskell_tear_down};

/* While a thread calls C in the middle of an attempt another one runs. No hook tells, and the RTS makes a new TRec. */
TEST_WITH(rare_fixture, a_new_trec_has_no_mark_of_whatever_lay_in_its_memory)
{
	struct haskell second = haskell_thread_on(thread.capability);
	haskell_atomically(&thread, &victim);
	thread.capability->current = second.tso;
	haskell_atomically(&second, &poke);
	assert_int_equal(hs_trec(second.tso)->mark, 0);
	haskell_change(&second, tvar);
	assert_true(haskell_commit(&second));
	thread.capability->current = thread.tso;
	assert_true(haskell_commit(&thread));
}

/* ---- the ring ---- */

/* Attempts of 1,100 other transactions commit while one is preempted: the ring does not reach back so far. */
TEST_WITH(haskell_fixture, behind_very_many_commits_a_culprit_is_a_candidate_or_unknown)
{
	enum { COMMITS = RING_COMMITS + 76 };
	begin_threads();
	for (int has_later = 0; has_later < 2; has_later++) {
		haskell_atomically(&thread, &victim);
		victim_reads(&thread, tvar);
		haskell_stop(&thread);
		haskell_poke(&other, &poke, tvar);
		for (int i = 0; i < COMMITS; i++)
			haskell_poke(&other, &poke, i == COMMITS / 2 && has_later ? tvar : fake_tvar());
		fake_clock_advance(US);
		fail_once();
		struct seen_loss seen[2];
		losses_see(seen, 2);
		assert_int_equal(seen[0].entry.certain, 0);
	}
	struct seen_loss seen[2];
	assert_int_equal(losses_see(seen, 2), 2);
	assert_int_equal(seen[0].entry.grade + seen[1].entry.grade, STMLOG_GRADE_CANDIDATE + STMLOG_GRADE_UNKNOWN);
}

/* ---- scarcity ---- */

static bool lose_and_commit(void)
{
	haskell_atomically(&thread, &victim);
	bool is_measured = hs_trec(thread.tso)->mark != 0;
	victim_reads(&thread, tvar);
	lose_once();
	return is_measured;
}

/* Whichever piece of memory is missing. As soon as there is memory again, transactions are measured. */
TEST_WITH(haskell_fixture, without_memory_transactions_go_on)
{
	size_t failures = 0;
	bool has_failed = true;
	while (has_failed) {
		begin_threads();
		mem_fail_at(failures + 1);
		lose_and_commit();
		has_failed = mem_fail_left() == 0;
		mem_fail_at(0);
		assert_true(lose_and_commit());
		haskell_account(&thread);
		failures += has_failed;
	}
	assert_true(failures > 3); /* a lane has more pieces */
}
