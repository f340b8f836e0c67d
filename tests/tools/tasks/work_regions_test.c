/* SPDX-License-Identifier: MIT
 * Work and time of regions: each rule with a timeline of its own. */
#include "built_work.h"

#include <math.h>
#include <stdlib.h>

static const struct region *regions; /* in the order of their beginnings */

/* The tags' exclusive times are those of all regions outside any other, and so nothing is lost or counted twice. */
static void build(uint32_t threads, const char *text)
{
	uint64_t exclusive_ns = 0, roots_ns = 0;
	build_right(threads, text);
	regions = work.regions;
	for (size_t i = 0; i < work.tag_count; i++)
		exclusive_ns += work.tags[i].exclusive_ns;
	for (size_t i = 0; i < work.region_count; i++)
		if (regions[i].parent == WORK_NONE)
			roots_ns += regions[i].time_ns;
	assert_int_equal(exclusive_ns, roots_ns);
}

static const struct region_tag *tag(const char *name)
{
	for (size_t i = 0; i < work.tag_count; i++)
		if (strcmp(work.tags[i].tag, name) == 0)
			return &work.tags[i];
	fail_msg("there is no tag %s", name);
	return NULL;
}

static void expect_times(size_t region, uint64_t own_ns, uint64_t time_ns)
{
	assert_in_range(region, 0, work.region_count - 1);
	assert_int_equal(regions[region].own_ns, own_ns);
	assert_int_equal(regions[region].time_ns, time_ns);
}

static void expect_tag(
	const char *name, uint64_t count, uint64_t work_done, uint64_t inclusive_ns, uint64_t exclusive_ns)
{
	assert_int_equal(tag(name)->count, count);
	assert_int_equal(tag(name)->work, work_done);
	assert_int_equal(tag(name)->inclusive_ns, inclusive_ns);
	assert_int_equal(tag(name)->exclusive_ns, exclusive_ns);
}

static bool is_about(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

TEST(nothing_has_no_regions)
{
	build(1, "5 1 task-start 1\n6 1 task-end 1\n");
	assert_int_equal(work.region_count, 0);
	assert_int_equal(work.tag_count, 0);
}

TEST(the_region_of_a_thread_without_tasks_is_its_time)
{
	build(1, "100 1 region-begin 7 sort\n350 1 region-end 3\n");
	expect_times(0, 250, 250);
	assert_int_equal(regions[0].work, 10);
	assert_string_equal(regions[0].tag, "sort");
	assert_int_equal(regions[0].thread, 1);
	assert_int_equal(regions[0].begin, 1);
	assert_int_equal(regions[0].end, 2);
	assert_true(regions[0].parent == WORK_NONE);
	assert_true(is_about(regions[0].speed, 10 / 250e-9));
	assert_true(is_about(regions[0].relative, 1));
}

TEST(of_one_tag_what_is_nested_is_not_counted_twice)
{
	build(1, "10 1 region-begin 8 fib\n20 1 region-begin 5 fib\n25 1 region-begin 1 fib\n30 1 region-end\n"
		 "40 1 region-end\n60 1 region-end\n70 1 region-begin 2 fib\n75 1 region-end\n");
	expect_times(0, 30, 50);
	expect_times(1, 15, 20);
	expect_times(2, 5, 5);
	expect_tag("fib", 4, 10, 55, 55);
	assert_int_equal(tag("fib")->outermost, 2);
}

TEST(tags_are_summed_inclusive_and_exclusive)
{
	build(2, "1 1 region-begin 100 outer\n10 1 region-begin 5 inner\n12 2 region-begin 6 inner\n17 2 region-end\n"
		 "20 1 region-begin 1 outer\n50 1 region-end\n55 1 region-end\n81 1 region-end\n");
	expect_times(0, 35, 80);
	expect_times(1, 15, 45);
	expect_times(2, 5, 5);
	expect_times(3, 30, 30);
	assert_int_equal(regions[1].parent, 0);
	assert_true(regions[2].parent == WORK_NONE);
	assert_int_equal(regions[3].parent, 1);
	expect_tag("outer", 2, 100, 80, 65);
	expect_tag("inner", 2, 11, 50, 20);
	assert_string_equal(work.tags[0].tag, "outer");
	assert_true(is_about(work.tags[0].speed, 100 / 80e-9));
}

TEST(tags_of_equal_times_are_in_the_order_of_their_names)
{
	build(1, "1 1 region-begin 1 b\n2 1 region-end\n3 1 region-begin 1 a\n4 1 region-end\n"
		 "5 1 region-begin 1 c\n9 1 region-end\n");
	assert_string_equal(work.tags[0].tag, "c");
	assert_string_equal(work.tags[1].tag, "a");
	assert_string_equal(work.tags[2].tag, "b");
}

TEST(no_work_and_no_time_have_speeds)
{
	build(1, "1 1 region-begin 0 a\n3 1 region-end\n5 1 region-begin 4 b\n5 1 region-end\n"
		 "6 1 region-begin 0 c\n6 1 region-end\n7 1 region-begin 10 b\n9 1 region-end\n"
		 "10 1 region-begin 5 b\n12 1 region-end\n13 1 region-begin 0 b\n14 1 region-end\n"
		 "20 1 region-begin 9 d\n20 1 region-end\n");
	const double expected[][2] = {
		{0, 0}, {INFINITY, 1}, {0, 0}, {10 / 2e-9, 1}, {5 / 2e-9, 0.5}, {0, 0}, {INFINITY, 1}};
	for (size_t i = 0; i < work.region_count; i++) {
		double speed = expected[i][0];
		assert_true(isinf(speed) ? isinf(regions[i].speed) : is_about(regions[i].speed, speed));
		assert_true(is_about(regions[i].relative, expected[i][1]));
	}
	assert_true(is_about(tag("b")->speed, 19 / 5e-9));
	assert_true(isinf(tag("d")->speed));
}

TEST(the_time_is_that_of_its_tasks_on_any_thread)
{
	build(2, "1 1 task-start 1\n10 1 region-begin 100 r\n20 1 task-create 2\n30 1 task-suspend 1\n"
		 "35 2 task-start 2\n40 2 task-create 3\n40 1 task-start 9\n60 1 task-end 9\n65 2 task-end 2\n"
		 "70 2 task-start 3\n80 1 touch-pause 2\n85 1 touch-resume 2\n90 1 task-resume 1\n100 1 region-end\n"
		 "110 2 task-end 3\n120 1 task-end 1\n");
	/* 20 and 10 of task 1, 30 of task 2, 40 of task 3, and nothing of the stolen task 9. */
	expect_times(0, 100, 100);
	assert_true(is_about(regions[0].speed, 1e9));
}

TEST(who_waits_for_a_task_works_on_none)
{
	build(2, "1 1 task-start 1\n2 1 region-begin 1 r\n3 2 task-start 2\n10 1 touch-pause 2\n50 2 task-end 2\n"
		 "60 1 touch-resume 2\n65 1 region-end\n70 1 task-end 1\n");
	expect_times(0, 13, 13);
	build(2, "2 1 region-begin 1 r\n3 2 task-start 2\n10 1 touch-pause 2\n50 2 task-end 2\n"
		 "60 1 touch-resume 2\n65 1 region-end\n");
	expect_times(0, 13, 13);
}

TEST(a_stolen_task_during_a_touch_counts_for_its_own_creator_only)
{
	build(2, "1 2 region-begin 1 other\n2 2 task-create 9\n3 2 region-end\n5 1 task-start 1\n"
		 "6 1 region-begin 1 r\n7 2 task-start 2\n10 1 touch-pause 2\n11 1 task-suspend 1\n"
		 "12 1 task-start 9\n30 1 task-end 9\n31 1 task-resume 1\n40 2 task-end 2\n41 1 touch-resume 2\n"
		 "45 1 region-end\n46 1 task-end 1\n");
	expect_times(0, 2 + 18, 20);
	expect_times(1, 4 + 14, 18);
}

TEST(a_region_of_a_created_task_lies_in_that_of_its_creator)
{
	build(2, "1 1 task-start 1\n2 1 region-begin 3 a\n3 1 task-create 2\n4 1 region-end\n5 2 task-start 2\n"
		 "10 2 region-begin 4 b\n20 2 region-begin 5 a\n30 2 region-end\n40 2 region-end\n45 2 task-end 2\n"
		 "50 1 task-end 1\n");
	assert_int_equal(regions[1].parent, 0);
	assert_int_equal(regions[2].parent, 1);
	expect_times(0, 2 + 5 + 5, 42);
	expect_times(1, 20, 30);
	expect_times(2, 10, 10);
	expect_tag("a", 2, 3, 42, 22);
}

TEST(the_region_of_a_thread_counts_the_tasks_created_in_it_and_no_others)
{
	build(1, "1 1 region-begin 1 r\n5 1 task-create 2\n10 1 task-start 9\n20 1 task-end 9\n25 1 task-start 2\n"
		 "40 1 task-end 2\n50 1 region-end\n");
	expect_times(0, 9 + 5 + 15 + 10, 39);
}

TEST(a_task_takes_its_regions_along_to_other_threads)
{
	build(2, "1 1 task-start 1\n10 1 region-begin 1 r\n20 1 task-suspend 1\n30 2 task-resume 1\n"
		 "40 2 region-begin 1 s\n55 2 region-end\n60 2 task-suspend 1\n70 1 task-resume 1\n"
		 "75 1 region-end\n80 1 task-end 1\n");
	assert_int_equal(regions[1].parent, 0);
	expect_times(0, 10 + 15 + 5, 45);
	expect_times(1, 15, 15);
}

TEST(regions_may_be_open_at_the_end_at_a_gap_and_at_a_detaching)
{
	build(3, "10 1 region-begin 3 r\n20 2 region-begin 4 r\n30 2 detach\n40 3 region-begin 5 r\n"
		 "50 3 missing 2 9\n60 3 region-end 8\n100 1 mark\n");
	assert_true(regions[0].end == WORK_NONE);
	expect_times(0, 90, 90);
	assert_int_equal(regions[1].end, 5);
	expect_times(1, 10, 10);
	assert_true(regions[2].end == WORK_NONE);
	assert_int_equal(regions[2].work, 5);
	expect_times(2, 10, 10);
}

TEST(a_gap_ends_a_region_whose_task_has_gone_elsewhere)
{
	build(2, "1 1 task-start 1\n10 1 region-begin 1 r\n20 1 task-suspend 1\n30 2 task-resume 1\n"
		 "40 2 region-begin 1 s\n50 1 missing 1 1\n60 2 region-end\n70 2 task-end 1\n");
	expect_times(0, 20, 40);
	expect_times(1, 20, 20);
}

TEST(work_that_is_too_much_to_count_is_as_much_as_can_be)
{
	build(1, "1 1 region-begin 18446744073709551615 r\n2 1 region-end 18446744073709551615\n"
		 "3 1 region-begin 18446744073709551615 r\n4 1 region-end\n");
	assert_true(regions[0].work == UINT64_MAX);
	assert_true(tag("r")->work == UINT64_MAX);
}

TEST(the_region_of_another_task_cannot_be_ended)
{
	assert_false(is_built(
		1, "1 1 task-start 1\n2 1 region-begin 1 r\n3 1 task-suspend 1\n4 1 task-start 2\n5 1 region-end\n"));
	assert_string_equal(work_fault(&work, &recording).text,
		"event 5, 'region-end' of thread 1: another task has begun the region");
	assert_int_equal(work.task_count + work.segment_count + work.region_count + work.tag_count, 0);
}

TEST(of_one_time_a_creator_comes_before_what_it_has_created)
{
	build(2, "5 1 task-start 2\n5 1 region-begin 1 b\n5 2 task-start 1\n5 2 region-begin 1 a\n5 2 task-create 2\n"
		 "10 1 region-end\n10 1 task-end 2\n12 2 region-end\n12 2 task-end 1\n");
	assert_string_equal(regions[0].tag, "a");
	assert_int_equal(regions[1].parent, 0);
	expect_times(0, 7, 12);
	expect_times(1, 5, 5);
}

/* ---- segments ---- */

TEST(a_segment_belongs_to_the_region_of_its_longest_stretch)
{
	build(1, "10 1 task-start 1\n12 1 region-begin 0 a\n15 1 region-begin 0 b\n25 1 region-end 0\n"
		 "29 1 region-end 0\n31 1 task-suspend 1\n40 1 task-resume 1\n45 1 task-end 1\n");
	assert_string_equal(regions[work.segments[0].region].tag, "b");
	assert_true(work.segments[1].region == WORK_NONE);
}

TEST(a_segment_begins_in_the_region_of_its_creator_and_waits_count_for_none)
{
	build(2, "10 1 region-begin 0 outer\n11 1 task-create 1\n12 1 region-end 0\n20 2 task-start 1\n"
		 "21 2 touch-pause 9\n90 2 touch-resume 9\n91 2 region-begin 0 inner\n95 2 region-end 0\n"
		 "96 2 task-end 1\n");
	assert_int_equal(work.segment_count, 2);
	assert_string_equal(regions[work.segments[0].region].tag, "outer");
	assert_string_equal(regions[work.segments[1].region].tag, "inner");
}

TEST(a_segment_without_length_is_in_the_region_of_its_beginning)
{
	build(2, "10 1 region-begin 0 outer\n11 1 task-create 1\n12 1 region-end 0\n20 2 task-start 1\n"
		 "20 2 task-end 1\n");
	assert_string_equal(regions[work.segments[0].region].tag, "outer");
}

TEST(without_regions_segments_are_in_none)
{
	build(1, "10 1 task-start 1\n12 1 task-end 1\n");
	assert_true(work.segments[0].region == WORK_NONE);
}

/* ---- sums by tag, and of waits by word ---- */

static void expect(uint32_t threads, const char *text, const char *expected)
{
	char found[512] = "";
	size_t count;
	build_right(threads, text);
	OWNED(owned_free) struct task_wait_sum *sums = work_wait_sums(&work, &recording, &count);
	for (size_t i = 0; i < count; i++) {
		const struct task_wait_sum *sum = &sums[i];
		size_t len = strlen(found);
		snprintf(found + len, sizeof found - len, "%s(%s) %zu/%zu %zu+%zu; ", task_wait_names[sum->kind],
			sum->word, sum->abandoned, sum->count, (size_t)sum->time_ns, (size_t)sum->handled_ns);
	}
	assert_string_equal(found, expected);
}

TEST(there_is_nothing_to_add_up_without_waits)
{
	expect(1, "", "");
	expect(1, "1 1 task-start 1\n2 1 task-end 1\n", "");
}

TEST(blocks_touches_and_suspensions_are_added_up_by_word)
{
	expect(2,
		"1 1 task-start 1\n2 1 block-begin 1 allocate\n3 2 handle-begin 1\n7 2 handle-end 1\n8 1 block-end 1\n"
		"10 1 block-begin 1 allocate\n11 1 block-end 1 - 2\n11 1 task-suspend 1 memory\n"
		"20 1 task-resume 1\n21 1 task-suspend 1 memory\n22 2 handle-begin 1\n23 2 handle-end 1\n"
		"24 2 touch-pause 1 result\n25 1 task-resume 1\n26 1 task-end 1\n29 2 touch-resume 1\n",
		"suspended(memory) 0/2 13+0; blocked(allocate) 1/2 7+5; touch(result) 0/1 5+0; ");
}

TEST(a_wait_without_an_end_has_no_time)
{
	expect(2, "1 1 task-start 1\n2 1 block-begin 1\n3 2 touch-pause 1\n9 2 mark\n",
		"blocked() 0/1 0+0; touch() 0/1 0+0; ");
}

TEST(a_touch_ends_with_a_gap_of_its_thread_and_a_block_does_not)
{
	expect(2, "1 1 task-start 1\n2 2 touch-pause 1\n9 2 missing 1 1\n10 1 block-begin 1\n12 1 missing 1 1\n",
		"touch() 0/1 7+0; blocked() 0/1 0+0; ");
}

/* ---- regions ---- */

/* Times 10, 20 and 60; speeds 0.3, 0.3 and 0.1 per ns. */
TEST(each_tag_has_the_spread_of_its_own_regions)
{
	build_right(1, "0 1 region-begin 3 b\n10 1 region-end\n20 1 region-begin 0 a\n120 1 region-end\n"
		       "200 1 region-begin 6 b\n220 1 region-end\n300 1 region-begin 0 b\n360 1 region-end 6\n");
	const struct region_tag *a = &work.tags[0], *b = &work.tags[1];
	assert_string_equal(a->tag, "a");
	assert_int_equal(a->ended, 1);
	assert_int_equal(a->worked, 0);
	assert_true(a->each_ns.min == 100 && a->each_ns.max == 100);
	assert_int_equal(b->ended, 3);
	assert_int_equal(b->worked, 3);
	assert_true(b->each_ns.median == 20 && b->each_ns.max == 60);
	assert_true(fabs(b->each_speed.min - 1e8) < 1 && fabs(b->each_speed.median - 3e8) < 1);
	assert_int_equal(work.regions[0].tag_number, 1);
	assert_int_equal(work.regions[1].tag_number, 0);
}

TEST(open_regions_have_no_time_and_regions_without_work_no_speed)
{
	build_right(1, "0 1 region-begin 3 a\n10 1 region-end\n20 1 region-begin 0 a\n60 1 region-end\n"
		       "70 1 region-begin 9 a\n100 1 region-begin 9 open\n");
	const struct region_tag *open = &work.tags[strcmp(work.tags[0].tag, "open") == 0 ? 0 : 1];
	const struct region_tag *a = open == work.tags ? &work.tags[1] : &work.tags[0];
	assert_int_equal(open->ended, 0);
	assert_int_equal(a->ended, 2);
	assert_int_equal(a->worked, 1);
	assert_true(a->each_ns.max == 40);
}

GROUP_WITH(built_work);
