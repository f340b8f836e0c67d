/* SPDX-License-Identifier: MIT
 * A TinySTM whose contention manager may abort the other transaction (CM_MODULAR). */
#include "tiny_session.h"

#include "peer.h"

static struct peer peer;
static struct stm_tx *it, *we;
static uint32_t its_number;

static void it_begins(void *unused)
{
	(void)unused;
	it = stm_init_thread();
	its_number = stmlog_thread_id(stmlog_thread_self());
	struct tb_stack *stack = stmlog_thread_stack(stmlog_thread_self());
	tb_push(stack, tb_site_make(77, 500));
	stand_in_start();
	tb_pop(stack);
}

static void it_kills_us(void *unused)
{
	(void)unused;
	stand_in_conflict(we);
}

static void it_ends(void *unused)
{
	(void)unused;
	stand_in_commit();
	stm_exit_thread();
}

static void set_up(void)
{
	stand_in_build.contention = "MODULAR";
	tiny_session_set_up();
	we = stand_in_self();
	peer_start(&peer);
	peer_do(&peer, it_begins, NULL);
}

static void tear_down(void)
{
	peer_do(&peer, it_ends, NULL);
	peer_end(&peer);
	tiny_session_tear_down();
}

static const struct test_fixture two_fixture = {set_up, tear_down};

TEST_WITH(two_fixture, a_victim_names_by_whom_it_was_met)
{
	stand_in_start();
	peer_do(&peer, it_kills_us, NULL);
	stand_in_abort(STAND_IN_KILLED);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_cause(&entry, STMLOG_ABORTED_BY_OTHER, STMLOG_WRITE_WRITE, "KILLED, by a writer or reader");
	assert_int_equal(entry.remote_thread, its_number);
	assert_int_equal(entry.grade, STMLOG_GRADE_CANDIDATE);
	assert_int_equal(tb_frame_site(entry.remote).position, 500);
}

TEST_WITH(two_fixture, a_later_attempt_names_by_whom_it_was_met_too)
{
	stand_in_start();
	stand_in_abort(STAND_IN_VAL_READ);
	stmlog_timelog_clear(fixture_log);
	peer_do(&peer, it_kills_us, NULL);
	stand_in_abort(STAND_IN_KILLED);
	assert_int_equal(entry_at(fixture_log, 0).remote_thread, its_number);
}

TEST_WITH(two_fixture, who_met_an_earlier_attempt_is_not_the_killer_of_the_next)
{
	stand_in_start();
	peer_do(&peer, it_kills_us, NULL);
	stand_in_abort(STAND_IN_KILLED);
	stmlog_timelog_clear(fixture_log);
	stand_in_conflict(it); /* the next attempt shows */
	stand_in_abort(STAND_IN_KILLED);
	assert_true(tb_is_unknown(entry_at(fixture_log, 0).remote));
}

TEST_WITH(two_fixture, one_that_was_killed_is_not_blamed_for_a_validation_that_fails_later)
{
	stand_in_start();
	stand_in_conflict(it);
	stand_in_abort(STAND_IN_VAL_READ);
	assert_true(tb_is_unknown(entry_at(fixture_log, 0).remote));
}

TEST_WITH(two_fixture, one_that_was_met_over_a_lock_is_blamed_for_it)
{
	stand_in_start();
	stand_in_conflict(it);
	stand_in_abort(STAND_IN_WW_CONFLICT);
	assert_int_equal(entry_at(fixture_log, 0).remote_thread, its_number);
}
