/* SPDX-License-Identifier: MIT
 * The hooks for conflicts: the place of the other transaction, the cost of a conflict, and the effect of each mistake.
 * tests/examples/smallstm/ has the table of causes, from a real STM. */
#include "fixture.h"

#include "mem.h"
#include "misuse.h"
#include "unknown.h"

TEST_WITH(opponent_fixture, the_other_is_shown_where_it_wrote_and_not_where_it_is)
{
	tell(it_starts);
	tell_with(it_writes_at, 510);
	tell_with(it_writes_at, 511); /* the first of several counts */
	lose_to_its_write(it_now());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.reason, STMLOG_SELF_ABORT);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_WRITE);
	assert_string_equal(entry.cause.detail, "TAKEN");
	assert_int_equal(entry.lost_ns, 5 * US);
	assert_int_equal(entry.objects[0].address, OBJECT);
	assert_int_equal(tb_frame_site(entry.local).position, 1);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(tb_frame_site(tb_down(entry.remote)).position, 500);
	assert_int_equal(entry.remote_thread, stmlog_thread_id(it.thread));
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, a_clone_outlives_the_thread_that_it_is_of)
{
	tell(it_starts);
	tell_with(it_writes_at, 510);
	lose_to_its_write(it_now());
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	tell(it_commits);
	tell(it_leaves);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(tb_depth(entry.remote), 2);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(tb_frame_site(tb_down(entry.remote)).position, 500);
	tell(it_attaches);
}

TEST_WITH(opponent_fixture, an_attempt_that_has_ended_is_still_known_and_one_long_over_is_unknown_and_counted)
{
	tell(it_starts);
	tell_with(it_writes_at, 510);
	struct stmlog_other met = it_now();
	tell(it_commits);
	lose_to_its_write(met);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).remote).position, 510);
	for (int i = 0; i < 2; i++) {
		tell(it_starts);
		tell_with(it_writes_at, 510);
		tell(it_commits);
	}
	stmlog_timelog_clear(fixture_log);
	lose_to_its_write(met);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 1);
	assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
	assert_int_equal(entry.remote_thread, 0);
}

TEST_WITH(opponent_fixture, without_a_number_the_attempt_under_way_is_a_candidate)
{
	tell(it_starts);
	tell_with(it_writes_at, 510);
	lose_to_its_write(stmlog_other_make(it.thread, 0));
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.grade, STMLOG_GRADE_CANDIDATE);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	tell(it_commits);
	stmlog_timelog_clear(fixture_log);
	lose_to_its_write(stmlog_other_make(it.thread, 0)); /* in none */
	entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 1);
}

TEST_WITH(opponent_fixture, a_reader_that_is_in_no_attempt_is_nobody)
{
	stmlog_start(self());
	stmlog_wrote(self(), OBJECT);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_READ, OBJECT, stmlog_other_make(it.thread, 0), NULL);
	stmlog_abort_self(self());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.remote_thread, 0);
	assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
}

TEST_WITH(opponent_fixture, what_the_runtime_does_not_know_is_unknown_and_no_loss_of_ours)
{
	lose_to_its_write(nobody);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 0);
	assert_true(stmlog_timelog_len(fixture_log) == 1);
}

TEST_WITH(opponent_fixture, a_writer_met_by_a_reader_shows_its_earlier_write)
{
	tell(it_starts);
	stmlog_start(self());
	tb_push(stmlog_thread_stack(self()), at(2));
	stmlog_wrote(self(), OBJECT);
	tb_pop(stmlog_thread_stack(self()));
	stmlog_contention(self(), STMLOG_WRITE_MEETS_READ, OBJECT, it_now(), NULL);
	stmlog_abort_self(self());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_READ);
	assert_int_equal(tb_frame_site(entry.local).position, 2);
	assert_unknown(&entry, 0); /* as it should be */
	assert_int_equal(entry.remote_thread, stmlog_thread_id(it.thread));
	tell(it_commits);
}

TEST_WITH(opponent_fixture, pauses_and_waits_for_an_inevitable_one_show_where_it_became_so_although_it_is_gone_after)
{
	tell(it_starts);
	tell(it_becomes_inevitable);
	stmlog_wait_inevitable(self(), it_now(), "FULL");
	fake_clock_advance(7 * US);
	stmlog_wait_end(self());
	stmlog_start(self());
	stmlog_contention(self(), STMLOG_INEVITABLE_MEETS_SAME, 0, it_now(), NULL);
	stmlog_pause_self(self());
	tell(it_commits);
	tell(it_leaves); /* and all that it knew */
	tell(it_attaches);
	fake_clock_advance(9 * US);
	stmlog_pause_end(self());
	stmlog_commit(self());
	static const enum stmlog_reason reason[2] = {STMLOG_PAUSE, STMLOG_WAIT};
	for (size_t rank = 0; rank < 2; rank++) {
		struct stmlog_entry entry = entry_at(fixture_log, rank);
		assert_int_equal(entry.cause.reason, reason[rank]);
		assert_int_equal(entry.cause.contention, STMLOG_INEVITABLE);
		assert_int_equal(entry.lost_ns, rank == 0 ? 9 * US : 7 * US);
		assert_int_equal(tb_frame_site(entry.local).position, 1);
		assert_int_equal(tb_frame_site(entry.remote).position, 520);
	}
}

/* ---- cost ---- */

TEST_WITH(opponent_fixture, a_loss_that_no_timelog_keeps_takes_no_frame_for_the_other_side)
{
	stmlog_timelog_clear(fixture_log);
	struct stmlog_thread *thread = self();
	tell(it_starts);
	tell_with(it_writes_at, 510);
	lose_to_its_write(it_now());
	/* Pending, and a copy still: neither this thread's stack nor anybody's group has grown by frames. */
	size_t live = tb_live_frames();
	assert_ptr_equal(thread->ledger.pending.items[0].group.entry.remote, TB_UNKNOWN);
	assert_int_equal(thread->ledger.pending.items[0].remote.len, 2);
	tell(it_commits);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1); /* kept by two timelogs: two frames each */
	assert_int_equal(tb_live_frames(), live + 4);
}

TEST_WITH(opponent_fixture, a_warm_thread_takes_no_memory_when_it_meets_another)
{
	tell(it_starts);
	tell_with(it_writes_at, 510);
	for (int i = 0; i < 3; i++)
		lose_to_its_write(it_now());
	size_t bytes = mem_live_bytes();
	for (int i = 0; i < 1000; i++)
		lose_to_its_write(it_now());
	assert_int_equal(mem_live_bytes(), bytes);
	assert_int_equal(entry_at(fixture_log, 0).count, 1003);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, a_full_trail_makes_the_place_unknown_and_is_counted)
{
	stmlog_start(self());
	for (uintptr_t i = 1; i <= STMLOG_WRITES; i++)
		stmlog_wrote(self(), OBJECT + 16 * i);
	assert_int_equal(AO_load(&self()->trails.unrecorded), 0);
	stmlog_wrote(self(), OBJECT);
	assert_int_equal(AO_load(&self()->trails.unrecorded), 1);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_READ, OBJECT, nobody, NULL);
	stmlog_abort_self(self());
	assert_ptr_equal(entry_at(fixture_log, 0).local, TB_UNKNOWN);
}

/* ---- mistakes ---- */

TEST_WITH(opponent_fixture, mistakes_change_nothing_and_are_counted)
{
	size_t before = misuse_total();
	struct stmlog_thread *thread = self();
	stmlog_wrote(thread, OBJECT);
	stmlog_became_inevitable(thread);
	stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_abort_self(thread);
	stmlog_abort_other(thread);
	stmlog_aborted_by(thread, nobody, STMLOG_WRITE_WRITE, NULL);
	stmlog_abort_asked(thread, NULL);
	stmlog_pause_self(thread);
	assert_int_equal(misuse_total(), before + 8); /* no attempt is under way */
	stmlog_start(thread);
	stmlog_abort_other(thread);
	stmlog_pause_self(thread);
	assert_int_equal(misuse_total(), before + 10); /* nothing was met */
	stmlog_wrote(thread, 0);
	stmlog_wrote_at(thread, 0, TB_UNKNOWN);
	assert_int_equal(misuse_total(), before + 12); /* no object */
	before += 2;
	stmlog_contention(thread, STMLOG_CONFLICTS, OBJECT, nobody, NULL);
	stmlog_aborted_by(thread, nobody, STMLOG_INEVITABLE, NULL);
	stmlog_aborted_by(thread, nobody, STMLOG_NONE, NULL);
	stmlog_contention(thread, STMLOG_INEVITABLE_MEETS_SAME, 0, nobody, NULL);
	stmlog_abort_other(thread);
	assert_int_equal(misuse_total(), before + 14); /* what does not exist, and who cannot be aborted */
	stmlog_pause_self(thread);
	stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_wait_inevitable(thread, nobody, NULL);
	stmlog_wait_segment(thread);
	assert_int_equal(misuse_total(), before + 17); /* it stands still */
	stmlog_pause_end(thread);
	stmlog_commit(thread);
	stmlog_start(thread);
	stmlog_pause_self(thread); /* what was met, was in an earlier attempt */
	assert_int_equal(misuse_total(), before + 18);
	stmlog_commit(thread);
	assert_int_equal(stmlog_origin(thread), 0);
	assert_int_equal(stmlog_origin_here(thread, at(1)), 0);
	stmlog_wrote_at(thread, OBJECT, TB_UNKNOWN);
	stmlog_contention_at(thread, STMLOG_WRITE_MEETS_WRITE, TB_UNKNOWN, OBJECT, nobody, NULL);
	assert_int_equal(misuse_total(), before + 22);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1); /* the pause, which was none */
}

/* A runtime whose rarest causes report no conflict. */
TEST_WITH(opponent_fixture, an_abort_without_a_conflict_is_one_of_unknown_cause)
{
	size_t before = misuse_total();
	stmlog_start(self());
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, nobody, "WORD");
	fake_clock_advance(MS);
	stmlog_abort_self(self());
	stmlog_retry(self());
	fake_clock_advance(3 * MS);
	stmlog_abort_self(self()); /* that conflict was in the attempt before */
	stmlog_retry(self());
	stmlog_commit(self());
	assert_int_equal(misuse_total(), before);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.lost_ns, 3 * MS);
	assert_int_equal(entry.cause.reason, STMLOG_SELF_ABORT);
	assert_int_equal(entry.cause.contention, STMLOG_NONE);
	assert_null(entry.cause.detail);
	assert_ptr_equal(entry.remote, TB_UNKNOWN);
	assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
	assert_int_equal(entry_at(fixture_log, 1).lost_ns, MS);
}

TEST_WITH(opponent_fixture, an_overlap_without_a_conflict_is_a_mistake)
{
	size_t before = misuse_total();
	stmlog_contention_overlap(self(), STMLOG_OVERLAP_SAME, 0);
	stmlog_contention_from(self(), STMLOG_EARLIER_READ_MEETS_WRITE, 0, OBJECT, nobody, NULL);
	stmlog_start(self());
	stmlog_contention_overlap(self(), STMLOG_OVERLAP_SAME, 0);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_contention_overlap(self(), (enum stmlog_overlap)(STMLOG_OVERLAP_ALIAS + 1), 0);
	assert_int_equal(misuse_total(), before + 4);
	stmlog_commit(self());
}

TEST_WITH(opponent_fixture, object_0_is_no_object_to_write)
{
	size_t before = misuse_total();
	stmlog_start(self());
	stmlog_wrote(self(), 0);
	stmlog_wrote_at(self(), 0, TB_EMPTY);
	assert_int_equal(misuse_total(), before + 2);
	stmlog_contention(self(), STMLOG_WRITE_MEETS_READ, 0, nobody, NULL);
	assert_ptr_equal(self()->conflict.loss.local, TB_UNKNOWN);
	stmlog_commit(self());
}

TEST_WITH(opponent_fixture, every_hook_takes_no_thread_for_an_answer)
{
	assert_int_equal(stmlog_attempt(NULL), 0);
	assert_int_equal(stmlog_origin(NULL) + stmlog_origin_here(NULL, at(1)) + stmlog_origin_at(NULL, TB_UNKNOWN), 0);
	stmlog_wrote(NULL, OBJECT);
	stmlog_wrote_at(NULL, OBJECT, TB_UNKNOWN);
	stmlog_contention_at(NULL, STMLOG_WRITE_MEETS_WRITE, TB_UNKNOWN, OBJECT, nobody, NULL);
	stmlog_contention_from(NULL, STMLOG_EARLIER_READ_MEETS_WRITE, 1, OBJECT, nobody, NULL);
	stmlog_contention_overlap(NULL, STMLOG_OVERLAP_SAME, 0);
	stmlog_became_inevitable(NULL);
	stmlog_contention(NULL, STMLOG_WRITE_MEETS_WRITE, OBJECT, nobody, NULL);
	stmlog_abort_self(NULL);
	stmlog_abort_other(NULL);
	stmlog_aborted_by(NULL, nobody, STMLOG_WRITE_WRITE, NULL);
	stmlog_abort_asked(NULL, NULL);
	stmlog_pause_self(NULL);
	stmlog_wait_segment(NULL);
	stmlog_wait_inevitable(NULL, nobody, NULL);
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
}
