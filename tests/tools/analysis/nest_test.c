/* SPDX-License-Identifier: MIT
 * Nests of small timelines, written as texts: "0 (2 | 3) 1" is segment 0, then 2 and 3 side by side, then 1. */
#include "loaded.h"

#include <string.h>

#include "nest.h"
#include "timeline_text.h"

static struct writer writer;
static struct recording recording;
static struct tasks tasks;

static void build(uint32_t threads, const char *text)
{
	timeline_text(&writer, threads, text);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	if (!tasks_build(&tasks, &recording))
		fail_msg("event %zu: %s", tasks.fault_at, tasks.fault);
}

static void drop(struct nest *nest)
{
	nest_fini(nest);
	tasks_fini(&tasks);
	recording_fini(&recording);
}

static char *told(const struct nest *nest, size_t part, char *at)
{
	const struct nest_part *self = &nest->parts[part];
	if (self->kind == NEST_LEAF)
		return at + sprintf(at, "%zu", self->leaf);
	if (self->kind == NEST_PARALLEL)
		at += sprintf(at, "(");
	for (size_t child = self->first; child != TASKS_NONE; child = nest->parts[child].next) {
		at = told(nest, child, at);
		if (nest->parts[child].next != TASKS_NONE)
			at += sprintf(at, self->kind == NEST_SERIES ? " " : " | ");
	}
	if (self->kind == NEST_PARALLEL)
		at += sprintf(at, ")");
	*at = '\0';
	return at;
}

static void expect(struct nest nest, const char *expected)
{
	char text[1024] = "";
	told(&nest, 0, text);
	assert_string_equal(text, expected);
	drop(&nest);
}

static void expect_graph(uint32_t threads, const char *text, const char *expected)
{
	build(threads, text);
	expect(nest_of_graph(&tasks), expected);
}

static const char join[] = "1 1 task-start 1\n2 1 task-create 2\n3 1 task-create 3\n4 1 task-suspend 1\n"
			   "5 2 task-start 2\n6 2 task-end 2\n7 2 task-start 3\n8 2 task-end 3\n"
			   "9 1 touch-pause 2\n10 1 touch-resume 2\n11 1 touch-pause 3\n12 1 touch-resume 3\n"
			   "13 1 task-resume 1\n14 1 task-end 1\n";

TEST(a_graph_without_tasks_is_an_empty_series)
{
	expect_graph(1, "1 1 mark\n", "");
	build(1, "1 1 mark\n");
	expect(nest_of_creations(&tasks), "()");
}

TEST(a_task_alone_is_a_series_of_its_segments)
{
	expect_graph(1, "1 1 task-start 1\n2 1 task-suspend 1\n3 1 task-resume 1\n4 1 task-end 1\n", "0 1");
}

TEST(a_join_has_both_children_side_by_side_between_its_segments)
{
	expect_graph(2, join, "0 (2 | 3) 1");
}

TEST(roots_that_nothing_connects_are_side_by_side)
{
	expect_graph(2, "1 1 task-start 1\n2 2 task-start 2\n3 1 task-end 1\n4 2 task-end 2\n", "(0 | 1)");
}

TEST(a_task_that_nobody_waits_for_is_beside_all_that_follows)
{
	expect_graph(2,
		"1 1 task-start 1\n2 1 task-create 2\n3 1 task-suspend 1\n4 2 task-start 2\n5 1 task-resume 1\n"
		"6 1 task-suspend 1\n7 1 task-resume 1\n8 1 task-end 1\n9 2 task-end 2\n",
		"0 (3 | 1 2)");
}

/* Two of three children are joined first: these are side by side within one of two ways. */
TEST(ways_that_meet_earlier_are_side_by_side_within_a_way)
{
	expect_graph(2,
		"1 1 task-start 1\n2 1 task-create 2\n2 1 task-create 3\n2 1 task-create 4\n3 1 task-suspend 1\n"
		"4 2 task-start 2\n5 2 task-end 2\n6 2 task-start 3\n7 2 task-end 3\n8 1 touch-pause 2\n8 1 "
		"touch-resume 2\n"
		"8 1 touch-pause 3\n8 1 touch-resume 3\n9 1 task-resume 1\n10 1 task-suspend 1\n11 2 task-start 4\n"
		"12 2 task-end 4\n13 1 touch-pause 4\n14 1 touch-resume 4\n15 1 task-resume 1\n16 1 task-end 1\n",
		"0 (5 | (3 | 4) 1) 2");
}

/* Task 2 is touched by two tasks, of which one does not come from task 1: the graph is no nest. */
TEST(a_graph_that_is_no_nest_has_each_segment_once)
{
	struct nest nest;
	bool seen[8] = {false};
	build(3, "1 1 task-start 1\n2 1 task-create 2\n3 1 task-create 3\n4 2 task-start 2\n5 3 task-start 3\n"
		 "6 2 task-end 2\n7 3 touch-pause 2\n8 3 touch-resume 2\n9 1 touch-pause 2\n10 1 touch-resume 2\n"
		 "11 3 task-end 3\n12 1 touch-pause 3\n13 1 touch-resume 3\n14 1 task-end 1\n");
	nest = nest_of_graph(&tasks);
	for (size_t at = 0; at != TASKS_NONE; at = nest_next(&nest, 0, at)) {
		if (nest.parts[at].kind != NEST_LEAF)
			continue;
		assert_false(seen[nest.parts[at].leaf]);
		seen[nest.parts[at].leaf] = true;
	}
	for (size_t i = 0; i < tasks.segment_count; i++)
		assert_true(seen[i]);
	drop(&nest);
}

TEST(creations_are_a_tree_of_tasks)
{
	build(2, join);
	expect(nest_of_creations(&tasks), "(0 (1 () | 2 ()))");
}
