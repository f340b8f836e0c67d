/* SPDX-License-Identifier: MIT
 * Which memory is the stack of the call. Skipped under a checker, for which it belongs to no thread. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "check.h"
#include "other_stack.h"
#include "test.h"

enum { BYTES = 64 * 1024 };
static char memory[BYTES] __attribute__((aligned(64)));

struct call {
	pthread_t thread;
	uintptr_t place; /* of a variable of the call */
	int calls;
};

static void call_on(char *stack, size_t size, void (*function)(void *arg), void *arg)
{
	if (has_checker())
		skip();
	other_stack_call(stack, size, function, arg);
}

static void note(void *arg)
{
	struct call *call = arg;
	call->thread = pthread_self();
	call->place = (uintptr_t)&arg;
	call->calls++;
}

static bool is_in(uintptr_t place, const char *begin, size_t size)
{
	return place - (uintptr_t)begin < size;
}

TEST(the_function_is_called_once_in_the_same_thread)
{
	struct call call = {.calls = 0};
	call_on(memory, sizeof memory, note, &call);
	assert_int_equal(call.calls, 1);
	assert_true(pthread_equal(call.thread, pthread_self()));
}

TEST(its_variables_are_in_the_memory)
{
	struct call call = {.calls = 0};
	call_on(memory, sizeof memory, note, &call);
	assert_true(is_in(call.place, memory, sizeof memory));
}

static void fill_all_but_4_kb(void *arg)
{
	volatile char bytes[BYTES - 4096];
	memset((char *)bytes, 1, sizeof bytes);
	note(arg);
}

TEST(nothing_before_the_memory_or_behind_it_is_written)
{
	static char around[3][BYTES] __attribute__((aligned(64)));
	static const char zeroes[BYTES];
	struct call call = {.calls = 0};
	call_on(around[1], BYTES, fill_all_but_4_kb, &call);
	assert_int_equal(call.calls, 1);
	assert_memory_equal(around[0], zeroes, BYTES);
	assert_memory_equal(around[2], zeroes, BYTES);
}

static void call_on_the_first_half(void *arg)
{
	call_on(memory, sizeof memory / 2, note, arg);
	note(arg);
}

TEST(a_call_may_make_another)
{
	struct call call = {.calls = 0};
	call_on(memory + BYTES / 2, BYTES / 2, call_on_the_first_half, &call);
	assert_int_equal(call.calls, 2);
	assert_true(is_in(call.place, memory + BYTES / 2, BYTES / 2));
}

static void block_and_fail(void *arg)
{
	sigprocmask(SIG_BLOCK, arg, NULL);
	errno = ERANGE;
}

TEST(the_function_leaves_errno_but_not_the_mask_of_signals)
{
	sigset_t signals, now;
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	errno = 0;
	call_on(memory, sizeof memory, block_and_fail, &signals);
	assert_int_equal(errno, ERANGE);
	sigprocmask(SIG_BLOCK, NULL, &now);
	assert_false(sigismember(&now, SIGUSR1));
}
