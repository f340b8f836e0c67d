/* SPDX-License-Identifier: MIT
 *
 * Where memory fails: pushes are lost, and still pushes and pops go together. */
#include "frame.h"

#include <errno.h>

#include "mem.h"
#include "stacks.h"

/* A stack that must grow for the next push, and how deep it is. Its sites are 1 to `depth`. */
static struct tb_stack *new_full_stack(uintptr_t *depth)
{
	struct tb_stack *stack = tb_stack_create(0);
	assert_non_null(stack);
	for (*depth = 0; stack->next != stack->end;)
		tb_push(stack, site(++*depth));
	return stack;
}

static void scarce_push(struct tb_stack *stack, uintptr_t position)
{
	mem_fail_at(1);
	tb_push(stack, site(position));
	mem_fail_at(0);
}

TEST_WITH(no_leaks, a_stack_without_memory_is_not_created)
{
	mem_fail_at(1);
	errno = 0;
	assert_null(tb_stack_create(0));
	assert_int_equal(errno, ENOMEM);
}

TEST_WITH(no_leaks, a_lost_push_is_counted_and_its_pop_knows)
{
	uintptr_t depth;
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_full_stack(&depth);
	size_t misuses = tb_misuses();
	errno = 77;
	scarce_push(stack, 1000);
	scarce_push(stack, 1001);
	assert_int_equal(errno, 77);
	assert_int_equal(tb_stack_lost(stack), 2);
	assert_true(shadow_is_valid(stack));
	tb_pop(stack);
	tb_pop(stack);
	for (; depth > 0; depth--) {
		assert_int_equal(top_position(stack), depth);
		tb_pop(stack);
	}
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
	assert_int_equal(tb_misuses(), misuses);
	tb_pop(stack);
	assert_int_equal(tb_misuses(), misuses + 1);
}

TEST_WITH(no_leaks, pushes_stay_lost_until_the_first_lost_one_is_popped)
{
	uintptr_t depth;
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_full_stack(&depth);
	scarce_push(stack, 1000);
	tb_push(stack, site(1001));
	assert_int_equal(top_position(stack), depth);
	tb_pop(stack);
	tb_pop(stack);
	tb_push(stack, site(1002));
	assert_int_equal(top_position(stack), 1002);
	assert_int_equal(tb_depth(tb_current(stack)), depth + 1);
	assert_true(shadow_is_valid(stack));
}

TEST_WITH(no_leaks, a_capture_while_pushes_are_lost_has_the_sites_below)
{
	uintptr_t depth;
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_full_stack(&depth);
	tb_pop(stack);
	struct tb_frame *before = tb_capture(stack);
	tb_push(stack, site(depth));
	scarce_push(stack, 1000);
	struct tb_frame *captured = tb_capture(stack);
	assert_ptr_equal(tb_down(captured), before);
	assert_int_equal(tb_frame_site(captured).position, depth);
	assert_int_equal(tb_top_site(stack).position, depth);
	assert_ptr_equal(tb_current(stack), captured);
	assert_true(shadow_is_valid(stack));
	tb_pop(stack);
	assert_ptr_equal(tb_current(stack), captured);
	tb_pop(stack);
	assert_ptr_equal(tb_current(stack), before);
	assert_true(shadow_is_valid(stack));
	tb_unref(stack, captured);
	tb_unref(stack, before);
}

TEST_WITH(no_leaks, an_update_of_a_lost_push_renames_nothing)
{
	uintptr_t depth;
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_full_stack(&depth);
	size_t misuses = tb_misuses();
	scarce_push(stack, 1000);
	tb_update(stack, site(1001));
	assert_int_equal(top_position(stack), depth);
	assert_int_equal(tb_misuses(), misuses);
	tb_pop(stack);
	tb_update(stack, site(1002));
	assert_int_equal(top_position(stack), 1002);
}

TEST_WITH(no_leaks, a_mark_among_lost_pushes_is_found_again)
{
	uintptr_t depth;
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_full_stack(&depth);
	struct tb_mark below = tb_stack_mark(stack);
	scarce_push(stack, 1000);
	struct tb_mark among = tb_stack_mark(stack);
	scarce_push(stack, 1001);
	scarce_push(stack, 1002);
	size_t misuses = tb_misuses();
	tb_unwind(stack, among);
	assert_int_equal(stack->lost_now, 1);
	tb_unwind(stack, below);
	assert_int_equal(stack->lost_now, 0);
	assert_int_equal(top_position(stack), depth);
	assert_int_equal(tb_misuses(), misuses);
	tb_unwind(stack, among);
	assert_int_equal(tb_misuses(), misuses + 1);
	tb_unwind(stack, (struct tb_mark){.depth = 1});
	assert_int_equal(top_position(stack), 1);
}

TEST_WITH(no_leaks, an_unwind_ends_lost_pushes_and_others_at_once)
{
	uintptr_t depth;
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_full_stack(&depth);
	scarce_push(stack, 1000);
	scarce_push(stack, 1001);
	tb_unwind(stack, (struct tb_mark){.depth = 3});
	assert_int_equal(top_position(stack), 3);
	assert_int_equal(tb_depth(tb_current(stack)), 3);
	assert_true(shadow_is_valid(stack));
}

static bool push_and_capture_all(void *unused)
{
	(void)unused;
	enum { DEPTH = 2500 };
	struct tb_stack *stack = tb_stack_create(3);
	if (stack == NULL)
		return false;
	struct tb_frame *captured[DEPTH];
	for (uintptr_t i = 0; i < DEPTH; i++) {
		tb_push(stack, site(i));
		captured[i] = tb_capture(stack);
		tb_update(stack, site(DEPTH + i));
	}
	bool is_done = tb_stack_lost(stack) == 0;
	assert_true(shadow_is_valid(stack));
	for (int i = 0; i < DEPTH; i++)
		tb_pop(stack);
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
	for (int i = 0; i < DEPTH; i++)
		tb_unref(stack, captured[i]);
	tb_stack_destroy(&stack);
	return is_done;
}

TEST_WITH(no_leaks, pushes_and_pops_balance_wherever_memory_fails)
{
	size_t misuses = tb_misuses();
	fixture_fail_each(push_and_capture_all, NULL);
	assert_int_equal(tb_misuses(), misuses);
}
