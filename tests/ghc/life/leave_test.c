/* SPDX-License-Identifier: MIT
 * What happens before the process image is left, and where nothing must. Nothing is executed. */
#include "functions.h"
#include "leave.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
