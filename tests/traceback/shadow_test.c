/* SPDX-License-Identifier: MIT
 * Push, pop, update, marks and unwinding of a shadow stack. */
#include "frame.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include <atomic_ops.h>

#include "mem.h"
#include "stacks.h"

static struct tb_stack *new_stack(uint32_t cap)
{
	struct tb_stack *stack = tb_stack_create(cap);
	assert_non_null(stack);
	return stack;
}

/* ---- caller's mistakes ---- */

TEST_WITH(no_leaks, a_pop_of_an_empty_stack_is_refused)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(0);
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
}

TEST_WITH(no_leaks, an_update_of_an_empty_stack_is_refused)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(0);
	size_t misuses = tb_misuses();
	tb_update(stack, site(1));
	assert_int_equal(tb_misuses(), misuses + 1);
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
	assert_int_equal(TB_EMPTY->site.position, 0);
}

TEST_WITH(no_leaks, an_unwind_to_a_mark_above_the_stack_is_refused)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(0);
	size_t misuses = tb_misuses();
	tb_push(stack, site(1));
	struct tb_mark mark = tb_stack_mark(stack);
	tb_push(stack, site(2));
	struct tb_mark above = tb_stack_mark(stack);
	tb_pop(stack);
	tb_unwind(stack, above);
	tb_unwind(stack, (struct tb_mark){.depth = SIZE_MAX});
	assert_int_equal(tb_misuses(), misuses + 2);
	assert_int_equal(top_position(stack), 1);
	tb_unwind(stack, mark);
	assert_int_equal(tb_misuses(), misuses + 2);
	tb_pop(stack);
	tb_unwind(stack, mark);
	assert_int_equal(tb_misuses(), misuses + 3);
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
	assert_true(shadow_is_valid(stack));
}

TEST_WITH(no_leaks, a_stack_that_is_not_there_has_the_mark_of_an_empty_one)
{
	size_t before = tb_misuses();
	struct tb_mark mark = tb_stack_mark(NULL);
	assert_int_equal(mark.depth, 0);
	tb_unwind(NULL, mark);
	assert_int_equal(tb_misuses(), before);
}

TEST_WITH(no_leaks, destroying_nothing_is_no_mistake)
{
	struct tb_stack *stack = NULL;
	size_t misuses = tb_misuses();
	tb_stack_destroy(&stack);
	assert_int_equal(tb_misuses(), misuses);
}

/* ---- push, pop, update, unwind ---- */

TEST_WITH(no_leaks, a_destroyed_stack_releases_what_was_pushed)
{
	struct tb_stack *stack = new_stack(1);
	for (uintptr_t i = 0; i < 1000; i++)
		tb_push(stack, site(i));
	assert_int_equal(tb_live_frames(), 0);
	assert_int_equal(tb_depth(tb_current(stack)), 1000);
	assert_int_equal(tb_live_frames(), 1000);
	tb_stack_destroy(&stack);
	assert_null(stack);
	assert_int_equal(tb_live_frames(), 0);
}

TEST_WITH(no_leaks, an_update_leaves_earlier_captures_alone)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(0);
	tb_push(stack, site(1));
	struct tb_frame *before = tb_capture(stack);
	tb_update(stack, site(2));
	struct tb_frame *after = tb_capture(stack);
	tb_update(stack, site(3));
	tb_update(stack, site(4));
	assert_int_equal(tb_frame_site(before).position, 1);
	assert_int_equal(tb_frame_site(after).position, 2);
	assert_int_equal(top_position(stack), 4);
	assert_int_equal(tb_live_frames(), 3);
	tb_unref(stack, before);
	tb_unref(stack, after);
	assert_int_equal(tb_live_frames(), 1);
}

TEST_WITH(no_leaks, the_top_site_needs_no_frame)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(0);
	assert_int_equal(tb_top_site(stack).position, 0);
	tb_push(stack, site(1));
	tb_push(stack, site(2));
	assert_int_equal(tb_top_site(stack).position, 2);
	tb_update(stack, site(3));
	assert_int_equal(tb_top_site(stack).position, 3);
	tb_pop(stack);
	assert_int_equal(tb_top_site(stack).position, 1);
	assert_int_equal(tb_live_frames(), 0);
}

/* At each depth up to some sizes of the array: the push may be the one for which it grows, with a frame or without. */
TEST_WITH(no_leaks, no_site_is_lost_where_the_array_grows)
{
	for (uintptr_t depth = 1; depth <= 320; depth++) {
		OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(0);
		for (uintptr_t i = 1; i <= depth; i++) {
			tb_push(stack, site(i));
			if (i % 3 == depth % 3)
				assert_int_equal(tb_depth(tb_current(stack)), i);
		}
		const struct tb_frame *frame = tb_current(stack);
		for (uintptr_t i = depth; i > 0; i--, frame = tb_down(frame)) {
			assert_int_equal(tb_frame_site(frame).position, i);
			assert_int_equal(tb_top_site(stack).position, i);
			tb_pop(stack);
		}
		assert_ptr_equal(frame, TB_EMPTY);
		assert_true(shadow_is_valid(stack));
	}
}

/* With room for three levels, of which one is a site's. */
TEST_WITH(no_leaks, a_stack_in_memory_of_the_caller_grows_beyond_it)
{
	struct {
		struct tb_stack stack;
		struct tb_level levels[3];
		uintptr_t behind;
	} own = {.behind = 77};
	size_t live = mem_live_bytes();
	tb_stack_init(&own.stack, offsetof(__typeof__(own), behind), 0);
	tb_push(&own.stack, site(1));
	assert_int_equal(mem_live_bytes(), live);
	tb_push(&own.stack, site(2));
	assert_in_range(mem_live_bytes(), live + 1, SIZE_MAX);
	assert_int_equal(top_position(&own.stack), 2);
	tb_pop(&own.stack);
	assert_int_equal(top_position(&own.stack), 1);
	assert_true(shadow_is_valid(&own.stack));
	tb_stack_fini(&own.stack);
	assert_int_equal(own.behind, 77);
}

TEST_WITH(no_leaks, an_unwind_pops_all_since_the_mark)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(0);
	struct tb_mark bottom = tb_stack_mark(stack);
	tb_push(stack, site(1));
	struct tb_mark mark = tb_stack_mark(stack);
	for (uintptr_t i = 2; i < 200; i++)
		tb_push(stack, site(i));
	tb_unwind(stack, mark);
	assert_int_equal(top_position(stack), 1);
	tb_unwind(stack, mark);
	assert_int_equal(top_position(stack), 1);
	tb_unwind(stack, bottom);
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
}

TEST_WITH(no_leaks, a_mark_survives_updates)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(0);
	for (uintptr_t depth = 1; depth <= 2; depth++) {
		tb_push(stack, site(depth));
		struct tb_mark mark = tb_stack_mark(stack);
		struct tb_frame *captured = tb_capture(stack);
		tb_update(stack, site(10 + depth));
		tb_push(stack, site(20));
		tb_unwind(stack, mark);
		assert_int_equal(top_position(stack), 10 + depth);
		assert_int_equal(tb_depth(tb_current(stack)), depth);
		tb_unref(stack, captured);
	}
}

TEST_WITH(no_leaks, a_stack_is_restored_to_functions_that_have_returned)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(2);
	struct tb_frame *begun = tb_capture(stack);
	tb_pop(stack);
	tb_update(stack, site(9));
	tb_push(stack, site(10));
	tb_push(stack, site(11));
	for (int again = 0; again < 2; again++) {
		tb_restore(stack, begun);
		assert_ptr_equal(tb_current(stack), begun);
		tb_unwind(stack, (struct tb_mark){0});
	}
	tb_restore(stack, TB_EMPTY);
	assert_ptr_equal(tb_current(stack), TB_EMPTY);
	tb_push(stack, site(1));
	tb_restore(stack, TB_UNKNOWN);
	assert_int_equal(top_position(stack), 1);
	assert_int_equal(tb_stack_lost(stack), 1);
	tb_restore(NULL, begun);
	tb_unref(stack, begun);
}

/* ---- signals ---- */

#define HANDLED 1000
#define HANDLER_DEPTH 5

static struct tb_stack *interrupted;
static volatile AO_t is_over;
static volatile sig_atomic_t handled;
static sem_t may_interrupt;

static void push_and_pop(int number)
{
	(void)number;
	for (uintptr_t i = 0; i < HANDLER_DEPTH; i++)
		tb_push(interrupted, site(666));
	for (uintptr_t i = 0; i < HANDLER_DEPTH; i++)
		tb_pop(interrupted);
	handled++;
	sem_post(&may_interrupt);
}

static void *interrupt(void *thread)
{
	while (AO_load(&is_over) == 0) {
		pthread_kill(*(pthread_t *)thread, SIGUSR1);
		sem_wait(&may_interrupt);
	}
	return NULL;
}

/* Pushes three sites, and captures now and then: each pop must find the site that was pushed. */
static void push_and_look(struct tb_stack *stack, uintptr_t round)
{
	for (uintptr_t i = 1; i <= 3; i++)
		tb_push(stack, site(round + i));
	if (round % 7 == 0)
		tb_update(stack, site(round + 3));
	if (round % 5 == 0)
		assert_int_equal(top_position(stack), round + 3);
	for (uintptr_t i = 3; i > 0; i--) {
		assert_int_equal(tb_top_site(stack).position, round + i);
		tb_pop(stack);
	}
}

TEST_WITH(no_leaks, a_handler_may_push_and_pop_in_balance)
{
	struct sigaction action = {.sa_handler = push_and_pop}, before;
	pthread_t self = pthread_self(), other;
	interrupted = new_stack(0);
	for (uintptr_t i = 0; i < 3 + HANDLER_DEPTH; i++)
		tb_push(interrupted, site(i));
	tb_unwind(interrupted, (struct tb_mark){0});
	handled = 0;
	sem_init(&may_interrupt, 0, 0);
	AO_store(&is_over, 0);
	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	assert_int_equal(pthread_create(&other, NULL, interrupt, &self), 0);
	for (uintptr_t round = 1000; handled < HANDLED; round += 4)
		push_and_look(interrupted, round);
	AO_store(&is_over, 1);
	sem_post(&may_interrupt);
	assert_int_equal(pthread_join(other, NULL), 0);
	sem_destroy(&may_interrupt);
	assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
	assert_ptr_equal(tb_current(interrupted), TB_EMPTY);
	assert_true(shadow_is_valid(interrupted));
	tb_stack_destroy(&interrupted);
}

TEST_WITH(no_leaks, nothing_is_taken_once_warm)
{
	OWNED(tb_stack_destroy) struct tb_stack *stack = new_stack(0);
	for (int round = 0; round < 1000; round++) {
		struct tb_mark mark = tb_stack_mark(stack);
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
}
