/* SPDX-License-Identifier: MIT
 * What happens before the process image is left, and where nothing must. Nothing is executed. */
#include "filter.h"
#include "functions.h"
#include "leave.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"

static char *variables[] = {"A=1", "STMLOG_GENERATION=41", NULL};
static struct haskell thread;

static void transact(void)
{
	haskell_poke(&thread, &poke, fake_tvar());
}

static void begin(void)
{
	thread = haskell_thread();
	leave_open();
}

TEST_WITH(haskell_fixture, the_next_image_is_told_its_generation_and_errno_is_kept)
{
	begin();
	transact();
	errno = 77;
	char **next = leave_image(variables);
	assert_int_equal(errno, 77);
	assert_string_equal(next[0], "A=1");
	assert_string_equal(next[1], "STMLOG_GENERATION=42");
	assert_null(next[2]);
	assert_string_equal(variables[1], "STMLOG_GENERATION=41");
}

TEST_WITH(haskell_fixture, a_process_without_transactions_hands_its_environment_on)
{
	begin();
	assert_ptr_equal(leave_image(variables), variables);
}

/* It shares the memory. */
TEST_WITH(haskell_fixture, a_child_of_vfork_hands_its_environment_on)
{
	int status = 1;
	begin();
	transact();
	pid_t child = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (child == 0)
		_exit(leave_image(variables) == variables ? 0 : 1); /* NOLINT(clang-analyzer-unix.Vfork) */
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_ptr_not_equal(leave_image(variables), variables);
}

static void before_filter(void)
{
	leave_before_call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER);
}

TEST_WITH(haskell_fixture, a_child_of_vfork_filters_its_own_calls_only)
{
	int status = 1;
	begin();
	pid_t child = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (child == 0) {
		before_filter();
		_exit(0); /* NOLINT(clang-analyzer-unix.Vfork) */
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_false(native_is_filtered());
}

/* So a child of vfork is not recognised any more. */
static int hands_on_behind_filter(void)
{
	int status = 1;
	leave_after_fork();
	transact();
	errno = 77;
	before_filter();
	if (errno != 77 || !native_is_filtered())
		return 2;
	pid_t child = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
	if (child == 0)
		_exit(leave_image(variables) != variables ? 0 : 1); /* NOLINT(clang-analyzer-unix.Vfork) */
	return waitpid(child, &status, 0) == child && status == 0 ? 0 : 3;
}

/* In a child, since a filter holds as long as the process lives. */
TEST_WITH(haskell_fixture, behind_a_filter_the_kernel_is_not_asked_for_the_process)
{
	begin();
	if (in_forked_child())
		_exit(hands_on_behind_filter());
}
