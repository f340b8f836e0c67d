/* SPDX-License-Identifier: MIT
 * The frames that a shadow stack keeps: which captures share them, and when they are released. */

#include "frame.h"
#include "mem.h"
#include "stacks.h"

static struct tb_stack *new_stack(uintptr_t depth)
{
	struct tb_stack *stack = tb_stack_create(0);
	assert_non_null(stack);
	for (uintptr_t i = 1; i <= depth; i++)
		tb_push(stack, site(i));
	return stack;
}

/* Whether the stack has just these positions, outermost first. */
static void assert_sites(struct tb_stack *stack, const uintptr_t *positions, size_t len)
{
	const struct tb_frame *frame = tb_current(stack);
	assert_int_equal(tb_depth(frame), len);
	for (; len > 0; frame = tb_down(frame))
		assert_int_equal(tb_frame_site(frame).position, positions[--len]);
	assert_true(shadow_is_valid(stack));
}

#define ASSERT_SITES(stack, ...) \
	assert_sites(            \
		stack, (const uintptr_t[]){__VA_ARGS__}, sizeof((const uintptr_t[]){__VA_ARGS__}) / sizeof(uintptr_t))

TEST_WITH(no_leaks, only_a_capture_makes_frames)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(5);
	tb_update(stack, site(6));
	tb_pop(stack);
	assert_int_equal(tb_live_frames(), 0);
	ASSERT_SITES(stack, 1, 2, 3, 4);
	assert_int_equal(tb_live_frames(), 4);
	tb_push(stack, site(7));
	tb_push(stack, site(8));
	assert_int_equal(tb_live_frames(), 4);
	ASSERT_SITES(stack, 1, 2, 3, 4, 7, 8);
	assert_int_equal(tb_live_frames(), 6);
}

TEST_WITH(no_leaks, a_capture_survives_pops_and_shares_its_tail)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(3);
	struct tb_frame *captured = tb_capture(stack);
	tb_pop(stack);
	tb_pop(stack);
	tb_push(stack, site(9));
	assert_int_equal(tb_live_frames(), 3);
	ASSERT_SITES(stack, 1, 9);
	assert_int_equal(tb_live_frames(), 4);
	assert_int_equal(tb_depth(captured), 3);
	assert_ptr_equal(tb_down(tb_down(captured)), tb_down(tb_current(stack)));
	tb_unref(stack, captured);
	assert_int_equal(tb_live_frames(), 2);
}

/* With a reference to the traceback, or without; from one level, or from two. */
TEST_WITH(no_leaks, the_same_sites_again_are_the_same_frame)
{
	for (int is_kept = 0; is_kept < 2; is_kept++)
		for (uintptr_t popped = 1; popped <= 2; popped++) {
			OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(4);
			struct tb_frame *first = tb_capture(stack);
			if (!is_kept)
				tb_unref(stack, first);
			for (uintptr_t i = 0; i < popped; i++)
				tb_pop(stack);
			for (uintptr_t i = popped; i-- > 0;)
				tb_push(stack, site(4 - i));
			assert_ptr_equal(tb_current(stack), first);
			assert_int_equal(tb_live_frames(), 4);
			assert_true(shadow_is_valid(stack));
			if (is_kept)
				tb_unref(stack, first);
		}
}

TEST_WITH(no_leaks, another_site_below_makes_all_frames_above_it_new)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(3);
	struct tb_frame *first = tb_capture(stack);
	tb_pop(stack);
	tb_pop(stack);
	tb_push(stack, site(5));
	tb_push(stack, site(3));
	ASSERT_SITES(stack, 1, 5, 3);
	assert_ptr_not_equal(tb_current(stack), first);
	assert_int_equal(tb_live_frames(), 5);
	tb_pop(stack);
	tb_update(stack, site(2));
	tb_push(stack, site(3));
	ASSERT_SITES(stack, 1, 2, 3);
	assert_true(tb_equal(tb_current(stack), first));
	tb_unref(stack, first);
	assert_int_equal(tb_live_frames(), 3);
}

TEST_WITH(no_leaks, a_capture_below_the_kept_frames_is_right)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(6);
	struct tb_frame *deep = tb_capture(stack);
	tb_unwind(stack, (struct tb_mark){.depth = 2});
	ASSERT_SITES(stack, 1, 2);
	tb_push(stack, site(3));
	ASSERT_SITES(stack, 1, 2, 3);
	tb_update(stack, site(9));
	ASSERT_SITES(stack, 1, 2, 9);
	tb_push(stack, site(4));
	ASSERT_SITES(stack, 1, 2, 9, 4);
	assert_int_equal(tb_depth(deep), 6);
	tb_unref(stack, deep);
}

/* TB_EMPTY has the site of zeros, too. */
TEST_WITH(no_leaks, a_site_of_zeros_is_a_site)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(0);
	tb_push(stack, tb_site_make(0, 0));
	assert_int_equal(tb_depth(tb_current(stack)), 1);
	tb_push(stack, tb_site_make(0, 0));
	assert_int_equal(tb_depth(tb_current(stack)), 2);
}

TEST_WITH(no_leaks, a_capture_without_memory_is_unknown_and_counted)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(2), *other = tb_stack_create(0);
	struct tb_frame *below = tb_capture(stack);
	struct tb_frame *all = fixture_hoard(stack);
	uint64_t lost = tb_stack_lost(stack);
	tb_push(stack, site(3));
	tb_push(stack, site(4));
	mem_fail_at(1);
	assert_ptr_equal(tb_capture(stack), TB_UNKNOWN);
	assert_int_equal(tb_stack_lost(stack), lost + 1);
	mem_fail_at(1);
	assert_ptr_equal(tb_current(stack), TB_UNKNOWN);
	mem_fail_at(0);
	assert_true(shadow_is_valid(stack));
	assert_int_equal(tb_top_site(stack).position, 4);
	tb_unref(other, all);
	ASSERT_SITES(stack, 1, 2, 3, 4);
	assert_ptr_equal(tb_down(tb_down(tb_current(stack))), below);
	tb_unref(stack, below);
}

TEST_WITH(no_leaks, frames_that_other_sites_need_come_from_those_that_were_kept)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(5);
	tb_unref(stack, tb_capture(stack));
	struct tb_frame *all = fixture_hoard(stack);
	uint64_t lost = tb_stack_lost(stack);
	tb_unwind(stack, (struct tb_mark){.depth = 1});
	for (uintptr_t i = 11; i <= 14; i++)
		tb_push(stack, site(i));
	mem_fail_at(1);
	ASSERT_SITES(stack, 1, 11, 12, 13, 14);
	mem_fail_at(0);
	assert_int_equal(tb_stack_lost(stack), lost);
	tb_unref(stack, all);
}
