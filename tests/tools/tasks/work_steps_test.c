/* SPDX-License-Identifier: MIT
 * Tasks and their graph, for small timelines. */
#include "built_work.h"

#include <stdlib.h>

/* "[[2,3],[],[1],[1]]" */
static const char *children(void)
{
	static char text[1024];
	char *at = text;
	*at++ = '[';
	for (size_t i = 0; i < work.segment_count; i++) {
		at += sprintf(at, "%s[", i > 0 ? "," : "");
		for (size_t k = 0; k < work.segments[i].child_count; k++)
			at += sprintf(at, "%s%zu", k > 0 ? "," : "", work.segments[i].children[k]);
		at += sprintf(at, "]");
	}
	strcpy(at, "]");
	return text;
}

static void expect_graph(uint32_t threads, const char *text, const char *expected)
{
	build_right(threads, text);
	assert_string_equal(children(), expected);
}

/* `at` is counted among all events, those that attach the threads included. */
static void expect_fault(uint32_t threads, const char *text, size_t at, const char *expected)
{
	assert_false(is_built(threads, text));
	assert_string_equal(work.fault, expected);
	assert_int_equal(work.fault_at, at);
	assert_int_equal(work.task_count, 0);
	assert_int_equal(work.segment_count, 0);
}

static const char join[] = "10 1 task-start 1\n"
			   "20 1 task-create 2\n"
			   "30 1 task-create 3\n"
			   "40 1 task-suspend 1\n"
			   "50 2 task-start 2\n"
			   "55 3 task-start 3\n"
			   "60 1 touch-pause 2\n"
			   "70 2 task-end 2\n"
			   "80 1 touch-resume 2\n"
			   "90 3 task-end 3\n"
			   "90 1 touch-pause 3\n"
			   "95 1 touch-resume 3\n"
			   "100 1 task-resume 1\n"
			   "130 1 task-end 1\n";

TEST(a_join_of_two_that_others_run_is_four_segments)
{
	expect_graph(3, join, "[[2,3],[],[1],[1]]");
	expect_graph(2,
		"10 1 task-start 1\n20 1 task-create 2\n20 1 task-create 3\n40 1 task-suspend 1\n"
		"50 1 task-start 2\n60 2 task-start 3\n70 1 task-end 2\n71 1 touch-pause 2\n71 1 touch-resume 2\n"
		"72 1 touch-pause 3\n80 2 task-end 3\n81 1 touch-resume 3\n90 1 task-resume 1\n99 1 task-end 1\n",
		"[[2,3],[],[1],[1]]");
}

TEST(all_members_of_a_join_are_told)
{
	build_right(3, join);
	assert_int_equal(work.task_count, 3);
	assert_int_equal(work.tasks[0].number, 1);
	assert_true(work.tasks[0].created_by == WORK_NONE && work.tasks[0].parent == WORK_NONE);
	assert_int_equal(work.tasks[0].first_segment, 0);
	assert_int_equal(work.tasks[0].segment_count, 2);
	assert_int_equal(work.tasks[2].number, 3);
	assert_int_equal(work.tasks[2].created_by, 5);
	assert_int_equal(work.tasks[2].parent, 0);
	assert_int_equal(work.tasks[2].first_segment, 3);
	const struct segment *last = &work.segments[3];
	assert_int_equal(last->task, 2);
	assert_int_equal(last->thread, 3);
	assert_int_equal(last->begin, 8);
	assert_int_equal(last->end, 12);
	assert_int_equal(last->from_ns, 55);
	assert_int_equal(last->until_ns, 90);
	assert_int_equal(work_time_ns(&work), 30 + 30 + 20 + 35);
	assert_int_equal(work_longest_ns(&work), 30 + 35 + 30);
}

TEST(a_segment_begins_at_the_earliest_when_all_that_lead_to_it_have_ended)
{
	build_right(3, join);
	uint64_t *earliest_ns = work_earliest_ns(&work);
	assert_int_equal(earliest_ns[0], 0);
	assert_int_equal(earliest_ns[2], 30);
	assert_int_equal(earliest_ns[3], 30);
	assert_int_equal(earliest_ns[1], 30 + 35);
	free(earliest_ns);
	/* The longer child is the first one. */
	build_right(2, "10 1 task-start 1\n20 1 task-create 2\n30 1 task-create 3\n40 1 task-suspend 1\n"
		       "50 2 task-start 2\n80 2 task-end 2\n81 2 task-start 3\n86 2 task-end 3\n"
		       "87 1 touch-pause 2\n88 1 touch-resume 2\n89 1 touch-pause 3\n90 1 touch-resume 3\n"
		       "91 1 task-resume 1\n92 1 task-end 1\n");
	earliest_ns = work_earliest_ns(&work);
	assert_int_equal(earliest_ns[1], 30 + 30);
	free(earliest_ns);
}

TEST(joins_nest)
{
	expect_graph(2,
		"1 1 task-start 1\n2 1 task-create 2\n3 1 task-create 3\n4 1 task-suspend 1\n"
		"5 1 task-start 2\n6 1 task-create 4\n7 1 task-create 5\n8 1 task-suspend 2\n"
		"9 1 task-start 4\n9 2 task-start 3\n10 1 task-end 4\n11 1 task-start 5\n12 1 task-end 5\n"
		"13 1 touch-pause 4\n14 1 touch-resume 4\n15 1 touch-pause 5\n16 1 touch-resume 5\n"
		"17 1 task-resume 2\n18 1 task-end 2\n19 1 touch-pause 2\n20 1 touch-resume 2\n"
		"21 2 task-end 3\n22 1 touch-pause 3\n23 1 touch-resume 3\n24 1 task-resume 1\n25 1 task-end 1\n",
		/* 1: 0 1; 2: 2 3; 3: 4; 4: 5; 5: 6 */
		"[[2,4],[],[5,6],[1],[1],[3],[3]]");
}

TEST(a_touch_belongs_to_the_creator_though_another_task_was_suspended_later)
{
	expect_graph(2,
		"1 1 task-start 1\n2 1 task-create 2\n3 1 task-suspend 1\n4 2 task-start 2\n"
		"5 1 task-start 9\n6 1 task-suspend 9\n7 2 task-end 2\n8 1 touch-pause 2\n9 1 touch-resume 2\n"
		"10 1 task-resume 1\n11 1 task-end 1\n12 2 task-resume 9\n13 2 task-end 9\n",
		/* 1: 0 1; 2: 2; 9: 3 4 */
		"[[2],[],[1],[4],[]]");
}

TEST(a_touch_of_a_stranger_belongs_to_who_was_suspended_last_and_still_is)
{
	expect_graph(2,
		"1 1 task-start 1\n2 1 task-suspend 1\n3 1 task-start 2\n4 1 task-suspend 2\n5 2 task-resume 2\n"
		"6 2 task-end 2\n7 1 touch-pause 2\n8 1 touch-resume 2\n9 1 task-resume 1\n10 1 task-end 1\n",
		"[[1],[],[3],[1]]");
}

TEST(a_touch_within_a_task_splits_it)
{
	expect_graph(2,
		"1 1 task-start 1\n2 1 task-create 2\n3 2 task-start 2\n4 1 touch-pause 2\n5 2 task-end 2\n"
		"6 1 touch-resume 2\n7 1 task-end 1\n",
		"[[2],[],[1]]");
	/* A touch of a task that was not created in the segment before: then there is an edge within the task, too. */
	expect_graph(2,
		"1 1 task-start 1\n3 2 task-start 2\n4 1 touch-pause 2\n5 2 task-end 2\n6 1 touch-resume 2\n"
		"7 1 touch-pause 2\n8 1 touch-resume 2\n9 1 task-end 1\n",
		"[[1],[2],[],[1,2]]");
}

TEST(a_touch_in_which_the_task_is_resumed_splits_it_at_its_end)
{
	expect_graph(2,
		"1 1 task-start 1\n2 1 task-create 2\n3 1 touch-pause 2\n4 1 task-suspend 1\n5 1 task-start 3\n"
		"6 1 task-end 3\n7 1 task-resume 1\n8 2 task-start 2\n9 2 task-end 2\n10 1 touch-resume 2\n"
		"11 1 task-end 1\n",
		"[[1,3],[2],[],[2],[]]");
}

TEST(what_is_touched_twice_has_one_edge)
{
	expect_graph(1,
		"1 1 task-start 1\n2 1 task-create 2\n3 1 task-suspend 1\n4 1 task-start 2\n5 1 task-end 2\n"
		"6 1 touch-pause 2\n7 1 touch-resume 2\n8 1 touch-pause 2\n9 1 touch-resume 2\n"
		"10 1 task-resume 1\n11 1 task-end 1\n",
		"[[2],[],[1]]");
}

TEST(a_task_may_move_between_threads)
{
	expect_graph(2, "1 1 task-start 1\n2 1 task-suspend 1\n3 2 task-resume 1\n4 2 task-end 1\n", "[[1],[]]");
}

TEST(roots_need_not_be_connected)
{
	build_right(2, "1 1 task-create 7\n2 1 task-start 8\n3 2 task-start 7\n4 2 task-end 7\n5 1 task-end 8\n"
		       "6 2 touch-pause 8\n7 2 touch-resume 8\n8 1 task-create 9\n");
	assert_string_equal(children(), "[[],[]]");
	assert_int_equal(work.task_count, 3);
	assert_int_equal(work.tasks[0].created_by, 2);
	assert_true(work.tasks[0].parent == WORK_NONE);
	assert_int_equal(work.tasks[2].segment_count, 0);
	assert_int_equal(work_longest_ns(&work), 3);
}

TEST(a_task_that_is_created_by_a_waiting_one_is_its_child)
{
	build_right(2, "1 2 task-start 2\n1 1 task-start 1\n2 1 touch-pause 2\n3 1 task-create 3\n4 2 task-end 2\n"
		       "5 1 touch-resume 2\n6 2 task-start 3\n7 2 task-end 3\n8 1 task-end 1\n");
	assert_int_equal(work.tasks[2].parent, 1);
	assert_string_equal(children(), "[[2],[2,3],[],[]]");
}

/* A join that helps: thread 1 waits for 2, works on 3 meanwhile, and waits for 4 within that. */
TEST(work_within_a_touch_is_of_the_other_task)
{
	build_right(2, "1 1 task-start 1\n2 1 task-create 2\n3 1 task-create 3\n4 2 task-start 2\n"
		       "5 1 touch-pause 2\n6 1 task-start 3\n7 1 task-create 4\n8 1 touch-pause 4\n"
		       "9 1 task-start 4\n10 1 task-end 4\n11 1 touch-resume 4\n13 1 task-end 3\n"
		       "14 2 task-end 2\n15 1 touch-resume 2\n16 1 touch-pause 3\n17 1 touch-resume 3\n"
		       "20 1 task-end 1\n");
	/* 1: 0 1 2; 2: 3; 3: 4 5; 4: 6 */
	assert_string_equal(children(), "[[3,4],[2],[],[1],[6],[2],[5]]");
	assert_int_equal(work_time_ns(&work), 4 + 1 + 3 + 10 + 2 + 2 + 1);
	assert_int_equal(work.tasks[3].parent, 2);
}

TEST(a_handled_operation_is_a_segment_of_the_blocked_task)
{
	assert_false(is_built(2, "1 1 task-start 1\n2 2 task-start 2\n4 2 block-begin 2 allocate 0 64\n"
				 "5 1 handle-begin 2 allocate\n6 1 handle-begin 2 x\n"));
	assert_string_equal(work.fault, "the task is not blocked for an operation");
	build_right(2,
		"1 1 task-start 1\n2 2 task-start 2\n4 2 block-begin 2 allocate 0 64\n5 1 handle-begin 2 allocate\n"
		"9 1 handle-end 2\n10 2 block-end 2\n11 2 task-end 2\n13 1 task-end 1\n");
	/* 1: 0 1; 2: 2 3 4 */
	assert_string_equal(children(), "[[1],[],[3],[4],[]]");
	assert_int_equal(work.segments[3].thread, 1);
	assert_int_equal(work_time_ns(&work), 4 + 4 + 2 + 4 + 1);
	assert_int_equal(work.wait_count, 1);
	const struct task_wait *block = &work.waits[0];
	assert_int_equal(block->kind, TASK_BLOCKED);
	assert_int_equal(block->task, 1);
	assert_int_equal(block->begin, 4);
	assert_int_equal(block->handle, 5);
	assert_int_equal(block->handle_end, 6);
	assert_int_equal(block->end, 7);
}

TEST(an_abandoned_operation_is_handled_while_its_task_is_suspended)
{
	build_right(2, "1 2 task-start 2\n4 2 block-begin 2 allocate 1\n5 2 block-end 2 - 2\n5 2 task-suspend 2\n"
		       "6 1 touch-pause 2\n7 1 handle-begin 2\n9 1 handle-end 2 - 1\n10 2 task-resume 2\n"
		       "11 2 block-begin 2\n14 2 block-end 2\n15 2 task-end 2\n16 1 touch-resume 2\n");
	assert_string_equal(children(), "[[1],[2],[3],[]]");
	static const enum task_wait_kind kinds[] = {TASK_BLOCKED, TASK_SUSPENDED, TASK_TOUCHED, TASK_BLOCKED};
	assert_int_equal(work.wait_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(work.waits[i].kind, kinds[i]);
	assert_int_equal(work.waits[0].handle, 7);
	assert_true(work.waits[3].handle == WORK_NONE);
}

TEST(no_events_and_no_tasks_are_no_fault)
{
	build_right(0, "");
	assert_int_equal(work.task_count, 0);
	assert_int_equal(work_time_ns(&work), 0);
	assert_int_equal(work_longest_ns(&work), 0);
	expect_graph(2, "5 1 start\n6 1 commit\n", "[]");
}

TEST(what_is_open_at_the_end_ends_with_the_last_event)
{
	build_right(3, "10 1 task-start 1\n20 2 task-start 2\n30 2 detach\n70 3 mark\n");
	assert_true(work.segments[0].end == WORK_NONE);
	assert_int_equal(work.segments[0].until_ns, 70);
	assert_int_equal(work.segments[1].end, 5);
	assert_int_equal(work.segments[1].until_ns, 30);
}

/* ---- faults ---- */

TEST(what_contradicts_itself_is_a_fault)
{
	expect_fault(1, "1 1 task-create 1\n2 1 task-create 1\n", 2, "the task was created already");
	expect_fault(1, "1 1 task-start 1\n2 1 task-create 1\n", 2, "the task was worked on before it was created");
	expect_fault(1, "1 1 task-start 1\n2 1 task-end 1\n3 1 task-start 1\n", 3, "the task has ended");
	expect_fault(1, "1 1 task-start 1\n2 1 task-suspend 1\n3 1 task-start 1\n", 3, "the task was started already");
	expect_fault(2, "1 1 task-start 1\n2 2 task-start 1\n", 3, "a thread works on the task already");
	expect_fault(2, "1 1 task-start 1\n2 2 task-resume 1\n", 3, "a thread works on the task already");
	expect_fault(1, "1 1 task-create 1\n2 1 task-resume 1\n", 2, "the task was not suspended");
	expect_fault(1, "1 1 task-start 1\n2 1 task-end 1\n3 1 task-resume 1\n", 3, "the task has ended");
	expect_fault(2, "1 1 task-start 1\n2 2 touch-pause 1\n3 2 touch-resume 1\n4 1 task-end 1\n", 4,
		"the task touched has not ended");
	expect_fault(
		1, "1 1 touch-pause 1\n2 1 touch-resume 1\n3 1 task-start 1\n", 2, "the task touched has not ended");
	expect_fault(
		1, "1 1 task-start 1\n2 1 touch-pause 1\n3 1 touch-resume 1\n", 3, "the task touched has not ended");
	expect_fault(1, "1 1 task-create 1\n1 1 mark\n1 1 task-start 1\n1 1 task-end 1\n1 1 task-resume 1\n", 5,
		"the task has ended");
	expect_fault(1, "1 1 task-start 1\n1 1 task-create 1\n", 1, "the task is created only after that");
	expect_fault(1, "1 1 task-start 1\n2 1 block-begin 2\n", 2, "the thread works on another task");
	expect_fault(2, "1 1 task-start 1\n2 2 handle-begin 1\n", 3, "the task is not blocked for an operation");
	expect_fault(2, "1 1 task-start 1\n2 1 block-begin 1\n3 1 block-end 1\n4 2 handle-begin 1\n", 5,
		"the task is not blocked for an operation");
	expect_fault(2, "1 1 task-start 1\n2 1 block-begin 1\n3 2 handle-begin 1\n4 1 block-end 1\n", 5,
		"the operation is still being handled");
	expect_fault(2,
		"1 1 task-start 1\n2 1 block-begin 1\n3 2 handle-begin 1\n4 2 handle-end 1 - 1\n5 1 block-end 1\n", 6,
		"the operation was handled with another outcome");
}

TEST(a_gap_of_any_thread_excuses_what_is_absent)
{
	expect_graph(2, "1 2 missing 5 3\n2 1 task-resume 1\n3 1 task-end 1\n", "[[]]");
	expect_graph(2, "1 2 missing 5 3\n2 1 touch-pause 1\n3 1 touch-resume 1\n", "[]");
	expect_graph(1, "1 1 missing 5 3\n2 1 task-end 1\n3 1 touch-pause 1\n4 1 touch-resume 1\n", "[]");
	expect_graph(1, "1 1 missing 5 3\n2 1 task-suspend 1\n3 1 task-resume 1\n4 1 task-end 1\n", "[[]]");
	expect_graph(2, "1 1 missing 5 3\n2 1 touch-resume 1\n3 1 task-start 2\n4 1 task-end 2\n", "[[]]");
}

TEST(a_gap_ends_a_segment_and_its_task_may_go_on_anywhere)
{
	build_right(2, "1 1 task-start 1\n5 1 missing 5 9\n20 2 task-resume 1\n30 2 task-end 1\n");
	assert_string_equal(children(), "[[1],[]]");
	assert_int_equal(work.segments[0].end, 3);
	assert_int_equal(work.segments[0].until_ns, 5);
	/* The touched task has no segments on record: then the edge is within the task itself. */
	expect_graph(2,
		"1 1 task-start 1\n2 1 task-create 2\n3 2 missing 5 3\n4 1 touch-pause 2\n5 1 touch-resume 2\n"
		"6 1 task-end 1\n",
		"[[1],[]]");
}

TEST(a_gap_excuses_no_contradiction)
{
	expect_fault(
		3, "1 3 missing 5 3\n2 1 task-start 1\n3 2 task-start 1\n", 5, "a thread works on the task already");
	expect_fault(3, "1 3 missing 5 3\n2 1 task-start 1\n3 2 touch-pause 1\n4 2 touch-resume 1\n", 6,
		"the task touched has not ended");
	expect_fault(2, "1 2 missing 5 3\n2 1 task-start 1\n3 2 task-end 1\n", 4, "another thread works on the task");
	expect_fault(2, "1 2 missing 5 3\n2 1 task-start 1\n3 1 task-end 1\n4 2 task-end 1\n", 5, "the task has ended");
	expect_fault(2, "1 1 missing 5 3\n2 1 task-resume 1\n3 2 task-create 1\n", 4,
		"the task was worked on before it was created");
	expect_fault(2, "1 1 task-start 1\n2 1 missing 5 3\n3 2 task-start 1\n", 4, "the task was started already");
}

/* ---- ties ---- */

TEST(of_one_time_the_events_may_have_come_in_any_order_that_can_be)
{
	/* The events of thread 1 come first, and depend on those of thread 2. */
	static const char text[] = "5 1 task-start 1\n5 1 touch-pause 3\n5 1 touch-resume 3\n5 1 task-suspend 1\n"
				   "5 2 task-start 2\n5 2 task-create 1\n5 2 task-create 3\n5 2 task-end 2\n"
				   "5 2 task-start 3\n5 2 task-end 3\n5 2 task-resume 1\n5 2 task-end 1\n";
	build_right(2, text);
	/* 2: 0; 1: 1 2 3; 3: 4 */
	assert_string_equal(children(), "[[1,4],[2],[3],[],[2]]");
	expect_fault(2, "5 1 task-resume 1\n6 2 task-start 1\n7 2 task-suspend 1\n", 2, "the task was not suspended");
	expect_fault(2, "5 1 task-resume 1\n5 2 task-resume 1\n", 3, "a thread works on the task already");
}

TEST(what_began_before_the_timeline_is_no_fault)
{
	expect_graph(1, "1 1 task-resume 1\n2 1 task-suspend 1\n3 1 task-resume 1\n", "[[1],[]]");
	expect_graph(1, "1 1 task-start 1\n2 1 touch-pause 2\n3 1 touch-resume 2\n", "[[1],[]]");
	expect_graph(2, "1 1 task-start 1\n2 1 touch-pause 2\n3 2 task-resume 2\n4 2 task-end 2\n5 1 touch-resume 2\n",
		"[[1],[],[1]]");
}

GROUP_WITH(built_work);
