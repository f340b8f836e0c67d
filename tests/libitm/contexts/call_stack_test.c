/* SPDX-License-Identifier: MIT
 * Calls as instrumented functions report them. Numbers stand for stack pointers; each call takes 64 bytes of stack. */
#include <setjmp.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "call_stack.h"
#include "random.h"
#include "context_frames.h"
#include "test.h"

enum { CAP = 40, FRAME = 64 };
#define BASE ((uintptr_t)0x7fff00000000)
#define SITE ((uintptr_t)0x5000)

static const struct native_module outside = {.start = 0xc0000, .end = 0xc0010};
static struct itm_calls *calls;

static void set_up(void)
{
	void *memory = calloc(1, itm_calls_size(CAP));
	contexts = itm_contexts_create();
	assert_non_null(memory);
	assert_non_null(contexts);
	calls = itm_calls_init(memory, CAP, &outside);
}

static void tear_down(void)
{
	free(calls);
	assert_int_equal(munmap(contexts, sizeof *contexts), 0);
}

static const struct test_fixture calls_fixture = {set_up, tear_down};

/* The stack pointer of the call at `depth`; the first call has depth 1. */
static uintptr_t stack_at(size_t depth)
{
	return BASE - depth * FRAME;
}

/* The function that is called from `from`: each address calls a function of its own. */
static void enter(size_t depth, uintptr_t from)
{
	itm_calls_enter(calls, stack_at(depth), from, from + 0x100000);
}

static void leave(size_t depth, uintptr_t from)
{
	itm_calls_exit(calls, stack_at(depth), from, false);
}

static uint32_t begin_at(size_t depth)
{
	return itm_calls_begin(calls, contexts, stack_at(depth), SITE);
}

/* ---- callers ---- */

TEST_WITH(calls_fixture, callers_stand_behind_begins_return_address)
{
	enter(1, 0x10);
	enter(2, 0x20);
	enter(3, 0x30);
	expect(begin_at(3), (uintptr_t[]){SITE, 0x30, 0x20, 0x10}, 4);
	leave(3, 0x30);
	expect(begin_at(2), (uintptr_t[]){SITE, 0x20, 0x10}, 3);
	enter(3, 0x31);
	expect(begin_at(3), (uintptr_t[]){SITE, 0x31, 0x20, 0x10}, 4);
}

TEST_WITH(calls_fixture, without_calls_nothing_is_known)
{
	assert_int_equal(begin_at(1), 0);
	assert_int_equal(itm_calls_context(calls, contexts), 0);
	enter(1, 0x10);
	leave(1, 0x10);
	assert_int_equal(begin_at(1), 0);
	leave(1, 0x10);
	itm_calls_exit(calls, BASE, 0x10, true);
	assert_int_equal(begin_at(1), 0);
	assert_int_equal(contexts->len, 1);
}

TEST_WITH(calls_fixture, what_calls_main_is_not_told)
{
	enter(1, 0xc0000);
	expect(begin_at(1), (uintptr_t[]){SITE}, 1);
	enter(2, 0xc0001); /* a callback */
	enter(3, 0x30);
	expect(begin_at(3), (uintptr_t[]){SITE, 0x30, 0xc0001}, 3);
	leave(3, 0x30);
	leave(2, 0xc0001);
	expect(begin_at(1), (uintptr_t[]){SITE}, 1);
	leave(1, 0xc0000);
	enter(1, 0xc0010);
	expect(begin_at(1), (uintptr_t[]){SITE, 0xc0010}, 2);
}

TEST_WITH(calls_fixture, contexts_are_looked_up_for_transactions_only)
{
	for (uintptr_t i = 0; i < 1000; i++) {
		enter(1, 0x10 + i);
		leave(1, 0x10 + i);
	}
	assert_int_equal(contexts->len, 1);
	enter(1, 0x10);
	begin_at(1);
	assert_int_equal(contexts->len, 3);
}

TEST_WITH(calls_fixture, an_exit_by_jump_leaves_the_caller_in_place)
{
	enter(1, 0x10);
	enter(2, 0x20);
	itm_calls_exit(calls, stack_at(1), 0x20, true);
	expect(begin_at(1), (uintptr_t[]){SITE, 0x10}, 2);
	/* Recursion: both return to one address. */
	enter(2, 0x20);
	enter(3, 0x20);
	itm_calls_exit(calls, stack_at(2), 0x20, true);
	expect(begin_at(2), (uintptr_t[]){SITE, 0x20, 0x10}, 3);
}

TEST_WITH(calls_fixture, what_the_compiler_has_put_into_a_function_is_no_call)
{
	enter(1, 0x10);
	enter(2, 0x20);
	itm_calls_enter(calls, stack_at(2), 0x20, 0x777);
	itm_calls_enter(calls, stack_at(2), 0x20, 0x888);
	expect(begin_at(2), (uintptr_t[]){SITE, 0x20, 0x10}, 3);
	leave(2, 0x20);
	leave(2, 0x20);
	expect(begin_at(2), (uintptr_t[]){SITE, 0x20, 0x10}, 3);
	leave(2, 0x20);
	expect(begin_at(1), (uintptr_t[]){SITE, 0x10}, 2);
}

TEST_WITH(calls_fixture, who_takes_more_stack_is_left_all_the_same)
{
	enter(1, 0x10);
	enter(2, 0x20);
	itm_calls_exit(calls, stack_at(2) - 48, 0x20, false);
	expect(begin_at(1), (uintptr_t[]){SITE, 0x10}, 2);
}

/* ---- exits that are missing ---- */

TEST_WITH(calls_fixture, who_is_below_was_left)
{
	for (uintptr_t depth = 1; depth <= 9; depth++)
		enter(depth, 0x10 * depth);
	/* longjmp() to the second function, which then begins a transaction, or calls another one, or returns. */
	expect(begin_at(2), (uintptr_t[]){SITE, 0x20, 0x10}, 3);
	for (uintptr_t depth = 3; depth <= 9; depth++)
		enter(depth, 0x10 * depth);
	enter(3, 0x33);
	expect(begin_at(3), (uintptr_t[]){SITE, 0x33, 0x20, 0x10}, 4);
	enter(4, 0x40);
	leave(2, 0x20);
	expect(begin_at(1), (uintptr_t[]){SITE, 0x10}, 2);
}

TEST_WITH(calls_fixture, a_function_that_is_called_again_is_there_once)
{
	enter(1, 0x10);
	enter(2, 0x20);
	enter(2, 0x20);
	enter(2, 0x20);
	leave(2, 0x20);
	assert_int_equal(calls->len, 1);
	expect(begin_at(1), (uintptr_t[]){SITE, 0x10}, 2);
}

/* ---- within a transaction ---- */

TEST_WITH(calls_fixture, calls_within_a_transaction_stand_before_its_begin)
{
	enter(1, 0x10);
	uint32_t begin = begin_at(1);
	assert_int_equal(itm_calls_context(calls, contexts), begin);
	enter(2, 0x20);
	expect(itm_calls_context(calls, contexts), (uintptr_t[]){0x20, SITE, 0x10}, 3);
	enter(3, 0x30);
	expect(itm_calls_context(calls, contexts), (uintptr_t[]){0x30, 0x20, SITE, 0x10}, 4);
	leave(3, 0x30);
	expect(itm_calls_context(calls, contexts), (uintptr_t[]){0x20, SITE, 0x10}, 3);
	leave(2, 0x20);
	assert_int_equal(itm_calls_context(calls, contexts), begin);
}

TEST_WITH(calls_fixture, a_restart_ends_all_calls_within_the_transaction)
{
	enter(1, 0x10);
	itm_calls_enter(calls, stack_at(1), 0x10, 0x777);
	uint32_t begin = begin_at(1);
	itm_calls_enter(calls, stack_at(1), 0x10, 0x888);
	for (uintptr_t depth = 2; depth <= 9; depth++)
		enter(depth, 0x10 * depth);
	assert_int_equal(itm_calls_restart(calls), begin);
	assert_int_equal(itm_calls_context(calls, contexts), begin);
	leave(1, 0x10);
	assert_int_equal(calls->len, 1);
	leave(1, 0x10);
	assert_int_equal(calls->len, 0);
}

TEST_WITH(calls_fixture, callers_known_from_elsewhere_are_built_upon)
{
	assert_int_equal(begin_at(1), 0);
	uint32_t callers = itm_context_child(contexts, itm_context_child(contexts, 0, 0x10), SITE);
	itm_calls_begin_as(calls, callers);
	assert_int_equal(itm_calls_context(calls, contexts), callers);
	enter(2, 0x20);
	expect(itm_calls_context(calls, contexts), (uintptr_t[]){0x20, SITE, 0x10}, 3);
	assert_int_equal(itm_calls_restart(calls), callers);
	itm_calls_begin_as(calls, 0);
	enter(2, 0x20);
	assert_int_equal(itm_calls_context(calls, contexts), 0);
}

/* ---- limits ---- */

TEST_WITH(calls_fixture, deeper_than_is_kept_nothing_is_known_until_it_is_left)
{
	for (size_t deepest = CAP - 1; deepest <= CAP + 2; deepest++) {
		for (size_t depth = 1; depth <= deepest; depth++)
			enter(depth, 0x10);
		assert_int_equal(begin_at(deepest) != 0, deepest < CAP);
		for (size_t depth = deepest; depth >= CAP; depth--)
			leave(depth, 0x10);
		uintptr_t expected[CAP] = {SITE};
		for (size_t i = 1; i < CAP; i++)
			expected[i] = 0x10;
		expect(begin_at(CAP - 1), expected, CAP);
		leave(CAP - 1, 0x10);
		expect(begin_at(CAP - 2), expected, CAP - 1);
		for (size_t depth = CAP - 2; depth != 0; depth--)
			leave(depth, 0x10);
		assert_int_equal(calls->len, 0);
	}
}

TEST_WITH(calls_fixture, calls_on_another_stack_are_not_followed)
{
	const uintptr_t others[] = {BASE - ((uintptr_t)1 << 40), BASE + ((uintptr_t)1 << 40), 64};
	enter(1, 0x10);
	enter(2, 0x20);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		itm_calls_enter(calls, others[i], 0x30, 0x40);
		assert_int_equal(itm_calls_begin(calls, contexts, others[i], SITE), 0);
		assert_int_equal(itm_calls_context(calls, contexts), 0);
		itm_calls_exit(calls, others[i], 0x30, false);
		itm_calls_exit(calls, others[i], 0x20, true);
		expect(begin_at(2), (uintptr_t[]){SITE, 0x20, 0x10}, 3);
	}
}

TEST_WITH(calls_fixture, where_contexts_are_full_none_is_told)
{
	enter(1, 0x10);
	uint32_t known = begin_at(1);
	for (uint32_t context = known; context != 0;)
		context = itm_context_child(contexts, context, 0x1000);
	enter(2, 0x20);
	assert_int_equal(itm_calls_context(calls, contexts), 0);
	enter(3, 0x30);
	assert_int_equal(itm_calls_context(calls, contexts), 0);
	assert_int_equal(begin_at(3), 0);
	leave(3, 0x30);
	leave(2, 0x20);
	assert_int_equal(begin_at(1), known);
}

/* ---- random programs ---- */

/* The calls that are really on the stack. */
static struct {
	size_t len;
	struct {
		uintptr_t stack;
		uintptr_t from;
		unsigned inner;
	} frames[CAP];
} truth;

static void expect_truth(uint32_t context, size_t begun)
{
	uintptr_t expected[CAP + 2];
	size_t len = 0;
	for (size_t i = truth.len; i-- > 0;) {
		if (i + 1 == begun)
			expected[len++] = SITE;
		expected[len++] = truth.frames[i].from;
	}
	expect(context, expected, len);
}

static void call_something(struct random *random)
{
	if (truth.len == CAP - 1)
		return;
	uintptr_t callers = truth.len != 0 ? truth.frames[truth.len - 1].stack : BASE;
	uintptr_t stack = callers - 16 * (2 + truth.len % 3);
	uintptr_t from = 0x10 * (1 + random_below(random, 3));
	truth.frames[truth.len].stack = stack;
	truth.frames[truth.len].from = from;
	truth.frames[truth.len++].inner = 0;
	/* As a call through a pointer: it enters one of two functions. */
	itm_calls_enter(calls, stack, from, 0x1000 + random_below(random, 2));
}

static void enter_inner(struct random *random)
{
	if (truth.len == 0)
		return;
	truth.frames[truth.len - 1].inner++;
	itm_calls_enter(calls, truth.frames[truth.len - 1].stack, truth.frames[truth.len - 1].from,
		0x2000 + random_below(random, 4));
}

/* The innermost function that is entered, unless that is one of the `kept` outermost calls. */
static void leave_last(struct random *random, size_t kept)
{
	if (truth.len <= kept)
		return;
	size_t last = truth.len - 1;
	if (truth.frames[last].inner != 0) {
		truth.frames[last].inner--;
		itm_calls_exit(calls, truth.frames[last].stack, truth.frames[last].from, false);
		return;
	}
	truth.len--;
	bool jumps = random_below(random, 2) == 0;
	uintptr_t callers = last != 0 ? truth.frames[last - 1].stack : BASE;
	itm_calls_exit(calls, jumps ? callers : truth.frames[last].stack, truth.frames[last].from, jumps);
}

static void jump_out(struct random *random)
{
	if (truth.len == 0)
		return;
	truth.len = 1 + random_below(random, (uint32_t)truth.len);
	truth.frames[truth.len - 1].inner = 0;
}

/* A transaction in the innermost function, with calls and restarts until it commits. */
static void transact(struct random *random)
{
	size_t begun = truth.len;
	if (begun == 0)
		return;
	unsigned inner = truth.frames[begun - 1].inner;
	expect_truth(itm_calls_begin(calls, contexts, truth.frames[begun - 1].stack, SITE), begun);
	for (uint32_t steps = random_below(random, 12); steps != 0; steps--) {
		uint32_t step = random_below(random, 8);
		if (step < 4)
			call_something(random);
		else if (step == 4)
			enter_inner(random);
		else if (step < 7)
			leave_last(random, begun);
		else
			truth.len = begun;
		if (step == 7) {
			truth.frames[begun - 1].inner = inner;
			expect_truth(itm_calls_restart(calls), begun);
		}
		expect_truth(itm_calls_context(calls, contexts), begun);
	}
	while (truth.len > begun)
		leave_last(random, begun);
}

TEST_WITH(calls_fixture, random_programs_are_told_as_they_run)
{
	struct random random = {6};
	for (int round = 0; round < 200; round++) {
		truth.len = 0;
		for (int step = 0; step < 100; step++) {
			uint32_t kind = random_below(&random, 16);
			if (kind < 7)
				call_something(&random);
			else if (kind == 7)
				enter_inner(&random);
			else if (kind < 12)
				leave_last(&random, 0);
			else if (kind == 12)
				jump_out(&random);
			else
				transact(&random);
		}
		tear_down();
		set_up();
	}
}
