/* SPDX-License-Identifier: MIT
 * The program's process, and those that it leaves behind. This process treats signals like a shell with a program in
 * the foreground: Ctrl-C ends the program, and stmlog stays to collect the recording. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "clock.h"
#include "lookup.h"
#include "memory.h"
#include "proc.h"
#include "record.h"

/* ---- processes ----
 * Those of a run of a series. This process is their subreaper: the kernel makes it the parent of each one whose parent
 * has ended, daemons included. So none of them gets away by leaving its group or session; and the program stays in the
 * terminal's foreground. NOTES.txt, "Many runs". */

enum { SPARE = -1 };

/* Children that this process had before the run, from a shell that has become it by exec. They are spared. */
static pid_t *spared;
static size_t spared_len, spared_cap;

static bool is_spared(pid_t pid)
{
	size_t i = 0;
	while (i < spared_len && spared[i] != pid)
		i++;
	return i < spared_len;
}

/* Sends the signal to each child that is not spared, or spares it. Returns false if there is none. No child loses its
 * number to another process before this process has asked for its status. */
static bool each_child(int signal)
{
	siginfo_t info;
	glob_t all = {.gl_pathc = 0};
	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
		return false;
	glob("/proc/[0-9]*", GLOB_NOSORT, NULL, &all);
	bool has_any = all.gl_pathc == 0 || spared_len == 0; /* /proc may hide some */
	for (size_t i = 0; i < all.gl_pathc; i++) {
		pid_t pid = (pid_t)strtol(all.gl_pathv[i] + strlen("/proc/"), NULL, 10);
		struct process_stat stat = process_stat_read(pid);
		if (process_stat_number(&stat, PROCESS_PARENT) != (uint64_t)getpid() || is_spared(pid))
			continue;
		has_any = true;
		if (signal == SPARE) {
			spared = memory_grown(spared, spared_len, &spared_cap, sizeof *spared);
			spared[spared_len++] = pid;
		} else {
			kill(pid, signal);
		}
	}
	globfree(&all);
	return has_any;
}

/* Before the program's process is made: from now on its descendants stay those of this process. */
static void record_processes_begin(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	spared_len = 0;
	each_child(SPARE);
}

/* Sends the signal to the children, and again when one of them has ended: then its children are those of this process.
 * Returns false if children are left after the time. */
static bool end_children(struct record_outcome *outcome, int signal, unsigned ms)
{
	const struct timespec nap = {0, signal == SIGKILL ? 1000000 : 100000000};
	uint64_t until_ns = clock_gettime_ns() + ms * UINT64_C(1000000);
	sigset_t ended;
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	for (int sent = signal; clock_gettime_ns() < until_ns;) {
		int status;
		for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
			outcome->wait_status = pid == outcome->pid ? status : outcome->wait_status;
		if (!each_child(sent))
			return true;
		sent = sigtimedwait(&ended, NULL, &nap) == SIGCHLD || signal == SIGKILL ? signal : 0;
	}
	return false;
}

/* Ends the processes that are left: after SIGTERM they have some time, then comes SIGKILL. Sets outcome->wait_status,
 * if the program had not been waited for, has_left, recorder and is_undying. SIGCHLD is blocked, as record_run()
 * requires. */
static void record_processes_end(int board, struct record_outcome *outcome)
{
	enum { PATIENCE_MS = 250, GRACE_MS = 2000 };
	if (!outcome->is_stopped) {
		/* What the program leaves may be about to end: the last process of a pipe, say. */
		if (end_children(outcome, 0, PATIENCE_MS))
			return;
		record_board_await(board);
		outcome->recorder = record_board_sum_up(board).running;
		outcome->has_left = true;
	}
	outcome->is_undying = !end_children(outcome, SIGTERM, GRACE_MS) && !end_children(outcome, SIGKILL, GRACE_MS);
}

/* ---- the program's process ---- */

/* Handled so even after the program has ended: its exit status is returned although nobody reads our stderr any more,
 * or no file may grow; and if SIGCHLD were ignored, the kernel would keep no status of a child. */
static const struct {
	int signal;
	void (*handler)(int);
} lasting[] = {{SIGPIPE, SIG_IGN}, {SIGXFSZ, SIG_IGN}, {SIGCHLD, SIG_DFL}};
enum { LASTING = sizeof lasting / sizeof lasting[0] };

static struct sigaction before[LASTING];
static bool has_lasting; /* `before` has what held for the lasting ones */

static unsigned guards;
static sigset_t mask_before;

/* Signals that are blocked while guarded, and taken one by one. `from_user` has those that end a program, without those
 * that were ignored before (nohup); `awaited` has all. SIGUSR2 asks for the first screen of what there is. */
static sigset_t from_user, awaited;

/* The first signal of `from_user` since record_signals_guard(), and when it was taken; 0: none. */
static int interruption;
static uint64_t interrupted_ns;

void record_signals_guard(void)
{
	static const int users[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	struct sigaction action;
	if (guards++ != 0)
		return;
	interruption = 0;
	sigemptyset(&from_user);
	sigprocmask(SIG_BLOCK, NULL, &mask_before);
	for (size_t i = 0; i < sizeof users / sizeof users[0]; i++)
		if (sigaction(users[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&from_user, users[i]);
	awaited = from_user;
	sigaddset(&awaited, SIGCHLD);
	sigaddset(&awaited, SIGUSR2);
	sigprocmask(SIG_BLOCK, &awaited, NULL);
	for (size_t i = 0; i < LASTING; i++) {
		action = (struct sigaction){.sa_handler = lasting[i].handler};
		sigaction(lasting[i].signal, &action, has_lasting ? NULL : &before[i]);
	}
	has_lasting = true;
}

/* Returns a signal of the set, or -1 if none comes within the time. NULL: it waits until one comes. */
static int take(const sigset_t *set, const struct timespec *wait)
{
	int signal = sigtimedwait(set, NULL, wait);
	if (signal > 0 && sigismember(&from_user, signal) && interruption == 0) {
		interruption = signal;
		interrupted_ns = clock_gettime_ns();
	}
	return signal;
}

/* Signals that have come too late for record_run() would end this process once they are let through. */
static void drop(const sigset_t *set)
{
	static const struct timespec now;
	while (take(set, &now) > 0)
		continue;
}

int record_interruption(void)
{
	drop(&from_user);
	return interruption;
}

void record_signals_release(void)
{
	if (--guards != 0)
		return;
	drop(&awaited);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

/* In the child. */
static void restore_signals(void)
{
	for (size_t i = 0; i < LASTING; i++)
		sigaction(lasting[i].signal, &before[i], NULL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

/* In the child: becomes the program, or writes errno to `report` and ends. */
static void become(const struct record_run *run, int report)
{
	const struct record_watch *watch = &run->wishes->watch;
	restore_signals();
	if (run->directory->board >= RECORD_BOARD_INHERITED)
		fcntl(run->directory->board, F_SETFD, 0); /* no O_CLOEXEC */
	bool is_ready = watch->prepare == NULL || watch->prepare(watch->arg);
	int error = is_ready && record_env_apply(run->env) ? lookup_exec(run->argv) : errno;
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

/* Waits until the program may have ended, it is time for another look, or a report is asked for. Like a shell it leaves
 * SIGINT and SIGQUIT alone, because the terminal sends them to the program, too; it forwards SIGTERM and SIGHUP. */
static void look_and_wait(const struct record_run *run, pid_t pid)
{
	static const struct timespec between = {0, 250000000};
	const struct record_watch *watch = &run->wishes->watch;
	bool is_timed = watch->look != NULL || run->wishes->max_ns != 0 || interruption != 0;
	if (watch->look != NULL)
		watch->look(watch->arg, run->directory->held, pid);
	int signal = take(&awaited, is_timed ? &between : NULL);
	record_board_unload(run->directory->board, run->directory->held);
	if (signal == SIGUSR2 && watch->dump != NULL)
		watch->dump(watch->arg, run->file, run->directory->held, pid);
	if (signal == SIGTERM || signal == SIGHUP)
		kill(pid, signal);
}

/* Whether the program has ended. The kernel keeps its status: the process that makes its recording looks for it. That
 * of other processes, whose parents have ended, is dropped as init does it. */
static bool has_ended(pid_t pid)
{
	siginfo_t info = {.si_pid = 0};
	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != pid) {
		if (info.si_pid == 0)
			return false;
		waitpid(info.si_pid, NULL, 0);
	}
	return true;
}

/* Whether a run of a series has had its time: it takes too long, or the user has interrupted it a while ago. */
static bool is_overdue(const struct record_wishes *wishes, uint64_t began_ns)
{
	enum { GRACE_NS = 2000000000 };
	uint64_t now_ns = clock_gettime_ns();
	return wishes->is_of_series && ((wishes->max_ns != 0 && now_ns - began_ns > wishes->max_ns) ||
					       (interruption != 0 && now_ns - interrupted_ns > GRACE_NS));
}

static void wait_for(const struct record_run *run, struct record_outcome *outcome)
{
	const struct record_wishes *wishes = run->wishes;
	uint64_t began_ns = clock_gettime_ns();
	while (!has_ended(outcome->pid) && !outcome->is_stopped) {
		look_and_wait(run, outcome->pid);
		outcome->is_stopped = is_overdue(wishes, began_ns);
	}
	if (!outcome->is_stopped)
		record_board_await(run->directory->board);
	if (wishes->is_of_series)
		record_processes_end(run->directory->board, outcome);
	else
		waitpid(outcome->pid, &outcome->wait_status, 0);
	if (wishes->watch.over != NULL)
		wishes->watch.over(wishes->watch.arg);
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
	if (run->wishes->is_of_series)
		record_processes_begin();
	outcome->pid = fork();
	if (outcome->pid == 0)
		become(run, ends[1]);
	close(ends[1]);
	if (outcome->pid > 0) {
		outcome->exec_errno = read_exec_errno(ends[0]);
		wait_for(run, outcome);
	}
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
