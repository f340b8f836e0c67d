/* SPDX-License-Identifier: MIT */
#include "child.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "test.h"
#include "text_has.h"

int child_end(pid_t child)
{
	int status = -1;
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

void assert_child_succeeds(pid_t child)
{
	assert_int_equal(child_end(child), 0);
}

bool in_forked_child(void)
{
	pid_t child = fork();
	if (child != 0)
		assert_child_succeeds(child);
	return child == 0;
}

void child_leave_space(size_t bytes)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (file == NULL || fscanf(file, "%lu", &pages) != 1)
		_exit(2);
	struct rlimit limit = {pages * (unsigned long)getpagesize() + bytes, RLIM_INFINITY};
	setrlimit(RLIMIT_AS, &limit);
}

int child_run(void (*body)(void), char *told, size_t size)
{
	capture_stderr_begin();
	pid_t child = fork();
	if (child == 0) {
		signal(SIGABRT, SIG_DFL); /* cmocka's handler would go on */
		body();
		_exit(BODY_HAS_RETURNED);
	}
	int status = child_end(child);
	capture_stderr_end(told, size);
	return status;
}

int child_tells(void (*body)(void), char *told, size_t size)
{
	int status = child_run(body, told, size);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

void child_is_stopped(void (*body)(void), const char *words)
{
#ifdef STMLOG_CHECKS
	char told[512];
	int status = child_run(body, told, sizeof told);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_has(told, words);
#else
	(void)body;
	(void)words;
	skip();
#endif
}
