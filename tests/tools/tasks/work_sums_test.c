/* SPDX-License-Identifier: MIT
 * How long tasks stood still, by kind and word; and how much the regions of a tag differ. */
#include "built_work.h"

#include <math.h>
#include <stdlib.h>

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
