/* SPDX-License-Identifier: MIT
 * The hooks that return origins: what each origin stands for. tests/stmlog/conflicts/ has the table behind them. */
#include "figures.h"
#include "misuse.h"
#include "opponent.h"

static struct stmlog_origin_parts parts_of(uint64_t origin)
{
	struct stmlog_origin_parts parts;
	assert_true(stmlog_origin_read(origin, &parts));
	return parts;
}

/* The sites of the origin are `inner`, if that is not 0, and 1. */
static void assert_at(uint64_t origin, uintptr_t inner)
{
	const struct tb_copy *traceback = parts_of(origin).traceback;
	assert_non_null(traceback);
	assert_true(traceback->is_whole);
	assert_int_equal(traceback->len, inner != 0 ? 2 : 1);
	assert_int_equal(traceback->sites[traceback->len - 1].position, 1);
	if (inner != 0)
		assert_int_equal(traceback->sites[0].position, inner);
}

TEST_WITH(opponent_fixture, an_origin_is_where_the_thread_is_or_a_site_called_from_there)
{
	stmlog_start(me());
	assert_at(stmlog_origin(me(), TB_NO_SITE), 0);
	assert_at(stmlog_origin(me(), at(9)), 9);
	assert_int_equal(stmlog_origin(me(), at(9)), we_touch_at(9));
	assert_at(stmlog_origin(me(), TB_NO_SITE), 0); /* the site was not entered */
	stmlog_commit(me());
}

TEST_WITH(opponent_fixture, an_origin_has_the_thread_and_the_attempt_under_way)
{
	stmlog_start(me());
	uint64_t first = stmlog_origin(me(), TB_NO_SITE);
	assert_int_equal(stmlog_origin(me(), TB_NO_SITE), first);
	stmlog_abort(me(), NULL);
	stmlog_retry(me());
	uint64_t second = stmlog_origin(me(), TB_NO_SITE);
	stmlog_commit(me());
	assert_int_equal(parts_of(first).thread, stmlog_thread_id(me()));
	assert_int_equal(parts_of(second).thread, stmlog_thread_id(me()));
	assert_int_equal(parts_of(second).attempt, parts_of(first).attempt + 1);
	assert_ptr_equal(parts_of(second).traceback, parts_of(first).traceback);
}

TEST_WITH(opponent_fixture, between_attempts_there_is_the_origin_of_the_last_one_for_frames)
{
	size_t before = misuse_total();
	struct tb_frame *here = tb_current(stmlog_thread_stack(me()));
	stmlog_start(me());
	uint64_t within = stmlog_origin(me(), TB_NO_SITE);
	assert_int_equal(stmlog_origin_at(me(), here), within);
	stmlog_commit(me());
	assert_int_equal(stmlog_origin_at(me(), here), within);
	assert_int_equal(misuse_total(), before);
	assert_null(parts_of(stmlog_origin_at(me(), TB_UNKNOWN)).traceback);
}

TEST_WITH(opponent_fixture, who_becomes_inevitable_gets_an_origin)
{
	stmlog_start(me());
	assert_int_equal(stmlog_became_inevitable(me(), TB_NO_SITE), stmlog_origin(me(), TB_NO_SITE));
	assert_int_equal(stmlog_became_inevitable(me(), at(9)), stmlog_origin(me(), at(9)));
	assert_at(stmlog_became_inevitable(me(), at(9)), 9);
	stmlog_commit(me());
}

static void assert_begun_at(uint64_t origin, uintptr_t begin)
{
	const struct tb_copy *traceback = parts_of(origin).traceback;
	assert_int_equal(traceback->len, 2);
	assert_int_equal(traceback->sites[0].position, 9);
	assert_int_equal(traceback->sites[1].position, begin);
}

TEST_WITH(opponent_fixture, without_a_shadow_stack_an_origin_has_the_place_where_its_transaction_began)
{
	struct tb_site pushed = tb_top_site(stmlog_thread_stack(me()));
	stmlog_pop(me());
	for (uintptr_t begin = 5; begin <= 6; begin++) {
		stmlog_start_at(me(), stmlog_now_ns(), at(begin), TB_UNKNOWN);
		uint64_t origin = stmlog_origin(me(), at(9));
		assert_begun_at(origin, begin);
		assert_int_equal(stmlog_origin(me(), at(9)), origin);
		assert_int_equal(parts_of(stmlog_origin(me(), TB_NO_SITE)).traceback->len, 2);
		stmlog_push(me(), pushed);
		assert_at(stmlog_origin(me(), at(9)), 9);
		stmlog_pop(me());
		stmlog_commit(me());
	}
	stmlog_push(me(), pushed);
}

TEST_WITH(opponent_fixture, the_same_place_in_two_threads_is_one_place)
{
	tell(it_starts_and_writes);
	tell(it_commits);
	const struct tb_site sites[] = {at(510), at(500)};
	struct tb_frame *traceback = tb_build(stmlog_thread_stack(me()), sites, 2, TB_EMPTY);
	struct stmlog_origin_parts mine = parts_of(stmlog_origin_at(me(), traceback)), theirs = parts_of(it.origin);
	tb_unref(stmlog_thread_stack(me()), traceback);
	assert_ptr_equal(mine.traceback, theirs.traceback);
	assert_int_equal(mine.thread, stmlog_thread_id(me()));
	assert_int_not_equal(mine.thread, theirs.thread);
}

TEST_WITH(opponent_fixture, a_lane_has_origins_of_its_own)
{
	OWNED(stmlog_thread_close) struct stmlog_thread *lane = stmlog_thread_open("lane");
	stmlog_claim(lane);
	stmlog_start(me());
	stmlog_start(lane);
	assert_int_equal(parts_of(stmlog_origin(lane, at(9))).thread, stmlog_thread_id(lane));
	assert_int_equal(parts_of(stmlog_origin(me(), at(9))).thread, stmlog_thread_id(me()));
	assert_int_equal(parts_of(stmlog_origin(lane, at(9))).traceback->len, 1);
	stmlog_commit(lane);
	stmlog_commit(me());
}

/* Twice the origin, plus 1, is a word of a lock. */
TEST_WITH(opponent_fixture, an_origin_leaves_the_highest_bit_free)
{
	stmlog_start(me());
	uint64_t origin = stmlog_origin(me(), TB_NO_SITE), word = 2 * origin + 1;
	stmlog_commit(me());
	assert_int_equal(word / 2, origin);
	assert_int_not_equal(origin, 0);
}

TEST_WITH(opponent_fixture, all_origins_are_counted_and_some_are_timed_and_all_have_the_same_place)
{
	struct thread_figures figures;
	stmlog_start(me());
	uint64_t first = stmlog_origin(me(), TB_NO_SITE);
	fake_clock_set_reading(7);
	for (int i = 1; i < 10000; i++)
		assert_int_equal(stmlog_origin(me(), TB_NO_SITE), first);
	fake_clock_set_reading(0);
	stmlog_commit(me());
	assert_true(figures_read(&figures, me()));
	assert_int_equal(figures.origins_timed, 3);
	assert_int_equal(figures.origins, 10000 + figures.origins_timed);
	assert_int_equal(
		figures.origins_timed_ns, 0); /* two readings take as long as two with an origin between them */
}

TEST_WITH(opponent_fixture, nobody_has_no_origin)
{
	size_t before = misuse_total();
	assert_int_equal(stmlog_origin(NULL, TB_NO_SITE), 0);
	assert_int_equal(stmlog_origin(NULL, at(1)), 0);
	assert_int_equal(stmlog_origin_at(NULL, TB_UNKNOWN), 0);
	assert_int_equal(stmlog_became_inevitable(NULL, at(1)), 0);
	assert_int_equal(misuse_total(), before);
}
