/* SPDX-License-Identifier: MIT
 * The fields of /proc/PID/stat. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process_stat.h"
#include "test.h"

TEST(a_process_that_runs_is_in_state_R)
{
	struct process_stat stat = process_stat_read(getpid());
	assert_int_equal(process_stat_state(&stat), 'R');
}

TEST(a_name_with_spaces_and_parentheses_does_not_shift_the_fields)
{
	assert_int_equal(prctl(PR_SET_NAME, "a) Z (b c) 7", 0, 0, 0), 0);
	struct process_stat stat = process_stat_read(getpid());
	assert_int_equal(process_stat_state(&stat), 'R');
	assert_int_equal(process_stat_number(&stat, PROCESS_PARENT), getppid());
}

TEST(a_field_behind_the_last_one_is_not_known)
{
	struct process_stat stat = process_stat_read(getpid());
	assert_int_equal(process_stat_number(&stat, 500), 0);
}

TEST(nothing_is_known_of_a_process_that_is_gone)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	struct process_stat stat = process_stat_read(pid);
	assert_string_equal(stat.text, "");
	assert_int_equal(process_stat_state(&stat), '\0');
	assert_int_equal(process_stat_number(&stat, PROCESS_EXIT_CODE), 0);
}
