/* SPDX-License-Identifier: MIT
 * When a timeline is recorded, what is missing of it, and that it has all threads, on a fake clock. */
#include "taken.h"

#include <errno.h>

#include "losses.h"
#include "mem.h"
#include "misuse.h"
#include "peer.h"

/* ---- start, stop, take ---- */

TEST_WITH(session_fixture, nothing_is_recorded_before_the_start_or_after_the_stop)
{
	commit_one();
	assert_false(stmlog_timeline_is_running());
	assert_taken("");
	stmlog_timeline_start();
	assert_true(stmlog_timeline_is_running());
	commit_one();
	stmlog_timeline_stop();
	commit_one();
	assert_taken("attach@1 start@1 commit@2");
}

TEST_WITH(session_fixture, what_began_before_the_start_is_not_in_it)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, NULL);
	stmlog_start(me());
	stmlog_timeline_start();
	step();
	stmlog_abort(me(), &loss);
	stmlog_retry(me());
	stmlog_commit(me());
	assert_taken("attach@0 start@1 commit@1");
	wait_for_segment(me());
	stmlog_timeline_start();
	stmlog_wait_end(me());
	assert_taken("attach@1");
}

TEST_WITH(session_fixture, a_trace_started_again_has_nothing_of_the_first)
{
	stmlog_timeline_start();
	commit_one();
	stmlog_timeline_stop();
	stmlog_timeline_start();
	assert_taken("");
	commit_one();
	stmlog_timeline_stop();
	assert_taken("attach@1 start@1 commit@2");
}

TEST_WITH(session_fixture, take_returns_each_event_once)
{
	stmlog_timeline_start();
	commit_one();
	assert_taken("attach@0 start@0 commit@1");
	assert_taken("");
	stmlog_start(me());
	assert_taken("start@1");
	step();
	stmlog_commit(me());
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_string_equal(text_of(timeline), "commit@2");
	assert_true(timeline->is_continued);
}

static void call_commit(void *arg)
{
	(void)arg;
	commit_one();
}

TEST_WITH(session_fixture, a_trace_around_a_call_has_what_happened_in_it)
{
	commit_one();
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = stmlog_timeline_trace(call_commit, NULL);
	commit_one();
	assert_non_null(timeline);
	assert_string_equal(text_of(timeline), "attach@1 start@1 commit@2");
	assert_false(stmlog_timeline_is_running());
}

/* ---- loss ---- */

TEST_WITH(session_fixture, a_full_ring_has_one_missing_event_of_the_right_count_and_bounds)
{
	assert_int_equal(stmlog_timeline_prepare(4, STMLOG_TIMELINE_RING), 0);
	stmlog_timeline_start();
	commit_one(); /* attach start commit */
	stmlog_start(me());
	assert_taken("attach@0 start@0 commit@1 start@1");
	step();
	stmlog_commit(me());
	commit_one();
	commit_one();
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_string_equal(text_of(timeline), "missing@1 start@2 commit@3 start@3 commit@4");
	assert_int_equal(timeline->events[0].argument, 1);
	assert_int_equal(timeline->events[0].thread, stmlog_thread_id(me()));
	assert_int_equal(timeline->events[0].time_ns, 1000 + MS);
	assert_int_equal(stmlog_event_latest_ns(&timeline->events[0]), 1000 + 2 * MS);
}

TEST_WITH(session_fixture, one_that_grows_drops_the_newest)
{
	assert_int_equal(stmlog_timeline_prepare(4, STMLOG_TIMELINE_GROW), 0);
	stmlog_timeline_start();
	commit_one();
	commit_one();
	commit_one();
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_string_equal(text_of(timeline), "attach@0 start@0 commit@1 start@1 missing@2");
	assert_int_equal(timeline->events[4].argument, 3);
	assert_int_equal(stmlog_event_latest_ns(&timeline->events[4]), 1000 + 3 * MS);
}

TEST_WITH(session_fixture, an_unbounded_one_drops_nothing_and_tells_its_memory)
{
	enum { COMMITS = 1000 };
	assert_int_equal(stmlog_timeline_prepare(4, STMLOG_TIMELINE_UNBOUNDED), 0);
	stmlog_timeline_start();
	for (int i = 0; i < COMMITS; i++)
		commit_one();
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_int_equal(timeline->len, 1 + 2 * COMMITS);
	assert_int_equal(timeline->events[2 * COMMITS].kind, STMLOG_EVENT_COMMIT);
	assert_in_range(timeline->bytes, timeline->len * sizeof(struct stmlog_event),
		(timeline->len + 8) * sizeof(struct stmlog_event));
}

TEST_WITH(session_fixture, sizes_and_modes_that_there_are_not_are_refused)
{
	assert_int_equal(stmlog_timeline_prepare(0, STMLOG_TIMELINE_RING), -EINVAL);
	assert_int_equal(stmlog_timeline_prepare((size_t)STMLOG_TIMELINE_MAX + 1, STMLOG_TIMELINE_RING), -EINVAL);
	assert_int_equal(stmlog_timeline_prepare(8, (enum stmlog_timeline_mode)3), -EINVAL);
	assert_int_equal(stmlog_timeline_prepare(8, STMLOG_TIMELINE_RING), 0);
	assert_int_equal(stmlog_timeline_prepare(8, STMLOG_TIMELINE_RING), -EALREADY);
}

TEST_WITH(session_fixture, without_memory_events_are_counted)
{
	mem_fail_at(1);
	assert_int_equal(stmlog_timeline_start(), -ENOMEM);
	commit_one();
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_int_equal(timeline->len, 0);
	assert_int_equal(timeline->unrecorded, 2);
}

/* Of attempts that the runtime has not measured, before the start, during the run, and after the stop. */
TEST_WITH(session_fixture, attempts_that_are_not_measured_are_counted_while_it_runs)
{
	stmlog_unmeasured(stmlog_thread_self(), 100, 10);
	stmlog_timeline_start();
	stmlog_unmeasured(stmlog_thread_self(), 5, 2);
	struct stmlog_timeline *timeline = take();
	assert_int_equal(timeline->unmeasured, 7);
	stmlog_timeline_destroy(&timeline);
	close_own();
	stmlog_unmeasured(stmlog_thread_open(NULL), 1, 0);
	stmlog_timeline_stop();
	stmlog_unmeasured(stmlog_thread_self(), 1000, 0);
	stmlog_timeline_stop();
	timeline = take();
	assert_int_equal(timeline->unmeasured, 8);
	stmlog_timeline_destroy(&timeline);
	stmlog_timeline_start();
	timeline = take();
	assert_int_equal(timeline->unmeasured, 0);
	stmlog_timeline_destroy(&timeline);
}

TEST_WITH(session_fixture, what_could_not_be_taken_is_there_the_next_time)
{
	stmlog_timeline_start();
	commit_one();
	for (size_t n = 1;; n++) {
		mem_fail_at(n);
		struct stmlog_timeline *timeline = stmlog_timeline_take();
		bool has_failed = mem_fail_left() == 0;
		mem_fail_at(0);
		if (timeline == NULL) {
			assert_int_equal(errno, ENOMEM);
			continue;
		}
		assert_false(has_failed);
		assert_string_equal(text_of(timeline), "attach@0 start@0 commit@1");
		stmlog_timeline_destroy(&timeline);
		return;
	}
}

/* ---- threads ---- */

static void attach_and_commit(void *arg)
{
	*(uint32_t *)arg = stmlog_thread_id(stmlog_thread_open(NULL));
	stmlog_start(stmlog_thread_self());
	step();
	stmlog_commit(stmlog_thread_self());
}

static void detach(void *arg)
{
	(void)arg;
	close_own();
}

TEST_WITH(session_fixture, threads_are_merged_by_time_and_read_by_thread)
{
	struct peer peer;
	uint32_t other;
	peer_start(&peer);
	stmlog_timeline_start();
	stmlog_start(me());
	step();
	peer_do(&peer, attach_and_commit, &other);
	peer_do(&peer, detach, NULL);
	stmlog_commit(me());
	peer_end(&peer);
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_string_equal(text_of(timeline), "attach@0 start@0 attach@1 start@1 commit@2 commit@2 detach@2");
	size_t at = stmlog_timeline_next_of(timeline, 0, other);
	assert_int_equal(at, 2);
	at = stmlog_timeline_next_of(timeline, at + 1, other);
	assert_int_equal(timeline->events[at].kind, STMLOG_EVENT_START);
	assert_int_equal(stmlog_timeline_next_of(timeline, timeline->len, other), timeline->len);
	assert_int_equal(stmlog_timeline_next_of(timeline, 0, 4711), timeline->len);
}

TEST_WITH(session_fixture, threads_that_follow_each_other_have_each_its_own_events)
{
	stmlog_timeline_start();
	for (int i = 0; i < 3; i++) {
		struct peer peer;
		uint32_t other;
		peer_start(&peer);
		peer_do(&peer, attach_and_commit, &other);
		peer_end(&peer);
	}
	assert_taken("attach@0 start@0 commit@1 detach@1 attach@1 start@1 commit@2 detach@2 attach@2 start@2 commit@3 "
		     "detach@3");
}

TEST_WITH(session_fixture, the_option_has_a_word_for_an_unbounded_one)
{
	session_open_with("timeline=unbounded");
	assert_true(stmlog_timeline_is_running());
	for (int i = 0; i < STMLOG_TIMELINE_EVENTS; i++)
		commit_one();
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_int_equal(timeline->len, 1 + 2 * STMLOG_TIMELINE_EVENTS);
}

TEST_WITH(session_fixture, an_option_starts_it_before_the_first_thread)
{
	session_open_with("timeline=100,grow");
	assert_true(stmlog_timeline_is_running());
	commit_one();
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_int_equal(timeline->len, 3);
}
