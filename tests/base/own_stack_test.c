/* SPDX-License-Identifier: MIT
 * A call on a stack of our own. Where a checker looks on, the function is called on the caller's: there the tests of
 * the other stack are skipped. */
#include <limits.h>
#include <pthread.h>
#include <string.h>

#include "checker.h"
#include "mem.h"
#include "own_stack.h"
#include "test.h"

struct call {
	pthread_t thread;
	uintptr_t place; /* of a variable of the call */
	int calls;
};

static void note(void *arg)
{
	struct call *call = arg;
	call->thread = pthread_self();
	call->place = (uintptr_t)&arg;
	call->calls++;
}

static bool is_on_threads_stack(uintptr_t place)
{
	pthread_attr_t attributes;
	void *start;
	size_t size;
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &start, &size);
	pthread_attr_destroy(&attributes);
	return place - (uintptr_t)start < size;
}

TEST(the_function_is_called_once_in_the_same_thread)
{
	struct call call = {.calls = 0};
	own_stack_run(note, &call);
	assert_int_equal(call.calls, 1);
	assert_true(pthread_equal(call.thread, pthread_self()));
	assert_int_equal(mem_live_bytes(), 0);
}

TEST(it_is_called_on_another_stack)
{
	struct call call = {.calls = 0};
	if (has_checker())
		skip();
	own_stack_run(note, &call);
	assert_false(is_on_threads_stack(call.place));
}

TEST(without_memory_it_is_called_where_the_caller_is)
{
	struct call call = {.calls = 0};
	if (has_checker())
		skip();
	mem_fail_at(1);
	own_stack_run(note, &call);
	mem_fail_at(0);
	assert_int_equal(call.calls, 1);
	assert_true(is_on_threads_stack(call.place));
}

static void fill_200_kb(void *arg)
{
	volatile char bytes[200 * 1024];
	memset((char *)bytes, 1, sizeof bytes);
	note(arg);
}

static void *run(void *arg)
{
	own_stack_run(fill_200_kb, arg);
	return NULL;
}

TEST(a_thread_with_the_smallest_stack_has_200_kb_there)
{
	struct call call = {.calls = 0};
	pthread_attr_t attributes;
	pthread_t thread;
	if (has_checker())
		skip();
	pthread_attr_init(&attributes);
	assert_int_equal(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN), 0);
	assert_int_equal(pthread_create(&thread, &attributes, run, &call), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attributes);
	assert_int_equal(call.calls, 1);
}

static void run_again(void *arg)
{
	own_stack_run(note, arg);
	own_stack_run(note, arg);
}

TEST(a_call_may_make_another)
{
	struct call call = {.calls = 0};
	own_stack_run(run_again, &call);
	assert_int_equal(call.calls, 2);
	assert_int_equal(mem_live_bytes(), 0);
}
