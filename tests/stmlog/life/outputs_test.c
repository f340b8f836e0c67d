/* SPDX-License-Identifier: MIT
 * Where the outputs go; each case in a child of its own, in a directory of its own. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stmlog/agent.h>
#include <stmlog/format.h>

#include "capture_stderr.h"
#include "child.h"
#include "clock.h"
#include "fake_clock.h"
#include "life.h"
#include "registry.h"
#include "test.h"
#include "wait_until.h"

static char directory[64];
static char told[1024];

static void set_up(void)
{
	strcpy(directory, "/tmp/stmlog-outputs-XXXXXX");
	assert_non_null(mkdtemp(directory));
	assert_int_equal(chdir(directory), 0);
}

/* rmdir() fails when anything is left, so each test names all files that there may be. */
static void tear_down(void)
{
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(directory), 0);
}

static const struct test_fixture fixture = {set_up, tear_down};

static void transact(struct stmlog_thread *me)
{
	stmlog_start(me);
	stmlog_commit(me);
}

/* Opens with the options, does something, goes elsewhere, closes, in a child; `told` is what it says on stderr. */
static pid_t run_doing(void (*something)(struct stmlog_thread *me), const char *options, const char *generation)
{
	capture_stderr_begin();
	pid_t pid = fork();
	if (pid == 0) {
		setenv("STMLOG_OPTIONS", options, 1);
		if (generation != NULL)
			setenv("STMLOG_GENERATION", generation, 1);
		if (stmlog_open(NULL) != 0 || chdir("/") != 0)
			_exit(1);
		something(stmlog_thread_open(NULL));
		stmlog_close();
		_exit(0);
	}
	int status = child_end(pid);
	capture_stderr_end(told, sizeof told);
	assert_int_equal(status, 0);
	return pid;
}

static pid_t run(const char *options, const char *generation)
{
	return run_doing(transact, options, generation);
}

static void assert_made(const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", directory, name);
	assert_int_equal(unlink(path), 0);
}

TEST_WITH(fixture, relative_paths_start_where_the_program_was_started)
{
	run("out=data:report=text", NULL);
	assert_string_equal(told, "");
	assert_made("data");
	assert_made("text");
}

static void do_nothing(struct stmlog_thread *me)
{
	(void)me;
}

static void tell_of_unmeasured_ones(struct stmlog_thread *me)
{
	stmlog_unmeasured(me, 0, 0);
}

static void fork_after_telling_of_them(struct stmlog_thread *me)
{
	stmlog_unmeasured(me, 0, 0);
	pid_t pid = fork();
	if (pid == 0)
		stmlog_flush();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
}

TEST_WITH(fixture, nothing_recorded_makes_nothing)
{
	run_doing(do_nothing, "out=data:report=text", NULL);
}

TEST_WITH(fixture, transactions_that_nobody_has_counted_make_outputs_all_the_same)
{
	run_doing(tell_of_unmeasured_ones, "out=data:report=text", NULL);
	assert_made("data");
	assert_made("text");
	/* The parent's are not the child's. */
	run_doing(fork_after_telling_of_them, "out=data:report=none", NULL);
	assert_made("data");
}

static bool makes_a_snapshot(void)
{
	char path[256];
	snprintf(path, sizeof path, "%s/r.data", directory);
	outputs_make(OUTPUTS_SNAPSHOT);
	return unlink(path) == 0;
}

static void make_snapshots(struct stmlog_thread *me)
{
	for (int i = 0; i < 2; i++) {
		transact(me);
		if (!makes_a_snapshot() || makes_a_snapshot())
			_exit(1);
	}
}

TEST_WITH(fixture, a_snapshot_is_made_only_if_something_was_recorded_since)
{
	run_doing(make_snapshots, "out=r.data:report=none", NULL);
	assert_made("r.data");
}

TEST_WITH(fixture, the_pattern_holds_pid_and_name)
{
	char expected[64];
	snprintf(expected, sizeof expected, "x%%-%d-outputs_test", (int)run("out=x%%-%p-%n:report=none", NULL));
	assert_made(expected);
}

TEST_WITH(fixture, no_name_of_a_program_leads_out_of_the_directory)
{
	static char *const names[] = {"", ".", "..", "a\x1b[1m\n\xe2\x80\xae"};
	static const char *const made[] = {"_", "_", "_", "a?[1m??"};
	char *own = program_invocation_short_name;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		program_invocation_short_name = names[i];
		run("out=%n:report=none", NULL);
		program_invocation_short_name = own;
		assert_string_equal(told, "");
		assert_made(made[i]);
	}
}

TEST_WITH(fixture, an_image_after_exec_has_a_file_of_its_own)
{
	run("out=data:report=none", "2");
	assert_made("data.2");
}

TEST_WITH(fixture, the_report_goes_to_stderr_unless_told_otherwise)
{
	run("", NULL);
	assert_non_null(strstr(told, "): embedded, 1 thread"));
	run("report=none", NULL);
	assert_string_equal(told, "");
}

TEST_WITH(fixture, verbose_tells_what_was_written)
{
	char expected[128];
	run("out=data:report=none:verbose=1", NULL);
	snprintf(expected, sizeof expected, "stmlog: wrote %s/data\n", directory);
	assert_string_equal(told, expected);
	assert_made("data");
}

TEST_WITH(fixture, a_place_that_cannot_be_written_is_one_line)
{
	run("out=/nowhere/at/all:report=none", NULL);
	assert_string_equal(told, "stmlog: /nowhere/at/all: cannot write it: No such file or directory; choose another "
				  "place with STMLOG_OPTIONS=out=PATH\n");
	run("report=/nowhere/at/all.%s", NULL);
	assert_non_null(strstr(told, "STMLOG_OPTIONS=report=PATH"));
	assert_null(strchr(told, '%'));
}

TEST_WITH(fixture, unknown_keys_and_bad_values_are_one_line_each)
{
	run("report=none:colour=red:clock=sundial:top=x", NULL);
	assert_string_equal(told, "stmlog: STMLOG_OPTIONS: top=x is not a number from 0 to 1000000; using the default\n"
				  "stmlog: STMLOG_OPTIONS: clock=sundial is not monotonic or tsc; using the default\n"
				  "stmlog: STMLOG_OPTIONS: unknown key colour; ignored\n");
}

static void tell_clock(struct stmlog_thread *me)
{
	(void)me;
	fputs(clock_name(), stderr);
}

/* The fake clock stands still: a calibration fits if the TSC seems to stand still at the same time, by its scale of 0.
 */
TEST_WITH(fixture, a_calibration_of_the_tsc_is_used_if_it_fits_and_no_other_clock_is_chosen)
{
	const struct clock_tsc fits = {.base_ns = 5000000000};
	fake_clock_set(fits.base_ns);
	const char *known = clock_use_tsc(&fits) ? "tsc" : "monotonic"; /* its speed may change on this processor */
	clock_use(NULL);
	setenv("STMLOG_RUN", "tsc=1.2.three", 1);
	run_doing(tell_clock, "report=none", NULL);
	assert_string_equal(told, "monotonic");
	setenv("STMLOG_RUN", "tsc=1.5000000000.0", 1);
	run_doing(tell_clock, "report=none", NULL);
	assert_string_equal(told, known);
	run_doing(tell_clock, "report=none:clock=monotonic", NULL);
	assert_string_equal(told, "monotonic");
	setenv("STMLOG_RUN", "tsc=1.5002000000.0", 1);
	run_doing(tell_clock, "report=none", NULL);
	assert_string_equal(told, "monotonic");
	unsetenv("STMLOG_RUN");
}

/* The handler runs while the thread holds the lock. Without the bar it would wait for ever. */
static void end_within_the_library(struct stmlog_thread *me)
{
	transact(me);
	hang_guard_begin();
	registry_lock();
	stmlog_flush();
	stmlog_close();
	_exit(0);
}

TEST_WITH(fixture, a_handler_that_ends_the_process_within_the_library_does_not_wait_for_itself)
{
	run_doing(end_within_the_library, "report=none:out=out", NULL);
	assert_non_null(strstr(told, "stmlog: nothing is written: a signal handler ends the process"));
}
