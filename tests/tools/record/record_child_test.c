/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "record.h"
#include "recording_writer.h"
#include "temp_dir.h"

static struct record_outcome outcome;
static const char *known; /* of a libitm */

/* How often record_run() has called each; `looked_at` is the process of the last call. */
static unsigned looks, dumps, overs;
static pid_t looked_at;
static struct record_watch watch;

/* The exit status of running `argv`, as in a shell. */
static int run(char *const argv[])
{
	char *copy[8] = {NULL};
	for (size_t i = 0; argv[i] != NULL; i++)
		copy[i] = argv[i];
	struct record_run what = {copy, "", "sample=1", "", known, NULL, &watch, "file", "directory", NULL};
	record_signals_guard();
	int result = record_run(&what, &outcome);
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
	assert_ptr_equal(arg, &watch);
	assert_string_equal(directory, "directory");
	looks++;
	looked_at = pid;
}

static void dump(void *arg, const char *file, const char *directory, pid_t pid)
{
	assert_ptr_equal(arg, &watch);
	assert_string_equal(file, "file");
	assert_string_equal(directory, "directory");
	dumps++;
	looked_at = pid;
}

static void over(void *arg)
{
	assert_ptr_equal(arg, &watch);
	overs++;
}

static bool prepare(void *arg)
{
	assert_ptr_equal(arg, &watch);
	return setenv("PREPARED", "yes", 1) == 0 && setenv("STMLOG_OPTIONS", "out=elsewhere", 1) == 0;
}

static bool refuse(void *arg)
{
	(void)arg;
	errno = EPERM;
	return false;
}

static void a_program_finds_its_process_prepared_but_with_the_recorders_own_variables(void **state)
{
	(void)state;
	watch = (struct record_watch){.prepare = prepare, .arg = &watch};
	assert_int_equal(run_shell("test $PREPARED = yes && test $STMLOG_OPTIONS = sample=1"), 0);
	watch = (struct record_watch){.prepare = refuse, .arg = &watch};
	run_shell("exit 0");
	assert_int_equal(outcome.exec_errno, EPERM);
	watch = (struct record_watch){.prepare = NULL};
}

static void a_program_is_looked_at_while_it_runs(void **state)
{
	(void)state;
	watch = (struct record_watch){.look = look, .dump = dump, .over = over, .arg = &watch};
	looks = dumps = overs = 0;
	assert_int_equal(run_shell("kill -USR2 $PPID; sleep 0.6; exit 4"), 4);
	assert_int_equal(looked_at, outcome.pid);
	assert_true(looks >= 2);
	assert_int_equal(dumps, 1);
	assert_int_equal(overs, 1);
	watch = (struct record_watch){.dump = dump, .arg = &watch};
	assert_int_equal(run_shell("kill -USR2 $PPID; kill -TERM $PPID; sleep 5"), 128 + SIGTERM);
	watch = (struct record_watch){.look = NULL};
}

static void the_programs_status_comes_through(void **state)
{
	(void)state;
	assert_int_equal(run_shell("exit 0"), 0);
	assert_int_equal(run_shell("exit 3"), 3);
	assert_int_equal(run_shell("exit 255"), 255);
	assert_int_equal(outcome.exec_errno, 0);
	assert_true(outcome.pid > 0);
}

static void a_signal_is_128_and_its_number(void **state)
{
	(void)state;
	assert_int_equal(run_shell("kill -KILL $$"), 128 + SIGKILL);
	assert_int_equal(run_shell("kill -SEGV $$"), 128 + SIGSEGV);
	assert_int_equal(run_shell("kill -INT $$"), 128 + SIGINT);
}

static void what_cannot_be_run_is_told_apart(void **state)
{
	const char *text = temp_dir_path(state, "text");
	writer_save_bytes("x", 1, text);
	assert_int_equal(run((char *[]){"/nowhere/at/all", NULL}), 127);
	assert_int_equal(outcome.exec_errno, ENOENT);
	assert_int_equal(run((char *[]){"stmlog-no-such-program", NULL}), 127);
	assert_int_equal(run((char *[]){(char *)(uintptr_t)text, NULL}), 126);
	assert_int_equal(outcome.exec_errno, EACCES);
	assert_int_equal(run((char *[]){*state, NULL}), 126);
}

static void the_environment_is_the_programs_alone(void **state)
{
	(void)state;
	unsetenv("STMLOG_OPTIONS");
	assert_int_equal(run_shell("test \"$STMLOG_OPTIONS\" = sample=1"), 0);
	assert_null(getenv("STMLOG_OPTIONS"));
}

static void what_an_outer_one_knew_of_a_libitm_is_not_passed_on(void **state)
{
	(void)state;
	setenv("STMLOG_LIBITM", "of another program", 1);
	assert_int_equal(run_shell("test -z \"${STMLOG_LIBITM+set}\""), 0);
	known = "id=52";
	assert_int_equal(run_shell("test \"$STMLOG_LIBITM\" = id=52"), 0);
	known = NULL;
	unsetenv("STMLOG_LIBITM");
}

static void the_program_has_the_signals_that_we_had(void **state)
{
	(void)state;
	assert_int_equal(run_shell("kill -TERM $$; exit 0"), 128 + SIGTERM);
	signal(SIGHUP, SIG_IGN);
	assert_int_equal(run_shell("kill -HUP $$; exit 5"), 5);
	signal(SIGHUP, SIG_DFL);
}

/* The program sends a signal to its parent, this process. */
static void what_would_end_us_ends_the_program_instead(void **state)
{
	(void)state;
#define FOR_TEN_SECONDS "i=0; while [ $i -lt 200 ]; do sleep 0.05; i=$((i + 1)); done"
	assert_int_equal(run_shell("trap 'exit 7' TERM; kill -TERM $PPID; " FOR_TEN_SECONDS), 7);
	assert_int_equal(run_shell("trap 'exit 8' HUP; kill -HUP $PPID; " FOR_TEN_SECONDS), 8);
}

static void an_interrupt_is_left_to_the_program(void **state)
{
	(void)state;
	assert_int_equal(run_shell("kill -INT $PPID; kill -QUIT $PPID; exit 9"), 9);
}

static const int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};

static void afterwards_signals_are_as_before(void **state)
{
	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_programs_status_comes_through),
		cmocka_unit_test(a_program_finds_its_process_prepared_but_with_the_recorders_own_variables),
		cmocka_unit_test(a_program_is_looked_at_while_it_runs),
		cmocka_unit_test(a_signal_is_128_and_its_number),
		cmocka_unit_test(what_cannot_be_run_is_told_apart),
		cmocka_unit_test(the_environment_is_the_programs_alone),
		cmocka_unit_test(what_an_outer_one_knew_of_a_libitm_is_not_passed_on),
		cmocka_unit_test(the_program_has_the_signals_that_we_had),
		cmocka_unit_test(what_would_end_us_ends_the_program_instead),
		cmocka_unit_test(an_interrupt_is_left_to_the_program),
		cmocka_unit_test(afterwards_signals_are_as_before),
	};
	/* In the background of a shell some of these signals are ignored. */
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		signal(signals[i], SIG_DFL);
	return cmocka_run_group_tests(tests, temp_dir_setup, temp_dir_teardown);
}
