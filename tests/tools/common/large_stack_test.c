/* SPDX-License-Identifier: MIT
 * How much stack the called function has where the limit of stacks is small. Where a checker looks on, it is the
 * present stack. */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checker.h"
#include "child.h"
#include "large_stack.h"
#include "test.h"

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
