/* SPDX-License-Identifier: MIT
 * Boxes of made-up nests: that none overlaps another, what is drawn as one, and what a box says of its leaves. */
#include "loaded.h"

#include <stdlib.h>

#include "boxes.h"
#include "memory.h"
#include "random.h"

enum { LEAVES = 4096 };

static struct nest nest;
static struct box_leaf leaves[LEAVES];
static size_t leaf_count;
static struct boxes boxes;

static size_t part(size_t parent, enum nest_kind kind)
{
	nest.parts = memory_grown(nest.parts, nest.len, &nest.cap, sizeof *nest.parts);
	size_t number = nest.len++;
	nest.parts[number] = (struct nest_part){kind, leaf_count, parent, TASKS_NONE, TASKS_NONE, TASKS_NONE};
	if (parent == TASKS_NONE)
		return number;
	struct nest_part *above = &nest.parts[parent];
	*(above->first == TASKS_NONE ? &above->first : &nest.parts[above->last].next) = number;
	above->last = number;
	return number;
}

/* Returns where the leaf ends. */
static uint64_t leaf(size_t series, uint64_t from, uint64_t length, size_t tag)
{
	part(series, NEST_LEAF);
	leaves[leaf_count++] = (struct box_leaf){from, from + length, length, tag, 0.5};
	return from + length;
}

static void begin(void)
{
	nest = (struct nest){.len = 0};
	leaf_count = 0;
	part(TASKS_NONE, NEST_SERIES);
}

static void draw(size_t rows, size_t most)
{
	boxes = boxes_of(&nest, leaves, leaf_count, (struct box_room){rows, most});
}

static void end(void)
{
	boxes_fini(&boxes);
	nest_fini(&nest);
}

/* `count` leaves of these lengths side by side. */
static void spread(size_t parallel, size_t count, uint64_t from, uint64_t length, size_t tag)
{
	for (size_t i = 0; i < count; i++)
		leaf(part(parallel, NEST_SERIES), from, length, tag);
}

/* Halves down to single leaves, as a sort makes them: fork, halves, merge. Returns the end. */
static uint64_t halves(size_t series, size_t depth, uint64_t from)
{
	uint64_t at = leaf(series, from, 2, 0);
	if (depth == 0)
		return at;
	size_t parallel = part(series, NEST_PARALLEL);
	uint64_t left = halves(part(parallel, NEST_SERIES), depth - 1, at);
	uint64_t right = halves(part(parallel, NEST_SERIES), depth - 1, at);
	return leaf(series, left > right ? left : right, (uint64_t)10 << depth, 1);
}

static bool overlap(const struct box *a, const struct box *b)
{
	return boxes_share_rows(a, b) && a->from < b->until && b->from < a->until;
}

/* What holds for all boxes. */
static void expect_sound(size_t rows)
{
	size_t count = 0;
	uint64_t time_ns = 0, all_ns = 0;
	assert_true(boxes.rows <= rows);
	for (size_t i = 0; i < boxes.len; i++) {
		const struct box *box = &boxes.boxes[i];
		assert_true(box->rows >= 1 && box->row + box->rows <= boxes.rows);
		assert_true(box->from <= box->until && box->until <= boxes.extent);
		assert_true(box->leaves > 0 && box->min_ns <= box->max_ns && box->max_ns <= box->time_ns);
		count += box->leaves;
		time_ns += box->time_ns;
		for (size_t k = 0; k < i; k++)
			assert_false(overlap(box, &boxes.boxes[k]));
	}
	for (size_t i = 0; i < leaf_count; i++)
		all_ns += leaves[i].time_ns;
	assert_int_equal(count, leaf_count);
	assert_true(time_ns == all_ns);
}

TEST(a_nest_without_leaves_has_no_boxes)
{
	begin();
	draw(4, 10);
	assert_int_equal(boxes.len, 0);
	assert_int_equal(boxes.extent, 0);
	end();
}

TEST(a_leaf_is_a_box)
{
	begin();
	leaf(0, 0, 7, 3);
	draw(4, 10);
	assert_int_equal(boxes.len, 1);
	const struct box *box = &boxes.boxes[0];
	assert_true(box->from == 0 && box->until == 7 && box->row == 0 && box->rows == 1);
	assert_true(box->leaves == 1 && box->copies == 1 && box->tag == 3 && box->time_ns == 7);
	expect_sound(4);
	end();
}

TEST(what_is_before_and_behind_has_the_rows_of_all_that_is_side_by_side)
{
	begin();
	leaf(0, 0, 10, 0);
	spread(part(0, NEST_PARALLEL), 3, 10, 20, 1);
	leaf(0, 30, 10, 0);
	draw(4, 10);
	assert_int_equal(boxes.len, 5);
	assert_int_equal(boxes.rows, 3);
	assert_int_equal(boxes.boxes[0].rows, 3);
	assert_int_equal(boxes.boxes[4].rows, 3);
	for (size_t i = 1; i < 4; i++)
		assert_int_equal(boxes.boxes[i].row, i - 1);
	expect_sound(4);
	end();
}

TEST(equal_parts_without_room_are_one_in_the_place_of_the_one_that_ends_last)
{
	begin();
	size_t parallel = part(0, NEST_PARALLEL);
	spread(parallel, 1023, 0, 10, 1);
	spread(parallel, 1, 0, 15, 1);
	draw(8, 100);
	assert_int_equal(boxes.len, 1);
	assert_int_equal(boxes.boxes[0].copies, 1024);
	assert_true(boxes.boxes[0].until == 15);
	assert_true(boxes.boxes[0].min_ns == 10 && boxes.boxes[0].max_ns == 15);
	assert_true(boxes.boxes[0].time_ns == 1023 * 10 + 15);
	expect_sound(8);
	end();
}

TEST(equal_parts_are_drawn_apart_where_there_is_just_room)
{
	begin();
	spread(part(0, NEST_PARALLEL), 8, 0, 10, 1);
	draw(8, 100);
	assert_int_equal(boxes.len, 8);
	end();
	begin();
	spread(part(0, NEST_PARALLEL), 9, 0, 10, 1);
	draw(8, 100);
	assert_int_equal(boxes.len, 1);
	assert_int_equal(boxes.boxes[0].copies, 9);
	end();
}

TEST(parts_of_other_tags_are_not_equal)
{
	begin();
	size_t parallel = part(0, NEST_PARALLEL);
	spread(parallel, 20, 0, 10, 1);
	spread(parallel, 30, 0, 10, 2);
	draw(8, 100);
	assert_int_equal(boxes.len, 2);
	assert_true(boxes.boxes[0].copies == 20 && boxes.boxes[0].tag == 1);
	assert_true(boxes.boxes[1].copies == 30 && boxes.boxes[1].tag == 2);
	expect_sound(8);
	end();
}

TEST(what_is_unlike_and_has_no_room_is_one_box)
{
	begin();
	size_t parallel = part(0, NEST_PARALLEL);
	for (size_t tag = 0; tag < 10; tag++)
		spread(parallel, 1, 0, 10 + tag, tag);
	draw(4, 100);
	assert_int_equal(boxes.len, 4);
	assert_int_equal(boxes.boxes[3].leaves, 7);
	assert_int_equal(boxes.boxes[3].copies, 0);
	assert_int_equal(boxes.boxes[3].tag, 6);
	expect_sound(4);
	end();
}

TEST(a_sort_of_any_depth_fits_and_its_halves_are_alike)
{
	for (size_t depth = 0; depth < 11; depth++) {
		begin();
		halves(0, depth, 0);
		draw(16, 1000);
		expect_sound(16);
		assert_int_equal(boxes.rows, depth < 4 ? 1 << depth : 16);
		end();
	}
}

TEST(one_row_is_room_for_all_halves)
{
	begin();
	halves(0, 6, 0);
	draw(1, 1000);
	expect_sound(1);
	assert_int_equal(boxes.rows, 1);
	size_t most = 0;
	for (size_t i = 0; i < boxes.len; i++)
		most = boxes.boxes[i].copies > most ? boxes.boxes[i].copies : most;
	assert_int_equal(most, 64);
	end();
}

TEST(narrow_neighbours_are_one_box)
{
	begin();
	uint64_t at = leaf(0, 0, 1000000, 0);
	for (size_t i = 0; i < 1000; i++)
		at = leaf(0, at, 10, 1);
	draw(4, 100);
	expect_sound(4);
	assert_true(boxes.len > 1 && boxes.len < 20);
	assert_int_equal(boxes.boxes[boxes.len - 1].tag, 1);
	assert_int_equal(boxes.boxes[boxes.len - 1].copies, 0);
	end();
}

TEST(narrow_leaves_that_are_far_apart_are_two_boxes)
{
	begin();
	leaf(0, 0, 10, 1);
	leaf(0, 1000000, 10, 1);
	draw(4, 100);
	assert_int_equal(boxes.len, 2);
	assert_true(boxes.boxes[0].until == 10);
	expect_sound(4);
	end();
}

TEST(more_boxes_than_wished_for_are_drawn_wider)
{
	begin();
	uint64_t at = 0;
	for (size_t i = 0; i < 900; i++)
		at = leaf(0, at, 10, 1);
	draw(4, 1000);
	assert_int_equal(boxes.len, 900);
	boxes_fini(&boxes);
	draw(4, 100);
	assert_true(boxes.len <= 100 && boxes.len > 20);
	expect_sound(4);
	end();
}

/* A series of leaves and parallel parts, made up. Returns its end. */
static uint64_t any_series(struct random *random, size_t series, size_t depth, uint64_t from)
{
	uint64_t at = from;
	for (size_t i = random_below(random, 4) + 1; i > 0 && leaf_count < LEAVES - 64; i--) {
		if (depth == 0 || random_below(random, 2) == 0) {
			at = leaf(series, at, random_below(random, 100), random_below(random, 3));
			continue;
		}
		size_t parallel = part(series, NEST_PARALLEL);
		uint64_t end = at;
		for (size_t k = random_below(random, 5); k > 0; k--) {
			uint64_t until = any_series(random, part(parallel, NEST_SERIES), depth - 1, at);
			end = until > end ? until : end;
		}
		at = end;
	}
	return at;
}

TEST(no_two_boxes_of_any_nest_overlap)
{
	struct random random = {40};
	for (size_t i = 0; i < 200; i++) {
		begin();
		any_series(&random, 0, 4, 0);
		size_t rows = 1 + random_below(&random, 20);
		draw(rows, 1 + random_below(&random, 300));
		expect_sound(rows);
		end();
	}
}

TEST(the_deepest_nest_ends)
{
	begin();
	size_t series = 0;
	for (size_t i = 0; i < LEAVES / 2; i++) {
		leaf(series, 10 * i, 10, 0);
		size_t parallel = part(series, NEST_PARALLEL);
		leaf(part(parallel, NEST_SERIES), 10 * (i + 1), 5, 1);
		series = part(parallel, NEST_SERIES);
	}
	draw(LEAVES, LEAVES);
	expect_sound(LEAVES);
	assert_in_range(boxes.rows, 200, 203);
	end();
}
