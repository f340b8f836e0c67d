/* SPDX-License-Identifier: MIT
 * Which events the hooks leave in a timeline, with which time, place and culprit. */
#include "taken.h"

#include <errno.h>
#include <string.h>

#include "losses.h"
#include "misuse.h"

static void begin(void)
{
	stmlog_timeline_start();
	stmlog_start(me());
}

TEST_WITH(session_fixture, a_transaction_is_a_start_and_a_commit)
{
	assert_int_equal(stmlog_timeline_start(), 0);
	step();
	commit_one();
	assert_taken("attach@0 start@1 commit@2");
}

TEST_WITH(session_fixture, an_abort_comes_with_the_contention_that_the_attempt_has_found)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "LOCKED");
	loss.object = 77;
	loss.remote_thread = 5;
	loss.grade = STMLOG_GRADE_CERTAIN;
	begin();
	step();
	stmlog_abort(me(), &loss);
	stmlog_retry(me());
	step();
	stmlog_commit(me());
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_string_equal(text_of(timeline), "attach@0 start@0 contention@1 abort@1 start@1 commit@2");
	const struct stmlog_event *contention = &timeline->events[2], *abort = &timeline->events[3];
	assert_int_equal(contention->detail, STMLOG_EVENT_ABORT);
	assert_int_equal(abort->detail, STMLOG_GRADE_CERTAIN);
	assert_int_equal(abort->argument, 77);
	assert_int_equal(abort->other, 5);
	assert_int_equal(abort->thread, stmlog_thread_id(me()));
	assert_int_equal(abort->reason, STMLOG_SELF_ABORT);
	assert_int_equal(abort->contention, STMLOG_WRITE_READ);
	assert_string_equal(timeline->places[abort->place].word, "LOCKED");
	assert_false(timeline->places[abort->place].is_known);
}

TEST_WITH(session_fixture, an_abort_that_was_asked_for_has_met_nobody)
{
	begin();
	abort_asked(me(), NULL);
	assert_taken("attach@0 start@0 abort@0");
}

TEST_WITH(session_fixture, an_attempt_that_has_failed_earlier_ends_then)
{
	begin();
	step();
	stmlog_failed(me());
	step();
	stmlog_abort(me(), NULL);
	stmlog_retry(me());
	step();
	stmlog_commit(me());
	assert_taken("attach@0 start@0 abort@1 start@2 commit@3");
}

TEST_WITH(session_fixture, a_back_off_lies_between_the_attempts)
{
	begin();
	step();
	stmlog_abort(me(), NULL);
	stmlog_wait_begin(me(), NULL);
	step();
	stmlog_wait_end(me());
	stmlog_retry(me());
	step();
	stmlog_commit(me());
	assert_taken("attach@0 start@0 abort@1 wait-begin@1 wait-end@2 start@2 commit@3");
}

TEST_WITH(session_fixture, a_retry_is_no_earlier_than_a_mark_behind_the_abort)
{
	begin();
	stmlog_abort(me(), NULL);
	step();
	stmlog_mark(me(), "here", 0);
	step();
	stmlog_retry(me());
	stmlog_commit(me());
	assert_taken("attach@0 start@0 abort@0 mark@1 start@1 commit@2");
}

TEST_WITH(session_fixture, a_wait_that_is_over_is_no_earlier_than_the_event_before)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_NONE, NULL);
	begin();
	step();
	stmlog_became_inevitable(me(), TB_NO_SITE);
	step();
	stmlog_region_begin(me(), "region", 0);
	step();
	stmlog_waited(me(), &pause, MS);
	stmlog_commit(me());
	assert_taken("attach@0 start@0 inevitable@1 region-begin@2 wait-begin@2 wait-end@2 commit@3");
}

TEST_WITH(session_fixture, an_attempt_is_no_earlier_than_the_mark_before_whatever_its_time)
{
	stmlog_timeline_start();
	step();
	stmlog_mark(me(), "here", 0);
	stmlog_start_at(me(), 1000, tb_site_make(0, 0), TB_UNKNOWN);
	step();
	stmlog_mark(me(), "here", 0);
	stmlog_commit_at(me(), 1000 + MS);
	assert_taken("attach@0 mark@1 start@1 mark@2 commit@2");
}

TEST_WITH(session_fixture, a_task_directly_within_another_one_or_in_its_place_is_refused)
{
	size_t before = misuse_total();
	stmlog_timeline_start();
	stmlog_task_start(me(), 1);
	stmlog_task_start(me(), 2);
	stmlog_task_resume(me(), 2);
	stmlog_task_suspend(me(), 2);
	stmlog_task_end(me(), 2);
	stmlog_touch_pause(me(), 3);
	stmlog_touch_resume(me(), 4);
	assert_int_equal(misuse_total(), before + 5);
	stmlog_touch_resume(me(), 3);
	stmlog_task_end(me(), 1);
	stmlog_task_start(me(), 2);
	assert_int_equal(misuse_total(), before + 5);
	assert_taken("attach@0 task-start@0 touch-pause@0 touch-resume@0 task-end@0 task-start@0");
}

/* Racket: "some event pairs can be nested within other event pairs". */
TEST_WITH(session_fixture, racket_pairs_nest_a_wait_for_a_task_may_hold_work_on_others)
{
	enum { DEEP = 5 };
	size_t before = misuse_total();
	stmlog_timeline_start();
	for (uint64_t task = 1; task <= DEEP; task++) {
		stmlog_task_start(me(), task);
		stmlog_touch_pause(me(), task + 1);
	}
	stmlog_touch_pause(me(), DEEP + 2);
	stmlog_touch_resume(me(), DEEP + 2);
	for (uint64_t task = DEEP; task >= 1; task--) {
		stmlog_touch_resume(me(), task + 1);
		stmlog_task_end(me(), task);
	}
	assert_int_equal(misuse_total(), before);
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = stmlog_timeline_take();
	struct stmlog_timeline_fault fault;
	assert_true(stmlog_timeline_check(timeline, &fault));
	assert_int_equal(timeline->len, 1 + 4 * DEEP + 2);
}

/* Racket: sync, block, touch and overflow, each with result, abort or suspend; prim-name and user-data. */
TEST_WITH(session_fixture, racket_kinds_of_blocks_and_starts_have_words_values_and_outcomes)
{
	stmlog_timeline_start();
	stmlog_task_start(me(), 7);
	stmlog_task(me(), STMLOG_EVENT_BLOCK_BEGIN, 7,
		&(struct stmlog_task_info){"allocate memory", STMLOG_TASK_VALUE_MAX - 1, STMLOG_BLOCK_OVERFLOW});
	stmlog_task(me(), STMLOG_EVENT_BLOCK_END, 7, &(struct stmlog_task_info){.detail = STMLOG_OUTCOME_ABANDONED});
	stmlog_task(me(), STMLOG_EVENT_TASK_SUSPEND, 7, &(struct stmlog_task_info){"no stack", 4096, 0});
	stmlog_task(me(), STMLOG_EVENT_HANDLE_BEGIN, 7, &(struct stmlog_task_info){"allocate memory", 3, 0});
	stmlog_task(me(), STMLOG_EVENT_HANDLE_END, 7, &(struct stmlog_task_info){.detail = STMLOG_OUTCOME_ERROR});
	stmlog_task(me(), STMLOG_EVENT_TASK_RESUME, 7,
		&(struct stmlog_task_info){.value = UINT64_MAX, .detail = STMLOG_WORK_AFTER_OVERFLOW});
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = stmlog_timeline_take();
	struct stmlog_timeline_fault fault;
	assert_true(stmlog_timeline_check(timeline, &fault));
	assert_int_equal(timeline->len, 8);
	assert_string_equal(timeline->places[timeline->events[2].place].word, "allocate memory");
	assert_true(stmlog_event_value(&timeline->events[2]) == STMLOG_TASK_VALUE_MAX - 1);
	assert_int_equal(timeline->events[2].detail, STMLOG_BLOCK_OVERFLOW);
	assert_int_equal(timeline->events[3].detail, STMLOG_OUTCOME_ABANDONED);
	assert_int_equal(stmlog_event_value(&timeline->events[4]), 4096);
	assert_string_equal(timeline->places[timeline->events[4].place].word, "no stack");
	assert_int_equal(timeline->events[6].detail, STMLOG_OUTCOME_ERROR);
	assert_true(stmlog_event_value(&timeline->events[7]) == STMLOG_TASK_VALUE_MAX);
	assert_int_equal(timeline->events[7].detail, STMLOG_WORK_AFTER_OVERFLOW);
}

TEST_WITH(session_fixture, a_detail_or_kind_that_a_task_does_not_have_is_a_mistake)
{
	size_t before = misuse_total();
	stmlog_timeline_start();
	stmlog_task(me(), STMLOG_EVENT_MARK, 1, NULL);
	stmlog_task(me(), STMLOG_EVENT_KINDS, 1, NULL);
	stmlog_task(me(), STMLOG_EVENT_TASK_CREATE, 1, &(struct stmlog_task_info){.detail = 1});
	stmlog_task(me(), STMLOG_EVENT_HANDLE_END, 1, &(struct stmlog_task_info){.detail = STMLOG_OUTCOME_ABANDONED});
	assert_int_equal(misuse_total(), before + 4);
	stmlog_mark(me(), "MARK", 0);
	assert_taken("attach@0 mark@0");
}

static char delivered[256];

static void note(void *arg, const struct stmlog_event *event, const struct tb_frame *traceback, const char *word)
{
	size_t len = strlen(delivered);
	assert_ptr_equal(arg, delivered);
	assert_int_equal(event->place, 0);
	assert_true(traceback != NULL && event->thread != 0);
	snprintf(delivered + len, sizeof delivered - len, "%s%s%s%s", len > 0 ? " " : "",
		stmlog_event_name(event->kind), word != NULL ? "=" : "", word != NULL ? word : "");
}

/* Racket: the log is delivered while the program runs. */
TEST_WITH(session_fixture, racket_each_event_is_delivered_when_it_is_recorded)
{
	delivered[0] = '\0';
	assert_int_equal(stmlog_timeline_listen(note, delivered), 0);
	stmlog_timeline_start();
	assert_int_equal(stmlog_timeline_listen(NULL, NULL), -EBUSY);
	stmlog_start(me());
	assert_string_equal(delivered, "attach start");
	stmlog_commit(me());
	stmlog_commit(me()); /* a mistake, and no event */
	stmlog_mark(me(), "MARK", 1);
	stmlog_region_begin(me(), "FILL", 1);
	assert_string_equal(delivered, "attach start commit mark=MARK region-begin=FILL");
	stmlog_timeline_stop();
	assert_int_equal(stmlog_timeline_listen(NULL, NULL), 0);
	stmlog_timeline_start();
	stmlog_mark(me(), "MARK", 1);
	assert_string_equal(delivered, "attach start commit mark=MARK region-begin=FILL");
}

TEST_WITH(session_fixture, what_two_do_that_meet_is_told)
{
	struct stmlog_loss met = loss_over_write(STMLOG_PAUSE, 9, 0, "MET");
	begin();
	stmlog_became_inevitable(me(), TB_NO_SITE);
	step();
	stmlog_wait_begin(me(), &met);
	step();
	stmlog_wait_end(me());
	step();
	met.cause.reason = STMLOG_ABORTED_BY_OTHER;
	stmlog_abort_other(me(), &met);
	step();
	met.cause.reason = STMLOG_SELF_ABORT;
	stmlog_abort(me(), &met);
	assert_taken("attach@0 start@0 inevitable@0 contention@1 wait-begin@1 wait-end@2 contention@3 abort-other@3 "
		     "contention@4 abort@4");
}

TEST_WITH(session_fixture, to_abort_another_without_a_cause_is_an_event_without_a_contention)
{
	begin();
	stmlog_abort_other(me(), NULL);
	step();
	stmlog_commit(me());
	assert_taken("attach@0 start@0 abort-other@0 commit@1");
}

TEST_WITH(session_fixture, who_is_met_is_known_by_its_origin)
{
	OWNED(stmlog_thread_close) struct stmlog_thread *lane = stmlog_thread_open("lane");
	stmlog_claim(lane);
	stmlog_start(lane);
	struct stmlog_loss met = loss_over_write(STMLOG_ABORTED_BY_OTHER, 9, stmlog_origin(lane, TB_NO_SITE), NULL);
	stmlog_commit(lane);
	begin();
	stmlog_abort_other(me(), &met);
	stmlog_abort(me(), &met);
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_string_equal(text_of(timeline), "attach@0 start@0 contention@0 abort-other@0 abort@0");
	for (size_t i = 2; i < timeline->len; i++)
		assert_int_equal(timeline->events[i].other, stmlog_thread_id(lane));
	assert_int_equal(timeline->events[4].detail, STMLOG_GRADE_CERTAIN);
}

TEST_WITH(session_fixture, an_event_is_at_the_place_of_the_own_origin)
{
	struct stmlog_loss met = loss_over_write(STMLOG_SELF_ABORT, 9, 0, NULL);
	begin();
	met.own = stmlog_origin(me(), tb_site_make(1000, 3));
	stmlog_abort(me(), &met);
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_string_equal(text_of(timeline), "attach@0 start@0 contention@0 abort@0");
	for (size_t i = 2; i < timeline->len; i++)
		assert_int_equal(timeline->places[timeline->events[i].place].sites[0].position, 3);
}

TEST_WITH(session_fixture, waits_say_what_they_are_for)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_NONE, NULL);
	stmlog_timeline_start();
	wait_for_segment(me());
	step();
	stmlog_wait_end(me());
	stmlog_wait_begin(me(), NULL);
	step();
	stmlog_wait_end(me());
	wait_for_inevitable(me(), 0, NULL);
	step();
	stmlog_wait_end(me());
	stmlog_start(me());
	step();
	stmlog_waited(me(), &pause, MS);
	stmlog_commit(me());
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_string_equal(text_of(timeline), "attach@0 wait-begin@0 wait-end@1 wait-begin@1 wait-end@2 contention@2 "
					       "wait-begin@2 wait-end@3 start@3 wait-begin@3 wait-end@4 commit@4");
	assert_int_equal(timeline->events[1].detail, STMLOG_WAIT_FOR_SEGMENT);
	assert_int_equal(timeline->events[3].detail, STMLOG_WAIT_FOR_SYNCHRONISATION);
	assert_int_equal(timeline->events[6].detail, STMLOG_WAIT_FOR_OTHER);
}

TEST_WITH(session_fixture, tasks_regions_counters_and_marks_are_told_by_the_program)
{
	stmlog_timeline_start();
	stmlog_task_create(me(), 1);
	stmlog_task_start(me(), 1);
	stmlog_region_begin(me(), "sort", 100);
	stmlog_region_begin(me(), "sort", 50);
	stmlog_touch_pause(me(), 2);
	step();
	stmlog_touch_resume(me(), 2);
	stmlog_region_end(me(), 0);
	stmlog_region_end(me(), 0);
	stmlog_task_suspend(me(), 1);
	stmlog_task_resume(me(), 1);
	stmlog_task_end(me(), 1);
	stmlog_counter(me(), "left", 8);
	stmlog_mark(me(), "here", 9);
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_string_equal(text_of(timeline),
		"attach@0 task-create@0 task-start@0 region-begin@0 region-begin@0 touch-pause@0 touch-resume@1 "
		"region-end@1 region-end@1 task-suspend@1 task-resume@1 task-end@1 counter@1 mark@1");
	assert_string_equal(timeline->places[timeline->events[3].place].word, "sort");
	assert_int_equal(timeline->events[3].argument, 100);
	assert_string_equal(timeline->places[timeline->events[13].place].word, "here");
}

TEST_WITH(session_fixture, a_place_is_the_traceback_of_where_it_was)
{
	struct tb_stack *stack = stmlog_thread_stack(me());
	stmlog_timeline_start();
	tb_push(stack, tb_site_make(1000, 1));
	tb_push(stack, tb_site_make(1000, 2));
	commit_one();
	tb_pop(stack);
	tb_pop(stack);
	commit_one();
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	const struct stmlog_place *inner = &timeline->places[timeline->events[1].place];
	assert_true(inner->is_known && !inner->is_cut);
	assert_int_equal(inner->len, 2);
	assert_int_equal(inner->sites[0].position, 2);
	assert_int_equal(inner->sites[1].position, 1);
	assert_int_equal(timeline->events[3].place, 0); /* nothing on the stack says nothing */
	assert_false(timeline->places[timeline->events[2].place].is_known);
}

TEST_WITH(session_fixture, a_runtime_may_say_where_its_attempts_are)
{
	struct tb_stack *stack = stmlog_thread_stack(me());
	struct tb_site sites[] = {tb_site_make(1000, 7), tb_site_make(1000, 8)};
	struct tb_frame *place = tb_build(stack, sites, 1, TB_EMPTY), *other = tb_build(stack, sites + 1, 1, TB_EMPTY);
	stmlog_timeline_start();
	stmlog_start_at(me(), stmlog_now_ns(), tb_site_make(0, 0), place);
	stmlog_abort(me(), NULL);
	stmlog_retry_at(me(), other);
	stmlog_commit(me());
	tb_unref(stack, place);
	tb_unref(stack, other);
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = take();
	assert_int_equal(timeline->places[timeline->events[1].place].sites[0].position, 7);
	assert_int_equal(timeline->places[timeline->events[3].place].sites[0].position, 8);
}
