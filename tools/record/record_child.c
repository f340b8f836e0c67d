/* SPDX-License-Identifier: MIT
 * The program's process. This process treats signals like a shell with a program in the foreground: Ctrl-C ends the
 * program, and stmlog stays to collect the recording. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "libitm.h"
#include "record.h"

/* LASTING: ignored even after the program has ended, so that its exit status is returned although nobody reads our
 * stderr any more, or no file may grow. */
enum { IGNORED, FORWARDED, LASTING };

static const struct guarded {
	int signal;
	int how;
} guarded[] = {{SIGINT, IGNORED}, {SIGQUIT, IGNORED}, {SIGTERM, FORWARDED}, {SIGHUP, FORWARDED}, {SIGPIPE, LASTING},
	{SIGXFSZ, LASTING}};
enum { GUARDED = sizeof guarded / sizeof guarded[0] };

/* Signals that record_run() waits for; SIGUSR2 asks for a report of what there is. */
static sigset_t awaited(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGUSR2);
	return set;
}

static struct sigaction before[GUARDED];
static sigset_t mask_before;
static bool has_lasting; /* `before` has what held for the LASTING ones */

/* The program's process; 0: none. Set while forwarded signals are blocked, so that an earlier signal waits for it. */
static volatile sig_atomic_t child;

static void forward(int signal)
{
	int saved = errno;
	if (child != 0)
		kill((pid_t)child, signal);
	errno = saved;
}

void record_signals_guard(void)
{
	sigset_t held = awaited();
	for (size_t i = 0; i < GUARDED; i++) {
		if (guarded[i].how == FORWARDED)
			sigaddset(&held, guarded[i].signal);
	}
	sigprocmask(SIG_BLOCK, &held, &mask_before);
	for (size_t i = 0; i < GUARDED; i++) {
		struct sigaction action = {0};
		sigemptyset(&action.sa_mask);
		action.sa_handler = guarded[i].how == FORWARDED ? forward : SIG_IGN;
		if (guarded[i].how != LASTING || !has_lasting)
			sigaction(guarded[i].signal, NULL, &before[i]);
		/* A signal that was ignored before (nohup) stays ignored. */
		if (before[i].sa_handler != SIG_IGN)
			sigaction(guarded[i].signal, &action, NULL);
	}
	has_lasting = true;
}

/* An awaited signal that has come too late for record_run() would end this process once it is let through. */
static void drop_awaited(void)
{
	static const struct timespec now;
	sigset_t set = awaited();
	while (sigtimedwait(&set, NULL, &now) > 0)
		continue;
}

static void let_forwarded_come(void)
{
	sigset_t forwarded;
	sigemptyset(&forwarded);
	for (size_t i = 0; i < GUARDED; i++)
		if (guarded[i].how == FORWARDED && !sigismember(&mask_before, guarded[i].signal))
			sigaddset(&forwarded, guarded[i].signal);
	sigprocmask(SIG_UNBLOCK, &forwarded, NULL);
}

static void restore(bool is_in_child)
{
	drop_awaited();
	for (size_t i = 0; i < GUARDED; i++)
		if (guarded[i].how != LASTING || is_in_child)
			sigaction(guarded[i].signal, &before[i], NULL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

void record_signals_release(void)
{
	restore(false);
}

/* Under another `stmlog record` the variable may have that one's value. */
static int set_or_unset(const char *name, const char *value)
{
	return value != NULL ? setenv(name, value, 1) : unsetenv(name);
}

/* In the child: becomes the program, or writes errno to `report` and ends. */
static void become(const struct record_run *run, int report)
{
	const struct record_watch *watch = run->watch;
	restore(true);
	int is_not_set = watch->prepare != NULL && !watch->prepare(watch->arg);
	if (is_not_set == 0)
		is_not_set = set_or_unset(LIBITM_VARIABLE, run->libitm);
	if (is_not_set == 0)
		is_not_set = set_or_unset("STMLOG_TSC", run->tsc);
	if (is_not_set == 0)
		is_not_set = setenv("STMLOG_RUN", run->run, 1);
	if (is_not_set == 0 && run->library != NULL)
		is_not_set = setenv("STMLOG_LIBRARY", run->library, 0);
	if (is_not_set == 0)
		is_not_set = setenv("ASAN_OPTIONS", run->asan, 1);
	if (is_not_set == 0 && setenv("LD_PRELOAD", run->preload, 1) == 0 &&
		setenv("STMLOG_OPTIONS", run->options, 1) == 0)
		execvp(run->argv[0], run->argv);
	int error = errno;
	ssize_t ignored = write(report, &error, sizeof error);
	(void)ignored;
	_exit(127);
}

/* Returns 0 if exec succeeded, which closes the pipe. */
static int read_exec_errno(int report)
{
	int error = 0;
	ssize_t got;
	do {
		got = read(report, &error, sizeof error);
	} while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof error ? error : 0;
}

/* Waits until the program may have ended, it is time for another look, or a report is asked for. */
static void look_and_wait(const struct record_run *run, pid_t pid)
{
	static const struct timespec between = {0, 250000000};
	const struct record_watch *watch = run->watch;
	sigset_t set = awaited();
	if (watch->look != NULL)
		watch->look(watch->arg, run->directory, pid);
	if (sigtimedwait(&set, NULL, watch->look != NULL ? &between : NULL) == SIGUSR2)
		watch->dump(watch->arg, run->file, run->directory, pid);
}

/* The kernel keeps its status: the process that makes its recording looks for it. */
static bool has_ended(pid_t pid)
{
	siginfo_t info = {.si_pid = 0};
	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/* A forwarded signal ends a wait early, which does no harm. */
static void wait_for(const struct record_run *run, struct record_outcome *outcome)
{
	while (!has_ended(outcome->pid))
		look_and_wait(run, outcome->pid);
	record_board_await(run->board);
	waitpid(outcome->pid, &outcome->wait_status, 0);
	if (run->watch->over != NULL)
		run->watch->over(run->watch->arg);
}

#ifdef STMLOG_CHECKS
static bool are_signals_guarded(void)
{
	sigset_t blocked;
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	return sigismember(&blocked, SIGCHLD) == 1;
}
#endif

int record_run(const struct record_run *run, struct record_outcome *outcome)
{
	int ends[2];
	REQUIRES(are_signals_guarded());
	memset(outcome, 0, sizeof *outcome);
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	outcome->pid = fork();
	if (outcome->pid == 0)
		become(run, ends[1]);
	child = outcome->pid > 0 ? outcome->pid : 0;
	let_forwarded_come();
	close(ends[1]);
	if (outcome->pid > 0) {
		outcome->exec_errno = read_exec_errno(ends[0]);
		wait_for(run, outcome);
	}
	child = 0;
	close(ends[0]);
	return outcome->pid > 0 ? 0 : -1;
}

int record_exit_status(const struct record_outcome *outcome)
{
	if (outcome->exec_errno != 0)
		return outcome->exec_errno == ENOENT ? 127 : 126;
	if (WIFSIGNALED(outcome->wait_status))
		return 128 + WTERMSIG(outcome->wait_status);
	return WEXITSTATUS(outcome->wait_status);
}
