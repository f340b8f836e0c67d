/* SPDX-License-Identifier: MIT
 * Signals that end the program, with kill=flush: the recording is there, and the program dies of the signal. Each case
 * in a child of its own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <stmlog/runtime.h>

#include "temp_dir.h"
#include "child.h"

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

static const char *path;
static struct stmlog_thread *me;
static int number; /* of the signal of the case */

static void open_and_transact(void)
{
	static const struct stmlog_setup setup = {.runtime = "test", .report = "none"};
	char text[600];
	snprintf(text, sizeof text, "out=%s:kill=flush", path);
	setenv("STMLOG_OPTIONS", text, 1);
	if (stmlog_open(&setup) != 0)
		_exit(50);
	me = stmlog_thread_attach();
	stmlog_start(me);
	stmlog_commit(me);
}

/* Runs `body` in a child that leaves no core and has no handlers, as of cmocka. Returns how it ended. */
static int in_a_child(void **state, void (*body)(void))
{
	path = temp_dir_path(state, "data");
	unlink(path);
	pid_t pid = fork();
	if (pid == 0) {
		for (size_t i = 0; i < NUMBERS; i++)
			signal(numbers[i], SIG_DFL);
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		body();
		_exit(51);
	}
	return child_end(pid);
}

static void expect_death(void **state, void (*body)(void), int of)
{
	struct stat status;
	int end = in_a_child(state, body);
	assert_true(WIFSIGNALED(end));
	assert_int_equal(WTERMSIG(end), of);
	assert_int_equal(stat(path, &status), 0);
	assert_true(status.st_size > 0);
}

static void is_sent_the_signal(void)
{
	open_and_transact();
	raise(number);
}

static void each_signal_that_ends_a_program_leaves_a_recording(void **state)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		number = numbers[i];
		expect_death(state, is_sent_the_signal, number);
	}
}

static void writes_where_nothing_is(void)
{
	open_and_transact();
	*(volatile int *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
}

static void reads_behind_the_end_of_a_file(void)
{
	FILE *file = tmpfile();
	open_and_transact();
	(void)*(volatile int *)mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
}

static void so_does_a_fault(void **state)
{
	expect_death(state, writes_where_nothing_is, SIGSEGV);
	expect_death(state, reads_behind_the_end_of_a_file, SIGBUS);
}

static void aborts(void)
{
	open_and_transact();
	abort();
}

static void so_does_abort(void **state)
{
	expect_death(state, aborts, SIGABRT);
}

/* ---- in the middle of a hook ---- */

static bool is_due;

static uint64_t clock_that_sends_the_signal(void)
{
	static uint64_t now_ns = 1000;
	if (is_due) {
		is_due = false;
		raise(number);
	}
	return now_ns += 1000;
}

static void is_sent_it_in_a_hook(void)
{
	stmlog_set_clock(clock_that_sends_the_signal);
	open_and_transact();
	is_due = true;
	stmlog_start(me);
	for (;;)
		pause();
}

/* The outputs wait for the hook, so the hook does not wait for them. */
static void a_signal_in_a_hook_ends_the_program_after_the_hook(void **state)
{
	number = SIGTERM;
	expect_death(state, is_sent_it_in_a_hook, SIGTERM);
}

static void is_sent_one_in_a_hook_and_one_behind_it(void)
{
	stmlog_set_clock(clock_that_sends_the_signal);
	open_and_transact();
	is_due = true;
	stmlog_start(me);
	raise(SIGINT);
	for (;;)
		pause();
}

static void of_two_signals_the_program_dies_once(void **state)
{
	struct stat status;
	number = SIGTERM;
	int end = in_a_child(state, is_sent_one_in_a_hook_and_one_behind_it);
	assert_true(WIFSIGNALED(end));
	assert_true(WTERMSIG(end) == SIGTERM || WTERMSIG(end) == SIGINT);
	assert_int_equal(stat(path, &status), 0);
}

static uint64_t clock_that_faults(void)
{
	static uint64_t now_ns = 1000;
	if (is_due)
		*(volatile int *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
	return now_ns += 1000;
}

static void faults_in_a_hook(void)
{
	stmlog_set_clock(clock_that_faults);
	open_and_transact();
	is_due = true;
	stmlog_start(me);
}

/* It cannot go on to where the hook ends. */
static void a_fault_in_a_hook_ends_the_program(void **state)
{
	int end = in_a_child(state, faults_in_a_hook);
	assert_true(WIFSIGNALED(end));
	assert_int_equal(WTERMSIG(end), SIGSEGV);
}

/* ---- who gets the signal ---- */

static void *is_sent_the_signal_too(void *unused)
{
	raise(number);
	return unused;
}

static void is_sent_it_on_four_threads(void)
{
	pthread_t thread;
	open_and_transact();
	for (int i = 0; i < 3; i++)
		pthread_create(&thread, NULL, is_sent_the_signal_too, NULL);
	raise(number);
}

static void signals_on_several_threads_end_it_once(void **state)
{
	number = SIGTERM;
	expect_death(state, is_sent_it_on_four_threads, SIGTERM);
	number = SIGSEGV;
	expect_death(state, is_sent_it_on_four_threads, SIGSEGV);
}

/* By a system call of its own, so that no handler of pthread_atfork() runs. */
static void makes_a_child_that_is_sent_the_signal(void)
{
	int status;
	open_and_transact();
	pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0) {
		kill((pid_t)syscall(SYS_getpid), SIGTERM);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	_exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : 1);
}

static void a_child_without_a_watcher_dies_at_once(void **state)
{
	assert_int_equal(in_a_child(state, makes_a_child_that_is_sent_the_signal), 0);
}

static void ignores_the_signal(void)
{
	signal(SIGHUP, SIG_IGN);
	open_and_transact();
	raise(SIGHUP);
	_exit(7);
}

static void a_signal_that_the_program_ignores_stays_ignored(void **state)
{
	int end = in_a_child(state, ignores_the_signal);
	assert_true(WIFEXITED(end));
	assert_int_equal(WEXITSTATUS(end), 7);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, temp_dir_setup, temp_dir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(each_signal_that_ends_a_program_leaves_a_recording),
		CASE(so_does_a_fault),
		CASE(so_does_abort),
		CASE(a_signal_in_a_hook_ends_the_program_after_the_hook),
		CASE(of_two_signals_the_program_dies_once),
		CASE(a_fault_in_a_hook_ends_the_program),
		CASE(signals_on_several_threads_end_it_once),
		CASE(a_child_without_a_watcher_dies_at_once),
		CASE(a_signal_that_the_program_ignores_stays_ignored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
