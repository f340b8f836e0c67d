/* SPDX-License-Identifier: MIT
 * Accesses of a program that is not optimized: what code of the program was left between two of them. */
#include "functions.h"

#include <string.h>

#include "walk.h"
#include "real.h"

static struct hs_stack *stack;
static struct lane_stack before;
static uintptr_t sites[RING_SITES];

static void push_atomically(void)
{
	fake_push(stack, (const uintptr_t[3]){fake_info(&fake_atomically_info), fake_value(), 0}, 3);
}

static void set_up(void)
{
	fixture_set_up();
	fake_rts_open(true);
	stack = fake_stack(256);
	before.len = 0;
	push_atomically();
}

static void tear_down(void)
{
	fake_objects_free();
	fixture_tear_down();
}

static const struct test_fixture left_fixture = {set_up, tear_down};

static const struct fake_info first = FAKE_INFO(FAKE_FUN, 0), second = FAKE_INFO(FAKE_FUN, 0);

static void access_now(void)
{
	walk_access(stack->top, sites);
	left_add(stack->top, &before, sites);
}

static void access_in(const struct fake_info *code)
{
	bind_begin(stack, code);
	access_now();
	bind_end(stack);
}

static void assert_left(size_t at, const struct fake_info *code)
{
	assert_int_equal(sites[at], fake_info(code) + WALK_LEFT);
}

static void assert_next(size_t at, const struct fake_info *code)
{
	assert_int_equal(sites[at], fake_info(code) + WALK_NEXT);
}

TEST_WITH(left_fixture, the_code_of_the_frame_that_has_gone_makes_the_access)
{
	bind_begin(stack, &second);
	bind_begin(stack, &first);
	access_now();
	assert_next(0, &first);
	bind_end(stack);
	access_now();
	assert_left(0, &first);
	assert_next(1, &second);
	bind_end(stack);
	access_now();
	assert_left(0, &second);
	assert_int_equal(sites[1], 0);
}

TEST_WITH(left_fixture, of_several_frames_that_have_gone_it_is_the_outermost)
{
	bind_begin(stack, &second);
	access_in(&first);
	bind_end(stack);
	access_now();
	assert_left(0, &second);
}

TEST_WITH(left_fixture, the_first_access_has_no_code_that_was_left)
{
	access_now();
	assert_int_equal(sites[0], 0);
	bind_begin(stack, &first);
	access_now();
	assert_next(0, &first);
	assert_int_equal(sites[1], 0);
}

TEST_WITH(left_fixture, it_stands_behind_the_frames_of_a_library_and_is_the_same_when_these_have_gone)
{
	bind_begin(stack, &second);
	access_in(&first);
	fake_push_return(stack, &reader.info);
	access_now();
	assert_int_equal(sites[0], fake_info(&reader.info) + WALK_TOP);
	assert_left(1, &first);
	assert_next(2, &second);
	fake_pop(stack, 1);
	fake_push_return(stack, &writer.info);
	access_now();
	assert_int_equal(sites[0], fake_info(&writer.info) + WALK_TOP);
	assert_left(1, &first);
}

TEST_WITH(left_fixture, a_frame_that_was_under_it_is_no_innermost_one)
{
	fake_push_return(stack, &reader.info);
	access_in(&first);
	access_now();
	assert_left(0, &first);
	assert_int_equal(sites[1], fake_info(&reader.info) + 1);
}

/* The frame around has gone, too, and an equal one has come with another closure. */
TEST_WITH(left_fixture, nothing_is_known_behind_frames_that_are_not_the_same)
{
	bind_begin(stack, &second);
	access_in(&first);
	bind_end(stack);
	bind_begin(stack, &second);
	access_now();
	assert_next(0, &second);
	assert_int_equal(sites[1], 0);
}

TEST_WITH(left_fixture, a_new_frame_tells_more)
{
	bind_begin(stack, &second);
	access_in(&first);
	bind_begin(stack, &second);
	access_now();
	assert_next(0, &second);
	assert_next(1, &second);
}

/* An exception, or an alternative that has failed. */
TEST_WITH(left_fixture, frames_within_a_catch_that_has_gone_did_not_go_on)
{
	bind_begin(stack, &second);
	fake_push(stack, (const uintptr_t[4]){fake_info(&fake_catch_retry_info)}, 4);
	bind_begin(stack, &first);
	access_now();
	fake_pop(stack, 6);
	access_now();
	assert_next(0, &second);
}

TEST_WITH(left_fixture, where_all_places_are_taken_it_is_left_out)
{
	access_in(&first);
	for (size_t i = 0; i < RING_SITES; i++)
		fake_push_return(stack, &reader.info);
	access_now();
	for (size_t i = 1; i < RING_SITES; i++)
		assert_int_equal(sites[i], fake_info(&reader.info) + 1);
}

/* The accesses within `frames` frames, and behind the innermost one. */
static void leave_one_of(size_t frames)
{
	stack = fake_stack(256);
	before.len = 0;
	push_atomically();
	for (size_t i = 1; i < frames; i++)
		bind_begin(stack, &first);
	access_in(&first);
	access_now();
}

TEST_WITH(left_fixture, a_deep_stack_is_not_kept)
{
	leave_one_of(STACK_FRAMES);
	assert_left(0, &first);
	leave_one_of(STACK_FRAMES + 1);
	assert_next(0, &first);
}

TEST_WITH(left_fixture, a_large_stack_is_not_kept)
{
	static const struct fake_info large[] = {
		FAKE_INFO(FAKE_RET_SMALL, STACK_WORDS - 3), FAKE_INFO(FAKE_RET_SMALL, STACK_WORDS - 2)};
	const uintptr_t *frame = memset(fake_take(STACK_WORDS * sizeof *frame), 0, STACK_WORDS * sizeof *frame);
	for (size_t i = 0; i < 2; i++) {
		stack = fake_stack(256);
		before.len = 0;
		push_atomically();
		fake_push(stack, frame, STACK_WORDS - 2 + i);
		*stack->top = fake_info(&large[i]);
		bind_begin(stack, &first);
		access_now();
		bind_end(stack);
		access_now();
		assert_int_equal(sites[0] == fake_info(&first) + WALK_LEFT, i == 0);
	}
}

TEST_WITH(left_fixture, a_stack_without_a_transaction_is_not_kept)
{
	stack = fake_stack(256);
	access_in(&first);
	access_now();
	assert_int_equal(sites[0], 0);
}
