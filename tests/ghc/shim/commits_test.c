/* SPDX-License-Identifier: MIT
 * Commits that succeed, and commits that fail: of attempts, and of parts of them. */
#include "parked.h"
#include "sampling.h"
#include "two_threads.h"

TEST_WITH(haskell_fixture, a_commit_of_nothing_is_a_commit)
{
	begin_attempt();
	assert_true(haskell_commit(&thread));
	assert_int_equal(haskell_account(&thread).commits, 1);
	assert_int_equal(losses_see(NULL, 0), 0);
}

TEST_WITH(haskell_fixture, an_attempt_is_lost_to_the_commit_of_what_it_has_read)
{
	begin_attempt();
	victim_reads(&thread, tvar);
	fake_clock_advance(3 * US);
	lose_once();
	struct seen_loss seen = losses_word("INVALID");
	assert_int_equal(seen.entry.cause.contention, STMLOG_WRITE_READ);
	assert_int_equal(seen.entry.grade, STMLOG_GRADE_CERTAIN);
	assert_int_equal(seen.entry.lost_ns, 3 * US);
	assert_frame(&seen.local, 0, haskell_code(&reader));
	assert_frame(&seen.remote, 0, haskell_code(&poke));
}

TEST_WITH(haskell_fixture, a_write_that_was_no_read_before_is_lost_to_a_write)
{
	begin_attempt();
	victim_writes(&thread, tvar);
	lose_once();
	struct seen_loss seen = losses_word("INVALID");
	assert_int_equal(seen.entry.cause.contention, STMLOG_WRITE_WRITE);
	assert_frame(&seen.local, 0, haskell_code(&writer));
}

TEST_WITH(haskell_fixture, a_write_behind_a_read_is_lost_as_a_read)
{
	begin_attempt();
	victim_reads(&thread, tvar);
	victim_writes(&thread, tvar);
	lose_once();
	assert_int_equal(losses_word("INVALID").entry.cause.contention, STMLOG_WRITE_READ);
}

/* As long as the other one has not decided, it is a candidate. */
TEST_WITH(haskell_fixture, an_attempt_fails_while_the_other_one_is_committing)
{
	begin_attempt();
	victim_reads(&thread, tvar);
	parked_begin(tvar);
	assert_false(haskell_commit(&thread));
	parked_end();
	assert_true(haskell_commit(&thread));
	struct seen_loss seen = losses_word("LOCKED");
	assert_int_equal(seen.entry.grade, STMLOG_GRADE_CANDIDATE);
	assert_frame(&seen.local, 0, haskell_code(&reader));
	assert_frame(&seen.remote, 0, haskell_code(&poke));
}

TEST_WITH(haskell_fixture, nobody_is_to_blame_for_a_lock_that_came_to_nothing)
{
	begin_attempt();
	victim_reads(&thread, tvar);
	haskell_poke(&other, &poke, fake_tvar());
	fake_script.is_momentary = true;
	fail_once();
	struct seen_loss seen = losses_word("MOMENTARY");
	assert_int_equal(seen.entry.cause.contention, STMLOG_DATA);
	assert_int_equal(seen.entry.grade, STMLOG_GRADE_UNKNOWN);
	assert_frame(&seen.local, 0, haskell_code(&victim));
	assert_int_equal(seen.remote.len, 0);
}

TEST_WITH(haskell_fixture, the_scheduler_stops_an_attempt_with_outdated_values)
{
	begin_attempt();
	victim_reads(&thread, tvar);
	haskell_poke(&other, &poke, tvar);
	haskell_stop(&thread);
	fail_once();
	struct seen_loss seen = losses_word("ZOMBIE");
	assert_int_equal(seen.entry.grade, STMLOG_GRADE_CERTAIN);
	assert_frame(&seen.remote, 0, haskell_code(&poke));
}

/* ---- nested ---- */

TEST_WITH(haskell_fixture, an_alternative_that_fails_loses_the_whole_attempt)
{
	begin_attempt();
	haskell_or_else(&thread);
	victim_reads(&thread, tvar);
	haskell_poke(&other, &poke, tvar);
	assert_false(haskell_or_else_end(&thread));
	assert_true(haskell_commit(&thread));
	struct seen_loss seen = losses_word("NESTED_INVALID");
	assert_frame(&seen.local, 0, haskell_code(&reader));
	assert_frame(&seen.remote, 0, haskell_code(&poke));
	assert_int_equal(haskell_account(&thread).commits, 1);
}

TEST_WITH(haskell_fixture, what_an_alternative_has_read_is_read_by_the_attempt)
{
	begin_attempt();
	haskell_or_else(&thread);
	victim_reads(&thread, tvar);
	assert_true(haskell_or_else_end(&thread));
	lose_once();
	assert_int_equal(losses_word("INVALID").entry.grade, STMLOG_GRADE_CERTAIN);
}

TEST_WITH(haskell_fixture, only_the_body_of_a_handler_runs_again)
{
	begin_attempt();
	haskell_catch(&thread);
	victim_reads(&thread, tvar);
	haskell_poke(&other, &poke, tvar);
	assert_false(haskell_catch_end(&thread));
	assert_int_equal(losses_see(NULL, 0), 0);
	victim_reads(&thread, tvar);
	assert_true(haskell_catch_end(&thread));
	assert_true(haskell_commit(&thread));
	assert_int_equal(losses_see(NULL, 0), 0);
	assert_int_equal(haskell_account(&thread).commits, 1);
}

/* ---- more than one loss ---- */

TEST_WITH(haskell_fixture, an_attempt_may_be_lost_any_number_of_times)
{
	begin_attempt();
	for (int i = 0; i < 5; i++) {
		victim_reads(&thread, tvar);
		haskell_poke(&other, &poke, tvar);
		assert_false(haskell_commit(&thread));
	}
	assert_true(haskell_commit(&thread));
	assert_int_equal(losses_only(5).entry.certain, 5);
	assert_int_equal(haskell_account(&thread).aborts[STMLOG_WRITE_READ], 5);
}

/* Chunks of entries are recorded from the latest to the first one, but each from its first entry on. */
TEST_WITH(haskell_fixture, a_long_transaction_is_blamed_for_a_thousand_of_its_writes)
{
	enum { WRITES = RING_WRITES_OF_COMMIT + 6 };
	struct hs_tvar *tvars[WRITES];
	thread = haskell_thread();
	other = haskell_thread();
	for (int i = 0; i < WRITES; i++)
		tvars[i] = fake_tvar();
	for (int kept = 1; kept >= 0; kept--) {
		haskell_atomically(&thread, &victim);
		victim_reads(&thread, kept ? tvars[WRITES - 1] : tvars[HS_CHUNK_ENTRIES - 1]);
		haskell_atomically(&other, &poke);
		for (int i = 0; i < WRITES; i++)
			haskell_change(&other, tvars[i]);
		assert_true(haskell_commit(&other));
		fake_clock_advance((uint64_t)(1 + kept) * US);
		fail_once();
	}
	struct seen_loss seen[2];
	assert_int_equal(losses_see(seen, 2), 2);
	assert_int_equal(seen[0].entry.grade, STMLOG_GRADE_CERTAIN);
	assert_int_equal(seen[1].entry.grade, STMLOG_GRADE_UNKNOWN);
}

/* The RTS with one OS thread does not count updates of TVars: there the culprit is the first commit that is found, if
 * none can be missing. */
TEST_WITH(haskell_single_fixture, behind_a_very_long_transaction_no_culprit_is_certain)
{
	enum { WRITES = RING_WRITES_OF_COMMIT + 6 };
	begin_attempt();
	other = haskell_thread_on(thread.capability);
	victim_reads(&thread, tvar);
	haskell_atomically(&other, &victim);
	for (int i = 0; i < WRITES; i++)
		haskell_change(&other, i == HS_CHUNK_ENTRIES - 1 ? tvar : fake_tvar());
	assert_true(haskell_commit(&other));
	lose_once();
	struct seen_loss seen = losses_word("INVALID");
	assert_int_equal(seen.entry.grade, STMLOG_GRADE_CANDIDATE);
	assert_frame(&seen.remote, 0, haskell_code(&poke)); /* it was `victim` */
}

TEST_WITH(haskell_single_fixture, with_one_os_thread_a_culprit_is_certain)
{
	begin_attempt();
	other = haskell_thread_on(thread.capability);
	victim_reads(&thread, tvar);
	haskell_poke(&other, &poke, tvar);
	haskell_poke(&other, &victim, tvar);
	fail_once();
	struct seen_loss seen = losses_word("INVALID");
	assert_int_equal(seen.entry.grade, STMLOG_GRADE_CERTAIN);
	assert_frame(&seen.remote, 0, haskell_code(&poke));
}

static AO_t published_by_poke(void)
{
	const struct ring *ring = &capability_find(other.capability)->ring;
	AO_t before = AO_load(&ring->head);
	haskell_poke(&other, &poke, tvar);
	return AO_load(&ring->head) - before;
}

TEST_WITH(haskell_single_fixture, a_commit_is_published_only_while_an_attempt_may_look_for_it)
{
	begin_threads();
	other = haskell_thread_on(thread.capability);
	haskell_poke(&other, &poke, tvar);
	AO_t others = AO_load(&watched) - WATCH_LANE; /* capabilities, this one and those of other tests */
	watch_add(-others);
	assert_int_equal(published_by_poke(), 0);
	haskell_atomically(&thread, &victim);
	assert_int_equal(published_by_poke(), 1);
	assert_true(haskell_commit(&thread));
	assert_int_equal(published_by_poke(), 0);
	watch_rival(true);
	assert_int_equal(published_by_poke(), 1);
	watch_add(others - WATCH_OTHER);
}
