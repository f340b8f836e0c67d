/* SPDX-License-Identifier: MIT
 * The module with a TinySTM that counts aborts and tracks conflicts, as its README.md recommends. */
#include "tiny_session.h"

#include <errno.h>

#include "losses.h"
#include "mem.h"
#include "misuse.h"
#include "peer.h"

static struct peer peer;
static struct stm_tx *it; /* the peer's descriptor */
static uint32_t its_number;
static size_t misuses_before;

static struct tb_site at(uintptr_t place)
{
	return tb_site_make(77, place);
}

/* ---- what the peer does ---- */

static void it_begins(void *unused)
{
	(void)unused;
	it = stm_init_thread();
	its_number = stmlog_thread_id(stmlog_thread_self());
}

static void it_starts_at(void *place)
{
	struct tb_stack *stack = stmlog_thread_stack(stmlog_thread_self());
	tb_push(stack, at((uintptr_t)place));
	stand_in_start();
	tb_update(stack, at(999));
}

static void it_commits(void *unused)
{
	(void)unused;
	stand_in_commit();
	tb_pop(stmlog_thread_stack(stmlog_thread_self()));
}

static void it_ends(void *unused)
{
	(void)unused;
	stm_exit_thread();
}

static void set_up_two(void)
{
	tiny_session_set_up();
	peer_start(&peer);
	peer_do(&peer, it_begins, NULL);
}

static void tear_down_two(void)
{
	peer_do(&peer, it_ends, NULL);
	peer_end(&peer);
	tiny_session_tear_down();
}

static const struct test_fixture two_fixture = {set_up_two, tear_down_two};

/* ---- attempts and their time ---- */

TEST_WITH(tiny_session_fixture, the_attempt_after_an_abort_begins_when_that_one_ends)
{
	stand_in_start();
	fake_clock_advance(100);
	stand_in_abort(STAND_IN_VAL_READ);
	fake_clock_advance(30);
	stand_in_abort(STAND_IN_WW_CONFLICT);
	fake_clock_advance(5);
	stand_in_commit();
	struct stmlog_account a = account_of(me());
	assert_int_equal(a.aborted_ns[STMLOG_WRITE_READ], 100);
	assert_int_equal(a.aborted_ns[STMLOG_WRITE_WRITE], 30);
	assert_int_equal(a.committed_ns, 5);
	assert_int_equal(a.commits, 1);
	assert_int_equal(a.outside_ns, 0);
	assert_no_residual(stmlog_thread_self());
}

TEST_WITH(tiny_session_fixture, a_commit_that_fails_is_an_abort)
{
	stand_in_start();
	fake_clock_advance(100);
	stand_in_fail_commit(STAND_IN_VALIDATE);
	fake_clock_advance(7);
	stand_in_commit();
	struct stmlog_account a = account_of(me());
	assert_int_equal(a.aborted_ns[STMLOG_WRITE_READ], 100);
	assert_int_equal(a.committed_ns, 7);
}

TEST_WITH(tiny_session_fixture, a_transaction_that_is_given_up_has_no_further_attempt)
{
	stand_in_start();
	fake_clock_advance(100);
	stand_in_give_up(STAND_IN_EXPLICIT);
	fake_clock_advance(1000);
	stand_in_start();
	fake_clock_advance(5);
	stand_in_commit();
	struct stmlog_account a = account_of(me());
	assert_int_equal(a.outside_ns, 1000);
	assert_int_equal(a.committed_ns, 5);
	assert_int_equal(a.aborts[STMLOG_NONE], 1);
}

TEST_WITH(tiny_session_fixture, transactions_within_one_are_part_of_it)
{
	stand_in_start();
	stand_in_start();
	stand_in_start();
	stand_in_commit();
	stand_in_commit();
	assert_int_equal(account_of(me()).commits, 0);
	stand_in_commit();
	assert_int_equal(account_of(me()).commits, 1);
	stand_in_start();
	stand_in_start();
	stand_in_abort(STAND_IN_VAL_READ); /* takes both back */
	stand_in_start();
	stand_in_commit();
	assert_int_equal(account_of(me()).commits, 1);
	stand_in_commit();
	assert_int_equal(account_of(me()).commits, 2);
}

/* ---- causes ---- */

TEST_WITH(tiny_session_fixture, the_counter_that_moves_is_the_cause)
{
	static const struct {
		enum stand_in_reason told;
		enum stmlog_reason reason;
		enum stmlog_contention_kind contention;
		const char *word;
	} rows[] = {
		{STAND_IN_WW_CONFLICT, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "WW_CONFLICT"},
		{STAND_IN_WR_CONFLICT, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "WR_CONFLICT"},
		{STAND_IN_VAL_READ, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "VAL_READ"},
		{STAND_IN_VAL_WRITE, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "VAL_WRITE"},
		{STAND_IN_VALIDATE, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "VALIDATE"},
		{STAND_IN_SIGNAL, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "SIGNAL"},
		{STAND_IN_KILLED, STMLOG_ABORTED_BY_OTHER, STMLOG_WRITE_WRITE, "KILLED, by a writer or reader"},
		{STAND_IN_EXTEND_WS, STMLOG_SELF_ABORT, STMLOG_NONE, "EXTEND_WS"},
		{STAND_IN_EXPLICIT, STMLOG_USER_ABORT, STMLOG_NONE, "EXPLICIT, or asked to be IRREVOCABLE"},
	};
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			struct stmlog_entry entry = tiny_lose(rows[i].told);
			assert_cause(&entry, rows[i].reason, rows[i].contention, rows[i].word);
			assert_int_equal(entry.lost_ns, 100);
			assert_true(rows[i].contention == STMLOG_NONE ? entry.remote == TB_EMPTY
								      : tb_is_unknown(entry.remote));
			assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
		}
	}
}

TEST_WITH(tiny_session_fixture, a_commit_that_no_counter_explains_gave_way_to_an_irrevocable_one)
{
	stand_in_start();
	stand_in_fail_commit(STAND_IN_IRREVOCABLE);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_cause(&entry, STMLOG_SELF_ABORT, STMLOG_INEVITABLE, "IRREVOCABLE");
}

TEST_WITH(tiny_session_fixture, a_commit_that_failed_says_nothing_of_the_next_attempt)
{
	stand_in_start();
	stand_in_fail_commit(STAND_IN_IRREVOCABLE);
	fake_clock_advance(10);
	stand_in_abort(STAND_IN_EXPLICIT);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_cause(&entry, STMLOG_USER_ABORT, STMLOG_NONE, "EXPLICIT, or asked to be IRREVOCABLE");
}

/* ---- the other one ---- */

TEST_WITH(two_fixture, the_other_one_is_shown_where_its_transaction_began)
{
	peer_do(&peer, it_starts_at, (void *)500);
	stand_in_start();
	stand_in_conflict(it);
	stand_in_abort(STAND_IN_RW_CONFLICT);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_cause(&entry, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "RW_CONFLICT");
	assert_int_equal(entry.remote_thread, its_number);
	assert_int_equal(entry.grade, STMLOG_GRADE_CANDIDATE);
	assert_int_equal(tb_depth(entry.remote), 1);
	assert_int_equal(tb_frame_site(entry.remote).position, 500);
	peer_do(&peer, it_commits, NULL);
}

TEST_WITH(two_fixture, the_other_one_is_what_it_was_when_it_was_met)
{
	peer_do(&peer, it_starts_at, (void *)500);
	stand_in_start();
	stand_in_conflict(it);
	peer_do(&peer, it_commits, NULL);
	peer_do(&peer, it_starts_at, (void *)600);
	stand_in_abort(STAND_IN_WW_CONFLICT);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).remote).position, 500);
	peer_do(&peer, it_commits, NULL);
}

TEST_WITH(two_fixture, the_one_met_in_an_attempt_is_not_blamed_for_the_next)
{
	peer_do(&peer, it_starts_at, (void *)500);
	stand_in_start();
	stand_in_conflict(it);
	stand_in_abort(STAND_IN_WW_CONFLICT);
	stmlog_timelog_clear(fixture_log);
	stand_in_abort(STAND_IN_VAL_READ);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_true(tb_is_unknown(entry.remote));
	assert_int_equal(entry.remote_thread, 0);
	assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
	peer_do(&peer, it_commits, NULL);
}

TEST_WITH(two_fixture, one_met_by_a_validation_that_fails_is_blamed)
{
	peer_do(&peer, it_starts_at, (void *)500);
	stand_in_start();
	stand_in_conflict(it);
	stand_in_abort(STAND_IN_VAL_READ);
	assert_int_equal(entry_at(fixture_log, 0).remote_thread, its_number);
	peer_do(&peer, it_commits, NULL);
}

TEST_WITH(two_fixture, one_that_never_began_a_transaction_is_unknown)
{
	stand_in_start();
	stand_in_conflict(it);
	stand_in_abort(STAND_IN_WW_CONFLICT);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_true(tb_is_unknown(entry.remote));
	assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
}

TEST_WITH(two_fixture, one_whose_thread_has_ended_is_still_named)
{
	peer_do(&peer, it_starts_at, (void *)500);
	peer_do(&peer, it_commits, NULL);
	peer_do(&peer, it_ends, NULL);
	stand_in_start();
	stand_in_conflict(it);
	stand_in_abort(STAND_IN_WW_CONFLICT);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.remote_thread, its_number);
	assert_int_equal(tb_frame_site(entry.remote).position, 500);
}

/* ---- where ---- */

TEST_WITH(tiny_session_fixture, the_place_of_a_loss_is_what_the_program_has_pushed)
{
	struct tb_stack *stack = stmlog_thread_stack(stmlog_thread_self());
	stand_in_start();
	tb_push(stack, at(1));
	tb_push(stack, at(2));
	stand_in_abort(STAND_IN_VAL_READ);
	struct tb_frame *local = entry_at(fixture_log, 0).local;
	assert_int_equal(tb_depth(local), 2);
	assert_int_equal(tb_frame_site(local).position, 2);
	assert_int_equal(tb_depth(tb_current(stack)), 2); /* to go back is the program's */
	tb_pop(stack);
	tb_pop(stack);
}

__attribute__((noinline)) static struct stmlog_entry lose_here(void)
{
	return tiny_lose(STAND_IN_VAL_READ);
}

TEST_WITH(tiny_session_fixture, the_place_of_a_loss_is_unwound_if_nothing_was_pushed)
{
	struct tb_frame *local = lose_here().local;
	bool is_found = false;
	for (const struct tb_frame *f = local; tb_is_frame(f); f = tb_down(f)) {
		assert_int_equal(tb_frame_site(f).code, TB_CODE_ADDRESS);
		is_found |= tb_frame_site(f).position - (uintptr_t)lose_here < 2000;
	}
	assert_true(is_found);
}

/* ---- ends ---- */

static void it_looks_at_its_account(void *figures)
{
	*(struct stmlog_account *)figures = account_of(me());
}

/* The library uses its record again for the next thread that attaches; nothing of the former one may show. */
TEST_WITH(tiny_session_fixture, what_a_thread_does_after_it_was_detached_is_not_recorded)
{
	struct stmlog_account its;
	stmlog_timelog_destroy(&fixture_log);
	stand_in_start();
	stand_in_abort(STAND_IN_VAL_READ);
	stand_in_commit();
	close_own();
	peer_start(&peer);
	peer_do(&peer, it_begins, NULL);
	stand_in_start();
	stand_in_abort(STAND_IN_VAL_READ);
	stand_in_conflict(it);
	stand_in_commit();
	peer_do(&peer, it_looks_at_its_account, &its);
	assert_int_equal(its.commits, 0);
	assert_int_equal(its.aborts[STMLOG_WRITE_READ], 0);
	peer_do(&peer, it_ends, NULL);
	peer_end(&peer);
}

TEST_WITH(tiny_session_fixture, memory_that_runs_out_makes_places_unknown)
{
	struct tb_stack *stack = stmlog_thread_stack(stmlog_thread_self());
	stand_in_start();
	fake_clock_advance(9);
	struct tb_frame *all = fixture_hoard(stack);
	mem_fail_at(1);
	stand_in_abort(STAND_IN_VAL_READ);
	mem_fail_at(0);
	tb_unref(stack, all);
	assert_true(tb_is_unknown(entry_at(fixture_log, 0).local));
	assert_int_equal(account_of(me()).aborted_ns[STMLOG_WRITE_READ], 9);
}

TEST_WITH(tiny_session_fixture, a_second_registration_is_refused)
{
	assert_int_equal(stmlog_tinystm_init(), -EALREADY);
	assert_int_equal(stand_in_modules(), 1);
}

/* The last: it judges all. */
TEST(no_hook_was_called_out_of_order)
{
	assert_int_equal(misuse_total(), misuses_before);
}

static void count_misuses(void)
{
	misuses_before = misuse_total();
}

static const struct test_fixture misuse_fixture = {count_misuses, NULL};

GROUP_WITH(misuse_fixture);
