/* SPDX-License-Identifier: MIT
 * Memory that grows, and the end of the command without any; and how much stack a function has where the limit of
 * stacks is small. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "check.h"
#include "child.h"
#include "diag.h"
#include "memory.h"
#include "test.h"

static char told[4096];

/* Otherwise the sanitizers themselves end a process that asks for too much. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static volatile size_t too_many = SIZE_MAX / 4;

static void takes_too_much(void)
{
	memory_zeroed(too_many, 8);
}

static void reserves_too_much(void)
{
	size_t cap = 0;
	memory_reserved(NULL, too_many, &cap, 8);
}

TEST(without_memory_the_command_ends)
{
	assert_int_equal(child_tells(takes_too_much, told, sizeof told), STATUS_UNUSABLE);
	assert_non_null(strstr(told, "stmlog: out of memory\n"));
	assert_int_equal(child_tells(reserves_too_much, told, sizeof told), STATUS_UNUSABLE);
	assert_non_null(strstr(told, "stmlog: out of memory\n"));
}

TEST(an_array_grows_to_twice_its_size)
{
	size_t cap = 0;
	int *array = NULL;
	for (int i = 0; i < 100; i++) {
		array = memory_grown(array, (size_t)i, &cap, sizeof *array);
		array[i] = i;
	}
	assert_int_equal(cap, 128);
	for (int i = 0; i < 100; i++)
		assert_int_equal(array[i], i);
	assert_ptr_equal(memory_reserved(array, 128, &cap, sizeof *array), array);
	array = memory_reserved(array, 1000, &cap, sizeof *array);
	assert_int_equal(cap, 1000);
	assert_int_equal(array[99], 99);
	free(array);
}

TEST(nothing_is_memory_too)
{
	char *nothing = memory_zeroed(0, 8), *text = memory_format("%d%s", 1, "2");
	assert_non_null(nothing);
	assert_string_equal(text, "12");
	memory_free(nothing);
	memory_free(text);
	memory_free(NULL);
}

/* ---- a large stack ---- */

/* Where a checker looks on, it is the present stack. */

static void count(void *arg)
{
	++*(int *)arg;
}

TEST(the_function_is_called_once)
{
	int calls = 0;
	large_stack_call(count, &calls);
	assert_int_equal(calls, 1);
}

static void fill_7_mb(void *arg)
{
	volatile char bytes[7 << 20];
	memset((char *)bytes, 1, sizeof bytes);
	count(arg);
}

/* The limit counts when the stack grows. */
static void limit_stack(void)
{
	struct rlimit limit;
	getrlimit(RLIMIT_STACK, &limit);
	limit.rlim_cur = 64 * 1024;
	setrlimit(RLIMIT_STACK, &limit);
}

static int run_limited(void (*function)(void *arg))
{
	pid_t pid = fork();
	if (pid == 0) {
		int calls = 0;
		signal(SIGSEGV, SIG_DFL);
		limit_stack();
		large_stack_call(function, &calls);
		_exit(calls);
	}
	return child_end(pid);
}

TEST(it_has_7_mb_of_stack_where_the_limit_is_64_kb)
{
	if (has_checker())
		skip();
	int status = run_limited(fill_7_mb);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
}

static void fill_9_mb_from_their_end(void *arg)
{
	volatile char bytes[9 << 20];
	for (size_t end = sizeof bytes; end != 0; end -= 4096)
		bytes[end - 1] = 1;
	count(arg);
}

TEST(a_function_that_needs_more_ends_the_process)
{
	if (has_checker())
		skip();
	int status = run_limited(fill_9_mb_from_their_end);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
}
