/* SPDX-License-Identifier: MIT
 * The fields of /proc/PID/stat. What the kernel says of the processors, and what is left of it for others. */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake_clock.h"
#include "proc.h"
#include "test.h"

/* ---- a process ---- */

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

/* ---- the machine ---- */

TEST(idle_time_is_a_part_of_all)
{
	struct machine_time time = machine_time_now(getpid());
	if (time.all_ns == 0)
		skip(); /* there is no /proc */
	assert_true(time.idle_ns <= time.all_ns);
}

TEST(a_process_has_the_time_that_its_own_clock_shows)
{
	struct machine_time before = machine_time_now(getpid());
	if (before.all_ns == 0)
		skip();
	fake_clock_advance(7);
	fake_clock_advance_preempted(100);
	assert_int_equal(machine_time_now(getpid()).own_ns, before.own_ns + 7);
}

TEST(errno_is_kept)
{
	errno = EXDEV;
	machine_time_now(getpid());
	assert_int_equal(errno, EXDEV);
}

TEST(others_have_what_is_neither_idle_nor_the_process)
{
	const struct machine_time from = {1000, 100, 10}, to = {3000, 600, 710};
	struct machine_time between = machine_time_between(&from, &to);
	assert_int_equal(between.all_ns, 2000);
	assert_int_equal(between.idle_ns, 500);
	assert_int_equal(between.own_ns, 700);
	assert_int_equal(machine_time_of_others_ns(&between), 800);
}

/* The process's own time is exact, and that of the machine is not. */
TEST(others_never_have_less_than_nothing)
{
	const struct machine_time times[] = {{2000, 1300, 701}, {2000, 2001, 0}, {0, 0, 0}};
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		assert_int_equal(machine_time_of_others_ns(&times[i]), 0);
}

TEST(from_or_to_an_unknown_time_nothing_is_known)
{
	const struct machine_time known = {3000, 600, 710}, unknown = {0, 0, 0};
	struct machine_time since = machine_time_between(&unknown, &known);
	struct machine_time until = machine_time_between(&known, &unknown);
	assert_int_equal(since.all_ns + since.idle_ns + since.own_ns, 0);
	assert_int_equal(until.all_ns + until.idle_ns + until.own_ns, 0);
}
