/* SPDX-License-Identifier: MIT
 * The end of the parent's process, as its child sees it. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "host.h"
#include "test.h"
#include "wait_until.h"

/* What the child of a process that ends by `end` says of it; the process is still a zombie. */
static int seen_by_child_of(void (*end)(void), int (*see)(void))
{
	int ends[2], begun[2], seen = -1;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pipe(begun), 0);
	pid_t host = fork();
	if (host == 0) {
		if (fork() == 0) {
			host_note(getppid());
			(void)!write(begun[1], "", 1);
			WAIT_UNTIL(host_has_ended());
			seen = see();
			(void)!write(ends[1], &seen, sizeof seen);
			_exit(0);
		}
		char byte;
		(void)!read(begun[0], &byte, 1);
		end();
	}
	assert_int_equal(read(ends[0], &seen, sizeof seen), sizeof seen);
	waitpid(host, NULL, 0);
	for (int i = 0; i < 2; i++) {
		close(ends[i]);
		close(begun[i]);
	}
	return seen;
}

static void leave(void)
{
	_exit(9);
}

static void die(void)
{
	raise(SIGKILL);
}

static int has_left(void)
{
	return host_has_left();
}

TEST(the_signal_that_ends_a_process_is_known_until_its_parent_has_asked)
{
	assert_int_equal(seen_by_child_of(die, host_signal), SIGKILL);
	assert_int_equal(seen_by_child_of(leave, host_signal), 0);
	assert_int_equal(seen_by_child_of(leave, has_left), 1);
}

static int looks_at_living_parent(void)
{
	host_note(getppid());
	return host_has_ended() || host_has_left() || host_signal() != 0;
}

TEST(a_process_that_goes_on_has_not_left)
{
	if (in_forked_child())
		_exit(looks_at_living_parent());
}

TEST(a_process_that_is_none_has_not_left_its_memory)
{
	host_note(0);
	assert_true(host_has_ended()); /* it is not the parent */
	assert_int_equal(host_signal(), 0);
}
