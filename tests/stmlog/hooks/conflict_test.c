/* SPDX-License-Identifier: MIT
 * The tracebacks of both sides of a conflict: by origins, of conflicts that are found later, and of overlaps. */
#include "fixture.h"

#include "origins.h"
#include "unknown.h"

/* ---- origins, and places that the runtime knows ---- */

static uint64_t origin;

static void it_takes_the_origin_at(void *place)
{
	tb_update(stmlog_thread_stack(it.thread), at((uintptr_t)place));
	origin = stmlog_origin(it.thread);
	tb_update(stmlog_thread_stack(it.thread), at(599));
}

/* A transaction that leaves a trail, so that the trails of earlier ones are gone after two of them. */
static void it_writes_elsewhere(void)
{
	tell(it_starts);
	tell_with(it_writes_at, 590);
	tell(it_commits);
}

static void assert_by_its_write(void)
{
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(tb_depth(entry.remote), 2);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(tb_frame_site(tb_down(entry.remote)).position, 500);
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	assert_int_equal(entry.wasted + entry.undecided, 0);
	assert_int_equal(AO_load(&self()->tracebacks_unavailable), 0);
}

TEST_WITH(opponent_fixture, an_origin_shows_the_writer_however_long_ago_it_committed_and_after_its_thread_has_ended)
{
	struct stmlog_origin_parts parts;
	tell(it_starts);
	tell_with(it_takes_the_origin_at, 510);
	tell(it_commits);
	uint32_t writer = stmlog_thread_id(it.thread);
	assert_true(stmlog_origin_read(origin, &parts));
	assert_int_equal(parts.thread, writer);
	assert_int_equal(parts.attempt, it.attempt & STMLOG_ORIGIN_ATTEMPTS);
	for (int i = 0; i < 10; i++)
		it_writes_elsewhere();
	lose_to_its_write(stmlog_other_by(origin));
	assert_by_its_write();
	assert_int_equal(entry_at(fixture_log, 0).remote_thread, writer);
	tell(it_leaves);
	stmlog_timelog_clear(fixture_log);
	lose_to_its_write(stmlog_other_by(origin));
	assert_by_its_write();
	assert_int_equal(entry_at(fixture_log, 0).remote_thread, writer);
	tell(it_attaches);
}

TEST_WITH(opponent_fixture, an_attempt_that_was_aborted_by_an_origin_shows_it)
{
	tell(it_starts);
	tell_with(it_takes_the_origin_at, 510);
	stmlog_start(self());
	stmlog_aborted_by(self(), stmlog_other_by(origin), STMLOG_WRITE_WRITE, "KILLED");
	assert_by_its_write();
	assert_int_equal(entry_at(fixture_log, 0).cause.reason, STMLOG_ABORTED_BY_OTHER);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, no_origin_is_nobody_and_that_of_another_session_is_counted)
{
	struct stmlog_origin_parts parts;
	assert_false(stmlog_origin_read(0, &parts));
	lose_to_its_write(stmlog_other_by(0));
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 0);
	tell(it_starts);
	tell_with(it_takes_the_origin_at, 510);
	tell(it_commits);
	uint64_t other_session = origin ^ (uint64_t)1 << 62;
	assert_false(stmlog_origin_read(other_session, &parts));
	stmlog_timelog_clear(fixture_log);
	lose_to_its_write(stmlog_other_by(other_session));
	entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 1);
	assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
	assert_int_equal(entry.remote_thread, 0);
}

TEST_WITH(opponent_fixture, the_same_place_in_two_threads_is_one_place)
{
	struct stmlog_origin_parts mine, theirs;
	tell(it_starts);
	tell_with(it_takes_the_origin_at, 510);
	tell(it_commits);
	const struct tb_site sites[] = {at(510), at(500)};
	struct tb_frame *traceback = tb_build(stmlog_thread_stack(self()), sites, 2, TB_EMPTY);
	uint64_t own = stmlog_origin_at(self(), traceback);
	tb_unref(stmlog_thread_stack(self()), traceback);
	assert_true(stmlog_origin_read(own, &mine) && stmlog_origin_read(origin, &theirs));
	assert_ptr_equal(mine.traceback, theirs.traceback);
	assert_int_equal(mine.thread, stmlog_thread_id(self()));
	assert_int_not_equal(mine.thread, theirs.thread);
}

TEST_WITH(opponent_fixture, a_runtime_that_knows_the_places_itself_has_them_shown)
{
	struct tb_stack *stack = stmlog_thread_stack(self());
	const struct tb_site wrote = at(20), read = at(30);
	struct tb_frame *earlier = tb_build(stack, &wrote, 1, TB_EMPTY), *local = tb_build(stack, &read, 1, TB_EMPTY);
	stmlog_start(self());
	stmlog_wrote_at(self(), OBJECT, earlier);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_READ, OBJECT, nobody, NULL);
	stmlog_abort_self(self());
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).local).position, 20);
	stmlog_timelog_clear(fixture_log);
	stmlog_start(self());
	stmlog_contention_at(self(), STMLOG_READ_MEETS_WRITE, local, OBJECT, nobody, NULL);
	stmlog_abort_self(self());
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).local).position, 30);
	tb_unref(stack, earlier);
	tb_unref(stack, local);
}

/* ---- conflicts that are found later, or half known ---- */

/* The origin of a read or write of this thread's at a place. */
static uint64_t origin_of_ours(uintptr_t place)
{
	tb_push(stmlog_thread_stack(self()), at(place));
	uint64_t own = stmlog_origin(self());
	tb_pop(stmlog_thread_stack(self()));
	return own;
}

TEST_WITH(opponent_fixture, a_write_found_in_conflict_later_shows_both_writes)
{
	tell(it_starts);
	tell_with(it_writes_at, 510);
	stmlog_start(self());
	we_write_at(2, OBJECT);
	stmlog_contention(self(), STMLOG_EARLIER_WRITE_MEETS_WRITE, OBJECT, it_now(), NULL);
	stmlog_abort_self(self());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_WRITE);
	assert_int_equal(tb_frame_site(entry.local).position, 2);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, a_read_found_in_conflict_later_shows_the_place_of_its_origin)
{
	tell(it_starts);
	tell_with(it_writes_at, 510);
	for (int i = 0; i < 2; i++) { /* the second time with the same frames */
		stmlog_start(self());
		uint64_t read = origin_of_ours(3);
		stmlog_contention_from(self(), STMLOG_EARLIER_READ_MEETS_WRITE, read, OBJECT, it_now(), NULL);
		stmlog_abort_self(self());
	}
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 2);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_READ);
	assert_int_equal(tb_frame_site(entry.local).position, 3);
	assert_int_equal(tb_frame_site(tb_down(entry.local)).position, 1);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(AO_load(&self()->tracebacks_unavailable), 0);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, an_origin_that_the_cache_has_lost_has_its_place_all_the_same)
{
	stmlog_start(self());
	uint64_t read = origin_of_ours(3);
	for (uintptr_t place = 1000; place < 1000 + 2 * ORIGIN_SETS * ORIGIN_WAYS; place++)
		origin_of_ours(place);
	stmlog_contention_from(self(), STMLOG_EARLIER_READ_MEETS_WRITE, read, OBJECT, nobody, NULL);
	stmlog_abort_self(self());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(tb_depth(entry.local), 2);
	assert_int_equal(tb_frame_site(entry.local).position, 3);
}

TEST_WITH(opponent_fixture, an_earlier_read_without_an_origin_is_unknown_and_a_lost_one_is_counted)
{
	stmlog_start(self());
	stmlog_contention(self(), STMLOG_EARLIER_READ_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_abort_self(self());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_ptr_equal(entry.local, TB_UNKNOWN);
	assert_unknown(&entry, 0);
	stmlog_start(self());
	stmlog_contention_from(self(), STMLOG_EARLIER_READ_MEETS_WRITE, 0, OBJECT, nobody, NULL);
	stmlog_abort_self(self());
	entry = entry_at(fixture_log, 0);
	assert_ptr_equal(entry.local, TB_UNKNOWN);
	assert_unknown(&entry, 1);
}

TEST_WITH(opponent_fixture, data_of_which_the_other_has_no_write_is_unknown_and_no_loss_of_ours)
{
	tell(it_starts);
	tell_with(it_writes_at, 510);
	for (int i = 0; i < 2; i++) {
		stmlog_start(self());
		fake_clock_advance(i == 0 ? 2 * US : 1 * US);
		stmlog_contention(self(), STMLOG_ACCESS_MEETS_ACCESS, i == 0 ? OBJECT : NEIGHBOUR, it_now(), "HTM");
		stmlog_abort_self(self());
	}
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.contention, STMLOG_DATA);
	assert_int_equal(tb_frame_site(entry.local).position, 1);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	entry = entry_at(fixture_log, 1);
	assert_int_equal(entry.cause.contention, STMLOG_DATA);
	assert_unknown(&entry, 0);
	assert_int_equal(entry.remote_thread, stmlog_thread_id(it.thread));
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, a_victim_of_data_may_have_read)
{
	we_start();
	tell(it_starts);
	tell_with(it_has_us_abort, STMLOG_ACCESS_MEETS_ACCESS);
	stmlog_aborted_by(self(), it_now(), STMLOG_DATA, NULL);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.reason, STMLOG_ABORTED_BY_OTHER);
	assert_int_equal(entry.cause.contention, STMLOG_DATA);
	assert_ptr_equal(entry.local, TB_UNKNOWN);
	assert_int_equal(tb_frame_site(entry.remote).position, 530);
	assert_int_equal(AO_load(&self()->tracebacks_unavailable), 0);
	tell(it_commits);
}

/* ---- overlap ---- */

TEST_WITH(opponent_fixture, false_conflicts_are_counted_and_show_both_objects)
{
	static const enum stmlog_overlap overlaps[] = {
		STMLOG_OVERLAP_SAME, STMLOG_OVERLAP_STRIPE, STMLOG_OVERLAP_ALIAS, STMLOG_OVERLAP_UNKNOWN};
	tell(it_starts);
	tell_with(it_writes_at, 510);
	for (int i = 0; i < 4; i++) {
		stmlog_start(self());
		stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, NEIGHBOUR, it_now(), NULL);
		stmlog_contention_overlap(self(), overlaps[i], OBJECT);
		stmlog_abort_self(self());
	}
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 4);
	assert_int_equal(entry.false_conflicts, 2);
	assert_int_equal(entry.false_aliases, 1);
	assert_int_equal(entry.objects[0].address, NEIGHBOUR);
	assert_int_equal(entry.objects[0].other, OBJECT);
	/* The other one has no write of this thread's object, but one of its own. */
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(entry.certain, 4);
	assert_int_equal(AO_load(&self()->tracebacks_unavailable), 0);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, an_overlap_belongs_to_one_conflict)
{
	stmlog_start(self());
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_contention_overlap(self(), STMLOG_OVERLAP_ALIAS, NEIGHBOUR);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_pause_self(self());
	fake_clock_advance(US);
	stmlog_pause_end(self());
	stmlog_contention_overlap(self(), STMLOG_OVERLAP_STRIPE, NEIGHBOUR);
	stmlog_abort_self(self());
	for (size_t rank = 0; rank < 2; rank++) {
		struct stmlog_entry entry = entry_at(fixture_log, rank);
		bool is_pause = entry.cause.reason == STMLOG_PAUSE;
		assert_int_equal(entry.false_conflicts, is_pause ? 0 : 1);
		assert_int_equal(entry.objects[0].other, is_pause ? 0 : NEIGHBOUR);
	}
}

TEST_WITH(opponent_fixture, an_overlap_finds_no_write_where_there_is_none)
{
	tell(it_starts);
	stmlog_start(self());
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, it_now(), NULL);
	stmlog_contention_overlap(self(), STMLOG_OVERLAP_ALIAS, NEIGHBOUR);
	stmlog_abort_self(self());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 1);
	assert_int_equal(entry.false_conflicts, 1);
	tell(it_commits);
}
