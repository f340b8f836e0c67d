/* SPDX-License-Identifier: MIT
 * The tracebacks of both sides of a loss: by origins, or by frames that the runtime has built; and losses of runtimes
 * that were compiled with other headers. */
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "mem.h"
#include "misuse.h"
#include "origins.h"
#include "unknown.h"

/* ---- the other side ---- */

/* Where both sides were. */
static void assert_places(const struct stmlog_entry *entry, uintptr_t local, uintptr_t remote)
{
	assert_int_equal(tb_frame_site(entry->local).position, local);
	assert_int_equal(tb_frame_site(entry->remote).position, remote);
}

TEST_WITH(opponent_fixture, the_other_is_shown_where_it_wrote_and_not_where_it_is)
{
	tell(it_starts_and_writes);
	uint64_t first = it.origin;
	tell_with(it_writes_at, 511);
	lose_to(first);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.reason, STMLOG_SELF_ABORT);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_WRITE);
	assert_string_equal(entry.cause.detail, "LOCKED");
	assert_int_equal(entry.lost_ns, 5 * US);
	assert_int_equal(entry.objects[0].address, OBJECT);
	assert_places(&entry, 1, 510);
	assert_int_equal(tb_frame_site(tb_down(entry.remote)).position, 500);
	assert_int_equal(entry.remote_thread, stmlog_thread_id(it.thread));
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, a_clone_outlives_the_thread_that_it_is_of)
{
	tell(it_starts_and_writes);
	lose_to(it.origin);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	tell(it_commits);
	tell(it_leaves);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(tb_depth(entry.remote), 2);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(tb_frame_site(tb_down(entry.remote)).position, 500);
	tell(it_attaches);
}

/* That was not aborted by an attempt that aborted. */
static void assert_by_its_write(uint32_t writer)
{
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(tb_depth(entry.remote), 2);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(tb_frame_site(tb_down(entry.remote)).position, 500);
	assert_int_equal(entry.remote_thread, writer);
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	assert_int_equal(entry.wasted + entry.undecided, 0);
	assert_int_equal(AO_load(&me()->tracebacks_unavailable), 0);
}

TEST_WITH(opponent_fixture, an_origin_shows_the_writer_however_long_ago_it_committed_and_after_its_thread_has_ended)
{
	tell(it_starts_and_writes);
	tell(it_commits);
	uint64_t origin = it.origin;
	uint32_t writer = stmlog_thread_id(it.thread);
	for (int i = 0; i < 10; i++) {
		tell(it_starts);
		tell_with(it_writes_at, 590);
		tell(it_commits);
	}
	lose_to(origin);
	assert_by_its_write(writer);
	tell(it_leaves);
	stmlog_timelog_clear(fixture_log);
	lose_to(origin);
	assert_by_its_write(writer);
	tell(it_attaches);
}

TEST_WITH(opponent_fixture, what_the_runtime_does_not_know_is_unknown_and_no_loss_of_ours)
{
	lose_to(0);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 0);
	assert_true(stmlog_timelog_len(fixture_log) == 1);
}

TEST_WITH(opponent_fixture, no_origin_is_nobody_and_that_of_another_session_is_counted)
{
	struct stmlog_origin_parts parts;
	assert_false(stmlog_origin_read(0, &parts));
	tell(it_starts_and_writes);
	tell(it_commits);
	uint64_t other_session = it.origin ^ (uint64_t)1 << 62;
	assert_false(stmlog_origin_read(other_session, &parts));
	lose_to(other_session);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 1);
	assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
	assert_int_equal(entry.remote_thread, 0);
}

/* We lose to this origin, which the runtime has guessed. Returns the grade of the entry. */
static enum stmlog_grade grade_of_guess(uint64_t origin)
{
	struct stmlog_loss loss = loss_over_write(STMLOG_SELF_ABORT, OBJECT, origin, NULL);
	loss.grade = STMLOG_GRADE_CANDIDATE;
	stmlog_timelog_clear(fixture_log);
	lose(me(), US, &loss);
	return entry_at(fixture_log, 0).grade;
}

TEST_WITH(opponent_fixture, an_origin_that_the_runtime_has_guessed_is_a_candidate_and_an_unknown_one_is_not)
{
	tell(it_starts_and_writes);
	assert_int_equal(grade_of_guess(it.origin), STMLOG_GRADE_CANDIDATE);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).remote).position, 510);
	assert_int_equal(entry_at(fixture_log, 0).certain, 0);
	assert_int_equal(grade_of_guess(0), STMLOG_GRADE_UNKNOWN);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, an_abort_that_was_asked_for_has_no_other_side_unless_there_is_an_origin)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_USER_ABORT, STMLOG_NONE, NULL);
	lose(me(), 2 * US, &loss);
	assert_ptr_equal(entry_at(fixture_log, 0).remote, TB_EMPTY);
	tell(it_starts_and_writes);
	loss.other = it.origin;
	lose(me(), US, &loss);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 1).remote).position, 510);
	assert_int_equal(AO_load(&me()->tracebacks_unavailable), 0);
	tell(it_commits);
}

/* ---- this side ---- */

TEST_WITH(opponent_fixture, a_write_found_in_conflict_later_shows_both_writes)
{
	tell(it_starts_and_writes);
	stmlog_start(me());
	struct stmlog_loss loss = loss_over_write(STMLOG_SELF_ABORT, OBJECT, it.origin, NULL);
	loss.own = we_touch_at(2);
	stmlog_abort(me(), &loss);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_WRITE);
	assert_places(&entry, 2, 510);
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, a_read_found_in_conflict_later_shows_the_place_of_its_origin)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, NULL);
	tell(it_starts_and_writes);
	for (int i = 0; i < 2; i++) { /* the second time with the same frames */
		stmlog_start(me());
		loss.own = we_touch_at(3);
		loss.other = it.origin;
		stmlog_abort(me(), &loss);
	}
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 2);
	assert_int_equal(entry.cause.contention, STMLOG_WRITE_READ);
	assert_int_equal(tb_frame_site(entry.local).position, 3);
	assert_int_equal(tb_frame_site(tb_down(entry.local)).position, 1);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(AO_load(&me()->tracebacks_unavailable), 0);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, an_origin_that_the_cache_has_lost_has_its_place_all_the_same)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, NULL);
	stmlog_start(me());
	loss.own = we_touch_at(3);
	for (uintptr_t place = 1000; place < 1000 + 2 * ORIGIN_SETS * ORIGIN_WAYS; place++)
		we_touch_at(place);
	stmlog_abort(me(), &loss);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(tb_depth(entry.local), 2);
	assert_int_equal(tb_frame_site(entry.local).position, 3);
}

TEST_WITH(opponent_fixture, without_an_origin_this_side_is_where_the_thread_is_and_one_without_a_place_is_counted)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, NULL);
	lose(me(), 2 * US, &loss);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(tb_frame_site(entry.local).position, 1);
	assert_unknown(&entry, 0);
	loss.own = stmlog_origin_at(me(), TB_EMPTY);
	lose(me(), US, &loss);
	entry = entry_at(fixture_log, 1);
	assert_ptr_equal(entry.local, TB_UNKNOWN);
	assert_unknown(&entry, 1);
}

TEST_WITH(opponent_fixture, without_a_shadow_stack_a_side_is_where_the_hook_was_called)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	stmlog_pop(me());
	stmlog_start(me());
	loss.other = stmlog_origin(me(), TB_NO_SITE);
	fake_clock_advance(US);
	stmlog_abort(me(), &loss);
	stmlog_push(me(), at(1));
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	const struct tb_site local = tb_frame_site(entry.local), remote = tb_frame_site(entry.remote);
	/* Each call is somewhere else: in this function, or in a copy of the inline function. */
	assert_int_equal(me()->site.code | remote.code | local.code, TB_CODE_ADDRESS);
	assert_int_not_equal(me()->site.position, 0);
	assert_int_not_equal(remote.position, me()->site.position);
	assert_int_not_equal(local.position, remote.position);
	assert_int_equal(tb_depth(entry.local), 1);
}

/* ---- frames of the runtime's own ---- */

static struct tb_frame *built(uintptr_t place)
{
	const struct tb_site site = at(place);
	return tb_build(stmlog_thread_stack(me()), &site, 1, TB_EMPTY);
}

TEST_WITH(opponent_fixture, a_runtime_that_knows_the_places_itself_has_them_shown)
{
	struct tb_frame *local = built(20), *remote = built(30);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, NULL);
	loss.local = local;
	loss.remote = remote;
	loss.remote_thread = 17;
	loss.grade = STMLOG_GRADE_CERTAIN;
	loss.own = loss.other = 1; /* not looked at */
	lose(me(), US, &loss);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_places(&entry, 20, 30);
	assert_int_equal(entry.remote_thread, 17);
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	assert_int_equal(AO_load(&me()->tracebacks_unavailable), 0);
	tb_unref(stmlog_thread_stack(me()), local);
	tb_unref(stmlog_thread_stack(me()), remote);
}

TEST_WITH(opponent_fixture, one_side_may_be_frames_and_the_other_be_looked_up)
{
	struct tb_frame *frame = built(20);
	struct stmlog_loss loss = loss_over_write(STMLOG_SELF_ABORT, OBJECT, 0, NULL);
	tell(it_starts_and_writes);
	loss.other = it.origin;
	loss.local = frame;
	lose(me(), 2 * US, &loss);
	loss.local = NULL;
	loss.remote = frame;
	lose(me(), US, &loss);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_places(&entry, 20, 510);
	entry = entry_at(fixture_log, 1);
	assert_places(&entry, 1, 20);
	tell(it_commits);
	tb_unref(stmlog_thread_stack(me()), frame);
}

/* ---- overlap ---- */

TEST_WITH(opponent_fixture, false_conflicts_are_counted_and_show_both_objects)
{
	static const enum stmlog_overlap overlaps[] = {
		STMLOG_OVERLAP_SAME, STMLOG_OVERLAP_STRIPE, STMLOG_OVERLAP_ALIAS, STMLOG_OVERLAP_UNKNOWN};
	tell(it_starts_and_writes);
	for (int i = 0; i < 4; i++) {
		struct stmlog_loss loss = loss_over_write(STMLOG_SELF_ABORT, NEIGHBOUR, it.origin, NULL);
		loss.overlap = overlaps[i];
		loss.other_object = OBJECT;
		lose(me(), US, &loss);
	}
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 4);
	assert_int_equal(entry.false_conflicts, 2);
	assert_int_equal(entry.false_aliases, 1);
	assert_int_equal(entry.objects[0].address, NEIGHBOUR);
	assert_int_equal(entry.objects[0].other, OBJECT);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	assert_int_equal(entry.certain, 4);
	tell(it_commits);
}

/* ---- other headers ---- */

/* As a runtime has it whose headers are older: the memory behind is not the loss's. */
TEST_WITH(opponent_fixture, members_that_older_headers_lack_are_not_read)
{
	size_t before = misuse_total();
	struct stmlog_loss loss = loss_over_write(STMLOG_SELF_ABORT, OBJECT, 0, "OLD");
	loss.size = offsetof(struct stmlog_loss, other_object);
	memset((char *)&loss + loss.size, 0x55, sizeof loss - loss.size);
	tell(it_starts_and_writes);
	loss.other = it.origin;
	lose(me(), US, &loss);
	loss.size = offsetof(struct stmlog_loss, own); /* the least */
	lose(me(), 2 * US, &loss);
	assert_int_equal(misuse_total(), before);
	struct stmlog_entry entry = entry_at(fixture_log, 1);
	assert_string_equal(entry.cause.detail, "OLD");
	assert_int_equal(entry.lost_ns, US);
	assert_int_equal(entry.objects[0].address, OBJECT);
	assert_int_equal(entry.objects[0].other, 0);
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	assert_int_equal(tb_frame_site(entry.remote).position, 510);
	entry = entry_at(fixture_log, 0);
	assert_string_equal(entry.cause.detail, "OLD");
	assert_int_equal(entry.objects[0].address, 0);
	assert_unknown(&entry, 0);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, members_that_only_newer_headers_have_are_ignored)
{
	struct {
		struct stmlog_loss known;
		uint64_t unknown[3];
	} loss = {loss_over_write(STMLOG_SELF_ABORT, OBJECT, 0, "NEW"), {1, 2, 3}};
	struct tb_frame *frame = built(20);
	tell(it_starts_and_writes);
	loss.known.size = sizeof loss;
	loss.known.other = it.origin;
	lose(me(), 2 * US, &loss.known);
	loss.known.local = loss.known.remote = frame;
	lose(me(), US, &loss.known);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_string_equal(entry.cause.detail, "NEW");
	assert_places(&entry, 1, 510);
	entry = entry_at(fixture_log, 1);
	assert_places(&entry, 20, 20);
	tell(it_commits);
	tb_unref(stmlog_thread_stack(me()), frame);
}

TEST_WITH(opponent_fixture, a_loss_without_its_size_is_a_mistake_and_nothing_of_it_is_known)
{
	size_t before = misuse_total();
	struct stmlog_loss loss = loss_over_write(STMLOG_SELF_ABORT, OBJECT, 1, "SIZE");
	for (size_t size = 0; size < offsetof(struct stmlog_loss, own); size += 4) {
		loss.size = size;
		lose(me(), US, &loss);
		assert_int_equal(misuse_total(), ++before);
	}
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.reason, STMLOG_SELF_ABORT);
	assert_int_equal(entry.cause.contention, STMLOG_NONE);
	assert_null(entry.cause.detail);
	assert_int_equal(entry.objects[0].address, 0);
	assert_unknown(&entry, 0);
}

/* ---- a forked child ---- */

/* The peer's thread does not exist in the child. */
static bool child_goes_on(void)
{
	struct stmlog_cursor cursor;
	struct stmlog_entry entry;
	stmlog_thread_open(NULL);
	fake_clock_advance(5 * US);
	abort_over_write(me(), OBJECT, it.origin, "LOCKED");
	cursor = stmlog_timelog_cursor(fixture_log);
	return stmlog_cursor_next(&cursor, &entry) == STMLOG_NEXT_ENTRY && entry.lost_ns == 5 * US &&
	       tb_frame_site(entry.remote).position == 510;
}

TEST_WITH(opponent_fixture, a_forked_child_knows_the_origins_of_its_parent)
{
	tell(it_starts_and_writes);
	stmlog_start(me());
	if (in_forked_child())
		_exit(child_goes_on() ? 0 : 1);
	stmlog_commit(me());
	tell(it_commits);
}

/* ---- cost ---- */

TEST_WITH(opponent_fixture, a_loss_that_no_timelog_keeps_takes_no_frame_for_the_other_side)
{
	struct stmlog_thread *thread = me();
	tell(it_starts_and_writes);
	lose_to(it.origin);
	/* Pending, and a copy still: neither this thread's stack nor anybody's group has grown by frames. */
	size_t live = tb_live_frames();
	assert_ptr_equal(thread->ledger.pending.items[0].group.entry.remote, TB_UNKNOWN);
	assert_int_equal(thread->ledger.pending.items[0].group.remote_copy->len, 2);
	tell(it_commits);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1); /* kept by two timelogs: two frames each */
	assert_int_equal(tb_live_frames(), live + 4);
}

TEST_WITH(opponent_fixture, a_warm_thread_takes_no_memory_when_it_meets_another)
{
	tell(it_starts_and_writes);
	for (int i = 0; i < 3; i++)
		lose_to(it.origin);
	size_t bytes = mem_live_bytes();
	for (int i = 0; i < 1000; i++)
		lose_to(it.origin);
	assert_int_equal(mem_live_bytes(), bytes);
	assert_int_equal(entry_at(fixture_log, 0).count, 1003);
	tell(it_commits);
}

/* ---- more places than the table has room for ---- */

/* The lane writes at one site, which many others call. */
static uint64_t write_from(struct stmlog_thread *lane, uintptr_t caller)
{
	tb_push(stmlog_thread_stack(lane), tb_site_make(1000, caller));
	uint64_t origin = stmlog_origin(lane, tb_site_make(1000, 600));
	tb_pop(stmlog_thread_stack(lane));
	return origin;
}

TEST_WITH(opponent_fixture, a_place_that_was_used_again_is_shown_as_its_site_and_the_latest_as_they_are)
{
	enum { CALLERS = 2 * ORIGIN_PLACES };
	OWNED(stmlog_thread_close) struct stmlog_thread *lane = stmlog_thread_open("lane");
	uint64_t origins[CALLERS];
	stmlog_claim(lane);
	stmlog_start(lane);
	for (uintptr_t caller = 0; caller < CALLERS; caller++)
		origins[caller] = write_from(lane, 20000 + caller);
	for (size_t is_last = 0; is_last < 2; is_last++) {
		lose_to(origins[is_last ? CALLERS - 1 : STMLOG_ORIGIN_PLACES]);
		struct stmlog_entry entry = entry_at(fixture_log, 0);
		assert_places(&entry, 1, 600);
		assert_int_equal(tb_depth(entry.remote), 1 + is_last);
		assert_int_equal(entry.remote_thread, stmlog_thread_id(lane));
		assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
		stmlog_timelog_clear(fixture_log);
	}
	assert_int_equal(AO_load(&me()->tracebacks_unavailable), 0);
	stmlog_commit(lane);
}

/* The last test, because the table is the process's, and is never emptied. */
TEST_WITH(opponent_fixture, of_an_origin_without_room_for_its_place_the_thread_is_known_and_the_place_is_counted)
{
	stmlog_start(me());
	for (uintptr_t place = 0; place < 16 * ORIGIN_PLACES; place++)
		we_touch_at(10000 + place);
	stmlog_commit(me());
	tell(it_starts);
	tell_with(it_writes_at, 510000);
	lose_to(it.origin);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_unknown(&entry, 1);
	assert_int_equal(entry.remote_thread, stmlog_thread_id(it.thread));
	assert_int_equal(entry.grade, STMLOG_GRADE_CERTAIN);
	tell(it_commits);
}
