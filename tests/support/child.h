/* SPDX-License-Identifier: MIT
 * Children that a test forks. */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "test.h"

/* Waits for the child. Returns how it ended, as waitpid() says it. */
int child_end(pid_t child);

/* Waits for the child, which must exit with status 0. */
void assert_child_succeeds(pid_t child);

/* Forks. Returns true in the child, and false when the child has exited, as it must, with status 0. */
bool in_forked_child(void);

/* For a child: so much more address space can be mapped from now on. */
void child_leave_space(size_t bytes);

/* Runs `body` in a child, in which abort() ends the process. If `body` returns, the child exits with BODY_HAS_RETURNED.
 * Returns how the child ended, as waitpid() says it; what it wrote to stderr is in `told`. */
int child_run(void (*body)(void), char *told, size_t size);
enum { BODY_HAS_RETURNED = 50 };

/* The same for a child that must exit. Returns its exit status. */
int child_tells(void (*body)(void), char *told, size_t size);

/* Runs `body` in a child, which a check of base/check.h must stop with a line that has the words. Skips the test in a
 * build that checks nothing. */
void child_is_stopped(void (*body)(void), const char *words);

/* A test of which the body is stopped there. */
#define TEST_STOPPED(words, claim)                      \
	static void claim##_there(void);                \
	TEST(claim)                                     \
	{                                               \
		child_is_stopped(claim##_there, words); \
	}                                               \
	static void claim##_there(void)

#endif
