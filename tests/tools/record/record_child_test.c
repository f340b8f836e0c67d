/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record.h"
#include "recording_writer.h"
#include "temp_dir.h"
#include "test.h"

static struct record_outcome outcome;
/* How often record_run() has called each; `looked_at` is the process of the last call. */
static unsigned looks, dumps, overs;
static pid_t looked_at;
static struct record_wishes wishes;
static struct record_directory place = {.held = "directory", .board = -1};

/* The exit status of running `argv`, as in a shell. */
static int run(char *const argv[])
{
	char *copy[8] = {NULL};
	for (size_t i = 0; argv[i] != NULL; i++)
		copy[i] = argv[i];
	OWNED(record_env_fini) struct record_env env = {.len = 0};
	record_env_set(&env, "STMLOG_OPTIONS", strdup("sample=1"));
	record_signals_guard();
	int result = record_run(&(struct record_run){copy, &env, &wishes, "file", &place}, &outcome);
	record_signals_release();
	assert_int_equal(result, 0);
	return record_exit_status(&outcome);
}

static int run_shell(const char *script)
{
	char text[1024];
	snprintf(text, sizeof text, "%s", script);
	return run((char *[]){"/bin/sh", "-c", text, NULL});
}

static void look(void *arg, const char *directory, pid_t pid)
{
	assert_ptr_equal(arg, &wishes);
	assert_string_equal(directory, "directory");
	looks++;
	looked_at = pid;
}

static void dump(void *arg, const char *file, const char *directory, pid_t pid)
{
	assert_ptr_equal(arg, &wishes);
	assert_string_equal(file, "file");
	assert_string_equal(directory, "directory");
	dumps++;
	looked_at = pid;
}

static void over(void *arg)
{
	assert_ptr_equal(arg, &wishes);
	overs++;
}

static bool prepare(void *arg)
{
	assert_ptr_equal(arg, &wishes);
	return setenv("PREPARED", "yes", 1) == 0 && setenv("STMLOG_OPTIONS", "out=elsewhere", 1) == 0;
}

static bool refuse(void *arg)
{
	(void)arg;
	errno = EPERM;
	return false;
}

TEST(a_program_finds_its_process_prepared_but_with_the_recorders_own_variables)
{
	wishes.watch = (struct record_watch){.prepare = prepare, .arg = &wishes};
	assert_int_equal(run_shell("test $PREPARED = yes && test $STMLOG_OPTIONS = sample=1"), 0);
	wishes.watch = (struct record_watch){.prepare = refuse, .arg = &wishes};
	run_shell("exit 0");
	assert_int_equal(outcome.exec_errno, EPERM);
	wishes.watch = (struct record_watch){.prepare = NULL};
}

TEST(a_program_is_looked_at_while_it_runs)
{
	wishes.watch = (struct record_watch){.look = look, .dump = dump, .over = over, .arg = &wishes};
	looks = dumps = overs = 0;
	assert_int_equal(run_shell("kill -USR2 $PPID; sleep 0.6; exit 4"), 4);
	assert_int_equal(looked_at, outcome.pid);
	assert_true(looks >= 2);
	assert_int_equal(dumps, 1);
	assert_int_equal(overs, 1);
	wishes.watch = (struct record_watch){.dump = dump, .arg = &wishes};
	assert_int_equal(run_shell("kill -USR2 $PPID; kill -TERM $PPID; sleep 5"), 128 + SIGTERM);
	wishes.watch = (struct record_watch){.look = NULL};
}

TEST(the_programs_status_comes_through)
{
	assert_int_equal(run_shell("exit 0"), 0);
	assert_int_equal(run_shell("exit 3"), 3);
	assert_int_equal(run_shell("exit 255"), 255);
	assert_int_equal(outcome.exec_errno, 0);
	assert_true(outcome.pid > 0);
}

TEST(a_signal_is_128_and_its_number)
{
	assert_int_equal(run_shell("kill -KILL $$"), 128 + SIGKILL);
	assert_int_equal(run_shell("kill -SEGV $$"), 128 + SIGSEGV);
	assert_int_equal(run_shell("kill -INT $$"), 128 + SIGINT);
}

TEST(what_cannot_be_run_is_told_apart)
{
	const char *text = temp_dir_path("text");
	writer_save_bytes("x", 1, text);
	assert_int_equal(run((char *[]){"/nowhere/at/all", NULL}), 127);
	assert_int_equal(outcome.exec_errno, ENOENT);
	assert_int_equal(run((char *[]){"stmlog-no-such-program", NULL}), 127);
	assert_int_equal(run((char *[]){(char *)(uintptr_t)text, NULL}), 126);
	assert_int_equal(outcome.exec_errno, EACCES);
	assert_int_equal(run((char *[]){temp_dir, NULL}), 126);
}

TEST(the_environment_is_the_programs_alone)
{
	unsetenv("STMLOG_OPTIONS");
	assert_int_equal(run_shell("test \"$STMLOG_OPTIONS\" = sample=1"), 0);
	assert_null(getenv("STMLOG_OPTIONS"));
}

TEST(the_program_has_the_signals_that_we_had)
{
	assert_int_equal(run_shell("kill -TERM $$; exit 0"), 128 + SIGTERM);
	signal(SIGHUP, SIG_IGN);
	assert_int_equal(run_shell("kill -HUP $$; exit 5"), 5);
	signal(SIGHUP, SIG_DFL);
}

/* The program sends a signal to its parent, this process. */
TEST(what_would_end_us_ends_the_program_instead)
{
#define FOR_TEN_SECONDS "i=0; while [ $i -lt 200 ]; do sleep 0.05; i=$((i + 1)); done"
	assert_int_equal(run_shell("trap 'exit 7' TERM; kill -TERM $PPID; " FOR_TEN_SECONDS), 7);
	assert_int_equal(run_shell("trap 'exit 8' HUP; kill -HUP $PPID; " FOR_TEN_SECONDS), 8);
}

TEST(an_interrupt_is_left_to_the_program)
{
	assert_int_equal(run_shell("kill -INT $PPID; kill -QUIT $PPID; exit 9"), 9);
}

static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

TEST(afterwards_signals_are_as_before)
{
	run_shell("exit 0");
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
		struct sigaction action;
		assert_int_equal(sigaction(signals[i], NULL, &action), 0);
		assert_true(action.sa_handler == SIG_DFL);
	}
	sigset_t mask;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	assert_int_equal(sigismember(&mask, SIGTERM), 0);
}

static void set_up(void)
{
	temp_dir_set_up();
	/* In the background of a shell some of these signals are ignored. */
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		signal(signals[i], SIG_DFL);
}

static const struct test_fixture fixture = {set_up, temp_dir_tear_down};

GROUP_WITH(fixture);
