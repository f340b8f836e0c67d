/* SPDX-License-Identifier: MIT */
#include "child.h"

#include <sys/wait.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "test.h"

enum { BODY_HAS_RETURNED = 50 };

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

int child_tells(void (*body)(void), char *told, size_t size)
{
	capture_stderr_begin();
	pid_t child = fork();
	if (child == 0) {
		body();
		_exit(BODY_HAS_RETURNED);
	}
	int status = child_end(child);
	capture_stderr_end(told, size);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}
