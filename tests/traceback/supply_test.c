/* SPDX-License-Identifier: MIT
 * Frames between stacks and the depot: caps, batches, several threads. */
#include "supply.h"

#include <errno.h>

#include "fixture.h"
#include "frame.h"
#include "mem.h"
#include "peer.h"

static const struct tb_site here = {7, 1};

static struct tb_frame *one_frame(struct tb_stack *stack)
{
	return tb_build(stack, &here, 1, TB_EMPTY);
}

TEST_WITH(no_leaks, a_cap_of_any_size_holds)
{
	static const uint32_t caps[] = {1, 2, 3, 63, 64, 127, 128, 129};
	struct tb_frame *frames[300];
	for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
		OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(caps[i]);
		for (int f = 0; f < 300; f++) {
			frames[f] = one_frame(stack);
			assert_true(shadow_is_valid(stack));
		}
		assert_int_equal(tb_live_frames(), 300);
		for (int f = 0; f < 300; f++) {
			tb_unref(stack, frames[f]);
			assert_true(shadow_is_valid(stack));
			assert_int_equal(tb_live_frames(), 299 - f);
		}
		assert_in_range(stack->spare, 1, caps[i]);
	}
}

/* After a batch came from the depot or went there, about as many frames have to be taken or freed before the next one
 * does. */
TEST_WITH(no_leaks, the_depot_is_asked_once_per_batch)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(128);
	struct tb_frame *frame = one_frame(stack);
	assert_int_equal(stack->spare, 63);
	tb_unref(stack, frame);
	struct tb_frame *frames[65];
	for (int i = 0; i < 65; i++)
		frames[i] = one_frame(stack);
	assert_int_equal(stack->spare, 63);
	for (int i = 0; i < 65; i++)
		tb_unref(stack, frames[i]);
	assert_int_equal(stack->spare, 128);
	frame = one_frame(stack);
	OWNED(tb_stack_destroy) struct tb_stack *other = tb_stack_create(0);
	struct tb_frame *foreign = one_frame(other);
	tb_unref(stack, frame);
	tb_unref(stack, foreign);
	assert_int_equal(stack->spare, 65);
	assert_true(shadow_is_valid(stack));
}

TEST_WITH(no_leaks, a_stack_that_only_frees_stays_within_its_cap)
{
	OWNED(tb_stack_destroy) struct tb_stack *maker = tb_stack_create(100), *taker = tb_stack_create(100);
	tb_unref(taker, one_frame(maker));
	size_t bytes = mem_live_bytes();
	for (int i = 0; i < 100000; i++) {
		tb_unref(taker, one_frame(maker));
		assert_true(taker->spare <= 100);
	}
	assert_int_equal(mem_live_bytes(), bytes);
	assert_int_equal(tb_live_frames(), 0);
}

TEST_WITH(no_leaks, a_stack_that_was_deep_returns_to_its_cap)
{
	struct tb_stack *stack = tb_stack_create(100), *other = tb_stack_create(100);
	for (int i = 0; i < 1000; i++)
		tb_push(stack, here);
	assert_int_equal(tb_depth(tb_current(stack)), 1000);
	for (int i = 0; i < 998; i++)
		tb_pop(stack);
	tb_update(stack, tb_site_make(7, 2));
	assert_int_equal(tb_depth(tb_current(stack)), 2);
	assert_true(shadow_is_valid(stack));
	assert_int_equal(tb_live_frames(), 2);
	assert_in_range(stack->spare, 1, 100);
	for (int i = 0; i < 200; i++)
		tb_unref(stack, one_frame(other));
	assert_in_range(stack->spare, 1, 100);
	assert_true(shadow_is_valid(stack));
	tb_stack_destroy(&other);
	tb_stack_destroy(&stack);
	assert_int_equal(tb_live_frames(), 0);
}

TEST_WITH(no_leaks, a_deep_stack_that_only_frees_stays_within_its_cap)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(100), *other = tb_stack_create(100);
	for (int i = 0; i < 1000; i++)
		tb_push(stack, here);
	assert_int_equal(tb_depth(tb_current(stack)), 1000);
	for (int i = 0; i < 1000; i++) {
		tb_unref(stack, one_frame(other));
		assert_true(stack->spare <= 100);
	}
	assert_true(shadow_is_valid(stack));
}

TEST_WITH(no_leaks, a_frame_outlives_the_stack_it_was_captured_on)
{
	struct tb_stack *first = tb_stack_create(0);
	tb_push(first, here);
	struct tb_frame *captured = tb_capture(first);
	tb_stack_destroy(&first);
	assert_int_equal(tb_live_frames(), 1);
	assert_true(mem_live_bytes() > 0);
	struct tb_stack *second = tb_stack_create(0);
	assert_int_equal(tb_live_frames(), 1);
	assert_int_equal(tb_frame_site(captured).position, here.position);
	tb_unref(second, captured);
	assert_int_equal(tb_live_frames(), 0);
	tb_stack_destroy(&second);
	assert_int_equal(mem_live_bytes(), 0);
}

TEST_WITH(no_leaks, memory_stays_while_any_stack_exists)
{
	struct tb_stack *idle = tb_stack_create(0), *stack = tb_stack_create(0);
	size_t bytes = mem_live_bytes();
	tb_unref(stack, one_frame(stack));
	size_t slab = mem_live_bytes() - bytes;
	assert_true(slab > 0);
	tb_stack_destroy(&stack);
	assert_true(mem_live_bytes() >= slab);
	stack = tb_stack_create(0);
	tb_unref(stack, one_frame(stack));
	assert_int_equal(mem_live_bytes(), bytes + slab);
	tb_stack_destroy(&idle);
	tb_stack_destroy(&stack);
	assert_int_equal(mem_live_bytes(), 0);
}

TEST_WITH(no_leaks, stacks_may_leave_in_any_order)
{
	for (int order = 0; order < 27; order++) {
		struct tb_stack *stacks[3];
		for (int i = 0; i < 3; i++) {
			stacks[i] = tb_stack_create(0);
			tb_push(stacks[i], here);
			assert_int_equal(tb_depth(tb_current(stacks[i])), 1);
		}
		tb_stack_destroy(&stacks[order % 3]);
		tb_stack_destroy(&stacks[order / 3 % 3]);
		tb_stack_destroy(&stacks[order / 9]);
		size_t left = 0;
		for (int i = 0; i < 3; i++)
			left += stacks[i] != NULL;
		assert_int_equal(tb_live_frames(), left);
		for (int i = 0; i < 3; i++)
			tb_stack_destroy(&stacks[i]);
		assert_int_equal(mem_live_bytes(), 0);
	}
}

TEST_WITH(no_leaks, errno_survives_the_way_to_the_depot)
{
	errno = 77;
	struct tb_stack *stack = tb_stack_create(1);
	for (int i = 0; i < 100; i++)
		tb_unref(stack, tb_build(stack, &here, 1, TB_EMPTY));
	struct tb_frame *all = fixture_hoard(stack);
	mem_fail_at(1);
	assert_ptr_equal(one_frame(stack), TB_UNKNOWN);
	assert_true(tb_stack_lost(stack) > 0);
	tb_unref(stack, all);
	tb_live_frames();
	tb_stack_destroy(&stack);
	assert_int_equal(errno, 77);
}

/* ---- with other threads ---- */

#define HANDED 20000

static struct tb_frame *volatile slots[HANDED];

static void *make_all(void *unused)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(4);
	for (int i = 0; i < HANDED; i++)
		slots[i] = one_frame(stack);
	return unused;
}

static void *release_all(void *unused)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(4);
	for (int i = 0; i < HANDED; i++)
		tb_unref(stack, slots[i]);
	return unused;
}

TEST_WITH(no_leaks, frames_may_be_released_by_a_later_thread)
{
	run_in_thread(make_all, NULL);
	assert_int_equal(tb_live_frames(), HANDED);
	run_in_thread(release_all, NULL);
	assert_int_equal(tb_live_frames(), 0);
	assert_int_equal(mem_live_bytes(), 0);
}
