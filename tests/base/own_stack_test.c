/* SPDX-License-Identifier: MIT
 * A call on a stack of our own. Where a checker looks on, the function is called on the caller's: there the tests of
 * the other stack are skipped. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "checker.h"
#include "mem.h"
#include "own_stack.h"

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

static void the_function_is_called_once_in_the_same_thread(void **state)
{
	struct call call = {.calls = 0};
	(void)state;
	own_stack_run(note, &call);
	assert_int_equal(call.calls, 1);
	assert_true(pthread_equal(call.thread, pthread_self()));
	assert_int_equal(mem_live_bytes(), 0);
}

static void it_is_called_on_another_stack(void **state)
{
	struct call call = {.calls = 0};
	(void)state;
	if (has_checker())
		skip();
	own_stack_run(note, &call);
	assert_false(is_on_threads_stack(call.place));
}

static void without_memory_it_is_called_where_the_caller_is(void **state)
{
	struct call call = {.calls = 0};
	(void)state;
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

static void a_thread_with_the_smallest_stack_has_200_kb_there(void **state)
{
	struct call call = {.calls = 0};
	pthread_attr_t attributes;
	pthread_t thread;
	(void)state;
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

static void a_call_may_make_another(void **state)
{
	struct call call = {.calls = 0};
	(void)state;
	own_stack_run(run_again, &call);
	assert_int_equal(call.calls, 2);
	assert_int_equal(mem_live_bytes(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_function_is_called_once_in_the_same_thread),
		cmocka_unit_test(it_is_called_on_another_stack),
		cmocka_unit_test(without_memory_it_is_called_where_the_caller_is),
		cmocka_unit_test(a_thread_with_the_smallest_stack_has_200_kb_there),
		cmocka_unit_test(a_call_may_make_another),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
