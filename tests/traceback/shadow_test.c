/* SPDX-License-Identifier: MIT
 * Push, pop, update, marks and unwinding of a shadow stack. */
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

/* ---- caller's mistakes ---- */

static void a_pop_of_an_empty_stack_is_refused(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	size_t misuses = tb_misuses();
	errno = 77;
	tb_pop(stack);
	assert_int_equal(tb_misuses(), misuses + 1);
	tb_push(stack, site(1));
	tb_pop(stack);
	tb_pop(stack);
	assert_int_equal(tb_misuses(), misuses + 2);
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
	assert_true(shadow_is_valid(stack));
	assert_int_equal(errno, 77);
	tb_stack_destroy(&stack);
}

static void an_update_of_an_empty_stack_is_refused(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	size_t misuses = tb_misuses();
	tb_update(stack, site(1));
	assert_int_equal(tb_misuses(), misuses + 1);
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
	assert_int_equal(TB_EMPTY->site.position, 0);
	tb_stack_destroy(&stack);
}

static void an_unwind_to_a_mark_above_the_stack_is_refused(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	size_t misuses = tb_misuses();
	tb_push(stack, site(1));
	struct tb_mark mark = tb_mark(stack);
	tb_push(stack, site(2));
	struct tb_mark above = tb_mark(stack);
	tb_pop(stack);
	tb_unwind(stack, above);
	tb_unwind(stack, (struct tb_mark){.below = TB_UNKNOWN, .lost = 0});
	tb_unwind(stack, (struct tb_mark){.below = mark.below, .lost = 1});
	tb_unwind(stack, (struct tb_mark){.below = NULL, .lost = 1});
	assert_int_equal(tb_misuses(), misuses + 4);
	assert_int_equal(top_position(stack), 1);
	tb_unwind(stack, mark);
	assert_int_equal(tb_misuses(), misuses + 4);
	tb_pop(stack);
	tb_unwind(stack, mark);
	assert_int_equal(tb_misuses(), misuses + 5);
	assert_true(shadow_is_valid(stack));
	tb_stack_destroy(&stack);
}

static void destroying_nothing_is_no_mistake(void **state)
{
	(void)state;
	struct tb_stack *stack = NULL;
	size_t misuses = tb_misuses();
	tb_stack_destroy(&stack);
	assert_int_equal(tb_misuses(), misuses);
}

/* ---- push, pop, update, unwind ---- */

static void a_destroyed_stack_releases_what_was_pushed(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(1);
	for (uintptr_t i = 0; i < 1000; i++)
		tb_push(stack, site(i));
	assert_int_equal(tb_live_frames(), 1000);
	tb_stack_destroy(&stack);
	assert_null(stack);
	assert_int_equal(tb_live_frames(), 0);
}

static void an_update_leaves_earlier_captures_alone(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	tb_push(stack, site(1));
	struct tb_frame *before = tb_capture(stack);
	tb_update(stack, site(2));
	struct tb_frame *after = tb_capture(stack);
	tb_update(stack, site(3));
	tb_update(stack, site(4));
	assert_int_equal(tb_site(before).position, 1);
	assert_int_equal(tb_site(after).position, 2);
	assert_int_equal(top_position(stack), 4);
	assert_int_equal(tb_live_frames(), 3);
	tb_unref(stack, before);
	tb_unref(stack, after);
	tb_pop(stack);
	assert_int_equal(tb_live_frames(), 0);
	tb_stack_destroy(&stack);
}

static void a_capture_survives_pops_and_shares_its_tail(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	for (uintptr_t i = 1; i <= 3; i++)
		tb_push(stack, site(i));
	struct tb_frame *captured = tb_capture(stack);
	tb_pop(stack);
	tb_pop(stack);
	tb_push(stack, site(9));
	assert_int_equal(tb_live_frames(), 4);
	assert_int_equal(tb_depth(captured), 3);
	assert_ptr_equal(tb_down(tb_down(captured)), tb_down(tb_current(stack)));
	tb_unref(stack, captured);
	assert_int_equal(tb_live_frames(), 2);
	tb_stack_destroy(&stack);
}

static void an_unwind_pops_all_since_the_mark(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	struct tb_mark bottom = tb_mark(stack);
	tb_push(stack, site(1));
	struct tb_mark mark = tb_mark(stack);
	for (uintptr_t i = 2; i < 200; i++)
		tb_push(stack, site(i));
	tb_unwind(stack, mark);
	assert_int_equal(top_position(stack), 1);
	tb_unwind(stack, mark);
	assert_int_equal(top_position(stack), 1);
	tb_unwind(stack, bottom);
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
	assert_int_equal(tb_live_frames(), 0);
	tb_stack_destroy(&stack);
}

static void a_mark_survives_updates(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	for (uintptr_t depth = 1; depth <= 2; depth++) {
		tb_push(stack, site(depth));
		struct tb_mark mark = tb_mark(stack);
		struct tb_frame *captured = tb_capture(stack);
		tb_update(stack, site(10 + depth));
		tb_push(stack, site(20));
		tb_unwind(stack, mark);
		assert_int_equal(top_position(stack), 10 + depth);
		assert_int_equal(tb_depth(tb_current(stack)), depth);
		tb_unref(stack, captured);
	}
	tb_stack_destroy(&stack);
}

static void nothing_is_taken_once_warm(void **state)
{
	(void)state;
	struct tb_stack *stack = new_stack(0);
	for (int round = 0; round < 1000; round++) {
		struct tb_mark mark = tb_mark(stack);
		for (uintptr_t i = 0; i < 300; i++)
			tb_push(stack, site(i));
		struct tb_frame *captured = tb_capture(stack);
		tb_update(stack, site(2));
		tb_unwind(stack, mark);
		tb_unref(stack, captured);
		/* From the second round on any allocation would show as a lost push. */
		mem_fail_at(1);
	}
	mem_fail_at(0);
	assert_int_equal(tb_stack_lost(stack), 0);
	tb_stack_destroy(&stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(a_pop_of_an_empty_stack_is_refused),
		FIXTURE_TEST(an_update_of_an_empty_stack_is_refused),
		FIXTURE_TEST(an_unwind_to_a_mark_above_the_stack_is_refused),
		FIXTURE_TEST(destroying_nothing_is_no_mistake),
		FIXTURE_TEST(a_destroyed_stack_releases_what_was_pushed),
		FIXTURE_TEST(an_update_leaves_earlier_captures_alone),
		FIXTURE_TEST(a_capture_survives_pops_and_shares_its_tail),
		FIXTURE_TEST(an_unwind_pops_all_since_the_mark),
		FIXTURE_TEST(a_mark_survives_updates),
		FIXTURE_TEST(nothing_is_taken_once_warm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
