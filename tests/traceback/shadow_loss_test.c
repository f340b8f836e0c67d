/* SPDX-License-Identifier: MIT
 *
 * Where memory fails: pushes are lost, and still pushes and pops go together. */
#include "shadow.h"

#include <errno.h>

#include "fixture.h"
#include "mem.h"

static struct tb_site site(uintptr_t position)
{
	return tb_site_make(7, position);
}

static struct tb_stack *new_stack(uint32_t cap)
{
	struct tb_stack *stack = tb_stack_create(cap);
	assert_non_null(stack);
	return stack;
}

static uintptr_t top_position(const struct tb_stack *stack)
{
	assert_true(tb_is_frame(tb_current(stack)));
	return tb_site(tb_current(stack)).position;
}

static void scarce_push(struct tb_stack *stack, uintptr_t position)
{
	mem_fail_at(1);
	tb_push(stack, site(position));
	mem_fail_at(0);
}

static void a_stack_without_memory_is_not_created(void **state)
{
	(void)state;
	mem_fail_at(1);
	errno = 0;
	assert_null(tb_stack_create(0));
	assert_int_equal(errno, ENOMEM);
}

static void a_lost_push_is_counted_and_its_pop_knows(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	tb_push(stack, site(1));
	struct tb_frame *all = fixture_hoard(stack);
	uint64_t lost = tb_stack_lost(stack);
	size_t misuses = tb_misuses();
	scarce_push(stack, 2);
	scarce_push(stack, 3);
	assert_int_equal(tb_stack_lost(stack), lost + 2);
	assert_int_equal(top_position(stack), 1);
	assert_true(shadow_is_valid(stack));
	tb_pop(stack);
	tb_pop(stack);
	assert_int_equal(top_position(stack), 1);
	tb_pop(stack);
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
	assert_int_equal(tb_misuses(), misuses);
	tb_unref(stack, all);
	tb_stack_destroy(&stack);
}

static void pushes_stay_lost_until_the_first_lost_one_is_popped(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	struct tb_frame *all = fixture_hoard(stack);
	scarce_push(stack, 1);
	tb_unref(stack, all);
	assert_true(shadow_is_valid(stack));
	tb_push(stack, site(2));
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
	tb_pop(stack);
	tb_pop(stack);
	tb_push(stack, site(3));
	assert_int_equal(top_position(stack), 3);
	assert_true(shadow_is_valid(stack));
	tb_stack_destroy(&stack);
}

static void a_build_while_pushes_are_lost_does_not_find_them_again(void **state)
{
	(void)state;
	struct tb_site any[3] = {{7, 1}, {7, 2}, {7, 3}};
	struct tb_stack *stack = new_stack(0), *other = new_stack(0);
	struct tb_frame *all = fixture_hoard(stack);
	scarce_push(stack, 1);
	tb_unref(other, all);
	struct tb_frame *built = tb_build(stack, any, 3, TB_EMPTY);
	assert_int_equal(tb_depth(built), 3);
	assert_true(shadow_is_valid(stack));
	tb_push(stack, site(2));
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
	tb_unref(stack, built);
	assert_true(shadow_is_valid(stack));
	assert_int_equal(tb_live_frames(), 0);
	tb_stack_destroy(&other);
	tb_stack_destroy(&stack);
}

static void an_update_of_a_lost_push_renames_nothing(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	tb_push(stack, site(1));
	struct tb_frame *all = fixture_hoard(stack);
	size_t misuses = tb_misuses();
	scarce_push(stack, 2);
	tb_update(stack, site(3));
	assert_int_equal(top_position(stack), 1);
	assert_int_equal(tb_misuses(), misuses);
	tb_pop(stack);
	tb_update(stack, site(4));
	assert_int_equal(top_position(stack), 4);
	tb_unref(stack, all);
	tb_stack_destroy(&stack);
}

static void an_update_without_memory_becomes_a_lost_push(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	tb_push(stack, site(1));
	tb_push(stack, site(2));
	struct tb_frame *captured = tb_capture(stack);
	struct tb_frame *all = fixture_hoard(stack);
	mem_fail_at(1);
	tb_update(stack, site(3));
	mem_fail_at(0);
	assert_int_equal(top_position(stack), 1);
	assert_int_equal(tb_site(captured).position, 2);
	tb_pop(stack);
	assert_int_equal(top_position(stack), 1);
	tb_pop(stack);
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
	tb_unref(stack, captured);
	tb_unref(stack, all);
	tb_stack_destroy(&stack);
}

static void a_mark_is_found_again_although_an_update_was_lost(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	tb_push(stack, site(1));
	tb_push(stack, site(2));
	struct tb_mark mark = tb_mark(stack);
	struct tb_frame *captured = tb_capture(stack);
	struct tb_frame *all = fixture_hoard(stack);
	size_t misuses = tb_misuses();
	mem_fail_at(1);
	tb_update(stack, site(3));
	mem_fail_at(0);
	tb_push(stack, site(4));
	tb_unwind(stack, mark);
	assert_int_equal(stack->lost_now, 1);
	tb_pop(stack);
	assert_int_equal(top_position(stack), 1);
	assert_int_equal(tb_misuses(), misuses);
	tb_unref(stack, captured);
	tb_unref(stack, all);
	tb_stack_destroy(&stack);
}

static void a_mark_among_lost_pushes_is_found_again(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	tb_push(stack, site(1));
	struct tb_mark below = tb_mark(stack);
	struct tb_frame *all = fixture_hoard(stack);
	scarce_push(stack, 2);
	struct tb_mark among = tb_mark(stack);
	scarce_push(stack, 3);
	scarce_push(stack, 4);
	size_t misuses = tb_misuses();
	tb_unwind(stack, among);
	assert_int_equal(stack->lost_now, 1);
	tb_unwind(stack, below);
	assert_int_equal(stack->lost_now, 0);
	assert_int_equal(top_position(stack), 1);
	assert_int_equal(tb_misuses(), misuses);
	tb_unwind(stack, among);
	assert_int_equal(tb_misuses(), misuses + 1);
	tb_unref(stack, all);
	tb_stack_destroy(&stack);
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
		tb_update(stack, site(i));
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

static void pushes_and_pops_balance_wherever_memory_fails(void **state)
{
	(void)state;
	size_t misuses = tb_misuses();
	fixture_fail_each(push_and_capture_all, NULL);
	assert_int_equal(tb_misuses(), misuses);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(a_stack_without_memory_is_not_created),
		FIXTURE_TEST(a_lost_push_is_counted_and_its_pop_knows),
		FIXTURE_TEST(pushes_stay_lost_until_the_first_lost_one_is_popped),
		FIXTURE_TEST(a_build_while_pushes_are_lost_does_not_find_them_again),
		FIXTURE_TEST(an_update_of_a_lost_push_renames_nothing),
		FIXTURE_TEST(an_update_without_memory_becomes_a_lost_push),
		FIXTURE_TEST(a_mark_is_found_again_although_an_update_was_lost),
		FIXTURE_TEST(a_mark_among_lost_pushes_is_found_again),
		FIXTURE_TEST(pushes_and_pops_balance_wherever_memory_fails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
