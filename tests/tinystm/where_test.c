/* SPDX-License-Identifier: MIT
 * The place of a thread. call_back() plays the callback, enter() the function of TinySTM that calls it, and each row of
 * `ways` is a way by which the program calls TinySTM. */
#include "fixture.h"

#include <alloca.h>
#include <signal.h>
#include <string.h>

#include "cache.h"
#include "tiny.h"

static struct tb_stack *stack;
static struct tiny_where where;
static struct tiny_where *used = &where;

/* What call_back() has found. */
static struct tb_frame *found;

__attribute__((noinline)) static void call_back(void)
{
	const uintptr_t *slot = NATIVE_RETURN_SLOT();
	found = tiny_where(used, stack, slot);
}

/* The assembly keeps the compiler from making a tail call. */
__attribute__((noinline)) static void enter(void)
{
	call_back();
	__asm__ volatile("");
}

__attribute__((noinline)) static void inner(void)
{
	enter();
	__asm__ volatile("");
}

__attribute__((noinline)) static void outer(size_t more)
{
	volatile char *space = alloca(64 + more);
	space[0] = 0;
	inner();
	space[1] = 0;
}

__attribute__((noinline)) static void other_inner(void)
{
	enter();
	__asm__ volatile("");
}

__attribute__((noinline)) static void other_outer(size_t more)
{
	volatile char *space = alloca(64 + more);
	space[0] = 0;
	other_inner();
	space[1] = 0;
}

__attribute__((noinline)) static void deep(unsigned depth)
{
	if (depth == 0)
		enter();
	else
		deep(depth - 1);
	__asm__ volatile("");
}

static void set_up(void)
{
	fixture_set_up();
	stack = tb_stack_create(0);
	tiny_where_open(&where);
	assert_non_null(stack);
	assert_non_null(where.walk);
}

static void tear_down(void)
{
	tiny_where_close(&where, stack);
	tb_stack_destroy(&stack);
	fixture_tear_down();
}

static const struct test_fixture where_fixture = {set_up, tear_down};

static bool is_in(const struct tb_frame *frame, void (*function)(void))
{
	return tb_is_frame(frame) && tb_frame_site(frame).position - (uintptr_t)function < 1000;
}

static void a_stack_is_shown_from_the_caller_of_the_stm_outwards(void);

static bool is_frame_of_the_test(const struct tb_frame *frame)
{
	return tb_frame_site(frame).position - (uintptr_t)a_stack_is_shown_from_the_caller_of_the_stm_outwards < 1000;
}

TEST_WITH(where_fixture, a_stack_is_shown_from_the_caller_of_the_stm_outwards)
{
	inner();
	assert_true(is_in(found, inner));
	assert_true(is_frame_of_the_test(tb_down(found)));
	const struct tb_frame *last = found;
	while (tb_is_frame(last))
		last = tb_down(last);
	assert_ptr_equal(last, TB_EMPTY);
}

TEST_WITH(where_fixture, a_stack_met_again_is_the_same_traceback)
{
	struct tb_frame *all[2];
	for (volatile int i = 0; i < 2; i++) { /* volatile, so that there is a single call instruction */
		outer(0);
		all[i] = found;
	}
	assert_ptr_equal(all[0], all[1]);
}

TEST_WITH(where_fixture, a_stack_deeper_than_the_limit_is_cut)
{
	deep(TINY_DEPTH + 5);
	const struct tb_frame *last = found;
	while (tb_is_frame(last))
		last = tb_down(last);
	assert_int_equal(tb_depth(found), TINY_DEPTH);
	assert_ptr_equal(last, TB_UNKNOWN);
}

/* Two ways, with frames of many sizes, so that the cache often has a trace for the same slot of another stack. Each
 * time the traceback must be the same as without a cache. */
TEST_WITH(where_fixture, a_stack_is_never_taken_for_another)
{
	static void (*const ways[])(size_t more) = {outer, other_outer};
	struct tb_frame *seen[2];
	for (size_t i = 0; i < 300; i++) {
		struct tiny_where anew = {.walk = NULL};
		tiny_where_open(&anew);
		for (volatile size_t pass = 0; pass < 2; pass++) {
			used = pass == 0 ? &where : &anew;
			ways[i * 7 / 3 % 2](i * 16 % 176);
			seen[pass] = tb_ref(found);
		}
		used = &where;
		bool is_same = tb_equal(seen[0], seen[1]);
		tb_unref(stack, seen[0]);
		tb_unref(stack, seen[1]);
		tiny_where_close(&anew, stack);
		assert_true(is_same);
	}
}

TEST_WITH(where_fixture, what_was_pushed_comes_first)
{
	tb_push(stack, tb_site_make(77, 1));
	inner();
	assert_ptr_equal(found, tb_current(stack));
	tb_pop(stack);
}

static void handle(int signal)
{
	(void)signal;
	enter();
}

/* A signal's frame does not have its return address where other frames have it. */
TEST_WITH(where_fixture, a_stack_that_cannot_be_recognised_is_unwound_each_time)
{
	size_t live = 0;
	signal(SIGUSR1, handle);
	for (int i = 0; i < 3; i++) {
		raise(SIGUSR1);
		assert_true(tb_is_frame(found));
		assert_true(i == 0 || tb_live_frames() == live);
		live = tb_live_frames();
	}
	signal(SIGUSR1, SIG_DFL);
}

TEST_WITH(where_fixture, without_memory_only_what_was_pushed_is_known)
{
	tiny_where_close(&where, stack);
	inner();
	assert_true(tb_is_unknown(found));
	tb_push(stack, tb_site_make(77, 1));
	inner();
	assert_ptr_equal(found, tb_current(stack));
	tb_pop(stack);
}

TEST_WITH(where_fixture, closing_twice_is_closing)
{
	inner();
	tiny_where_close(&where, stack);
	tiny_where_close(&where, stack);
	assert_int_equal(tb_live_frames(), 0);
}
