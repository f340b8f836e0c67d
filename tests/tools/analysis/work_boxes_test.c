/* SPDX-License-Identifier: MIT
 * The boxes of a join of two, in both forms. */
#include "loaded.h"

#include <stdlib.h>

#include "fork_join.h"
#include "timeline_text.h"
#include "work_boxes.h"

static const char join[] =
	"10 1 task-start 1\n20 1 task-create 2\n30 1 task-create 3\n40 1 task-suspend 1\n"
	"50 2 task-start 2\n50 3 task-start 3\n51 2 region-begin 100 half\n51 3 region-begin 100 half\n"
	"69 2 region-end 0\n70 2 task-end 2\n87 3 region-end 0\n90 3 task-end 3\n"
	"91 1 touch-pause 2\n92 1 touch-resume 2\n93 1 touch-pause 3\n94 1 touch-resume 3\n"
	"100 1 task-resume 1\n130 1 task-end 1\n";

static struct writer writer;
static struct recording recording;
static struct work work;

static void build(const char *text)
{
	timeline_text(&writer, 3, text);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	if (!work_build(&work, &recording))
		fail_msg("%s", work_fault(&work, &recording).text);
}

static void drop(struct boxes *boxes)
{
	boxes_fini(boxes);
	work_fini(&work);
	recording_fini(&recording);
}

static void expect_place(const struct boxes *boxes, size_t leaf, uint64_t from, uint64_t until, size_t row, size_t rows)
{
	const struct box *box = &boxes->boxes[boxes->of_leaves[leaf]];
	assert_true(box->from == from && box->until == until);
	assert_true(box->row == row && box->rows == rows);
}

TEST(the_axis_of_the_graph_is_the_longest_chain)
{
	build(join);
	struct boxes boxes = work_graph_boxes(&work, (struct box_room){8, 100});
	assert_int_equal(boxes.len, 4);
	assert_true(boxes.extent == tasks_longest_ns(&work.tasks));
	expect_place(&boxes, 0, 0, 30, 0, 2);
	expect_place(&boxes, 2, 30, 50, 0, 1);
	expect_place(&boxes, 3, 30, 70, 1, 1);
	expect_place(&boxes, 1, 70, 100, 0, 2);
	drop(&boxes);
}

TEST(a_box_has_the_tag_and_the_speed_of_its_region)
{
	build(join);
	struct boxes boxes = work_graph_boxes(&work, (struct box_room){8, 100});
	assert_true(boxes.boxes[boxes.of_leaves[2]].tag == 0 && boxes.boxes[boxes.of_leaves[3]].tag == 0);
	assert_true(boxes.boxes[boxes.of_leaves[2]].speed == 1);
	assert_true(boxes.boxes[boxes.of_leaves[3]].speed == 0.5);
	assert_true(boxes.boxes[boxes.of_leaves[0]].tag == TASKS_NONE && boxes.boxes[boxes.of_leaves[0]].speed == 1);
	drop(&boxes);
}

TEST(the_axis_of_creations_is_their_depth)
{
	build(join);
	struct boxes boxes = work_creation_boxes(&work, (struct box_room){8, 100});
	assert_int_equal(boxes.len, 3);
	assert_true(boxes.extent == 2);
	expect_place(&boxes, 0, 0, 1, 0, 2);
	expect_place(&boxes, 1, 1, 2, 0, 1);
	expect_place(&boxes, 2, 1, 2, 1, 1);
	assert_true(boxes.boxes[boxes.of_leaves[0]].time_ns == 30 + 30);
	drop(&boxes);
}

TEST(a_task_has_the_tag_of_its_longest_segment)
{
	build("10 1 task-start 1\n15 1 task-suspend 1\n20 1 task-resume 1\n20 1 region-begin 1 main\n70 1 region-end "
	      "0\n"
	      "70 1 task-suspend 1\n75 1 task-resume 1\n85 1 task-end 1\n");
	struct boxes boxes = work_creation_boxes(&work, (struct box_room){8, 100});
	assert_int_equal(boxes.len, 1);
	assert_int_equal(boxes.boxes[0].tag, 0);
	assert_true(boxes.boxes[0].time_ns == 5 + 50 + 10);
	drop(&boxes);
}

TEST(without_tasks_there_are_no_boxes)
{
	build("5 1 mark\n");
	struct boxes boxes = work_graph_boxes(&work, (struct box_room){8, 100});
	assert_int_equal(boxes.len, 0);
	boxes_fini(&boxes);
	boxes = work_creation_boxes(&work, (struct box_room){8, 100});
	assert_int_equal(boxes.len, 0);
	drop(&boxes);
}

/* ---- edges ---- */

TEST(the_edges_of_a_nest_are_shown_by_the_order_of_its_boxes)
{
	build(join);
	struct boxes boxes = work_graph_boxes(&work, (struct box_room){8, 100});
	struct box_edges edges = work_graph_edges(&work, &boxes);
	assert_int_equal(edges.len, 0);
	assert_int_equal(edges.left_out, 0);
	free(edges.edges);
	drop(&boxes);
}

/* Task 3 touches task 2, its sibling. */
TEST(an_edge_between_boxes_of_other_rows_is_listed_once)
{
	build("1 1 task-start 1\n2 1 task-create 2\n3 1 task-create 3\n4 2 task-start 2\n4 3 task-start 3\n"
	      "6 2 task-end 2\n7 3 touch-pause 2\n8 3 touch-resume 2\n9 1 touch-pause 2\n10 1 touch-resume 2\n"
	      "11 3 task-end 3\n12 1 touch-pause 3\n13 1 touch-resume 3\n14 1 task-end 1\n");
	struct boxes boxes = work_graph_boxes(&work, (struct box_room){8, 100});
	struct box_edges edges = work_graph_edges(&work, &boxes);
	assert_int_equal(edges.len, 1);
	const struct box *from = &boxes.boxes[edges.edges[0].from], *to = &boxes.boxes[edges.edges[0].to];
	assert_false(boxes_share_rows(from, to));
	assert_true(from->until <= to->from);
	free(edges.edges);
	drop(&boxes);
}

/* ---- programs of any form, with tasks that move and are touched from anywhere ---- */

static void build_any(struct random *random)
{
	struct fork_join program;
	fork_join_make(&program, random, true);
	timeline_text(&writer, 0, "");
	for (size_t i = 0; i < program.len; i++) {
		const struct fork_join_event *event = &program.events[i];
		writer_event(&writer, &(struct stmlog_event_record){.time_ns = event->time_ns,
					      .argument = event->argument,
					      .thread = event->thread,
					      .kind = event->kind});
	}
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	assert_true(work_build(&work, &recording));
}

static void expect_no_overlap(const struct boxes *boxes)
{
	for (size_t i = 0; i < boxes->len; i++) {
		const struct box *box = &boxes->boxes[i];
		for (size_t k = 0; k < i; k++) {
			const struct box *other = &boxes->boxes[k];
			bool is_aside = box->until <= other->from || other->until <= box->from;
			assert_true(is_aside || !boxes_share_rows(box, other));
		}
	}
}

/* The leaves of the boxes are those of the work, each in one box. */
static void expect_all(const struct boxes *boxes, size_t len)
{
	size_t count = 0;
	for (size_t i = 0; i < boxes->len; i++)
		count += boxes->boxes[i].leaves;
	assert_int_equal(count, len);
}

TEST(no_two_boxes_of_any_program_overlap_and_none_of_its_segments_is_missing)
{
	struct random random = {8};
	for (size_t i = 0; i < 300; i++) {
		build_any(&random);
		struct box_room room = {1 + random_below(&random, 30), 1000};
		struct boxes graph = work_graph_boxes(&work, room), creations = work_creation_boxes(&work, room);
		expect_no_overlap(&graph);
		expect_no_overlap(&creations);
		expect_all(&graph, work.tasks.segment_count);
		expect_all(&creations, work.tasks.len);
		boxes_fini(&graph);
		drop(&creations);
	}
}
