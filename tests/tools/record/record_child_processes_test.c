/* SPDX-License-Identifier: MIT
 * The processes of a run of a series, by shell scripts whose processes meet at a FIFO. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "record.h"
#include "temp_dir.h"
#include "test.h"

static struct record_outcome outcome;
static int interruption;

/* The exit status of a script, which finds two arguments: a FIFO and a file for the numbers of its processes. */
static int run(const struct record_wishes *wishes, const char *script)
{
	char text[512], fifo[256], numbers[256];
	snprintf(text, sizeof text, "%s", script);
	snprintf(fifo, sizeof fifo, "%s", temp_dir_path("fifo"));
	snprintf(numbers, sizeof numbers, "%s", temp_dir_path("numbers"));
	mkfifo(fifo, 0600);
	char *argv[] = {"/bin/sh", "-c", text, fifo, numbers, NULL};
	struct record_directory place = {.held = "", .board = -1};
	struct record_run what = {argv, &(struct record_env){.len = 0}, wishes, "", &place};
	record_signals_guard();
	assert_int_equal(record_run(&what, &outcome), 0);
	interruption = record_interruption();
	record_signals_release();
	return record_exit_status(&outcome);
}

static const struct record_wishes alone, of_series = {.is_of_series = true};

/* The process whose number the script has written. */
static pid_t noted(void)
{
	long number = 0;
	FILE *file = fopen(temp_dir_path("numbers"), "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%ld", &number), 1);
	fclose(file);
	return (pid_t)number;
}

static bool is_gone(pid_t pid)
{
	return kill(pid, 0) != 0 && errno == ESRCH;
}

/* Begins a session of its own, has a parent that has ended, and ignores the signals. */
#define DAEMON(signals)                     \
	"(setsid sh -c 'trap \"\" " signals \
	"; echo $$ >\"$0\"; exec sleep 600' \"$0\" &); read number <\"$0\"; echo $number >\"$1\"; "

TEST(a_daemon_ends_with_its_run)
{
	assert_int_equal(run(&of_series, DAEMON("HUP") "exit 3"), 3);
	assert_true(is_gone(noted()));
	assert_true(outcome.has_left && !outcome.is_undying && !outcome.is_stopped);
}

TEST(so_does_one_that_ignores_all_signals)
{
	assert_int_equal(run(&of_series, DAEMON("HUP INT QUIT TERM USR1") "exit 0"), 0);
	assert_true(is_gone(noted()));
}

TEST(so_does_a_process_that_is_forked_by_one_that_ends)
{
	assert_int_equal(
		run(&of_series, "(trap 'sleep 600 & echo $! >\"$1\"; exit' TERM; echo >\"$0\"; sleep 600 & wait) & "
				"read line <\"$0\"; exit 0"),
		0);
	assert_true(is_gone(noted()));
}

TEST(a_run_without_other_processes_has_left_none)
{
	assert_int_equal(run(&of_series, "sleep 0 & wait; exit 4"), 4);
	assert_false(outcome.has_left);
}

TEST(a_daemon_of_a_run_that_is_not_of_a_series_goes_on)
{
	assert_int_equal(run(&alone, DAEMON("HUP") "exit 0"), 0);
	assert_false(is_gone(noted()));
	kill(noted(), SIGKILL);
}

TEST(children_from_before_the_run_are_spared)
{
	pid_t before = fork();
	if (before == 0) {
		pause();
		_exit(0);
	}
	assert_int_equal(run(&of_series, DAEMON("HUP") "exit 0"), 0);
	assert_true(is_gone(noted()));
	assert_int_equal(kill(before, SIGTERM), 0);
	assert_int_equal(child_end(before), SIGTERM);
}

/* The script would go on for ten minutes. Its parent is this process. */
TEST(an_interrupted_program_ends_though_it_ignores_signals)
{
	run(&of_series, "trap '' INT TERM; kill -INT $PPID; sleep 600");
	assert_int_equal(interruption, SIGINT);
	assert_true(outcome.is_stopped && !outcome.is_undying);
	run(&of_series, "trap '' INT TERM; kill -TERM $PPID; sleep 600");
	assert_int_equal(interruption, SIGTERM);
	assert_true(outcome.is_stopped && !outcome.is_undying);
}

TEST(a_program_that_takes_too_long_is_stopped_with_all_its_processes)
{
	const struct record_wishes short_one = {.is_of_series = true, .max_ns = 1};
	run(&short_one, "trap '' TERM; sleep 600 & sleep 600");
	assert_true(outcome.is_stopped && !outcome.is_undying);
	assert_int_equal(interruption, 0);
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
}

static void set_up(void)
{
	static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	temp_dir_set_up();
	/* In the background of a shell some of these signals are ignored. */
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		signal(signals[i], SIG_DFL);
}

static const struct test_fixture fixture = {set_up, temp_dir_tear_down};

GROUP_WITH(fixture);
