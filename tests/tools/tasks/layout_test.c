/* SPDX-License-Identifier: MIT
 * Where the boxes of the fork-join graph and of the tree of creations are. */
#include "loaded.h"

#include <stdlib.h>

#include "fork_join.h"
#include "picture.h"
#include "timeline_text.h"

static const char join[] =
	"10 1 task-start 1\n20 1 task-create 2\n30 1 task-create 3\n40 1 task-suspend 1\n"
	"50 2 task-start 2\n50 3 task-start 3\n51 2 region-begin 100 half\n51 3 region-begin 100 half\n"
	"69 2 region-end 0\n70 2 task-end 2\n87 3 region-end 0\n90 3 task-end 3\n"
	"91 1 touch-pause 2\n92 1 touch-resume 2\n93 1 touch-pause 3\n94 1 touch-resume 3\n"
	"100 1 task-resume 1\n130 1 task-end 1\n";

static struct writer writer;
static struct recording recording;
static struct work work;

static void load(void)
{
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	if (!work_build(&work, &recording))
		fail_msg("%s", work_fault(&work, &recording).text);
}

static void build(const char *text)
{
	timeline_text(&writer, 3, text);
	load();
}

static void drop(struct layout *layout)
{
	layout_fini(layout);
	work_fini(&work);
	recording_fini(&recording);
}

/* "from-until@row" of each segment, or task. */
static void expect(struct layout layout, size_t len, const char *expected)
{
	char found[512] = "";
	for (size_t i = 0; i < len; i++) {
		const struct box *box = &layout.boxes[layout.of[i]];
		size_t at = strlen(found);
		snprintf(found + at, sizeof found - at, "%s%zu-%zu@%zu", i > 0 ? " " : "", (size_t)box->from,
			(size_t)box->until, box->row);
	}
	assert_string_equal(found, expected);
	drop(&layout);
}

TEST(without_tasks_there_are_no_boxes)
{
	build("5 1 mark\n");
	struct layout graph = layout_graph(&work), creations = layout_creations(&work);
	assert_int_equal(graph.len + creations.len, 0);
	layout_fini(&creations);
	drop(&graph);
}

TEST(a_segment_begins_behind_all_that_it_waits_for)
{
	build(join);
	expect(layout_graph(&work), work.segment_count, "0-30@0 70-100@0 30-50@1 30-70@2");
}

TEST(a_row_is_used_again_behind_the_end_of_its_task)
{
	build("1 1 task-start 1\n2 1 task-create 2\n3 1 touch-pause 2\n4 2 task-start 2\n6 2 task-end 2\n"
	      "7 1 touch-resume 2\n8 1 task-create 3\n9 1 touch-pause 3\n10 2 task-start 3\n12 2 task-end 3\n"
	      "13 1 touch-resume 3\n14 1 task-end 1\n");
	expect(layout_graph(&work), work.segment_count, "0-2@0 4-6@0 8-9@0 2-4@1 6-8@1");
}

TEST(roots_that_nothing_connects_begin_together)
{
	build("1 1 task-start 1\n3 1 task-end 1\n5 2 task-start 2\n9 2 task-end 2\n");
	expect(layout_graph(&work), work.segment_count, "0-2@0 0-4@1");
}

TEST(creations_are_a_tree_in_which_each_task_is_behind_its_creator)
{
	build("1 1 task-start 1\n2 1 task-create 2\n3 1 task-create 3\n4 2 task-start 2\n5 2 task-create 4\n"
	      "6 2 task-create 5\n7 2 task-end 2\n8 1 task-end 1\n9 3 task-start 6\n9 3 task-end 6\n");
	assert_int_equal(work.task_count, 6);
	expect(layout_creations(&work), work.task_count, "0-1@0 1-2@0 1-2@2 2-3@0 2-3@1 0-1@3");
}

TEST(a_box_has_the_tag_and_the_speed_of_its_region)
{
	build(join);
	struct layout layout = layout_graph(&work);
	const struct box *fast = &layout.boxes[layout.of[2]], *slow = &layout.boxes[layout.of[3]];
	const struct box *none = &layout.boxes[layout.of[0]];
	assert_true(fast->tag == 0 && slow->tag == 0 && none->tag == WORK_NONE);
	assert_true(fast->speed == 1 && slow->speed == 0.5 && none->speed == 1);
	drop(&layout);
}

TEST(a_task_has_the_tag_of_its_longest_segment)
{
	build("10 1 task-start 1\n15 1 task-suspend 1\n20 1 task-resume 1\n20 1 region-begin 1 main\n"
	      "70 1 region-end 0\n70 1 task-suspend 1\n75 1 task-resume 1\n85 1 task-end 1\n");
	struct layout layout = layout_creations(&work);
	assert_int_equal(layout.len, 1);
	assert_int_equal(layout.boxes[0].tag, 0);
	assert_true(layout.boxes[0].time_ns == 5 + 50 + 10);
	drop(&layout);
}

TEST(edges_lead_from_row_to_row_and_each_is_there_once)
{
	build(join);
	struct layout layout = layout_graph(&work);
	assert_int_equal(layout.edge_count, 4);
	for (size_t i = 0; i < layout.edge_count; i++) {
		const struct box *from = &layout.boxes[layout.edges[i].from], *to = &layout.boxes[layout.edges[i].to];
		assert_true(from->row != to->row && from->until <= to->from);
	}
	drop(&layout);
}

/* ---- more than there is room for ---- */

/* One task creates `count`, which run at once, each `length` ns. */
static void build_many(size_t count, size_t length)
{
	OWNED(owned_free) char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	fprintf(out, "1 1 task-start 1\n");
	for (size_t i = 0; i < count; i++)
		fprintf(out, "2 1 task-create %zu\n", 10 + i);
	fprintf(out, "3 1 task-end 1\n");
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%zu 2 task-start %zu\n%zu 2 task-end %zu\n", 2 * length * (i + 1), 10 + i,
			2 * length * (i + 1) + length, 10 + i);
	fclose(out);
	build(text);
}

TEST(boxes_in_one_place_are_one_that_tells_of_all)
{
	build_many(LAYOUT_ROWS * 16 - 1, 10);
	struct layout layout = layout_graph(&work);
	assert_int_equal(layout.rows, LAYOUT_ROWS);
	const struct box *box = &layout.boxes[layout.of[100]];
	assert_int_equal(box->count, 16);
	assert_true(box->time_ns == 160 && box->min_ns == 10 && box->max_ns == 10);
	assert_true(box->is_alike && box->tag == WORK_NONE);
	drop(&layout);
}

TEST(a_segment_apart_from_others_is_a_box_however_short_it_is)
{
	build("1 1 task-start 1\n2 1 task-end 1\n10 1 task-start 2\n1000010 1 task-suspend 2\n1000011 1 task-resume 2\n"
	      "1000012 1 task-end 2\n");
	struct layout layout = layout_graph(&work);
	assert_int_equal(layout.len, 3);
	drop(&layout);
}

TEST(neighbours_too_narrow_to_be_seen_are_one_box)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	fprintf(out, "1 1 task-start 1\n1000000 1 task-suspend 1\n");
	for (int i = 0; i < 1000; i++)
		fprintf(out, "%d 1 task-resume 1\n%d 1 task-suspend 1\n", 1000001 + 10 * i, 1000009 + 10 * i);
	fclose(out);
	build(text);
	free(text);
	struct layout layout = layout_graph(&work);
	assert_in_range(layout.len, 2, 20);
	assert_true(layout.boxes[0].count == 1 && layout.boxes[1].count > 50);
	drop(&layout);
}

TEST(no_more_boxes_than_there_is_room_for)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	for (int i = 0; i < 64; i++)
		for (int k = 0; k < 100; k++)
			fprintf(out, "%d 1 task-%s %d\n%d 1 task-suspend %d\n", 1 + 200 * i + 2 * k,
				k == 0 ? "start" : "resume", i, 2 + 200 * i + 2 * k, i);
	fclose(out);
	build(text);
	free(text);
	struct layout layout = layout_graph(&work);
	assert_int_equal(work.segment_count, 6400);
	assert_in_range(layout.len, 64, LAYOUT_BOXES);
	drop(&layout);
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
	load();
}

static void expect_sound(struct layout layout, size_t len)
{
	size_t count = 0;
	for (size_t i = 0; i < layout.len; i++) {
		const struct box *box = &layout.boxes[i], *before = i > 0 ? box - 1 : NULL;
		bool is_behind = before == NULL || before->row < box->row ||
				 (before->row == box->row && before->until <= box->from);
		assert_true(is_behind && box->from <= box->until && box->until <= layout.extent);
		assert_true(box->row < layout.rows && box->min_ns <= box->max_ns && box->max_ns <= box->time_ns);
		count += box->count;
	}
	assert_int_equal(count, len);
	layout_fini(&layout);
}

TEST(no_two_boxes_of_any_program_overlap_and_none_of_its_segments_is_missing)
{
	struct random random = {8};
	for (size_t i = 0; i < 300; i++) {
		build_any(&random);
		expect_sound(layout_graph(&work), work.segment_count);
		expect_sound(layout_creations(&work), work.task_count);
		work_fini(&work);
		recording_fini(&recording);
	}
}
